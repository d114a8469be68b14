/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Build-ids of files (through struct elf_file), of the running kernel and its modules (notes in
 * /sys).
 */
#include "symbols/build_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/io.h"
#include "symbols/symbolizer.h"
#include "symbols/vdso.h"

#define MAX_NOTES_BYTES (1U << 20)

struct build_id build_id_of(const uint8_t *bytes, size_t size)
{
	struct build_id id = { .size = (uint8_t)(size < BUILD_ID_SIZE ? size : BUILD_ID_SIZE) };

	memcpy(id.bytes, bytes, id.size);
	return id;
}

/* perf.data can hold an id padded with zeros to 20 bytes, from times when all were that long. */
static size_t shared_size(const struct build_id *a, const struct build_id *b)
{
	const struct build_id *longer = a->size > b->size ? a : b;
	size_t size = a->size < b->size ? a->size : b->size;

	for (size_t i = size; i < longer->size; i++)
		if (longer->bytes[i])
			return 0;
	return size;
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	size_t size = shared_size(a, b);

	return size && memcmp(a->bytes, b->bytes, size) == 0;
}

bool build_id_differ(const struct build_id *a, const struct build_id *b)
{
	return a->size && b->size && !build_id_equal(a, b);
}

const char *build_id_hex(const struct build_id *id, char hex[BUILD_ID_HEX_SIZE])
{
	for (size_t i = 0; i < id->size; i++) {
		hex[2 * i] = "0123456789abcdef"[id->bytes[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[id->bytes[i] & 15];
	}
	hex[2 * id->size] = 0;
	return hex;
}

struct build_id build_id_of_file(const struct elf_file *f)
{
	struct build_id id = { 0 };
	int size = elf_file_build_id(f, id.bytes);

	id.size = size > 0 ? (uint8_t)size : 0;
	return id;
}

struct build_id build_id_in_notes(const void *notes, size_t size)
{
	struct bytes b = bytes_of(notes, size, false);

	while (bytes_left(&b)) {
		uint32_t name_size = bytes_u32(&b), desc_size = bytes_u32(&b), type = bytes_u32(&b);
		const char *name = bytes_take(&b, ((size_t)name_size + 3) & ~(size_t)3);
		const uint8_t *desc = bytes_take(&b, ((size_t)desc_size + 3) & ~(size_t)3);

		if (b.failed)
			break;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && desc_size &&
		    memcmp(name, "GNU", 4) == 0)
			return build_id_of(desc, desc_size);
	}
	return (struct build_id){ 0 };
}

static struct build_id build_id_in_sys(const char *path)
{
	struct build_id id = { 0 };
	char *notes;
	size_t size;

	if (io_read_file(path, MAX_NOTES_BYTES, &notes, &size) == 0) {
		id = build_id_in_notes(notes, size);
		free(notes);
	}
	return id;
}

struct build_id build_id_of_kernel(void)
{
	return build_id_in_sys("/sys/kernel/notes");
}

struct build_id build_id_of_kmodule(const char *name)
{
	struct build_id id = { 0 };
	char *path;

	/* Part of a path: names of modules have nothing of the kind. */
	if (strchr(name, '/') || name[0] == '.')
		return id;
	path = mem_printf("/sys/module/%s/notes/.note.gnu.build-id", name);
	id = build_id_in_sys(path);
	free(path);
	return id;
}

static struct build_id build_id_of_bracketed(const char *path)
{
	struct build_id id;
	size_t len = strlen(path);
	char *name;

	if (strcmp(path, "[kernel.kallsyms]") == 0)
		return build_id_of_kernel();
	if (strcmp(path, VDSO_PATH) == 0 || strcmp(path, VDSO_NARROW_PATH) == 0)
		return vdso_build_id(path);
	name = mem_strndup(path + 1, len > 2 && path[len - 1] == ']' ? len - 2 : len - 1);
	id = build_id_of_kmodule(name);
	free(name);
	return id;
}

int symbolizer_build_id(const char *path, uint8_t out[BUILD_ID_SIZE])
{
	struct build_id id;

	if (path[0] == '[') {
		id = build_id_of_bracketed(path);
	} else {
		struct elf_file f;
		int err = elf_file_open(&f, path, NULL);

		if (err)
			return err;
		id = build_id_of_file(&f);
		elf_file_close(&f);
	}
	if (!id.size)
		return -ENODATA;
	memcpy(out, id.bytes, id.size);
	return id.size;
}

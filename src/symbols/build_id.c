/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Build-ids in the notes of ELF files, of the running kernel and of its modules (/sys).
 */
#include "symbols/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/io.h"
#include "symbols/debug_files.h"
#include "symbols/symbolizer.h"

/* Of all that are looked through, sections and segments each. */
#define MAX_NOTES_BYTES (1U << 20)
#define MAX_NOTE_SECTIONS 4096U
/* Of a note: its head, the name "GNU" and as much of an id as is kept. */
#define NOTE_BYTES (12 + 4 + BUILD_ID_SIZE)
#define WINDOW_BYTES 4096u /* read at once: notes may be many and small */

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

static uint64_t aligned(uint64_t size, uint64_t align)
{
	return (size + align - 1) & ~(align - 1);
}

/* Looks for the one named GNU of the build-id type. */
static int find_build_id(const struct elf_file *f, uint64_t off, uint64_t size, uint64_t align, uint8_t id[BUILD_ID_SIZE])
{
	uint64_t end = off + size, at = 0; /* of the window */
	uint8_t window[WINDOW_BYTES];
	size_t have = 0;

	align = align == 8 ? 8 : 4;
	while (end >= off && end - off >= 12) {
		size_t want = end - off < NOTE_BYTES ? (size_t)(end - off) : NOTE_BYTES;

		if (off < at || off - at > have || have - (off - at) < want) {
			at = off;
			have = elf_file_read(f, off, window, end - off < WINDOW_BYTES ? (size_t)(end - off) : WINDOW_BYTES);
		}

		size_t there = have - (size_t)(off - at);
		struct bytes b = bytes_of(window + (off - at), there < want ? there : want, f->swap);
		uint32_t name_size = bytes_u32(&b), desc_size = bytes_u32(&b), type = bytes_u32(&b);
		uint64_t desc_off = aligned(12ULL + name_size, align), note_size = desc_off + aligned(desc_size, align);

		if (b.failed || desc_off > end - off || desc_size > end - off - desc_off)
			break;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && desc_size > 0) {
			size_t kept = desc_size < BUILD_ID_SIZE ? desc_size : BUILD_ID_SIZE;
			const void *name = bytes_take(&b, 4), *desc = bytes_take(&b, kept);

			if (!b.failed && memcmp(name, "GNU", 4) == 0) {
				memcpy(id, desc, kept);
				return (int)kept;
			}
		}
		if (note_size > end - off)
			break;
		off += note_size;
	}
	return -ENODATA;
}

static int find_in_sections(const struct elf_file *f, uint8_t id[BUILD_ID_SIZE])
{
	uint64_t left = MAX_NOTES_BYTES;
	uint32_t nr = 0;
	int size = -ENODATA;

	for (uint32_t i = 1; i < f->sections.nr && size < 0 && nr < MAX_NOTE_SECTIONS; i++) {
		const struct elf_section *s = &f->sections.v[i];

		if (s->type != SHT_NOTE || s->size_bytes > left)
			continue;
		left -= s->size_bytes;
		nr++;
		size = find_build_id(f, s->file_off, s->size_bytes, s->align, id);
	}
	return size;
}

static int find_in_segments(const struct elf_file *f, uint8_t id[BUILD_ID_SIZE])
{
	uint64_t left = MAX_NOTES_BYTES;
	int size = -ENODATA;

	for (uint32_t i = 0; i < f->headers.nr && size < 0; i++) {
		const GElf_Phdr *ph = &f->headers.v[i];

		if (ph->p_type == PT_NOTE && ph->p_filesz <= left) {
			left -= ph->p_filesz;
			size = find_build_id(f, ph->p_offset, ph->p_filesz, ph->p_align, id);
		}
	}
	return size;
}

struct build_id build_id_of_file(const struct elf_file *f)
{
	struct build_id id = { 0 };
	/* Sections first: the segments of a separate debug file describe a file that is not there. */
	int size = find_in_sections(f, id.bytes);

	if (size < 0)
		size = find_in_segments(f, id.bytes);
	id.size = size > 0 ? (uint8_t)size : 0;
	return id;
}

struct build_id build_id_in_notes(const void *notes, size_t size)
{
	const struct elf_file f = { .fd = -1, .image = notes, .image_size = size };
	struct build_id id = { 0 };
	int found = find_build_id(&f, 0, size, 4, id.bytes);

	id.size = found > 0 ? (uint8_t)found : 0;
	return id;
}

int build_id_open(struct elf_file *f, const char *path, const struct build_id *id, const char *what, struct errbuf *eb)
{
	char was[BUILD_ID_HEX_SIZE], now[BUILD_ID_HEX_SIZE];
	int err = elf_file_open(f, path, eb);
	struct build_id found;

	if (err)
		return err;
	found = build_id_of_file(f);
	if (!build_id_differ(id, &found))
		return 0;
	elf_file_close(f);
	return errbuf_set(eb, -ESTALE, "%s is not the recorded %s (build-id %s, the file's is %s)", path, what, build_id_hex(id, was),
			  build_id_hex(&found, now));
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

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding our own vdso: the kernel tells its address at the start of the process. Its headers are
 * the kernel's, and trusted to say how far it reaches.
 */
#include "symbols/vdso.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "symbols/debug_files.h"

#define MAX_IMAGE_BYTES (1U << 20)

static size_t image_size(const ElfW(Ehdr) * eh)
{
	const ElfW(Phdr) *ph = (const ElfW(Phdr) *)((const char *)eh + eh->e_phoff);
	size_t size = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize;

	for (int i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_offset + ph[i].p_filesz > size)
			size = ph[i].p_offset + ph[i].p_filesz;
	return size;
}

int vdso_open(struct elf_file *f, void **image, struct errbuf *eb)
{
	const ElfW(Ehdr) *eh = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int err;

	*image = NULL;
	if (!eh || memcmp(eh->e_ident, ELFMAG, SELFMAG) != 0)
		return errbuf_set(eb, -ENOENT, "this kernel gives us no vdso to read symbols from");
	size = image_size(eh);
	if (size > MAX_IMAGE_BYTES)
		return errbuf_set(eb, -EBADMSG, "the vdso claims to have %zu bytes", size);
	*image = mem_alloc(size);
	memcpy(*image, eh, size);
	err = elf_file_open_memory(f, *image, size, eb);
	if (err) {
		free(*image);
		*image = NULL;
	}
	return err;
}

/* Recorded under another kernel: perf keeps such vdsos in its cache. */
static int open_cached(struct elf_file *f, const struct build_id *id, char **source, struct errbuf *eb)
{
	char *path = debug_files_perf_cache(id, "vdso");
	char hex[BUILD_ID_HEX_SIZE];

	if (path && elf_file_open(f, path, NULL) == 0) {
		struct build_id found = build_id_of_file(f);

		if (build_id_equal(&found, id)) {
			*source = path;
			return 0;
		}
		elf_file_close(f);
	}
	free(path);
	return errbuf_set(
		eb, -ENOENT,
		"the vdso of the recording (build-id %s) is not that of the running kernel",
		build_id_hex(id, hex));
}

static int open_own(struct elf_file *f, void **image, const char *path, struct errbuf *eb)
{
	return strcmp(path, VDSO_NARROW_PATH) == 0 ? vdso_open_narrow(f, image, eb) : vdso_open(f, image, eb);
}

int vdso_open_recorded(struct elf_file *f, void **image, const struct module_ref *ref, char **source, struct errbuf *eb)
{
	struct build_id id = build_id_of(ref->build_id, ref->build_id_size), found;
	int err;

	*image = NULL;
	*source = NULL;
	if (ref->image)
		err = elf_file_open(f, ref->image, eb);
	else if (!id.size && !origin_may_be_kernel(ref->origin))
		err = errbuf_set(eb, -ESTALE, "the vdso is not that of this machine: %s", ref->origin->why);
	else
		err = open_own(f, image, ref->path, eb);
	if (err)
		return err;
	found = build_id_of_file(f);
	if (!build_id_differ(&id, &found)) {
		*source = mem_strdup(ref->path);
		return 0;
	}
	elf_file_close(f);
	free(*image);
	*image = NULL;
	return open_cached(f, &id, source, eb);
}

struct build_id vdso_build_id(const char *path)
{
	struct build_id id = { 0 };
	struct elf_file f;
	void *image;

	if (open_own(&f, &image, path, NULL) == 0) {
		id = build_id_of_file(&f);
		elf_file_close(&f);
		free(image);
	}
	return id;
}

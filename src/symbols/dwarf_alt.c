/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The debug file that several share, as dwz makes it: named by .gnu_debugaltlink (a path and a build-id) or version 5's .debug_sup.
 * Looked for at that path and wherever debug files are kept by build-id; one with another build-id is not taken.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/build_id.h"
#include "symbols/debug_files.h"
#include "symbols/dwarf_form.h"
#include "symbols/dwarf_module.h"

/* What the link says; `path` points into the section. */
struct alt_link {
	const char *path;
	struct build_id id;
};

static bool read_gnu_link(const Elf_Data *d, struct alt_link *l)
{
	size_t len;

	l->path = elf_string(d, 0, &len);
	if (!l->path || !len || len >= ELF_STRING_MAX || d->d_size - len - 1 < 2)
		return false;
	l->id = build_id_of((const uint8_t *)l->path + len + 1, d->d_size - len - 1);
	return true;
}

/* Version, whether it is itself the shared one, path (of that: empty), length of the checksum, checksum. */
static bool read_new_link(const Elf_Data *d, bool is_shared, struct alt_link *l)
{
	struct bytes b = bytes_of(d->d_buf, d->d_size, false);
	const uint8_t *sum;
	uint64_t size;
	size_t len;

	/* libelf does not turn the version of a file of the other byte order. */
	if ((bytes_u8(&b) | bytes_u8(&b)) != 5 || bytes_u8(&b) != is_shared || b.failed)
		return false;
	l->path = elf_string(d, 3, &len);
	if (!l->path || !len != is_shared || len >= ELF_STRING_MAX)
		return false;
	bytes_take(&b, len + 1);
	size = dwarf_uleb(&b);
	sum = size <= d->d_size ? bytes_take(&b, size) : NULL;
	if (!sum || size < 2)
		return false;
	l->id = build_id_of(sum, size);
	return true;
}

/* The build-id, or what version 5 has instead. */
static struct build_id id_of_alt(const struct elf_file *f)
{
	const Elf_Data *sup = elf_file_get_data(f, elf_file_find_section(f, ".debug_sup"));
	struct alt_link l;

	return sup && read_new_link(sup, true, &l) ? l.id : build_id_of_file(f);
}

/* Takes `path` (and frees it) if it is the file. */
static bool try_alt(struct elf_file *alt, char *path, const struct build_id *id)
{
	bool ok = false;

	if (path && elf_file_open(alt, path, NULL) == 0) {
		struct build_id found = id_of_alt(alt);

		ok = build_id_equal(&found, id);
		if (!ok)
			elf_file_close(alt);
	}
	free(path);
	return ok;
}

/* Relative to the directory of the file that names it, with links of that resolved: debug files are often reached by build-id. */
static char *beside(const char *path, const char *name)
{
	char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL, *joined = NULL;

	if (slash)
		joined = mem_printf("%.*s/%s", (int)(slash - real), real, name);
	free(real);
	return joined;
}

bool dwarf_alt_open(struct elf_file *alt, const struct elf_file *f, const char *path, const char *symfs, bool *is_named)
{
	const Elf_Data *gnu = elf_file_get_data(f, elf_file_find_section(f, ".gnu_debugaltlink"));
	const Elf_Data *sup = gnu ? NULL : elf_file_get_data(f, elf_file_find_section(f, ".debug_sup"));
	struct alt_link l;

	*is_named = (gnu && read_gnu_link(gnu, &l)) || (sup && read_new_link(sup, false, &l));
	if (!*is_named)
		return false;
	if (l.path[0] == '/') {
		if (*symfs && try_alt(alt, mem_printf("%s%s", symfs, l.path), &l.id))
			return true;
		if (try_alt(alt, mem_strdup(l.path), &l.id))
			return true;
	} else if (try_alt(alt, beside(path, l.path), &l.id)) {
		return true;
	}
	return try_alt(alt, debug_files_by_build_id(symfs, &l.id), &l.id) ||
	       (*symfs && try_alt(alt, debug_files_by_build_id("", &l.id), &l.id)) ||
	       try_alt(alt, debug_files_debuginfod(&l.id, "debuginfo"), &l.id);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The search for separate debug files: by build-id under /usr/lib/debug, by the name that the file
 * itself gives
 * (.gnu_debuglink), in perf's cache. The first with a .symtab that belongs to the recorded file
 * wins; belonging means an equal build-id, or an equal checksum where no build-id is known. Knows
 * nothing of what is in a symbol table.
 */
#include "symbols/debug_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/io.h"

#define DELETED " (deleted)"

/* The directory layout that all keepers of debug files share: two digits, then the rest. */
static char *build_id_path(const char *before, const struct build_id *id, const char *after)
{
	char hex[BUILD_ID_HEX_SIZE];

	if (id->size < 2)
		return NULL;
	build_id_hex(id, hex);
	return mem_printf("%s/.build-id/%.2s/%s%s", before, hex, hex + 2, after);
}

char *debug_files_by_build_id(const char *root, const struct build_id *id)
{
	char *dir = mem_printf("%s/usr/lib/debug", root);
	char *path = build_id_path(dir, id, ".debug");

	free(dir);
	return path;
}

char *debug_files_perf_cache(const struct build_id *id, const char *name)
{
	const char *home = getenv("HOME");
	char *dir, *after, *path;

	if (!home || home[0] != '/')
		return NULL;
	dir = mem_printf("%s/.debug", home);
	after = mem_printf("/%s", name);
	path = build_id_path(dir, id, after);
	free(dir);
	free(after);
	return path;
}

/* Takes `path` (and frees it) as the debug file if it has symbols and the right build-id. */
static bool try_debug(struct debug_files *d, char *path, const struct build_id *id)
{
	struct elf_file f;
	bool ok = false;

	if (path && elf_file_open(&f, path, NULL) == 0) {
		struct build_id found = build_id_of_file(&f);

		ok = elf_file_has_symtab(&f) && build_id_equal(&found, id);
		if (ok) {
			d->debug = f;
			d->source = path;
			path = NULL;
		} else {
			elf_file_close(&f);
		}
	}
	free(path);
	return ok;
}

/* The checksum of a debug link is zlib's CRC-32 over the whole file. */
static int file_crc(int fd, uint32_t *crc)
{
	size_t size = 1 << 16;
	uint8_t *buf = mem_alloc(size);
	uint64_t off = 0;
	ssize_t got;

	*crc = 0;
	while ((got = io_pread(fd, buf, size, off)) > 0) {
		*crc = (uint32_t)crc32(*crc, buf, (unsigned int)got);
		off += (uint64_t)got;
	}
	free(buf);
	return (int)got;
}

static bool try_link(struct debug_files *d, char *path, const struct build_id *id, uint32_t crc)
{
	struct elf_file f;
	uint32_t found;
	bool ok;

	if (id->size)
		return try_debug(d, path, id);
	ok = elf_file_open(&f, path, NULL) == 0;
	if (ok) {
		ok = elf_file_has_symtab(&f) && file_crc(f.fd, &found) == 0 && found == crc;
		if (ok) {
			d->debug = f;
			d->source = path;
			return true;
		}
		elf_file_close(&f);
	}
	free(path);
	return false;
}

/* By .gnu_debuglink: beside the file, in .debug/ beside it, in the same directory below
 * /usr/lib/debug. */
static bool find_linked(struct debug_files *d, const char *symfs, const char *path,
			const struct build_id *id)
{
	const char *slash = strrchr(path, '/'), *name;
	int dir_len = slash ? (int)(slash - path) : 0;
	uint32_t crc;

	if (!d->runtime.elf || !slash || elf_file_debuglink(&d->runtime, &name, &crc))
		return false;
	return try_link(d, mem_printf("%s%.*s/%s", symfs, dir_len, path, name), id, crc) ||
	       try_link(d, mem_printf("%s%.*s/.debug/%s", symfs, dir_len, path, name), id, crc) ||
	       try_link(d, mem_printf("%s/usr/lib/debug%.*s/%s", symfs, dir_len, path, name), id,
			crc);
}

static bool find_debug(struct debug_files *d, const char *symfs, const char *path,
		       const struct build_id *id)
{
	if (id->size && try_debug(d, debug_files_by_build_id(symfs, id), id))
		return true;
	/* An equal build-id is proof enough to leave the other root. */
	if (id->size && *symfs && try_debug(d, debug_files_by_build_id("", id), id))
		return true;
	if (find_linked(d, symfs, path, id))
		return true;
	return id->size && (try_debug(d, debug_files_perf_cache(id, "debug"), id) ||
			    try_debug(d, debug_files_perf_cache(id, "elf"), id));
}

/* Opens the file itself, if it is still the recorded one. */
static int open_runtime(struct elf_file *f, const char *path, const struct build_id *id,
			struct errbuf *eb)
{
	char was[BUILD_ID_HEX_SIZE], now[BUILD_ID_HEX_SIZE];
	struct build_id found;
	int err = elf_file_open(f, path, eb);

	if (err)
		return err;
	found = build_id_of_file(f);
	if (!id->size || build_id_equal(&found, id))
		return 0;
	elf_file_close(f);
	return errbuf_set(eb, -ESTALE, "%s was replaced since the recording (build-id %s, now %s)",
			  path, build_id_hex(id, was),
			  found.size ? build_id_hex(&found, now) : "none");
}

/* The recorded path without the kernel's mark that the file was gone. Only a build-id tells that
 * the same file is back. */
static char *runtime_path(const char *symfs, const char *path, const struct build_id *id)
{
	size_t len = strlen(path), mark = strlen(DELETED);

	if (id->size && len > mark && strcmp(path + len - mark, DELETED) == 0)
		len -= mark;
	return mem_printf("%s%.*s", symfs, (int)len, path);
}

int debug_files_open(struct debug_files *d, const char *symfs, const char *path,
		     const struct build_id *recorded, struct errbuf *eb)
{
	struct build_id id = *recorded;
	char *file;
	int err;

	*d = (struct debug_files){ .runtime.fd = -1, .debug.fd = -1 };
	if (!symfs)
		symfs = "";
	file = runtime_path(symfs, path, recorded);
	err = open_runtime(&d->runtime, file, recorded, eb);
	if (err && recorded->size) {
		char *cached = debug_files_perf_cache(recorded, "elf");

		if (cached && open_runtime(&d->runtime, cached, recorded, NULL) == 0) {
			free(file);
			file = cached;
			err = 0;
		} else {
			free(cached);
		}
	}
	if (!err && !id.size)
		id = build_id_of_file(&d->runtime);
	if ((err || !elf_file_has_symtab(&d->runtime)) && find_debug(d, symfs, path, &id))
		err = 0;
	if (!d->source && d->runtime.elf)
		d->source = mem_strdup(file);
	free(file);
	if (!err)
		errbuf_clear(eb);
	return err;
}

void debug_files_close(struct debug_files *d)
{
	elf_file_close(&d->runtime);
	elf_file_close(&d->debug);
	free(d->source);
	d->source = NULL;
}

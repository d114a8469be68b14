/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The search for separate debug files: by build-id under /usr/lib/debug, by .gnu_debuglink, under the file's own path below /usr/lib/debug,
 * in the caches of debuginfod's clients and of perf. The first that has what is needed and belongs to the recorded file (by build-id or,
 * without one, checksum) wins; others are reported with -v.
 */
#include "symbols/debug_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/io.h"
#include "base/log.h"
#include "symbols/unpack.h"

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

/* elfutils' own order: the old place only while it is there. */
char *debug_files_debuginfod(const struct build_id *id, const char *name)
{
	const char *dir = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME"), *xdg = getenv("XDG_CACHE_HOME");
	char hex[BUILD_ID_HEX_SIZE], *old, *path = NULL;
	struct stat st;

	if (id->size < 2)
		return NULL;
	build_id_hex(id, hex);
	if (dir && *dir)
		return mem_printf("%s/%s/%s", dir, hex, name);
	if (home && home[0] == '/') {
		old = mem_printf("%s/.debuginfod_client_cache", home);
		if (stat(old, &st) == 0)
			path = mem_printf("%s/%s/%s", old, hex, name);
		free(old);
	}
	if (!path && xdg && *xdg)
		path = mem_printf("%s/debuginfod_client/%s/%s", xdg, hex, name);
	else if (!path && home && home[0] == '/')
		path = mem_printf("%s/.cache/debuginfod_client/%s/%s", home, hex, name);
	return path;
}

size_t deleted_mark_at(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path), mark_len = sizeof(mark) - 1;

	return len > mark_len && strcmp(path + len - mark_len, mark) == 0 ? len - mark_len : len;
}

static bool has_section(const struct elf_file *f, const char *name)
{
	uint32_t i = elf_file_find_section(f, name);

	return i && f->sections.v[i].type != SHT_NOBITS && f->sections.v[i].size_bytes;
}

/* Whether a debug file has what is looked for. */
static bool has_needed(const struct elf_file *f, enum debug_need need)
{
	switch (need) {
	case DEBUG_SYMBOLS:
		return elf_file_has_symtab(f);
	case DEBUG_LINES:
		return has_section(f, ".debug_info") || has_section(f, ".zdebug_info");
	case DEBUG_FRAMES:
		return has_section(f, ".debug_frame") || has_section(f, ".zdebug_frame");
	}
	return false;
}

static const char *const need_texts[] = {
	[DEBUG_SYMBOLS] = "symbols", [DEBUG_LINES] = "line information", [DEBUG_FRAMES] = "call frame information"
};

/* What a search is for, and where. */
struct search {
	struct debug_files *d;
	const char *symfs; /* never NULL */
	const char *path;  /* as recorded */
	enum debug_need need;
};

/* Debug files that were copied may have holes; those that are nothing but holes would be read for hours. */
#define MAX_SPARSE_FACTOR 4U
#define MAX_SPARSE_BYTES (64U << 20)

/* The checksum of a debug link is zlib's CRC-32 over the whole file. */
static int file_crc(const struct elf_file *f, uint32_t *crc)
{
	struct stat st;
	struct budget work;
	size_t size = 1 << 16;
	uint8_t *buf;
	uint64_t off = 0;
	ssize_t got;
	int fd = f->fd;

	*crc = 0;
	budget_init(&work, MAX_SPARSE_BYTES, MAX_SPARSE_FACTOR, f->budgets->bytes_present);
	if (fstat(fd, &st) != 0 || !budget_take(&work, (uint64_t)st.st_size))
		return -EFBIG;
	buf = mem_alloc(size);
	while ((got = io_pread(fd, buf, size, off)) > 0 && off <= (uint64_t)st.st_size) {
		*crc = (uint32_t)crc32(*crc, buf, (unsigned int)got);
		off += (uint64_t)got;
	}
	free(buf);
	return got < 0 ? (int)got : 0;
}

/* Opens a file that may be the debug file; a missing one is not reported. */
static bool open_candidate(struct elf_file *f, const char *path, enum debug_need need)
{
	struct errbuf why = { 0 };
	int err = elf_file_open(f, path, &why);

	if (err) {
		if (err != -ENOENT && err != -ENOTDIR)
			log_info("no debug file: %s", why.text);
		return false;
	}
	if (has_needed(f, need))
		return true;
	log_info("debug file %s is not used: it has no %s", path, need_texts[need]);
	elf_file_close(f);
	return false;
}

/* Whether an opened file belongs to the recorded one. `crc` NULL: only a build-id decides. */
static bool does_belong(const struct elf_file *f, const char *path, const struct build_id *id, const uint32_t *crc)
{
	struct build_id found = build_id_of_file(f);
	char was[BUILD_ID_HEX_SIZE], now[BUILD_ID_HEX_SIZE];
	uint32_t sum;
	int err;

	if (build_id_equal(&found, id))
		return true;
	if (!crc || build_id_differ(&found, id)) {
		log_info("debug file %s is not used: its build-id is %s, the recorded file's is %s", path,
			 found.size ? build_id_hex(&found, now) : "missing", build_id_hex(id, was));
		return false;
	}
	err = file_crc(f, &sum);
	if (!err && sum == *crc)
		return true;
	if (err == -EFBIG)
		log_warn(
			"debug file %s is not used: it has %llu bytes on disk and claims many times as many, which are not summed for .gnu_debuglink",
			path, (unsigned long long)f->budgets->bytes_present);
	else
		log_info("debug file %s is not used: its checksum is not the one in .gnu_debuglink (%08x)", path, *crc);
	return false;
}

/* Takes `path` (and frees it) as the debug file if it has what is needed and belongs. */
static bool try_file(const struct search *s, char *path, const uint32_t *crc)
{
	struct debug_files *d = s->d;
	struct elf_file f;
	bool ok = false;

	if (path && open_candidate(&f, path, s->need)) {
		ok = does_belong(&f, path, &d->id, crc);
		if (ok) {
			d->debug = f;
			d->made_from = path;
			path = NULL;
		} else {
			elf_file_close(&f);
		}
	}
	free(path);
	return ok;
}

/* By .gnu_debuglink: beside the file, in .debug/ beside it, in the same directory below /usr/lib/debug. */
static bool find_linked(const struct search *s)
{
	const char *slash = strrchr(s->path, '/'), *name;
	int dir_len = slash ? (int)(slash - s->path) : 0;
	uint32_t crc;

	if (!s->d->runtime.elf || !slash || elf_file_debuglink(&s->d->runtime, &name, &crc))
		return false;
	return try_file(s, mem_printf("%s%.*s/%s", s->symfs, dir_len, s->path, name), &crc) ||
	       try_file(s, mem_printf("%s%.*s/.debug/%s", s->symfs, dir_len, s->path, name), &crc) ||
	       try_file(s, mem_printf("%s/usr/lib/debug%.*s/%s", s->symfs, dir_len, s->path, name), &crc);
}

static bool find_debug(const struct search *s)
{
	const struct build_id *id = &s->d->id;

	if (id->size && try_file(s, debug_files_by_build_id(s->symfs, id), NULL))
		return true;
	/* An equal build-id is proof enough to leave the other root. */
	if (id->size && *s->symfs && try_file(s, debug_files_by_build_id("", id), NULL))
		return true;
	if (find_linked(s))
		return true;
	if (!id->size)
		return false;
	return try_file(s, mem_printf("%s/usr/lib/debug%s.debug", s->symfs, s->path), NULL) ||
	       try_file(s, mem_printf("%s/usr/lib/debug%s", s->symfs, s->path), NULL) ||
	       try_file(s, debug_files_debuginfod(id, "debuginfo"), NULL) || try_file(s, debug_files_perf_cache(id, "debug"), NULL) ||
	       try_file(s, debug_files_perf_cache(id, "elf"), NULL);
}

static int check_identity(int fd, const struct file_identity *recorded, const char *path, struct errbuf *eb)
{
	struct file_identity is;
	int err = file_identity_of_fd(fd, &is);

	if (err)
		return errbuf_set(eb, err, "%s: %s", path, strerror(-err));
	if (file_identity_wants_sum(recorded, &is))
		file_identity_add_sum(&is, fd);
	return file_identity_check(recorded, &is, path, eb);
}

/* Opens a file if it is the recorded one: by build-id, or else by identity (NULL: not compared). */
static int open_runtime(struct elf_file *f, const char *path, const struct build_id *id, const struct file_identity *identity,
			struct errbuf *eb)
{
	char was[BUILD_ID_HEX_SIZE], now[BUILD_ID_HEX_SIZE];
	struct build_id found;
	int err = elf_file_open(f, path, eb);

	if (err)
		return err;
	found = build_id_of_file(f);
	if (build_id_equal(&found, id))
		return 0;
	if (id->size)
		err = errbuf_set(eb, -ESTALE, "%s was replaced since the recording (build-id %s, now %s)", path, build_id_hex(id, was),
				 found.size ? build_id_hex(&found, now) : "none");
	else if (identity)
		err = check_identity(f->fd, identity, path, eb);
	if (err)
		elf_file_close(f);
	return err;
}

/* The recorded path without the kernel's mark that the file was gone. Only a build-id proves that the same file is back. */
static char *runtime_path(const char *symfs, const char *path, const struct build_id *id)
{
	size_t len = id->size ? deleted_mark_at(path) : strlen(path);

	return mem_printf("%s%.*s", symfs, (int)len, path);
}

/* A debug file without the file that it is about: its program headers have the addresses of the segments but no longer their places in that
 * file. Linkers put each at the first offset behind the one before that is congruent to its address. */
static void restore_segments(struct elf_file *f)
{
	uint64_t end = 0;
	uint32_t nr = 0;

	if (!elf_file_is_hollow(f))
		return;
	for (uint32_t i = 0; i < f->headers.nr; i++) {
		const GElf_Phdr *ph = &f->headers.v[i];
		uint64_t align = ph->p_align;

		if (ph->p_type != PT_LOAD)
			continue;
		if (align < 4096 || (align & (align - 1)))
			align = 4096;
		end += (ph->p_vaddr - end) & (align - 1);
		f->segments.v[nr++].file_off = end;
		end += ph->p_memsz;
	}
}

/* The file itself from a cache, where its place has another or none. Takes and frees `cached`. */
static bool open_cached(struct debug_files *d, char *cached, const struct build_id *id, char **file)
{
	if (!cached || open_runtime(&d->runtime, cached, id, NULL, NULL)) {
		free(cached);
		return false;
	}
	free(*file);
	*file = cached;
	return true;
}

/* In another mount namespace or below another root the path is that of another file; a process that lives shows its own. Which process has
 * that number by now is not known: only a file that proves to be the recorded one is taken. */
static bool open_inside(struct debug_files *d, const struct module_ref *ref, char **file)
{
	bool can_prove = d->id.size || ref->identity.known & (IDENTITY_STAT | IDENTITY_INODE);
	char *inside;

	if (ref->pid <= 0 || !can_prove || strncmp(*file, ref->path, deleted_mark_at(ref->path)) || ref->path[0] != '/')
		return false;
	inside = mem_printf("/proc/%d/root%s", ref->pid, *file);
	if (open_runtime(&d->runtime, inside, &d->id, &ref->identity, NULL)) {
		free(inside);
		return false;
	}
	free(*file);
	*file = inside;
	return true;
}

/* The file itself: where the recorder holds it, at its path, or in a cache. *file is where it would be. */
static int find_runtime(struct debug_files *d, const struct module_ref *ref, char **file, struct errbuf *eb)
{
	int err;

	if (ref->opened_as && !open_runtime(&d->runtime, ref->opened_as, &d->id, NULL, NULL))
		return 0;
	err = open_runtime(&d->runtime, *file, &d->id, &ref->identity, eb);
	if (err && open_inside(d, ref, file))
		return 0;
	if (err && d->id.size &&
	    (open_cached(d, debug_files_perf_cache(&d->id, "elf"), &d->id, file) ||
	     open_cached(d, debug_files_debuginfod(&d->id, "executable"), &d->id, file)))
		err = 0;
	return err;
}

int debug_files_find(struct debug_files *d, const char *symfs, const struct module_ref *ref, enum debug_need need, struct errbuf *eb)
{
	struct search s = { .d = d, .symfs = symfs ? symfs : "", .need = need };
	char *file, *recorded_path;
	int err;

	*d = (struct debug_files){ .runtime.fd = -1, .debug.fd = -1, .mini.fd = -1, .id = build_id_of(ref->build_id, ref->build_id_size) };
	recorded_path = runtime_path("", ref->path, &d->id);
	file = mem_printf("%s%s", s.symfs, recorded_path);
	if (!d->id.size && !*s.symfs && !ref->opened_as && origin_is_other_machine(ref->origin))
		err = errbuf_set(eb, -ESTALE,
				 "%s of this machine is not used: the recording has no build-id of its own, and %s; give its files with "
				 "--symfs DIR",
				 recorded_path, ref->origin->why);
	else
		err = find_runtime(d, ref, &file, eb);
	if (!err && !d->id.size)
		d->id = build_id_of_file(&d->runtime);
	s.path = recorded_path;
	if ((err || !has_needed(&d->runtime, need)) && find_debug(&s))
		err = 0;
	if (d->debug.elf && !d->runtime.elf)
		restore_segments(&d->debug);
	if (!d->made_from && d->runtime.elf)
		d->made_from = mem_strdup(file);
	free(recorded_path);
	free(file);
	if (!err)
		errbuf_clear(eb);
	return err;
}

/* Real ones have some 100 kB; what a hostile one unpacks to is held below this. */
#define MAX_MINI_BYTES (64U << 20)

bool debug_files_open_mini(struct debug_files *d)
{
	const Elf_Data *packed;
	struct errbuf why = { 0 };
	size_t size;
	int err;

	if (!d->runtime.elf)
		return false;
	packed = elf_file_get_data(&d->runtime, elf_file_find_section(&d->runtime, ".gnu_debugdata"));
	if (!packed)
		return false;
	err = unpack_xz(packed->d_buf, packed->d_size, MAX_MINI_BYTES, &d->mini_image, &size);
	if (err) {
		log_info(".gnu_debugdata of %s is not used: %s", d->made_from,
			 err == -EFBIG ? "it unpacks to more than 64 MB" : "damaged xz data");
		return false;
	}
	if (elf_file_open_memory(&d->mini, d->mini_image, size, &why) == 0) {
		if (elf_file_has_symtab(&d->mini))
			return true;
		elf_file_close(&d->mini);
		errbuf_set(&why, -ENODATA, "it has no symbols");
	}
	log_info(".gnu_debugdata of %s is not used: %s", d->made_from, why.text);
	free(d->mini_image);
	d->mini_image = NULL;
	return false;
}

/* Zeros where stat() fails. */
static struct file_stat stat_of(const struct elf_file *f)
{
	struct stat st;

	if (!f->elf || f->fd < 0 || fstat(f->fd, &st) != 0)
		return (struct file_stat){ 0 };
	return file_stat_of(&st);
}

struct index_files debug_files_for_index(const struct debug_files *d)
{
	return (struct index_files){
		.runtime = stat_of(&d->runtime),
		.debug = stat_of(&d->debug),
		.runtime_fd = d->runtime.elf ? d->runtime.fd : -1,
		.debug_fd = d->debug.elf ? d->debug.fd : -1,
	};
}

void debug_files_close(struct debug_files *d)
{
	elf_file_close(&d->runtime);
	elf_file_close(&d->debug);
	elf_file_close(&d->mini);
	free(d->mini_image);
	d->mini_image = NULL;
	free(d->made_from);
	d->made_from = NULL;
}

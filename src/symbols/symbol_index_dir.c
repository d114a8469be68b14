/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The directory of the symbol index: where it is, what is in it, and its limit. One that another user could have created (HOME kept under
 * sudo, a link) is not used: base/trusted_dir.h. It is opened for each use, and everything in it by that fd.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/trusted_dir.h"
#include "base/vec.h"
#include "symbols/symbol_index.h"
#include "symbols/symbol_index_file.h"

#define DEFAULT_LIMIT (1ULL << 30)
#define LOCK_NAME "lock"
/* A writer holds the lock for a rename, or, after several failed tries, while it writes. Others wait for it no longer than this. */
#define LOCK_WAIT_MS 5000
#define LOCK_PAUSE_NS 500000
#define LEFTOVER_AFTER_S 3600

struct index_id index_id_of(const struct build_id *id)
{
	struct index_id own = { .size = id->size };

	memcpy(own.bytes, id->bytes, id->size);
	while (own.size && !own.bytes[own.size - 1])
		own.size--;
	if (own.size < INDEX_MIN_ID_BYTES)
		own = (struct index_id){ 0 };
	return own;
}

struct index_id index_id_of_file(const struct file_stat *st)
{
	const uint64_t facts[] = { st->inode, st->size_bytes, (uint64_t)st->mtime_ns, (uint64_t)st->ctime_ns };
	const uint64_t words[] = { hash_sum(facts, sizeof(facts), 1), hash_sum(facts, sizeof(facts), 2) };
	struct index_id id = { .size = sizeof(words), .is_file = true };

	memcpy(id.bytes, words, sizeof(words));
	return id;
}

const char *index_id_text(const struct index_id *id, char text[INDEX_ID_TEXT_SIZE])
{
	char *to = text;

	if (id->is_file)
		to = stpcpy(to, INDEX_FILE_PREFIX);
	for (uint8_t i = 0; i < id->size; i++)
		to += sprintf(to, "%02x", id->bytes[i]);
	*to = 0;
	return text;
}

void index_file_name(const struct index_id *id, char name[INDEX_NAME_SIZE])
{
	char text[INDEX_ID_TEXT_SIZE];

	snprintf(name, INDEX_NAME_SIZE, "%s" INDEX_SUFFIX, index_id_text(id, text));
}

/* $XDG_CACHE_HOME, or ~/.cache. */
static char *cache_home(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *dir = getenv("HOME"), *off = getenv("ASSAY_CACHE");

	if (off && (!strcmp(off, "off") || !strcmp(off, "0") || !strcmp(off, "no")))
		return NULL;
	/* Relative paths are not valid there, says the XDG specification. */
	if (xdg && xdg[0] == '/')
		return mem_strdup(xdg);
	return dir && dir[0] == '/' ? mem_printf("%s/.cache", dir) : NULL;
}

char *symbol_index_directory(void)
{
	char *base = cache_home(), *path = base ? mem_printf("%s/assay", base) : NULL;

	free(base);
	return path;
}

bool symbol_index_is_writable(void)
{
	char *path = symbol_index_directory();
	bool is_writable = path && (!access(path, W_OK) || errno == ENOENT);

	free(path);
	return is_writable;
}

static int refuse(const char *why, struct errbuf *eb)
{
	const char *xdg = getenv("XDG_CACHE_HOME");
	bool is_by_home = !geteuid() && !(xdg && xdg[0] == '/'); /* a user's home is the user's already */

	return errbuf_set(eb, -EPERM, "the symbol index is not used: %s; set %s, or ASSAY_CACHE=off", why,
			  is_by_home ? "HOME to your own home (sudo -H does)" : "XDG_CACHE_HOME to a directory of your own");
}

int index_dir_open(bool create, struct errbuf *eb)
{
	char *path = symbol_index_directory();
	struct errbuf why = { 0 };
	int fd;

	if (!path)
		return errbuf_set(eb, -ENOENT, "there is no symbol index: neither XDG_CACHE_HOME nor HOME is set, or ASSAY_CACHE is off");
	/* The home, and whatever $XDG_CACHE_HOME is in, are not ours to make. */
	fd = trusted_dir_open(path, create ? 2 : 0, &why);
	free(path);
	if (fd == -EPERM)
		return refuse(why.text, eb);
	return fd < 0 ? errbuf_set(eb, fd, "%s", why.text) : fd;
}

int symbol_index_check(struct errbuf *eb)
{
	struct errbuf why = { 0 };
	int fd = index_dir_open(false, &why);

	if (fd >= 0)
		close(fd);
	return fd == -EPERM ? errbuf_set(eb, fd, "%s", why.text) : 0;
}

/* One byte of the one lock file for each index: nothing is left behind for each. Two that share a byte wait for each other. */
static off_t lock_place(const struct index_id *id)
{
	uint64_t place = hash_sum(id->bytes, id->size, 0);

	return (off_t)(place >> 2);
}

int index_dir_lock(int dir, const struct index_id *id)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = lock_place(id), .l_len = 1 };
	int fd = openat(dir, LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), err = fd < 0 ? -errno : 0;

	for (int i = 0; !err; i++) {
		if (fcntl(fd, F_OFD_SETLK, &range) == 0)
			return fd;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			err = -errno;
		else if (i >= LOCK_WAIT_MS * (1000000 / LOCK_PAUSE_NS))
			err = -EBUSY;
		else
			nanosleep(&pause, NULL);
	}
	if (fd >= 0)
		close(fd);
	return err;
}

uint64_t symbol_index_limit(void)
{
	static const char units[] = "kKmMgG";
	const char *text = getenv("ASSAY_CACHE_SIZE"), *unit;
	unsigned long long value;
	char *end;
	int shift;

	if (!text || text[0] < '0' || text[0] > '9')
		return DEFAULT_LIMIT;
	errno = 0;
	value = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	shift = unit ? (int)(unit - units) / 2 * 10 + 10 : 0;
	if (errno || (*end && (!shift || end[1])) || value > UINT64_MAX >> shift) {
		log_info("ASSAY_CACHE_SIZE=%s is not a size such as 200M; 1G is taken", text);
		return DEFAULT_LIMIT;
	}
	return (uint64_t)value << shift;
}

/* "0123ab….idx", "file-0123ab….idx"; false: no index has that name. */
static bool parse_name(const char *name, struct index_id *id)
{
	size_t prefix = strlen(INDEX_FILE_PREFIX), suffix = strlen(INDEX_SUFFIX), len;
	char again[INDEX_NAME_SIZE];
	const char *hex = name;

	*id = (struct index_id){ .is_file = strncmp(name, INDEX_FILE_PREFIX, prefix) == 0 };
	hex += id->is_file ? prefix : 0;
	len = strlen(hex);
	if (len < suffix + 2 * INDEX_MIN_ID_BYTES || len - suffix > 2 * sizeof(id->bytes) || (len - suffix) % 2)
		return false;
	id->size = (uint8_t)((len - suffix) / 2);
	if (!hex_bytes(hex, id->size, id->bytes))
		return false;
	index_file_name(id, again);
	return strcmp(name, again) == 0 && (id->is_file || id->bytes[id->size - 1]);
}

struct found_file {
	struct index_id id;
	uint64_t size_bytes;
	struct timespec used;
};

struct found_files {
	struct found_file *v;
	uint32_t nr, cap;
};

static int compare_use(const void *a, const void *b)
{
	const struct found_file *x = a, *y = b;

	return COMPARE(x->used.tv_sec, y->used.tv_sec) ?:
	       COMPARE(x->used.tv_nsec, y->used.tv_nsec) ?:
	       memcmp(x->id.bytes, y->id.bytes, sizeof(x->id.bytes));
}

static bool is_leftover(const char *name, const struct stat *st)
{
	size_t len = strlen(name);

	return name[0] == '.' && len > 4 && strcmp(name + len - 4, ".tmp") == 0 && time(NULL) - st->st_mtime > LEFTOVER_AFTER_S;
}

/* All indexes, the longest unused first; removes what writers left behind that were killed. */
static void scan(int dir, struct found_files *files)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d))) {
		struct found_file f;
		struct stat st;
		bool is_index = parse_name(e->d_name, &f.id);

		if ((!is_index && e->d_name[0] != '.') || fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		f.size_bytes = (uint64_t)st.st_size;
		f.used = st.st_mtim;
		if (is_index)
			vec_push(files, f);
		else if (S_ISREG(st.st_mode) && is_leftover(e->d_name, &st))
			unlinkat(dir, e->d_name, 0);
	}
	closedir(d);
	vec_sort(files, compare_use);
}

void index_dir_sweep(int dir, const char *keep)
{
	uint64_t limit = symbol_index_limit(), total = 0;
	struct found_files files = { 0 };

	scan(dir, &files);
	for (uint32_t i = 0; i < files.nr; i++)
		total += files.v[i].size_bytes;
	/* Somewhat below, so that not each new one has to sweep. */
	if (total > limit)
		limit -= limit / 8;
	for (uint32_t i = 0; i < files.nr && total > limit; i++) {
		char name[INDEX_NAME_SIZE];

		index_file_name(&files.v[i].id, name);
		if (strcmp(name, keep) == 0 || unlinkat(dir, name, 0) != 0)
			continue;
		total -= files.v[i].size_bytes;
		log_debug("removed %s from the symbol index: it is full", name);
	}
	vec_fini(&files);
}

static void count_parts(struct index_entry *e, const struct index_file *f)
{
	const struct index_row *origins = index_file_find(f, INDEX_ORIGINS, 0, 0);

	for (uint32_t i = 0; i < f->nr_rows; i++)
		e->nr_parts[f->rows[i].part < INDEX_NR_PARTS ? f->rows[i].part : 0]++;
	/* One part has them all. */
	e->nr_parts[INDEX_ORIGINS] = origins ? (uint32_t)(origins->size_bytes / sizeof(struct index_origin)) : 0;
	if (f->name)
		e->name = mem_strdup(f->name);
}

int symbol_index_list(struct index_entry **entries, uint32_t *nr, struct errbuf *eb)
{
	char *path = symbol_index_directory();
	struct found_files files = { 0 };
	struct errbuf why = { 0 };
	int dir = index_dir_open(false, &why);

	*entries = NULL;
	*nr = 0;
	if (dir < 0) {
		bool is_missing = dir == -ENOENT && path;

		free(path);
		return is_missing ? 0 : errbuf_set(eb, dir, "%s", why.text);
	}
	scan(dir, &files);
	*entries = mem_zalloc((files.nr + 1) * sizeof(**entries));
	for (uint32_t i = 0; i < files.nr; i++) {
		struct index_entry *e = &(*entries)[(*nr)++];
		char name[INDEX_NAME_SIZE];
		struct index_file f;

		index_file_name(&files.v[i].id, name);
		e->id = files.v[i].id;
		e->size_bytes = files.v[i].size_bytes;
		e->used_s = files.v[i].used.tv_sec;
		e->path = mem_printf("%s/%s", path, name);
		e->is_damaged = index_file_open(&f, dir, name, &e->id, false, NULL) != 0;
		count_parts(e, &f);
		index_file_close(&f);
	}
	vec_fini(&files);
	close(dir);
	free(path);
	return 0;
}

void symbol_index_list_free(struct index_entry *entries, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		free(entries[i].path);
		free(entries[i].name);
	}
	free(entries);
}

int symbol_index_verify(struct index_entry *e, struct errbuf *eb)
{
	struct errbuf why = { 0 };
	uint32_t nr_damaged = 0, nr_rows;
	struct index_file f;
	char name[INDEX_NAME_SIZE];
	int dir = index_dir_open(false, eb), err;

	if (dir < 0)
		return dir;
	index_file_name(&e->id, name);
	err = index_file_open(&f, dir, name, &e->id, false, &why);
	close(dir);
	if (err) {
		e->is_damaged = true;
		return errbuf_set(eb, err, "%s: %s", e->path, why.text);
	}
	nr_rows = f.nr_rows;
	for (uint32_t i = 0; i < f.nr_rows; i++)
		nr_damaged += !index_file_part(&f, &f.rows[i]);
	index_file_close(&f);
	e->is_damaged = nr_damaged;
	if (nr_damaged)
		return errbuf_set(eb, -EBADMSG, "%s: damaged: %u of %u parts have a wrong sum", e->path, nr_damaged, nr_rows);
	return 0;
}

int symbol_index_remove(const struct index_entry *e, struct errbuf *eb)
{
	char name[INDEX_NAME_SIZE];
	int dir = index_dir_open(false, eb), err;

	if (dir < 0)
		return dir;
	index_file_name(&e->id, name);
	err = unlinkat(dir, name, 0) == 0 || errno == ENOENT ? 0 : -errno;
	close(dir);
	return err ? errbuf_set(eb, err, "cannot remove %s: %s", e->path, strerror(-err)) : 0;
}

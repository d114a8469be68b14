/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ways to a mapped file, the surest first: the map itself, the program that runs, the path as the process sees it, as others with
 * another root saw it, as we see it. What is found is checked against what is known of the file: a process may have ended, and its number
 * and addresses may be another's by now.
 */
#include "capture/mapped_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/mem.h"
#include "kernel/sysctl.h"
#include "symbols/debug_files.h"
#include "symbols/symbolizer.h"

#define MAX_FDS 1024u
#define MAX_ROOTS 32u
/* What was written an hour ago is not being worked on; what is larger than this is not rewritten in place every minute. */
#define RECENT_S 3600
#define MAX_COPY_BYTES (4ll << 20)
#define MAX_COPIED_BYTES (64u << 20)

void file_opener_init(struct file_opener *o)
{
	uint64_t quarter = sysctl_nofile() / 4;

	memset(o, 0, sizeof(*o));
	o->max_fds = quarter < MAX_FDS ? (uint32_t)quarter : MAX_FDS;
}

void file_opener_fini(struct file_opener *o)
{
	for (uint32_t i = 0; i < o->roots.nr; i++)
		close(o->roots.v[i].fd);
	vec_fini(&o->roots);
}

static void fd_path(int fd, char path[OPENED_FILE_PATH_SIZE])
{
	snprintf(path, OPENED_FILE_PATH_SIZE, "/proc/self/fd/%d", fd);
}

static int64_t time_ns(const struct statx_timestamp *t)
{
	return t->tv_sec * 1000000000 + t->tv_nsec;
}

/* Deletion and renaming change the ctime, too: what was written, and when the file was made, is what counts. */
static bool is_written_after(int fd, int64_t wall_ns)
{
	struct statx x;

	if (!wall_ns || statx(fd, "", AT_EMPTY_PATH, STATX_MTIME | STATX_BTIME, &x))
		return false;
	return ((x.stx_mask & STATX_MTIME) && time_ns(&x.stx_mtime) > wall_ns) ||
	       ((x.stx_mask & STATX_BTIME) && time_ns(&x.stx_btime) > wall_ns);
}

/* What is known of a file, beside its build-id. */
struct expected {
	const struct file_identity *identity; /* NULL: it is the file */
	int64_t wall_ns;		      /* as in struct map_place */
};

/* Overlayfs may show another inode number than maps have. */
static bool is_expected(int fd, const struct expected *e, bool is_map)
{
	struct file_identity is;

	if (!e->identity)
		return true;
	if (file_identity_of_fd(fd, &is))
		return false;
	return (is_map && is.known & IDENTITY_LAYERED) || !file_identity_check(e->identity, &is, "", NULL);
}

/* Is it the file that is known by this build-id or identity? Reads the build-id where none is known. `is_map`: it was opened through a map
 * of it. */
static int check(int fd, struct build_id *id, const struct expected *e, bool is_map, struct stat *st)
{
	char magic[4], path[OPENED_FILE_PATH_SIZE];
	struct build_id found = { 0 };
	int n;

	if (fstat(fd, st) || !S_ISREG(st->st_mode) || (!id->size && !is_expected(fd, e, is_map)))
		return -ENOENT;
	if (!id->size && is_written_after(fd, e->wall_ns))
		return -ESTALE;
	if (io_pread(fd, magic, sizeof(magic), 0) != sizeof(magic) || memcmp(magic, "\177ELF", 4))
		return id->size ? -ENOENT : -ENOEXEC;
	fd_path(fd, path);
	n = symbolizer_build_id(path, found.bytes);
	found.size = n > 0 ? (uint8_t)n : 0;
	if (id->size)
		return build_id_equal(&found, id) ? 0 : -ENOENT;
	*id = found;
	return 0;
}

/* An opened file (or -1), if it is the one. */
static int take(int fd, struct build_id *id, const struct expected *e, bool is_map, struct stat *st)
{
	int err;

	if (fd < 0)
		return -ENOENT;
	err = check(fd, id, e, is_map, st);
	if (err)
		close(fd);
	return err ? err : fd;
}

static int open_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static int open_printf(const char *fmt, ...)
{
	char path[96];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return io_open_regular(path);
}

/* A link that the process put there must not lead out of its root. */
static int open_in_root_of(pid_t pid, const char *path)
{
	char name[32];
	int root, fd;

	snprintf(name, sizeof(name), "/proc/%d/root", pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = io_open_regular_below(root, path);
	close(root);
	return fd;
}

/* It may be found by another way. */
static bool is_elsewhere(int ret, bool *is_stale)
{
	*is_stale |= ret == -ESTALE;
	return ret == -ENOENT || ret == -ESTALE;
}

static int find(const struct file_opener *o, const char *path, const struct map_place *p, struct build_id *id,
		const struct file_identity *identity, struct stat *st)
{
	const struct expected e = { identity, p->wall_ns };
	char *plain = mem_strndup(path, deleted_mark_at(path));
	bool is_stale = false;
	int ret = -ENOENT;

	if (p->pid > 0) {
		ret = take(open_printf("/proc/%d/map_files/%llx-%llx", p->pid, (unsigned long long)p->start, (unsigned long long)p->end),
			   id, &e, true, st);
		if (is_elsewhere(ret, &is_stale))
			ret = take(open_printf("/proc/%d/exe", p->pid), id, &e, false, st);
		if (is_elsewhere(ret, &is_stale))
			ret = take(open_in_root_of(p->pid, plain), id, &e, false, st);
	}
	if (is_elsewhere(ret, &is_stale))
		ret = take(io_open_regular(plain), id, &e, false, st);
	for (uint32_t i = 0; i < o->roots.nr && is_elsewhere(ret, &is_stale); i++)
		ret = take(io_open_regular_below(o->roots.v[i].fd, plain), id, &e, false, st);
	free(plain);
	return is_elsewhere(ret, &is_stale) && is_stale ? -ESTALE : ret;
}

/* Keeps the root of a process in hand if it is not ours. */
static void keep_root(struct file_opener *o, pid_t pid)
{
	struct stat root, ns, our_root, our_ns;
	char path[64], ns_path[64];
	int fd;

	if (pid <= 0 || o->roots.nr >= MAX_ROOTS)
		return;
	snprintf(path, sizeof(path), "/proc/%d/root/.", pid);
	snprintf(ns_path, sizeof(ns_path), "/proc/%d/ns/mnt", pid);
	if (stat(path, &root) || stat(ns_path, &ns) || stat("/", &our_root) || stat("/proc/self/ns/mnt", &our_ns))
		return;
	if (root.st_dev == our_root.st_dev && root.st_ino == our_root.st_ino && ns.st_ino == our_ns.st_ino)
		return;
	for (uint32_t i = 0; i < o->roots.nr; i++) {
		const struct file_root *r = &o->roots.v[i];

		if (r->dev == root.st_dev && r->ino == root.st_ino && r->mount_ns == ns.st_ino)
			return;
	}
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		vec_push(&o->roots, ((struct file_root){ fd, root.st_dev, root.st_ino, ns.st_ino }));
}

/* Since `st` was taken. */
static bool is_unwritten(int fd, const struct stat *st)
{
	struct stat now;

	return !fstat(fd, &now) && now.st_size == st->st_size && timespec_ns(&now.st_mtim) == timespec_ns(&st->st_mtim);
}

/* All of it, unless it is written to meanwhile. */
static int copy_file(int from, const struct stat *st)
{
	int to = memfd_create("mapped", MFD_CLOEXEC);
	off_t off = 0;

	if (to < 0)
		return -1;
	while (off < st->st_size && sendfile(to, from, &off, (size_t)(st->st_size - off)) > 0)
		;
	if (off == st->st_size && is_unwritten(from, st))
		return to;
	close(to);
	return -1;
}

static void keep(struct file_opener *o, struct opened_file *f)
{
	if (o->nr_fds + 2 > o->max_fds) {
		close(f->fd);
		f->fd = -1;
		return;
	}
	o->nr_fds++;
	if (f->st.st_mtime + RECENT_S < time(NULL) || f->st.st_size > MAX_COPY_BYTES || !f->st.st_nlink ||
	    o->copied_bytes + (uint64_t)f->st.st_size > MAX_COPIED_BYTES)
		return;
	f->copy_fd = copy_file(f->fd, &f->st);
	if (f->copy_fd >= 0) {
		o->nr_fds++;
		o->copied_bytes += (uint64_t)f->st.st_size;
	}
}

/* Makes `fd`, whose stat() is in f->st, the opened file; an error where it is one. */
static int hold(struct file_opener *o, struct opened_file *f, int fd)
{
	if (fd < 0)
		return fd;
	f->fd = fd;
	f->has_stat = true;
	keep(o, f);
	return 0;
}

int file_opener_open(struct file_opener *o, const char *path, const struct map_place *place, struct build_id *id,
		     const struct file_identity *identity, struct opened_file *f)
{
	int fd;

	*f = OPENED_FILE_NONE;
	fd = find(o, path, place, id, identity, &f->st);
	keep_root(o, place->pid);
	return hold(o, f, fd);
}

int file_opener_reopen(struct file_opener *o, const struct opened_file *before, int64_t wall_ns, struct build_id *id, struct opened_file *f)
{
	int fd = before->fd < 0 ? -1 : fcntl(before->fd, F_DUPFD_CLOEXEC, 0);

	*f = OPENED_FILE_NONE;
	fd = take(fd, id, &(struct expected){ .wall_ns = wall_ns }, false, &f->st);
	return hold(o, f, fd);
}

void file_opener_close(struct file_opener *o, struct opened_file *f)
{
	if (f->fd >= 0) {
		close(f->fd);
		o->nr_fds--;
	}
	if (f->copy_fd >= 0) {
		close(f->copy_fd);
		o->nr_fds--;
		o->copied_bytes -= (uint64_t)f->st.st_size;
	}
	*f = OPENED_FILE_NONE;
}

bool opened_file_is_intact(const struct opened_file *f)
{
	return f->fd >= 0 && is_unwritten(f->fd, &f->st);
}

bool opened_file_path(const struct opened_file *f, char path[OPENED_FILE_PATH_SIZE])
{
	if (f->copy_fd < 0 && !opened_file_is_intact(f))
		return false;
	fd_path(f->copy_fd >= 0 ? f->copy_fd : f->fd, path);
	return true;
}

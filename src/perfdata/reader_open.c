/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening and closing: a file, a directory of files, a pipe.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "perfdata/reader_state.h"

static void current_close(struct reader *r)
{
	read_ahead_stop(r->ahead);
	r->ahead = NULL;
	r->is_ahead_over = false;
	if (r->close_fd)
		close(r->src.fd);
	r->close_fd = false;
	r->src.fd = -1;
}

void reader_close(struct record_source *s)
{
	struct reader *r = (struct reader *)s;

	current_close(r);
	if (r->src.pipe)
		record_pipe_close(r->src.pipe);
	if (r->src.rest)
		free(r->src.rest->data);
	free(r->src.rest);
	while (r->blocks) {
		struct record_block *b = r->blocks;

		r->blocks = b->next;
		free(b->data);
		free(b);
	}
	decompress_fini(&r->decompress);
	for (uint32_t i = 0; i < r->files.nr; i++)
		free(r->files.v[i]);
	vec_fini(&r->files);
	perfdata_info_fini(&r->info);
	free(r->path);
	free(r);
}

static int open_failed(struct errbuf *eb, const char *path)
{
	int err = -errno;

	if (err == -ENOENT)
		return errbuf_set(eb, err, "there is no file %s", path);
	if (err == -EACCES)
		return errbuf_set(eb, err, "no permission to read %s: run as root, or ask its owner for it", path);
	return errbuf_set(eb, err, "cannot open %s: %s", path, strerror(-err));
}

int reader_check_owner(int fd, const char *path, struct errbuf *eb)
{
	struct stat st;

	if (fstat(fd, &st))
		return errbuf_set(eb, -errno, "cannot read %s: %s", path, strerror(errno));
	if (!st.st_uid || st.st_uid == geteuid())
		return 0;
	return errbuf_set(eb, -EPERM, "%s is owned by user %u, not by you or root (use -f to read it anyway)", path,
			  (unsigned int)st.st_uid);
}

static int current_open(struct reader *r, const char *path, struct errbuf *eb)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), err = 0;

	if (fd < 0)
		return open_failed(eb, path);
	if (r->owner == READER_OWN_FILES)
		err = reader_check_owner(fd, path, eb);
	if (err) {
		close(fd);
		return err;
	}
	r->src.fd = fd;
	r->close_fd = true;
	return 0;
}

static int file_number_cmp(const void *a, const void *b)
{
	const char *x = strrchr(*(char *const *)a, '.'), *y = strrchr(*(char *const *)b, '.');
	unsigned long m = strtoul(x + 1, NULL, 10), n = strtoul(y + 1, NULL, 10);

	return m < n ? -1 : m > n;
}

/* DIR/data holds header and features, DIR/data.N the records of one thread of the recorder each. */
static int directory_open(struct reader *r, const char *path, struct errbuf *eb)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	struct errbuf why = { "" };
	struct stat st;
	int err;

	if (!dir)
		return open_failed(eb, path);
	while ((e = readdir(dir))) {
		char *file;

		if (strncmp(e->d_name, "data.", 5) || strspn(e->d_name + 5, "0123456789") == 0 ||
		    e->d_name[5 + strspn(e->d_name + 5, "0123456789")])
			continue;
		file = mem_printf("%s/%s", path, e->d_name);
		if (stat(file, &st) || !S_ISREG(st.st_mode)) {
			free(file);
			continue;
		}
		r->source.total_bytes += (uint64_t)st.st_size;
		vec_push(&r->files, file);
	}
	closedir(dir);
	vec_sort(&r->files, file_number_cmp);
	r->info.dir_mode = r->files.nr > 0;
	current_close(r);
	free(r->path);
	r->path = mem_printf("%s/data", path);
	err = current_open(r, r->path, &why);
	if (err == -EPERM)
		return errbuf_set(eb, err, "%s", why.text);
	if (err)
		return errbuf_set(eb, err, "%s is a directory and no perf.data: it holds no readable file 'data'", path);
	return 0;
}

int reader_next_file(struct reader *r, struct errbuf *eb)
{
	struct stat st;
	int err;

	if (r->next_file == r->files.nr)
		return 0;
	r->done_before += r->src.end;
	current_close(r);
	free(r->path);
	r->source.name = r->path = mem_strdup(r->files.v[r->next_file++]);
	err = current_open(r, r->path, eb);
	if (err)
		return err;
	if (fstat(r->src.fd, &st))
		return errbuf_set(eb, -errno, "cannot read %s: %s", r->path, strerror(errno));
	r->src.seekable = true;
	r->src.off = 0;
	r->src.end = (uint64_t)st.st_size;
	r->present_bytes += io_bytes_present(r->src.fd, 0, r->src.end);
	r->raw.off = 0;
	r->promised_end = 0;
	r->unclosed = false;
	return 1;
}

/* A file with a header and sections, of `file_size` bytes. */
static int file_mode_open(struct reader *r, struct header *h, uint64_t file_size, struct errbuf *eb)
{
	struct perfdata_info *info = &r->info;
	int err = header_read(h, r->src.fd, file_size, r->path, eb);
	bool features_fit;

	if (err)
		return err;
	info->header_version = 1; /* perf counts PERFILE2 as 1 */
	info->data_off = h->data.off;
	info->data_size = h->data.size;
	r->src.off = r->raw.off = h->data.off;
	r->src.end = file_size;
	err = header_read_events(h, r->src.fd, file_size, r->path, info, eb);
	if (err)
		return err;
	/* Data size 0: killed, and all behind the header is data; or our recorder, before its first sync, with features. In a directory,
	 * the data may be in the other files. */
	features_fit = h->data.size || header_features_fit(h, r->src.fd, file_size);
	r->unclosed = !h->data.size && !(info->dir_mode && features_fit);
	if (!features_fit) {
		info->feat_off = 0;
	} else if (h->data.size > file_size - h->data.off) {
		r->promised_end = h->data.size > UINT64_MAX - h->data.off ? UINT64_MAX : h->data.off + h->data.size;
	} else {
		r->src.end = info->feat_off = h->data.off + h->data.size;
		err = header_read_features(h, r->src.fd, file_size, r->path, info, &r->shown_damage, eb);
	}
	return err;
}

static int start(struct reader *r, struct errbuf *eb)
{
	uint8_t first[HEADER_SIZE_PIPE];
	struct header h;
	struct stat st = { 0 };
	ssize_t n;
	int err;

	if (!r->src.pipe && fstat(r->src.fd, &st))
		return errbuf_set(eb, -errno, "cannot read %s: %s", r->path, strerror(errno));
	r->src.seekable = S_ISREG(st.st_mode);
	n = r->src.pipe	      ? reader_pipe_read(&r->src, first, sizeof(first))
	    : r->src.seekable ? io_pread(r->src.fd, first, sizeof(first), 0)
			      : io_read(r->src.fd, first, sizeof(first));
	if (n < 0)
		return errbuf_set(eb, (int)n, "cannot read %s: %s", r->path, strerror(-(int)n));
	err = header_decode_start(&h, first, (size_t)n, r->path, eb);
	if (err)
		return err;
	if (r->src.seekable)
		r->present_bytes = io_bytes_present(r->src.fd, 0, (uint64_t)st.st_size);
	r->info.foreign_order = h.swap;
	r->info.pipe_mode = h.pipe;
	r->info.captured_time = r->src.seekable ? (int64_t)st.st_mtime : 0;
	r->info.captured_ns = r->src.seekable ? (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec : 0;
	if (r->src.seekable)
		r->source.total_bytes += (uint64_t)st.st_size;
	r->block_size = r->src.seekable && r->source.total_bytes < READER_BLOCK_SIZE ? READER_BLOCK_SMALL : READER_BLOCK_SIZE;
	if (h.pipe) {
		r->src.off = r->raw.off = HEADER_SIZE_PIPE;
		r->src.end = r->src.seekable ? (uint64_t)st.st_size : UINT64_MAX;
		return 0;
	}
	if (!r->src.seekable)
		return errbuf_set(eb, -ESPIPE,
				  "%s is a perf.data that was recorded into a file; it cannot be read "
				  "through a pipe, name the file with -i FILE",
				  r->path);
	err = file_mode_open(r, &h, (uint64_t)st.st_size, eb);
	if (!err)
		reader_settle_events(r, 0);
	return err;
}

static struct reader *new_reader(const char *name, int fd, enum reader_owner owner)
{
	struct reader *r = mem_zalloc(sizeof(*r));

	r->source.ops = &reader_ops;
	r->source.info = &r->info;
	r->source.damage = &r->shown_damage;
	r->src.fd = fd;
	r->owner = owner;
	r->path = mem_strdup(name);
	perfdata_info_init(&r->info);
	budget_init(&r->unpack, READER_UNPACK_FLOOR, READER_UNPACK_FACTOR, 0);
	return r;
}

static int finish_open(struct reader *r, struct record_source **s, int err, struct errbuf *eb)
{
	*s = NULL;
	if (!err)
		err = start(r, eb);
	if (err) {
		reader_close(&r->source);
		return err;
	}
	r->source.name = r->path;
	reader_count_bytes(r);
	*s = &r->source;
	return 0;
}

int reader_open(struct record_source **s, const char *path, enum reader_owner owner, struct errbuf *eb)
{
	bool is_stdin = !strcmp(path, "-");
	struct reader *r = new_reader(is_stdin ? "standard input" : path, is_stdin ? STDIN_FILENO : -1, owner);
	struct stat st;
	int err = is_stdin ? 0 : current_open(r, path, eb);

	if (!is_stdin && !err && !fstat(r->src.fd, &st) && S_ISDIR(st.st_mode))
		err = directory_open(r, path, eb);
	return finish_open(r, s, err, eb);
}

int reader_open_pipe(struct record_source **s, struct record_pipe *pipe, const char *name, struct errbuf *eb)
{
	struct reader *r = new_reader(name, -1, READER_ANY_OWNER);

	r->src.pipe = pipe;
	return finish_open(r, s, 0, eb);
}

int reader_open_fd(struct record_source **s, int fd, const char *name, struct errbuf *eb)
{
	struct reader *r = new_reader(name, fd, READER_ANY_OWNER);

	r->close_fd = true;
	return finish_open(r, s, 0, eb);
}

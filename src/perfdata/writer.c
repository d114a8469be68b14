/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Appends and commits data (writer_state.h says how a file stays whole). Without room on the disk, data is kept up to the last whole
 * record.
 */
#include "perfdata/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "perfdata/writer_state.h"

#define SMALL_APPEND (16u << 10) /* below: gathered in the buffer */

struct span {
	const uint8_t *data;
	size_t size;
};

/* To a reader in this process. */
static int memory_write(struct writer *w, const void *data, size_t size, size_t *done)
{
	while (*done < size) {
		ssize_t n = record_pipe_put(w->record_pipe, (const uint8_t *)data + *done, size - *done);
		int err = n < 0 ? (int)n : n ? 0 : w->wait(w->wait_ctx, w->fd);

		if (err)
			return err;
		*done += (size_t)n;
	}
	return 0;
}

/* To a pipe, piece by piece, so that a reader that has stopped reading does not hold us for ever. */
static int pipe_write(struct writer *w, const void *data, size_t size, size_t *done)
{
	size_t most;

	*done = 0;
	if (w->record_pipe)
		return memory_write(w, data, size, done);
	/* After poll(2) this much never blocks, whether the fd is non-blocking or not. */
	most = fcntl(w->fd, F_GETFL) & O_NONBLOCK ? SIZE_MAX : PIPE_BUF;
	if (!w->wait)
		return io_write(w->fd, data, size, done);
	while (*done < size) {
		size_t left = size - *done;
		int err = w->wait(w->wait_ctx, w->fd);
		ssize_t n;

		if (err)
			return err;
		n = write(w->fd, (const uint8_t *)data + *done, left < most ? left : most);
		if (n > 0)
			*done += (size_t)n;
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
	}
	return 0;
}

int writer_put(struct writer *w, const void *data, size_t size, uint64_t off)
{
	size_t done;

	if (w->pipe)
		return pipe_write(w, data, size, &done);
	return io_pwrite(w->fd, data, size, off, NULL);
}

struct perfdata_info writer_info(const struct writer *w, const struct perfdata_info *info)
{
	struct perfdata_info copy = *info;

	if (!w->compress_level) {
		copy.features &= ~(1ULL << FEAT_COMPRESSED);
		return copy;
	}
	copy.features |= 1ULL << FEAT_COMPRESSED;
	copy.comp_version = 0; /* as in perf; hotspot reads no other */
	copy.comp_type = 1;    /* zstd */
	copy.comp_level = (uint32_t)w->compress_level;
	copy.comp_mmap_len = COMPRESS_MMAP_LEN;
	copy.comp_ratio = 0;
	if (w->packed_size)
		copy.comp_ratio = (uint32_t)((w->packed_raw + w->packed_size / 2) / w->packed_size);
	return copy;
}

/* Makes everything written part of the file. */
static int commit(struct writer *w)
{
	uint64_t n = w->written - w->committed, old_end = w->data_off + w->committed;
	uint32_t nr_held = n < w->table_size ? (uint32_t)n : w->table_size;
	int err = 0;

	if (!n)
		return 0;
	if (w->table_size)
		err = writer_put(w, w->table, w->table_size, w->data_off + w->written);
	if (!err && nr_held)
		err = writer_head_write(w, false);
	if (!err && nr_held)
		err = writer_put(w, w->held, nr_held, old_end);
	if (err)
		return err;
	w->committed = w->written;
	return writer_head_write(w, true);
}

/* No room for a table behind the data: the file goes on without features. */
static int commit_bare(struct writer *w)
{
	uint64_t n = w->written - w->committed;
	uint32_t nr_held = n < w->table_size ? (uint32_t)n : w->table_size;
	int err;

	memset(w->features, 0, sizeof(w->features));
	err = writer_head_write(w, true);
	if (!err && nr_held)
		err = writer_put(w, w->held, nr_held, w->data_off + w->committed);
	w->table_size = w->own_size = 0;
	return err ? err : commit(w);
}

/* Ends the data at w->written. The first error is the one to tell. */
static int fail(struct writer *w, int err)
{
	uint64_t end = w->written, table_end = w->committed + w->table_size;

	if (w->error)
		return w->error;
	w->error = err;
	w->buffered = 0;
	if (w->pipe)
		return err;
	/* This gives back half a record and the reserve, which features will need. The table in force stays. */
	if (end < table_end)
		end = table_end;
	if (!ftruncate(w->fd, (off_t)(w->data_off + end)))
		w->has_reserve = false;
	w->limit = UINT64_MAX;
	if (commit(w))
		commit_bare(w);
	return err;
}

static int put_part(struct writer *w, const uint8_t *data, size_t size, size_t *done)
{
	uint64_t table_end = w->committed + w->table_size, place = w->data_off + w->written;
	size_t n = 0;
	int err;

	if (w->pipe) {
		err = pipe_write(w, data, size, done);
		w->written += *done;
		return err;
	}
	*done = 0;
	if (w->written < table_end) {
		n = table_end - w->written < size ? table_end - w->written : size;
		memcpy(w->held + (w->written - w->committed), data, n);
		w->written += n;
		place += n;
		*done = n;
	}
	if (n == size)
		return 0;
	err = io_pwrite(w->fd, data + n, size - n, place, &n);
	w->written += n;
	*done += n;
	return err;
}

static void spans_copy(const struct span *s, size_t pos, void *buf, size_t size)
{
	uint8_t *p = buf;

	for (; size; size--, pos++)
		*p++ = pos < s[0].size ? s[0].data[pos] : s[1].data[pos - s[0].size];
}

/* Bytes of whole records among the first `size`. */
static size_t whole_records(const struct span *s, size_t size)
{
	size_t pos = 0;
	struct record_header h;

	while (size - pos >= sizeof(h)) {
		spans_copy(s, pos, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > size - pos)
			break;
		pos += h.size;
	}
	return pos;
}

/* Writes one or two spans of whole records to the end of the data. */
static int put_spans(struct writer *w, const struct span *s)
{
	uint64_t start = w->written, place = w->data_off + start;
	size_t size = s[0].size + s[1].size, done[2] = { 0, 0 };
	struct span part[2] = { s[0], s[1] };
	int err = 0;

	if (w->error)
		return w->error;
	if (size > w->limit - place) { /* the limit is never below the place */
		size = whole_records(s, w->limit - place);
		part[0].size = size < s[0].size ? size : s[0].size;
		part[1].size = size - part[0].size;
		err = -EFBIG;
	}
	for (int i = 0; i < 2; i++) {
		int failed = 0;

		if (part[i].size)
			failed = put_part(w, part[i].data, part[i].size, &done[i]);
		if (failed) {
			err = failed;
			break;
		}
	}
	if (!err)
		return 0;
	/* The table must fit too: the names of the events are worth a few samples. A piece of the compressed stream is useless without
	 * the rest up to its flush. */
	size = done[0] + done[1];
	if (err != -EFBIG || w->limit == UINT64_MAX)
		size = size > w->table_size ? size - w->table_size : 0;
	w->written = start + whole_records(s, size);
	if (w->compress.in_since_flush)
		w->written = w->flushed;
	return fail(w, err);
}

static int put_data(struct writer *w, const void *data, size_t size)
{
	struct span s[2] = { { data, size }, { NULL, 0 } };

	return put_spans(w, s);
}

static int emit_piece(void *ctx, const void *record, size_t size)
{
	struct writer *w = ctx;

	w->packed_size += size;
	return put_data(w, record, size);
}

static int buffer_flush(struct writer *w)
{
	uint32_t n = w->buffered;

	w->buffered = 0;
	return n ? put_data(w, w->buffer, n) : 0;
}

/* Everything the caller gave is in the file afterwards. */
static int flush(struct writer *w)
{
	int err = w->error;

	if (!err && w->compress_level)
		err = compress_flush(&w->compress);
	if (!err)
		err = buffer_flush(w);
	if (err)
		return fail(w, err);
	w->flushed = w->written;
	return 0;
}

static int append_packed(struct writer *w, const struct span *s)
{
	int err = buffer_flush(w);

	w->packed_raw += s[0].size + s[1].size;
	for (int i = 0; i < 2; i++) {
		const uint8_t *p = s[i].data;
		size_t left = s[i].size, n;

		for (; left && !err; p += n, left -= n) {
			n = COMPRESS_CHUNK - w->compress.in_since_flush;
			n = left < n ? left : n;
			if (!w->compress.in_since_flush)
				w->flushed = w->written;
			err = compress_add(&w->compress, p, n);
		}
	}
	return err ? fail(w, err) : 0;
}

/* Readers decide by the first record what they have before them, and some know no compressed one there: it stays plain. */
static int append_first(struct writer *w, const struct span *s)
{
	struct record_header h = { 0 };
	size_t first = s[0].size;
	int err;

	if (first >= sizeof(h))
		memcpy(&h, s[0].data, sizeof(h));
	if (h.size >= sizeof(h) && h.size <= first)
		first = h.size;
	err = writer_append(w, s[0].data, first, false);
	if (err)
		return err;
	return writer_append2(w, s[0].data + first, s[0].size - first, s[1].data, s[1].size, first < s[0].size);
}

int writer_append2(struct writer *w, const void *a, size_t a_size, const void *b, size_t b_size, bool compress)
{
	struct span s[2] = { { a, a_size }, { b, b_size } };
	size_t size = a_size + b_size;
	int err;

	if (w->error)
		return w->error;
	compress = compress && w->compress_level;
	if (compress && !w->raw_size && a_size)
		return append_first(w, s);
	w->raw_size += size;
	if (compress)
		return append_packed(w, s);
	if (w->compress.in_since_flush) { /* what was given before goes first */
		err = flush(w);
		if (err)
			return err;
	}
	if (size > WRITER_BUFFER_SIZE - w->buffered || size >= SMALL_APPEND) {
		err = buffer_flush(w);
		if (err)
			return err;
	}
	if (size >= SMALL_APPEND)
		return put_spans(w, s);
	if (a_size)
		memcpy(w->buffer + w->buffered, a, a_size);
	if (b_size)
		memcpy(w->buffer + w->buffered + a_size, b, b_size);
	w->buffered += (uint32_t)size;
	return 0;
}

int writer_append(struct writer *w, const void *records, size_t size, bool compress)
{
	return writer_append2(w, records, size, NULL, 0, compress);
}

int writer_append_last(struct writer *w, const void *records, size_t size)
{
	uint64_t end = w->written;
	size_t done;
	int err;

	if (!w->error || w->pipe)
		return writer_append(w, records, size, false);
	err = put_part(w, records, size, &done);
	if (!err)
		err = commit(w);
	if (err)
		w->written = end;
	return err;
}

int writer_sync(struct writer *w)
{
	int err = flush(w);

	if (!err && !w->pipe) {
		err = commit(w);
		if (err)
			fail(w, err);
	}
	return err;
}

bool writer_is_flushed(const struct writer *w)
{
	return !w->error && !w->buffered && !w->compress.in_since_flush;
}

uint64_t writer_room(const struct writer *w)
{
	struct statvfs st;

	if (w->pipe || fstatvfs(w->fd, &st) || !st.f_blocks || (st.f_frsize && st.f_bavail > UINT64_MAX / st.f_frsize))
		return UINT64_MAX;
	return st.f_bavail * st.f_frsize;
}

uint64_t writer_data_size(const struct writer *w)
{
	return w->written + w->buffered;
}

uint64_t writer_raw_size(const struct writer *w)
{
	return w->raw_size;
}

int writer_open(struct writer **writer, int fd, const struct writer_options *opts, const struct perfdata_info *info, struct errbuf *eb)
{
	struct writer *w = mem_zalloc(sizeof(*w));
	int err = 0;

	*writer = NULL;
	w->fd = fd;
	w->info = info;
	w->limit = UINT64_MAX;
	w->record_pipe = opts->pipe;
	w->pipe = opts->pipe_mode || lseek(fd, 0, SEEK_CUR) < 0;
	w->wait = opts->wait;
	w->wait_ctx = opts->ctx;
	w->compress_level = opts->compress_level;
	w->buffer = mem_alloc(WRITER_BUFFER_SIZE);
	if (w->compress_level) {
		w->compress.emit = emit_piece;
		w->compress.ctx = w;
		err = compress_init(&w->compress, w->compress_level);
		if (err)
			errbuf_set(eb, err, "cannot set up zstd compression at level %d", w->compress_level);
	}
	if (!err) {
		err = w->pipe ? writer_pipe_start(w) : writer_head_start(w);
		if (err)
			errbuf_set(eb, err, "cannot write the header of the recording: %s", strerror(-err));
	}
	if (err) {
		writer_free(w);
		return err;
	}
	*writer = w;
	return 0;
}

int writer_finish(struct writer *w, const struct perfdata_info *info, struct errbuf *eb)
{
	int err = writer_sync(w), end_err;

	if (w->pipe)
		end_err = err ? err : writer_pipe_finish(w, info);
	else
		end_err = writer_head_finish(w, info);
	err = err ? err : end_err;
	if (err)
		return errbuf_set(eb, err, "the recording could not be written to its end: %s", strerror(-err));
	return 0;
}

void writer_free(struct writer *w)
{
	if (!w)
		return;
	compress_fini(&w->compress);
	free(w->buffer);
	free(w->table);
	free(w->held);
	free(w);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stream of records. Bytes are read in blocks of 1 MiB; a record that crosses the end of a block is moved to the start of the next
 * one. COMPRESSED records feed a second window of the same kind.
 *
 * Large files are read ahead (read_ahead.h).
 *
 * A kernel record in native order costs two comparisons and no call (fill_plain); rare cases are in the functions marked cold. Files are
 * read with pread, not mapped: a mapped file that shrinks kills its reader.
 */
#include "perfdata/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pool.h"
#include "base/stop.h"
#include "perfdata/reader_state.h"

#define COLD __attribute__((cold, noinline))

/* How far ahead of the header that is looked at bytes are fetched into the cache: often another CPU has read them from the file. */
#define PREFETCH_BYTES 2048

/* Units of reader.unpack */
#define UNPACK_RECORD 32u /* for a record, whatever its size */
#define UNPACK_WHOLE 256u /* bytes of it that count whole */
#define UNPACK_SHARE 16u  /* the rest counts by this part: dumps of stacks are large, and much alike */

#define UNPACK_EVENT 1024u /* for a record that describes an event, which is kept */

static uint64_t unpack_cost(const struct record_header *h)
{
	const uint32_t size = h->size;

	return (h->type == RECORD_HEADER_ATTR ? UNPACK_EVENT : UNPACK_RECORD) +
	       (size <= UNPACK_WHOLE ? size : UNPACK_WHOLE + (size - UNPACK_WHOLE) / UNPACK_SHARE);
}

void reader_set_damage(struct reader *r, int err, uint64_t off, const char *fmt, ...)
{
	va_list ap;

	if (r->damage.err)
		return;
	r->damage.err = err;
	r->damage.file_off = off;
	va_start(ap, fmt);
	vsnprintf(r->damage.text, sizeof(r->damage.text), fmt, ap);
	va_end(ap);
	r->shown_damage = r->damage;
}

static void malformed(struct reader *r, uint64_t off, const char *why)
{
	reader_set_damage(r, -EBADMSG, off, "%s is damaged at offset %" PRIu64 " (%s); %" PRIu64 " records before that were read", r->path,
			  off, why, r->nr_records);
}

static void cut_short(struct reader *r, uint64_t off)
{
	if (r->unclosed)
		reader_set_damage(r, -ENODATA, off,
				  "%s was not closed properly: its header counts no data; %" PRIu64 " records up to offset %" PRIu64
				  " were read",
				  r->path, r->nr_records, off);
	else if (r->promised_end)
		reader_set_damage(r, -ENODATA, off,
				  "%s is cut short: its data should end at offset %" PRIu64 "; %" PRIu64 " records up to offset %" PRIu64
				  " were read",
				  r->path, r->promised_end, r->nr_records, off);
	else
		reader_set_damage(r, -ENODATA, off,
				  "%s ends inside a record at offset %" PRIu64 "; %" PRIu64 " records before that were read", r->path, off,
				  r->nr_records);
}

static void unpacks_too_far(struct reader *r)
{
	reader_set_damage(r, -EFBIG, r->compressed_off,
			  "%s: reading stopped at offset %" PRIu64 ": %" PRIu64 " kB of compressed data unpack to more than %" PRIu64
			  " MB, as no recorder writes them; %" PRIu64 " records before that were read",
			  r->path, r->compressed_off, r->unpack.bytes_present >> 10, budget_limit(&r->unpack) >> 20, r->nr_records);
}

static void stop(struct record_source *s, uint64_t limit_bytes, uint64_t nr_left_out)
{
	struct reader *r = (struct reader *)s;
	uint64_t off = s->next < s->nr ? s->batch[s->next].at : r->raw.off + r->raw.pos;
	char left_out[64] = "";

	if (nr_left_out)
		snprintf(left_out, sizeof(left_out), ", the last %" PRIu64 " of them are left out", nr_left_out);
	reader_set_damage(r, -EFBIG, off,
			  "%s: reading stopped at offset %" PRIu64 ": what it describes needs more than %" PRIu64
			  " MB of memory, the limit for a file of its size; %" PRIu64 " records before that were read%s",
			  r->path, off, limit_bytes >> 20, r->nr_records - (s->nr - s->next), left_out);
}

ssize_t reader_pipe_read(struct reader_input *in, void *buf, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t n;

		/* What is there now is enough, but for nothing at all. */
		if (!in->rest && done)
			break;
		if (!in->rest && !(in->rest = record_pipe_take(in->pipe, NULL)))
			break;
		n = in->rest->size - in->rest_pos < size - done ? in->rest->size - in->rest_pos : size - done;
		memcpy((uint8_t *)buf + done, in->rest->data + in->rest_pos, n);
		done += n;
		in->rest_pos += (uint32_t)n;
		if (in->rest_pos < in->rest->size)
			continue;
		free(in->rest->data);
		free(in->rest);
		in->rest = NULL;
		in->rest_pos = 0;
	}
	return (ssize_t)done;
}

/* Some bytes, as soon as there are any; 0 at the end; negative errno. */
static ssize_t input_read(struct reader_input *in, void *buf, size_t size)
{
	ssize_t n;

	if (size > in->end - in->off)
		size = in->end - in->off;
	if (!size)
		return 0;
	if (in->pipe) {
		n = reader_pipe_read(in, buf, size);
	} else if (in->seekable) {
		n = io_pread(in->fd, buf, size, in->off);
	} else {
		/* What is there now: the other end of a pipe may be a recorder at work. */
		do
			n = read(in->fd, buf, size);
		while (n < 0 && errno == EINTR && !stop_signal);
		if (n < 0)
			n = -errno;
	}
	if (n > 0)
		in->off += (uint64_t)n;
	return n;
}

/* Moves on without reading; returns how many bytes were there to skip, or negative errno. */
static int64_t input_skip(struct reader_input *in, uint64_t size)
{
	uint8_t buf[16384];
	uint64_t skipped = 0;

	if (in->seekable) {
		skipped = size < in->end - in->off ? size : in->end - in->off;
		in->off += skipped;
		return (int64_t)skipped;
	}
	while (skipped < size) {
		uint64_t left = size - skipped;
		ssize_t n = input_read(in, buf, left < sizeof(buf) ? left : sizeof(buf));

		if (n < 0)
			return n;
		if (!n)
			break;
		skipped += (uint64_t)n;
	}
	return (int64_t)skipped;
}

/* A block that is not held and that no window uses. */
static struct record_block *block_get(struct reader *r)
{
	struct record_block *b;

	for (b = r->blocks; b; b = b->next)
		if (!b->nr_held && b != r->raw.block && b != r->unpacked.block && b != r->side)
			break;
	if (!b) {
		b = malloc(sizeof(*b));
		if (!b)
			return NULL;
		b->data = malloc(r->block_size);
		if (!b->data) {
			free(b);
			return NULL;
		}
		b->cap = r->block_size;
		b->nr_held = 0;
		b->next = r->blocks;
		r->blocks = b;
	}
	b->size = 0;
	return b;
}

/* Makes room behind the unread bytes: they move to the start of a block. */
static COLD int window_turn(struct reader *r, struct reader_window *w)
{
	uint32_t left = w->end - w->pos;
	struct record_block *b = w->block;

	if (!b || b->nr_held) {
		b = block_get(r);
		if (!b)
			return -ENOMEM;
	}
	if (left)
		memmove(b->data, w->block->data + w->pos, left);
	w->block = b;
	w->off += w->pos;
	w->pos = 0;
	w->end = left;
	b->size = left;
	return 0;
}

/* A block that came out of a pipe and can go back. */
static struct record_block *block_give(struct reader *r)
{
	for (struct record_block **b = &r->blocks; *b; b = &(*b)->next) {
		struct record_block *found = *b;

		if (found->nr_held || found == r->unpacked.block || found == r->side || found->cap != RECORD_PIPE_BLOCK_BYTES)
			continue;
		*b = found->next;
		return found;
	}
	return NULL;
}

/* The window is empty: it is the pipe's next block, as it is. */
static COLD int pipe_fill(struct reader *r)
{
	struct reader_input *in = &r->src;
	struct reader_window *w = &r->raw;
	struct record_block *b = in->rest;
	uint32_t pos = b ? in->rest_pos : 0;

	w->off += w->pos;
	w->block = NULL;
	w->pos = w->end = 0;
	in->rest = NULL;
	in->rest_pos = 0;
	if (!b) {
		int ret = record_pipe_next(in->pipe, block_give(r), &b);

		if (ret <= 0)
			return ret;
	}
	b->next = r->blocks;
	r->blocks = b;
	w->block = b;
	w->off = in->off - pos;
	w->pos = pos;
	w->end = b->size;
	in->off += b->size - pos;
	return 1;
}

static void lend_block(struct reader *r)
{
	struct record_block *b = block_get(r);

	if (b)
		read_ahead_lend(r->ahead, b);
}

/* Behind the first block of a large file. */
static void begin_ahead(struct reader *r)
{
	const struct reader_input *in = &r->src;

	if (r->is_ahead_over || !in->seekable || !r->raw.block || in->end - in->off < READER_AHEAD_MIN)
		return;
	r->is_ahead_over = true;
	if (pool_nr_cpus() > (r->source.has_thread ? 2 : 1))
		r->ahead = read_ahead_start(in->fd, in->off, in->end);
	for (uint32_t i = 0; r->ahead && i < READ_AHEAD_BLOCKS; i++)
		lend_block(r);
}

static void end_ahead(struct reader *r)
{
	read_ahead_stop(r->ahead);
	r->ahead = NULL;
}

/* The window is the next block that was read ahead, with the unread bytes before it. False: bytes were skipped, there is no memory, or the
 * file ends or cannot be read: nothing is read ahead from here on. */
static bool ahead_fill(struct reader *r)
{
	struct reader_window *w = &r->raw;
	uint32_t left = w->end - w->pos, pos = READ_AHEAD_FREE - left;
	struct record_block *b;
	ssize_t n;
	uint64_t off;

	b = read_ahead_take(r->ahead, &n, &off);
	if (!b || n <= 0 || off != r->src.off || left > READ_AHEAD_FREE) {
		end_ahead(r);
		return false;
	}
	memcpy(b->data + pos, w->block->data + w->pos, left);
	w->block = b;
	w->off += (uint64_t)w->pos - pos;
	w->pos = pos;
	w->end = b->size = READ_AHEAD_FREE + (uint32_t)n;
	r->src.off += (uint64_t)n;
	lend_block(r);
	return true;
}

/* 1: there are more bytes in the window than before; 0: the source has no more. */
static COLD int raw_fill(struct reader *r, struct errbuf *eb)
{
	struct reader_window *w = &r->raw;
	ssize_t n;

	if (r->src.pipe && w->pos == w->end)
		return pipe_fill(r);
	if (!r->ahead)
		begin_ahead(r);
	if (r->ahead && ahead_fill(r))
		return 1;
	if (window_turn(r, w))
		return errbuf_set(eb, -ENOMEM, "no memory to read %s", r->path);
	n = input_read(&r->src, w->block->data + w->end, w->block->cap - w->end);
	if (n < 0)
		return errbuf_set(eb, (int)n, "cannot read %s at offset %" PRIu64 ": %s", r->path, r->src.off, strerror(-(int)n));
	w->end += (uint32_t)n;
	w->block->size = w->end;
	return n > 0;
}

/* 1: more bytes; 0: the piece is used up; -EBADMSG: it is damaged. */
static COLD int unpacked_fill(struct reader *r, struct errbuf *eb)
{
	struct reader_window *w = &r->unpacked;
	int64_t n;

	if ((!w->block || w->end == w->block->cap) && window_turn(r, w))
		return errbuf_set(eb, -ENOMEM, "no memory to read %s", r->path);
	n = decompress_next(&r->decompress, w->block->data + w->end, w->block->cap - w->end);
	if (n < 0) {
		malformed(r, r->compressed_off, "the compressed data there cannot be unpacked");
		return -EBADMSG;
	}
	w->end += (uint32_t)n;
	w->block->size = w->end;
	return n > 0;
}

/* Copies a record that does not stand at a multiple of 8. */
static COLD uint8_t *side_copy(struct reader *r, const uint8_t *p, uint32_t size, struct errbuf *eb)
{
	uint32_t room = (size + 7) & ~7u;
	struct record_block *b = r->side;
	uint8_t *copy;

	if (!b || (b->nr_held && b->cap - b->size < room)) {
		b = block_get(r);
		if (!b) {
			errbuf_set(eb, -ENOMEM, "no memory to read %s", r->path);
			return NULL;
		}
		r->side = b;
	} else if (!b->nr_held) {
		b->size = 0;
	}
	copy = b->data + b->size;
	b->size += room;
	memcpy(copy, p, size);
	return copy;
}

/* The next header of a window in native order. 1: its record is whole in the window; 0: more bytes are needed. */
static inline int window_peek(const struct reader *r, const struct reader_window *w, struct record_header *h)
{
	uint32_t left = w->end - w->pos;

	if (left < sizeof(*h))
		return 0;
	memcpy(h, w->block->data + w->pos, sizeof(*h));
	if (r->info.foreign_order)
		record_header_swap(h);
	if (h->size < sizeof(*h))
		return -EBADMSG;
	return h->size <= left;
}

/* Turns the record at the window's position into `rec` and moves on. */
static inline int window_take(struct reader *r, struct reader_window *w, const struct record_header *h, struct source_record *rec,
			      struct errbuf *eb)
{
	uint8_t *p = w->block->data + w->pos;

	rec->block = w->block;
	if ((uintptr_t)p & 7) {
		p = side_copy(r, p, h->size, eb);
		if (!p)
			return -ENOMEM;
		rec->block = r->side;
	}
	w->pos += h->size;
	rec->header = (struct record_header *)p;
	if (r->info.foreign_order) {
		*rec->header = *h;
		if (record_swap(rec->header, reader_foreign_layout(r, rec->header)))
			return -EBADMSG;
	}
	return 1;
}

/* Drops `size` bytes of payload that follow a record. False (and damage) where they are not all there. */
static COLD int raw_skip(struct reader *r, uint64_t size, struct errbuf *eb)
{
	struct reader_window *w = &r->raw;
	uint64_t here = w->end - w->pos < size ? w->end - w->pos : size;
	int64_t n;

	w->pos += (uint32_t)here;
	size -= here;
	if (!size)
		return 1;
	n = input_skip(&r->src, size);
	if (n < 0)
		return errbuf_set(eb, (int)n, "cannot read %s: %s", r->path, strerror(-(int)n));
	/* The window is empty now, and starts anew where the source is. */
	w->off = r->src.off - w->pos;
	return (uint64_t)n == size;
}

/* Collects the payload behind HEADER_TRACING_DATA, growing as it comes: its size is not to be trusted. */
static COLD int take_tracing_payload(struct reader *r, uint64_t size, struct errbuf *eb)
{
	struct reader_window *w = &r->raw;
	uint64_t padded = (size + 7) & ~7ull, have = 0;
	VEC(uint8_t) buf = { 0 };
	int ret = 1;

	while (have < padded && ret > 0) {
		uint32_t n = w->end - w->pos;

		if (!n) {
			ret = raw_fill(r, eb);
			continue;
		}
		if (n > padded - have)
			n = (uint32_t)(padded - have);
		if (have + n > INT32_MAX) {
			ret = 0;
			break;
		}
		vec_reserve(&buf, buf.nr + n);
		memcpy(buf.v + buf.nr, w->block->data + w->pos, n);
		buf.nr += n;
		have += n;
		w->pos += n;
	}
	if (ret > 0)
		reader_take_tracing_data(r, buf.v, size);
	vec_fini(&buf);
	return ret;
}

/* Whether a record says something of the recording (reader_meta.c). */
static bool changes_info(const struct record_header *h)
{
	return h->type == RECORD_HEADER_ATTR || h->type == RECORD_HEADER_FEATURE || h->type == RECORD_EVENT_UPDATE ||
	       h->type == RECORD_HEADER_BUILD_ID || h->type == RECORD_HEADER_TRACING_DATA;
}

/* perf's own records: those that say something to the reader. 1: yield it; 0: the stream ends here. */
static COLD int user_record(struct reader *r, struct source_record *rec, bool unpacked, struct errbuf *eb)
{
	const struct record_header *h = rec->header;
	uint64_t payload = 0;
	int ret = 1;

	if (r->source.before_change && changes_info(h))
		r->source.before_change(r->source.before_change_ctx);
	if (h->type == RECORD_AUXTRACE && h->size >= 16)
		memcpy(&payload, h + 1, 8);
	else if (h->type == RECORD_HEADER_TRACING_DATA && h->size >= 12)
		memcpy(&payload, h + 1, 4);
	if (reader_take_meta(r, rec) || (payload && unpacked)) {
		malformed(r, rec->at, "a record there makes no sense");
		return 0;
	}
	if (!payload)
		return 1;
	rec->block->nr_held++; /* the window moves on under the record */
	if (h->type == RECORD_AUXTRACE)
		ret = raw_skip(r, payload, eb);
	else
		ret = take_tracing_payload(r, payload, eb);
	rec->block->nr_held--;
	if (!ret)
		cut_short(r, r->raw.off + r->raw.pos);
	return ret;
}

/* Hands the payload of a COMPRESSED record to the decoder. */
static COLD int feed_compressed(struct reader *r, const struct record_header *h)
{
	const uint8_t *p = r->raw.block->data + r->raw.pos;
	struct bytes b = bytes_of(p + sizeof(*h), h->size - sizeof(*h), r->info.foreign_order);
	uint64_t size = bytes_left(&b);
	int err;

	r->compressed_off = r->raw.off + r->raw.pos;
	if (h->type == RECORD_COMPRESSED2) {
		size = bytes_u64(&b);
		if (!bytes_has(&b, size, 1)) {
			malformed(r, r->compressed_off, "compressed data longer than its record");
			return 0;
		}
	}
	err = decompress_feed(&r->decompress, b.pos, size);
	if (err)
		return err;
	r->raw.pos += h->size; /* the bytes stay: the window moves only when they are used up */
	r->source.nr_compressed++;
	budget_extend(&r->unpack, size);
	return 1;
}

/* The source is at its end: looks whether that is where it should be. */
static COLD void check_end(struct reader *r)
{
	uint64_t end = r->raw.off + r->raw.pos;

	if (r->raw.end != r->raw.pos || r->unclosed || (r->promised_end && end < r->promised_end))
		cut_short(r, end);
	else if (r->unpacked.end != r->unpacked.pos)
		malformed(r, r->compressed_off, "the compressed data ends inside a record");
}

/* Damage ends one file; a directory may have others. 1: go on. */
static COLD int file_end(struct reader *r, struct errbuf *eb)
{
	r->raw.off += r->raw.pos;
	r->raw.pos = r->raw.end = 0;
	r->unpacked.pos = r->unpacked.end = 0;
	decompress_reset(&r->decompress);
	r->src.off = r->src.end; /* ended for good: called again, we come here again */
	return reader_next_file(r, eb);
}

/* The next record out of COMPRESSED ones. 1, 0: none for now; negative: failure, with -EBADMSG set as damage. */
static COLD int next_unpacked(struct reader *r, struct source_record *rec, struct errbuf *eb)
{
	struct record_header h;
	int ret;

	while (!(ret = window_peek(r, &r->unpacked, &h))) {
		ret = unpacked_fill(r, eb);
		if (ret <= 0)
			return ret;
	}
	rec->at = r->compressed_off;
	if (ret > 0 && (h.type == RECORD_COMPRESSED || h.type == RECORD_COMPRESSED2))
		ret = -EBADMSG; /* a stream inside the stream */
	if (ret > 0 && !budget_take(&r->unpack, unpack_cost(&h))) {
		unpacks_too_far(r);
		return -EBADMSG;
	}
	if (ret > 0)
		ret = window_take(r, &r->unpacked, &h, rec, eb);
	if (ret == -EBADMSG)
		malformed(r, r->compressed_off, "a record in the compressed data there");
	return ret;
}

/* The next plain record; 0: the file ends here (or is damaged). COMPRESSED ones are fed and give 2. */
static int next_raw(struct reader *r, struct source_record *rec, struct errbuf *eb)
{
	struct record_header h;
	int ret;

	while (!(ret = window_peek(r, &r->raw, &h))) {
		ret = raw_fill(r, eb);
		if (ret < 0)
			return ret;
		if (!ret) {
			check_end(r);
			return 0;
		}
	}
	rec->at = r->raw.off + r->raw.pos;
	if (__builtin_expect(ret < 0, 0)) {
		malformed(r, rec->at, "a record smaller than its header");
		return 0;
	}
	if (__builtin_expect(h.type == RECORD_COMPRESSED || h.type == RECORD_COMPRESSED2, 0)) {
		ret = feed_compressed(r, &h);
		if (ret < 0)
			return errbuf_set(eb, ret, "no memory to unpack %s", r->path);
		return ret ? 2 : 0;
	}
	ret = window_take(r, &r->raw, &h, rec, eb);
	if (__builtin_expect(ret == -EBADMSG, 0)) {
		malformed(r, rec->at, "a field that does not fit its record");
		return 0;
	}
	return ret;
}

/* Any record, whatever has to be done for it. */
static int next_record(struct reader *r, struct source_record *rec, struct errbuf *eb)
{
	for (;;) {
		bool unpacked = false;
		int ret = 0;

		if (__builtin_expect(r->decompress.more || r->unpacked.pos != r->unpacked.end, 0)) {
			ret = next_unpacked(r, rec, eb);
			unpacked = ret > 0;
		}
		if (!ret)
			ret = next_raw(r, rec, eb);
		if (ret == 1 && __builtin_expect(rec->header->type >= RECORD_USER_FIRST, 0))
			ret = user_record(r, rec, unpacked, eb);
		if (ret == 1) {
			r->nr_records++;
			return 1;
		}
		if (ret == 2)
			continue;
		if (ret < 0 && ret != -EBADMSG)
			return ret;
		ret = file_end(r, eb);
		if (ret <= 0)
			return ret;
	}
}

/* Adds the records that follow in the window, as long as nothing but their headers needs to be looked at. */
static void fill_plain(struct reader *r)
{
	struct record_source *s = &r->source;
	struct reader_window *w = &r->raw;
	uint32_t nr_before = s->nr;
	struct record_header h;

	if (r->info.foreign_order || r->decompress.more || r->unpacked.pos != r->unpacked.end)
		return;
	while (s->nr < SOURCE_BATCH && window_peek(r, w, &h) == 1 && h.type < RECORD_USER_FIRST) {
		uint8_t *p = w->block->data + w->pos;

		if ((uintptr_t)p & 7)
			break;
		__builtin_prefetch(p + PREFETCH_BYTES);
		__builtin_prefetch(p + PREFETCH_BYTES + 64);
		s->batch[s->nr++] = (struct source_record){ (struct record_header *)p, w->block, w->off + w->pos };
		w->pos += h.size;
	}
	r->nr_records += s->nr - nr_before;
}

void reader_count_bytes(struct reader *r)
{
	r->source.done_bytes = r->done_before + r->raw.off + r->raw.pos;
	r->source.present_bytes = r->src.seekable ? r->present_bytes : r->src.off;
}

/* perf's own records come alone: what they say of the recording holds from there on. */
static int fill(struct record_source *s, struct errbuf *eb)
{
	struct reader *r = (struct reader *)s;
	int ret = next_record(r, &s->batch[0], eb);

	if (ret > 0) {
		s->nr = 1;
		if (s->batch[0].header->type < RECORD_USER_FIRST)
			fill_plain(r);
	}
	reader_count_bytes(r);
	return ret;
}

const struct record_source_ops reader_ops = { .fill = fill, .stop = stop, .close = reader_close };

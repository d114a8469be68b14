/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata/header.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "abi/record.h"
#include "base/mem.h"

#define PIECE_MAX 65528u /* a record, header included */
/* perf uses at most 8 MiB (level 22: 128 MiB). What a hostile frame header may make us allocate. */
#define WINDOW_LOG_MAX 27

int compress_init(struct compress *c, int level)
{
	c->stream = ZSTD_createCCtx();
	if (!c->stream)
		return -ENOMEM;
	if (ZSTD_isError(ZSTD_CCtx_setParameter(c->stream, ZSTD_c_compressionLevel, level)))
		return -EINVAL;
	c->piece = mem_alloc(PIECE_MAX);
	c->piece_size = sizeof(struct record_header);
	return 0;
}

void compress_fini(struct compress *c)
{
	ZSTD_freeCCtx(c->stream);
	free(c->piece);
	memset(c, 0, sizeof(*c));
}

static int piece_emit(struct compress *c)
{
	struct record_header h = { .type = RECORD_COMPRESSED };
	size_t size = c->piece_size;

	if (size == sizeof(h))
		return 0;
	h.size = (uint16_t)size;
	memcpy(c->piece, &h, sizeof(h));
	c->piece_size = sizeof(h);
	return c->emit(c->ctx, c->piece, size);
}

/* Runs the encoder until the input is used up and, for a flush, nothing is held back. */
static int run(struct compress *c, ZSTD_inBuffer *in, ZSTD_EndDirective how)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { c->piece, PIECE_MAX, c->piece_size };
		int err = 0;

		left = ZSTD_compressStream2(c->stream, &out, in, how);
		if (ZSTD_isError(left))
			return -EIO;
		c->piece_size = out.pos;
		if (out.pos == PIECE_MAX)
			err = piece_emit(c);
		if (err)
			return err;
	} while (in->pos < in->size || (how == ZSTD_e_flush && left));
	return 0;
}

int compress_flush(struct compress *c)
{
	ZSTD_inBuffer none = { NULL, 0, 0 };
	int err;

	if (!c->in_since_flush)
		return 0;
	err = run(c, &none, ZSTD_e_flush);
	if (!err)
		err = piece_emit(c);
	if (!err)
		c->in_since_flush = 0;
	return err;
}

int compress_add(struct compress *c, const void *data, size_t size)
{
	const uint8_t *p = data;

	while (size) {
		size_t n = COMPRESS_CHUNK - c->in_since_flush;
		ZSTD_inBuffer in = { p, size < n ? size : n, 0 };
		int err;

		c->in_since_flush += (uint32_t)in.size;
		p += in.size;
		size -= in.size;
		err = run(c, &in, ZSTD_e_continue);
		if (!err && c->in_since_flush == COMPRESS_CHUNK)
			err = compress_flush(c);
		if (err)
			return err;
	}
	return 0;
}

void decompress_fini(struct decompress *d)
{
	ZSTD_freeDStream(d->stream);
	*d = (struct decompress){ 0 };
}

void decompress_reset(struct decompress *d)
{
	if (d->stream)
		ZSTD_DCtx_reset(d->stream, ZSTD_reset_session_only);
	d->in_size = d->in_pos = 0;
	d->more = false;
}

int decompress_feed(struct decompress *d, const void *data, size_t size)
{
	if (!d->stream) {
		d->stream = ZSTD_createDStream();
		if (!d->stream)
			return -ENOMEM;
		ZSTD_DCtx_setParameter(d->stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	}
	d->in = data;
	d->in_size = size;
	d->in_pos = 0;
	d->more = true;
	return 0;
}

int64_t decompress_next(struct decompress *d, void *buf, size_t size)
{
	ZSTD_inBuffer in = { d->in, d->in_size, d->in_pos };
	ZSTD_outBuffer out = { buf, size, 0 };

	while (d->more && !out.pos) {
		size_t in_pos = in.pos, ret = ZSTD_decompressStream(d->stream, &out, &in);

		d->in_pos = in.pos;
		if (ZSTD_isError(ret)) {
			d->more = false;
			return -EBADMSG;
		}
		/* Used up, and the decoder holds nothing back: a full buffer may hide more. */
		if (in.pos == in.size && out.pos < out.size)
			d->more = false;
		else if (in.pos == in_pos && !out.pos)
			return -EBADMSG; /* it does not move: no hang */
	}
	return (int64_t)out.pos;
}

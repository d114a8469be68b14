/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thin layer over zstd's streaming encoder that cuts its output into records.
 */
#include "perfdata/compress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "abi/record.h"
#include "base/mem.h"

#define PIECE_MAX 65528u /* a record, header included */

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

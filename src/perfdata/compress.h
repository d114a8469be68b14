/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Packs records into COMPRESSED records, one zstd stream, cut into pieces; and unpacks them.
 *
 * perf unpacks each piece into a buffer whose size the file names once (comp_mmap_len), and
 * takes harm where a piece holds more. So the stream is flushed after COMPRESS_CHUNK bytes of
 * input at the latest.
 */
#ifndef ASSAY_PERFDATA_COMPRESS_H
#define ASSAY_PERFDATA_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPRESS_CHUNK (256u << 10)
#define COMPRESS_MMAP_LEN (1u << 20) /* what a piece unpacks to at most, with room to spare */

struct compress {
	void *stream;	/* ZSTD_CCtx */
	uint8_t *piece; /* the COMPRESSED record in the making, header first */
	size_t piece_size;
	uint32_t in_since_flush;
	/* Takes a finished record; 0 or a negative errno, which is passed on. */
	int (*emit)(void *ctx, const void *record, size_t size);
	void *ctx;
};

int compress_init(struct compress *c, int level);
void compress_fini(struct compress *c); /* a zeroed struct is fine */
int compress_add(struct compress *c, const void *data, size_t size);
/* Emits everything given so far. */
int compress_flush(struct compress *c);

/* Unpacks as much as there is room for, so that memory does not depend on how far the input inflates. */
struct decompress {
	void *stream;	   /* ZSTD_DStream; NULL until the first piece */
	const uint8_t *in; /* borrowed */
	size_t in_size, in_pos;
	bool more; /* the last piece may still give output */
};

/* A zeroed struct is ready. */
void decompress_fini(struct decompress *d);
/* The next stream (of another file) starts. */
void decompress_reset(struct decompress *d);
/* Gives the next piece, which must stay where it is until decompress_next() has returned 0. */
int decompress_feed(struct decompress *d, const void *data, size_t size);
/* Bytes put into `buf` (size > 0); 0 where the piece is used up; -EBADMSG where it is damaged. */
int64_t decompress_next(struct decompress *d, void *buf, size_t size);

#endif

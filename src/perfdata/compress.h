/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Packs records into COMPRESSED records: one zstd stream, cut into pieces.
 *
 * perf unpacks each piece into a buffer whose size the file names once (comp_mmap_len), and
 * takes harm where a piece holds more. So the stream is flushed after COMPRESS_CHUNK bytes of
 * input at the latest.
 */
#ifndef ASSAY_PERFDATA_COMPRESS_H
#define ASSAY_PERFDATA_COMPRESS_H

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

#endif

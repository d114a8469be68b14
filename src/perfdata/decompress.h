/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The zstd stream that COMPRESSED records carry piece by piece. Unpacks as much as there is
 * room for, so that memory does not depend on how far the input inflates.
 */
#ifndef ASSAY_PERFDATA_DECOMPRESS_H
#define ASSAY_PERFDATA_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

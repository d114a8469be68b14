/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thin layer over zstd's streaming decoder.
 */
#include "perfdata/decompress.h"

#include <errno.h>
#include <zstd.h>

/* perf uses at most 8 MiB (level 22: 128 MiB). What a hostile frame header may make us allocate. */
#define WINDOW_LOG_MAX 27

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

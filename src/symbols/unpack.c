/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * liblzma, zlib and libzstd behind one shape: feed everything, grow the output by doubling, stop at the bound. Memory that a stream
 * asks for by its header (dictionaries, windows) is bounded as well.
 */
#include "symbols/unpack.h"

#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"

#define FIRST_BYTES (256U << 10)
#define MAX_XZ_MEMORY (256ULL << 20)
#define MAX_ZSTD_WINDOW_LOG 27

struct unpacked {
	uint8_t *bytes;
	size_t size, cap, max;
};

/* Makes room for more; false at the bound. One byte past it is allowed, to see that there is more. */
static bool unpacked_grow(struct unpacked *u)
{
	size_t cap = u->cap ? u->cap * 2 : FIRST_BYTES;

	if (u->size < u->cap)
		return true;
	if (cap > u->max + 1)
		cap = u->max + 1;
	if (cap <= u->cap)
		return false;
	u->bytes = mem_realloc(u->bytes, cap, 1);
	u->cap = cap;
	return true;
}

static int unpacked_give(struct unpacked *u, int err, void **out, size_t *out_size)
{
	if (!err && u->size > u->max)
		err = -EFBIG;
	if (!err && !u->size)
		err = -EBADMSG;
	if (err) {
		free(u->bytes);
		*out = NULL;
		*out_size = 0;
		return err;
	}
	*out = u->bytes;
	*out_size = u->size;
	return 0;
}

int unpack_xz(const void *packed, size_t size, size_t max, void **out, size_t *out_size)
{
	lzma_stream s = LZMA_STREAM_INIT;
	struct unpacked u = { .max = max };
	int err = 0;

	if (lzma_stream_decoder(&s, MAX_XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
		return -ENOMEM;
	s.next_in = packed;
	s.avail_in = size;
	for (;;) {
		lzma_ret ret;

		if (!unpacked_grow(&u)) {
			err = -EFBIG;
			break;
		}
		s.next_out = u.bytes + u.size;
		s.avail_out = u.cap - u.size;
		ret = lzma_code(&s, LZMA_FINISH);
		u.size = u.cap - s.avail_out;
		if (ret == LZMA_STREAM_END)
			break;
		if (ret != LZMA_OK) {
			err = -EBADMSG;
			break;
		}
	}
	lzma_end(&s);
	return unpacked_give(&u, err, out, out_size);
}

/* What may follow a packed part: more of them, as in files that were put one behind the other, or the zeroes that fill up a block. */
static bool is_more(const uint8_t *rest, size_t size)
{
	size_t zeroes = 0;

	while (zeroes < size && !rest[zeroes])
		zeroes++;
	return zeroes < size;
}

int unpack_gzip(const void *packed, size_t size, size_t max, void **out, size_t *out_size)
{
	z_stream s = { 0 };
	struct unpacked u = { .max = max };
	int err = 0;

	if (size > UINT32_MAX)
		return -EFBIG;
	/* 16: a gzip header is expected */
	if (inflateInit2(&s, 16 + MAX_WBITS) != Z_OK)
		return -ENOMEM;
	s.next_in = (Bytef *)packed;
	s.avail_in = (uInt)size;
	for (;;) {
		int ret;

		if (!unpacked_grow(&u)) {
			err = -EFBIG;
			break;
		}
		s.next_out = u.bytes + u.size;
		s.avail_out = u.cap - u.size > UINT32_MAX ? UINT32_MAX : (uInt)(u.cap - u.size);
		ret = inflate(&s, Z_NO_FLUSH);
		u.size = (size_t)(s.next_out - u.bytes);
		if (ret == Z_STREAM_END) {
			if (!is_more(s.next_in, s.avail_in))
				break;
			ret = inflateReset(&s);
		}
		if (ret != Z_OK) {
			err = -EBADMSG;
			break;
		}
	}
	inflateEnd(&s);
	return unpacked_give(&u, err, out, out_size);
}

int unpack_zstd(const void *packed, size_t size, size_t max, void **out, size_t *out_size)
{
	ZSTD_DCtx *ctx = ZSTD_createDCtx();
	ZSTD_inBuffer in = { packed, size, 0 };
	struct unpacked u = { .max = max };
	int err = ctx ? 0 : -ENOMEM;
	size_t left = 1;

	if (ctx)
		ZSTD_DCtx_setParameter(ctx, ZSTD_d_windowLogMax, MAX_ZSTD_WINDOW_LOG);
	/* After a frame's end the next one begins. */
	while (!err && (left || is_more((const uint8_t *)packed + in.pos, size - in.pos))) {
		ZSTD_outBuffer o;
		size_t before = in.pos;

		if (!unpacked_grow(&u)) {
			err = -EFBIG;
			break;
		}
		o = (ZSTD_outBuffer){ u.bytes, u.cap, u.size };
		left = ZSTD_decompressStream(ctx, &o, &in);
		if (ZSTD_isError(left) || (left && o.pos == u.size && in.pos == before))
			err = -EBADMSG;
		u.size = o.pos;
		/* The end of the input in the middle of a frame, with nothing left to give out */
		if (!err && left && in.pos == in.size && u.size < u.cap)
			err = -EBADMSG;
	}
	ZSTD_freeDCtx(ctx);
	return unpacked_give(&u, err, out, out_size);
}

static bool begins_with(const void *packed, size_t size, const void *magic, size_t magic_size)
{
	return size > magic_size && memcmp(packed, magic, magic_size) == 0;
}

int unpack_any(const void *packed, size_t size, size_t max, void **out, size_t *out_size)
{
	static const uint8_t xz[] = { 0xfd, '7', 'z', 'X', 'Z', 0 }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd },
			     gzip[] = { 0x1f, 0x8b };

	if (begins_with(packed, size, xz, sizeof(xz)))
		return unpack_xz(packed, size, max, out, out_size);
	if (begins_with(packed, size, zstd, sizeof(zstd)))
		return unpack_zstd(packed, size, max, out, out_size);
	if (begins_with(packed, size, gzip, sizeof(gzip)))
		return unpack_gzip(packed, size, max, out, out_size);
	*out = NULL;
	*out_size = 0;
	return -ENOEXEC;
}

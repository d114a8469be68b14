/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * liblzma, zlib and libzstd with one interface: the output grows by doubling, up to the bound. Memory that a stream asks for by its header
 * (dictionaries, windows) is bounded as well.
 */
#include "symbols/unpack.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/bytes.h"
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

/* Unpacks more to the end of `u`, which has room: 1, 0 at the end of all, or -EBADMSG. */
typedef int unpack_step(void *stream, struct unpacked *u);

static int unpack_all(void *stream, unpack_step *step, size_t max, void **out, size_t *out_size)
{
	struct unpacked u = { .max = max };
	int err = 1;

	while (err > 0)
		err = unpacked_grow(&u) ? step(stream, &u) : -EFBIG;
	if (!err && u.size > u.max)
		err = -EFBIG;
	if (!err && !u.size)
		err = -EBADMSG;
	if (err)
		free(u.bytes);
	*out = err ? NULL : u.bytes;
	*out_size = err ? 0 : u.size;
	return err;
}

static int step_xz(void *stream, struct unpacked *u)
{
	lzma_stream *s = stream;
	lzma_ret ret;

	s->next_out = u->bytes + u->size;
	s->avail_out = u->cap - u->size;
	ret = lzma_code(s, LZMA_FINISH);
	u->size = u->cap - s->avail_out;
	return ret == LZMA_STREAM_END ? 0 : ret == LZMA_OK ? 1 : -EBADMSG;
}

int unpack_xz(const void *packed, size_t size, size_t max, void **out, size_t *out_size)
{
	lzma_stream s = LZMA_STREAM_INIT;
	int err;

	if (lzma_stream_decoder(&s, MAX_XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
		return -ENOMEM;
	s.next_in = packed;
	s.avail_in = size;
	err = unpack_all(&s, step_xz, max, out, out_size);
	lzma_end(&s);
	return err;
}

/* What may follow a packed part: more of them, as in files that were put one behind the other, or the zeroes that fill up a block. */
static bool is_more(const uint8_t *rest, size_t size)
{
	size_t zeroes = 0;

	while (zeroes < size && !rest[zeroes])
		zeroes++;
	return zeroes < size;
}

static int step_gzip(void *stream, struct unpacked *u)
{
	z_stream *s = stream;
	int ret;

	s->next_out = u->bytes + u->size;
	s->avail_out = u->cap - u->size > UINT32_MAX ? UINT32_MAX : (uInt)(u->cap - u->size);
	ret = inflate(s, Z_NO_FLUSH);
	u->size = (size_t)(s->next_out - u->bytes);
	if (ret == Z_STREAM_END) {
		if (!is_more(s->next_in, s->avail_in))
			return 0;
		ret = inflateReset(s);
	}
	return ret == Z_OK ? 1 : -EBADMSG;
}

static int unpack_gzip(const void *packed, size_t size, size_t max, void **out, size_t *out_size)
{
	z_stream s = { .next_in = (Bytef *)packed, .avail_in = (uInt)size };
	int err;

	if (size > UINT32_MAX)
		return -EFBIG;
	/* 16: a gzip header is expected */
	if (inflateInit2(&s, 16 + MAX_WBITS) != Z_OK)
		return -ENOMEM;
	err = unpack_all(&s, step_gzip, max, out, out_size);
	inflateEnd(&s);
	return err;
}

struct zstd_stream {
	ZSTD_DCtx *ctx;
	ZSTD_inBuffer in;
};

static int step_zstd(void *stream, struct unpacked *u)
{
	struct zstd_stream *s = stream;
	ZSTD_outBuffer o = { u->bytes, u->cap, u->size };
	size_t before = s->in.pos, left = ZSTD_decompressStream(s->ctx, &o, &s->in);
	bool is_stuck = left && o.pos == u->size && s->in.pos == before;

	u->size = o.pos;
	/* The end of the input in the middle of a frame, with nothing left to give out, is damage, too. */
	if (ZSTD_isError(left) || is_stuck || (left && s->in.pos == s->in.size && u->size < u->cap))
		return -EBADMSG;
	/* After a frame's end the next one begins. */
	return left || is_more((const uint8_t *)s->in.src + s->in.pos, s->in.size - s->in.pos);
}

static int unpack_zstd(const void *packed, size_t size, size_t max, void **out, size_t *out_size)
{
	struct zstd_stream s = { ZSTD_createDCtx(), { packed, size, 0 } };
	int err;

	if (!s.ctx)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(s.ctx, ZSTD_d_windowLogMax, MAX_ZSTD_WINDOW_LOG);
	err = unpack_all(&s, step_zstd, max, out, out_size);
	ZSTD_freeDCtx(s.ctx);
	return err;
}

static bool begins_with(const void *packed, size_t size, const void *magic, size_t magic_size)
{
	return size > magic_size && memcmp(packed, magic, magic_size) == 0;
}

int unpack_any(const void *packed, size_t size, size_t max, void **out, size_t *out_size)
{
	*out = NULL;
	*out_size = 0;
	if (begins_with(packed, size,
			"\xfd"
			"7zXZ\0",
			6))
		return unpack_xz(packed, size, max, out, out_size);
	if (begins_with(packed, size, "\x28\xb5\x2f\xfd", 4))
		return unpack_zstd(packed, size, max, out, out_size);
	return begins_with(packed, size, "\x1f\x8b", 2) ? unpack_gzip(packed, size, max, out, out_size) : -ENOEXEC;
}

/* Compressed sections: ELF's zlib and zstd, GNU's .zdebug. Just as much as the header says has to come out. */

/* Compilers' sections shrink to a third, tables of equal entries to a thousandth. What claims more is refused. */
#define MAX_RATIO 64U
#define RATIO_FREE_BYTES (16U << 20)

static bool read_elf_head(struct section_packing *p, const void *bytes, size_t size, bool is_32, bool swap)
{
	struct bytes b = bytes_of(bytes, size, swap);
	uint32_t type = bytes_u32(&b);

	if (!is_32)
		bytes_u32(&b);
	p->unpacked_bytes = bytes_uint(&b, is_32 ? 4 : 8);
	p->head_bytes = is_32 ? 12 : 24;
	p->how = type == 1 ? PACKED_ZLIB : PACKED_ZSTD;
	return size >= p->head_bytes && (type == 1 || type == 2);
}

static bool read_gnu_head(struct section_packing *p, const uint8_t *bytes, size_t size)
{
	if (size < 12)
		return false;
	if (memcmp(bytes, "ZLIB", 4) != 0)
		return true; /* not compressed at all */
	for (int i = 0; i < 8; i++)
		p->unpacked_bytes = p->unpacked_bytes << 8 | bytes[4 + i];
	p->head_bytes = 12;
	p->how = PACKED_ZLIB;
	return true;
}

bool section_packing_read(struct section_packing *p, const void *bytes, size_t size, enum section_packing_head head, bool swap)
{
	bool ok;

	*p = (struct section_packing){ 0 };
	ok = head == PACKING_GNU ? read_gnu_head(p, bytes, size) : read_elf_head(p, bytes, size, head == PACKING_ELF32, swap);
	if (!ok)
		*p = (struct section_packing){ 0 };
	return ok;
}

static size_t unpack_zlib(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size)
{
	z_stream z = { .next_in = (uint8_t *)from, .next_out = to };
	size_t in_left = from_size, out_left = to_size;
	int ret = Z_OK;

	if (inflateInit(&z) != Z_OK)
		return 0;
	while (ret == Z_OK && out_left) {
		unsigned int in = in_left > UINT32_MAX / 2 ? UINT32_MAX / 2 : (unsigned int)in_left,
			     out = out_left > UINT32_MAX / 2 ? UINT32_MAX / 2 : (unsigned int)out_left;

		z.avail_in = in;
		z.avail_out = out;
		ret = inflate(&z, Z_NO_FLUSH);
		in_left -= in - z.avail_in;
		out_left -= out - z.avail_out;
		/* Linkers of several compressed inputs may write several streams. */
		if (ret == Z_STREAM_END && in_left && out_left)
			ret = inflateReset(&z);
		if (!(in - z.avail_in) && !(out - z.avail_out))
			break;
	}
	inflateEnd(&z);
	return to_size - out_left;
}

uint8_t *section_unpack(const struct section_packing *p, const void *section, size_t size, uint64_t max)
{
	const uint8_t *from = (const uint8_t *)section + p->head_bytes;
	uint64_t packed = size - p->head_bytes;
	uint8_t *to;
	size_t got;

	if (p->how == PACKED_NOT || size < p->head_bytes || p->unpacked_bytes > max || p->unpacked_bytes > SIZE_MAX / 2 ||
	    p->unpacked_bytes / MAX_RATIO > packed + RATIO_FREE_BYTES / MAX_RATIO)
		return NULL;
	/* Not mem_alloc(), which aborts: the size is the file's. */
	to = malloc(p->unpacked_bytes ? (size_t)p->unpacked_bytes : 1);
	if (!to)
		return NULL;
	if (p->how == PACKED_ZLIB)
		got = unpack_zlib(from, (size_t)packed, to, (size_t)p->unpacked_bytes);
	else
		got = ZSTD_decompress(to, (size_t)p->unpacked_bytes, from, (size_t)packed);
	if (got == p->unpacked_bytes)
		return to;
	free(to);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Heads of compressed sections and their bytes: ELF's zlib and zstd, GNU's older .zdebug. The size that the head claims is held
 * against the packed size first, and exactly that much has to come out.
 */
#include "symbols/section_unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/bytes.h"

/* Compilers' sections shrink to a third; a table of nothing but equal entries to a thousandth. What claims more than this is not
 * unpacked: a small file must not fill the memory. */
#define MAX_RATIO 64U
#define RATIO_FREE_BYTES (16U << 20)

static bool read_elf_head(struct section_packing *p, const void *bytes, size_t size, bool is_32, bool swap)
{
	struct bytes b = bytes_of(bytes, size, swap);
	uint32_t type = bytes_u32(&b);

	if (!is_32)
		bytes_u32(&b);
	p->unpacked_bytes = is_32 ? bytes_u32(&b) : bytes_u64(&b);
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
	/* Not mem_alloc(): a file that asks for too much is no reason to end. */
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

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unpacking of .gnu_debugdata (xz) and kernel modules (.ko.xz, .ko.gz, .ko.zst), up to a `max` of the caller's. Concatenated files unpack
 * to all of them; zeroes at the end fill up a block, anything else there is damage.
 */
#ifndef ASSAY_SYMBOLS_UNPACK_H
#define ASSAY_SYMBOLS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *out is malloc'd and the caller's. -EBADMSG: damaged or cut; -EFBIG: more than `max` bytes. */
int unpack_xz(const void *packed, size_t size, size_t max, void **out, size_t *out_size);
/* xz, gzip or zstd, by the first bytes; -ENOEXEC: none of them. */
int unpack_any(const void *packed, size_t size, size_t max, void **out, size_t *out_size);

/* Compressed sections of ELF files. What claims to unpack to far more than compilers' sections do is refused. */

enum section_packing_how { PACKED_NOT, PACKED_ZLIB, PACKED_ZSTD };
enum section_packing_head {
	PACKING_ELF32, /* SHF_COMPRESSED */
	PACKING_ELF64,
	PACKING_GNU, /* .zdebug_*: "ZLIB" and the size, most significant byte first */
};
#define PACKING_MAX_HEAD 24

struct section_packing {
	enum section_packing_how how;
	uint32_t head_bytes; /* the packed bytes begin behind */
	uint64_t unpacked_bytes;
};

/* Reads the head from the first PACKING_MAX_HEAD bytes of a section; false: damaged or unknown. `swap`: of the other byte order. */
bool section_packing_read(struct section_packing *p, const void *bytes, size_t size, enum section_packing_head head, bool swap);

/* Unpacks a whole section; malloc'd (p->unpacked_bytes), or NULL where it is damaged or claims too much. */
uint8_t *section_unpack(const struct section_packing *p, const void *section, size_t size, uint64_t max);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compressed sections of ELF files: what the head in front of them says, and the bytes it stands for. A file may come from anywhere:
 * what claims to unpack to far more than compilers' sections do is refused before memory is asked for. Fed by dwarf_file.c and
 * unwind_sections.c; knows nothing of what the bytes mean.
 */
#ifndef ASSAY_SYMBOLS_SECTION_UNPACK_H
#define ASSAY_SYMBOLS_SECTION_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Reads the head from the first bytes of a section (PACKING_MAX_HEAD of them are enough); false: damaged, or packed in a way that we
 * do not know. `swap`: the file has the other byte order. */
bool section_packing_read(struct section_packing *p, const void *bytes, size_t size, enum section_packing_head head, bool swap);

/* Unpacks a whole section, head and all; malloc'd (p->unpacked_bytes), or NULL where it is damaged, claims more than `max`, or more
 * than such sections ever shrink by. */
uint8_t *section_unpack(const struct section_packing *p, const void *section, size_t size, uint64_t max);

#endif

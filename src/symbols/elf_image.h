/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct elf_image: the bytes of an ELF file by address, as a loader would lay them out at the addresses the file is linked for:
 * relative relocations are applied, so that pointers in position-independent programs can be followed.
 */
#ifndef ASSAY_SYMBOLS_ELF_IMAGE_H
#define ASSAY_SYMBOLS_ELF_IMAGE_H

#include "symbols/elf_file.h"

struct elf_image_part { /* a PT_LOAD segment, as far as the file holds its bytes */
	uint64_t vaddr, size_bytes, file_off;
	bool is_executable, is_writable;
};

struct elf_image_reloc {
	uint64_t vaddr, value;
};

struct elf_image {
	const struct elf_file *file;
	bool swap; /* the file is of the other byte order */
	uint8_t ptr_size;
	VEC(struct elf_image_part) parts;
	VEC(struct elf_image_reloc) relocs; /* by address */
};

/* `f` must stay open. -EBADMSG where its headers cannot be read. */
int elf_image_open(struct elf_image *im, const struct elf_file *f);
void elf_image_close(struct elf_image *im);
/* The segment that holds an address, or NULL. */
const struct elf_image_part *elf_image_find(const struct elf_image *im, uint64_t vaddr);
/* Bytes read from an address on: fewer than asked for where the segment or the file ends. */
size_t elf_image_read(const struct elf_image *im, uint64_t vaddr, void *buf, size_t size);

#endif

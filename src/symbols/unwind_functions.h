/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct unwind_functions: which addresses of a file are one function, by its call frame information: all that a stripped file says of its
 * functions. Flat bytes, used in the symbol index as they lie, once checked. Addresses are file offsets.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_FUNCTIONS_H
#define ASSAY_SYMBOLS_UNWIND_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symbol_index.h"

struct elf_file;
struct unwind_input;

/* A view of flat bytes. */
struct unwind_functions {
	struct module_part part;
	const struct unwind_functions_head *head;
	const struct unwind_segment *segments;
	const struct unwind_functions_row *rows; /* sorted, apart */
	void *owned;
};

struct unwind_function {
	uint64_t start, end; /* file offsets, [start, end) */
	uint64_t vaddr;	     /* of the start, as linked: what disassemblers show */
};

/* Always gives a table, perhaps an empty one. */
struct unwind_functions *unwind_functions_build(const struct unwind_input *in);
/* The same from ELF files, of which one may be NULL or not open. */
struct unwind_functions *unwind_functions_read(const struct elf_file *runtime, const struct elf_file *debug);
/* The flat bytes, and a table on such bytes (8-byte aligned), which must outlive it; -EBADMSG where they are not sound. */
const void *unwind_functions_bytes(const struct unwind_functions *u, size_t *size);
int unwind_functions_view(struct unwind_functions **u, const void *bytes, size_t size);
void unwind_functions_free(struct unwind_functions *u);

uint32_t unwind_functions_nr(const struct unwind_functions *u);
/* The function that covers a file offset; false where none does. */
bool unwind_functions_find(const struct unwind_functions *u, uint64_t file_off, struct unwind_function *f);

#endif

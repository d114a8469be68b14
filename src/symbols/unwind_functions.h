/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct unwind_functions: which addresses of a file are one function, by what its call frame information (.eh_frame, .debug_frame) covers
 * as one: all that a stripped file says of its functions. Read without the rules for unwinding, which cost more. The bytes are flat (no
 * pointers): they are written into the symbol index and used from there as they lie, once checked. Addresses are file offsets, as in struct
 * symtab.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_FUNCTIONS_H
#define ASSAY_SYMBOLS_UNWIND_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file;
struct symbol_index;
struct unwind_input;
struct unwind_functions; /* a view of flat bytes, owned or borrowed */

struct unwind_function {
	uint64_t start, end; /* file offsets, [start, end) */
	uint64_t vaddr;	     /* of the start, as linked: what disassemblers show */
};

/* Always gives a table, perhaps an empty one. */
struct unwind_functions *unwind_functions_build(const struct unwind_input *in);
/* The same from ELF files, of which one may be NULL or not open. */
struct unwind_functions *unwind_functions_read(const struct elf_file *runtime, const struct elf_file *debug);
/* The flat bytes, and a table on such bytes that are the caller's (8-byte aligned) and must outlive it. -EBADMSG where they cannot be
 * relied on. */
const void *unwind_functions_bytes(const struct unwind_functions *u, size_t *size);
int unwind_functions_view(struct unwind_functions **u, const void *bytes, size_t size);
/* The index that has the bytes of a viewed table: closed when the table is freed. */
void unwind_functions_hold(struct unwind_functions *u, struct symbol_index *index);
void unwind_functions_free(struct unwind_functions *u);
/* Another one on the same bytes, which outlive it with `u`. */
struct unwind_functions *unwind_functions_borrow(const struct unwind_functions *u);
/* The bytes that it keeps in memory. */
uint64_t unwind_functions_memory(const struct unwind_functions *u);

uint32_t unwind_functions_nr(const struct unwind_functions *u);
/* The function that covers a file offset; false where none does. */
bool unwind_functions_find(const struct unwind_functions *u, uint64_t file_off, struct unwind_function *f);

#endif

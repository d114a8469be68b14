/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/cfi*, plt_unwind, unwind_build, unwind_functions, unwind_expr and unwind: sections of any bytes → a table, which must pass its
 * own check → walks with hostile registers and memory. The input: a byte of flags (1: arm64, 2: addresses of 4 bytes, 4: a trampoline,
 * 8: the stack's bytes are a PLT too), u16 sizes of .eh_frame and .debug_frame, both, and what is left is the stack. An input that begins like an ELF file is one: its sections are searched for.
 */
#include <stdint.h>

#include "base/bytes.h"
#include "symbols/elf_file.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_functions.h"
#include "unwind_hostile.h"
#include "../unit/unwind_same.h"

#define RULE_BYTES_SURE 900000 /* of a megabyte */

/* A block of its exact size, so that a sanitizer sees one byte too many. */
static void *copy_of(const void *p, size_t size)
{
	void *copy = malloc(size ? size : 1);

	if (size)
		memcpy(copy, p, size);
	return copy;
}

static void check(struct unwind_table *t, size_t section_bytes, const uint8_t *stack, size_t stack_size)
{
	struct unwind_table *view;
	size_t size;
	const void *bytes = unwind_table_bytes(t, &size);

	if (unwind_table_view(&view, bytes, size) != 0)
		abort();
	/* linear: an entry makes no more rows than it has bytes, and the layers one more where they meet */
	if (unwind_table_nr_rows(t) > 2 * section_bytes + 64)
		abort();
	for (uint32_t i = 0; i < t->head->nr_rows; i++)
		if (unwind_table_find(view, t->head->base + t->rows[i].addr) != t->rows[i].rule)
			abort();
	hostile_walks(view, stack, stack_size);
	unwind_table_free(view);
}

static void test_elf(const uint8_t *data, size_t size)
{
	uint8_t *copy = copy_of(data, size);
	struct elf_file f;
	struct unwind_table *t;

	if (elf_file_open_memory(&f, copy, size, NULL) == 0) {
		if (unwind_table_build(&t, &f, &f, false, NULL) == 0) {
			/* compressed sections grow by a factor */
			check(t, size * 1100, data, size);
			unwind_table_free(t);
		}
		elf_file_close(&f);
	}
	free(copy);
}

/* Compiled in pieces it says the same; but for rules that the whole had no room for. */
static void check_pieces(const struct unwind_input *in, const struct unwind_table *whole, const uint8_t *stack, size_t stack_size)
{
	struct unwind_table *pieces = unwind_lazy_build(in);

	if ((uint64_t)whole->head->nr_rule_units * 8 + whole->head->expr_bytes < RULE_BYTES_SURE && !unwind_same(whole, pieces))
		abort();
	hostile_walks(pieces, stack, stack_size);
	unwind_table_free(pieces);
}

static void check_functions(const struct unwind_input *in)
{
	struct unwind_functions *u = unwind_functions_build(in), *view;
	struct unwind_function f;
	size_t size;
	const void *bytes = unwind_functions_bytes(u, &size);

	if (unwind_functions_view(&view, bytes, size) != 0)
		abort();
	for (uint64_t off = 0; off < 0x110000; off += 0x1000)
		if (unwind_functions_find(view, off, &f) && (off < f.start || off >= f.end))
			abort();
	unwind_functions_free(view);
	unwind_functions_free(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	uint8_t flags = bytes_u8(&b);
	uint16_t eh = bytes_u16(&b), debug = bytes_u16(&b);
	struct unwind_input in = { .arch = flags & 1 ? &arch_arm64 : &arch_x86_64, .nr_segments = 2 };
	struct unwind_table *t;
	void *stack, *sections[2];
	size_t stack_size;

	if (size > 4 && memcmp(data, "\177ELF", 4) == 0) {
		test_elf(data, size);
		return 0;
	}
	if (b.failed || !bytes_has(&b, (uint64_t)eh + debug, 1))
		return 0;
	in.segments[0] = (struct unwind_segment){ 0, 0x10000, 0 };
	in.segments[1] = (struct unwind_segment){ 0x400000, 0x100000, 0x10000 };
	sections[0] = copy_of(bytes_take(&b, eh), eh);
	sections[1] = copy_of(bytes_take(&b, debug), debug);
	in.eh = (struct cfi_section){ .bytes = sections[0],
				      .size = eh,
				      .vaddr = 0x2000,
				      .text_vaddr = 0x1000,
				      .data_vaddr = 0x3000,
				      .address_size = flags & 2 ? 4 : 8,
				      .is_eh = true };
	in.debug = (struct cfi_section){ .bytes = sections[1], .size = debug, .address_size = flags & 2 ? 4 : 8 };
	if (flags & 4) {
		in.nr_trampolines = 2;
		in.trampolines[0] = (struct unwind_place){ 0x1008, 9 };
		in.trampolines[1] = (struct unwind_place){ 0x1080, 7 };
	}
	stack_size = bytes_left(&b);
	stack = copy_of(b.pos, stack_size);
	if (flags & 8) {
		in.nr_plts = 1;
		in.plts[0] = (struct plt_section){ stack, stack_size, 0x4000 };
	}
	check_functions(&in);
	t = unwind_build(&in);
	check_pieces(&in, t, stack, stack_size);
	check(t, (size_t)eh + debug + (in.nr_plts ? stack_size : 0), stack, stack_size);
	unwind_table_free(t);
	free(sections[0]);
	free(sections[1]);
	free(stack);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Go's table of functions and lines for a made-up program, in each of its layouts:
 *
 *	main.outer	0x401000–0x401040, out.go: lines 10, from 0x401010 on 12; at 0x401010–0x401020 main.middle (mid.go:20) is inlined, at
 *			0x401018–0x401020 main.inner (in.go:30) in that; it calls middle at line 12, which calls inner at line 21. From 0x401004
 *			to 0x40103c it has 32 bytes on the stack
 *	main.(*T).Plain	0x401040–0x401060, in.go:40
 */
#ifndef ASSAY_TESTS_GO_TABLE_H
#define ASSAY_TESTS_GO_TABLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/go_module.h"

#define GO_TEXT 0x401000u
#define GO_TREES 0x500000u

struct go_table {
	uint8_t bytes[4096];
	size_t size;
	enum go_layout layout;
	uint8_t ptr_size;
	bool swap;
	uint8_t trees[256]; /* those of main.outer lie at 16 */
	size_t trees_size;
	/* Where a function's name and flags stand, for those who want others. */
	size_t name_at[2], flags_at[2], other_name;
	uint8_t nr;
};

static inline void go_put(uint8_t *at, uint64_t v, size_t size, bool swap)
{
	for (size_t i = 0; i < size; i++)
		at[swap ? size - 1 - i : i] = (uint8_t)(v >> (8 * i));
}

static inline void go_add(struct go_table *g, uint64_t v, size_t size)
{
	go_put(g->bytes + g->size, v, size, g->swap);
	g->size += size;
}

static inline size_t go_add_bytes(struct go_table *g, const void *bytes, size_t size)
{
	size_t at = g->size;

	memcpy(g->bytes + at, bytes, size);
	g->size += size;
	return at;
}

#define go_add_str(g, s) go_add_bytes(g, s, sizeof(s))

static inline void go_align(struct go_table *g)
{
	while (g->size % 8)
		g->bytes[g->size++] = 0;
}

/* Pairs of (difference, addresses), as for a quantum of 4. */
static const uint8_t go_files_outer[] = { 2, 4, 2, 2, 2, 2, 3, 8, 0 };		  /* 0, 1, 2, 0 */
static const uint8_t go_lines_outer[] = { 22, 4, 20, 2, 20, 2, 35, 7, 18, 1, 0 }; /* 10, 20, 30, 12, 21 */
static const uint8_t go_nodes_outer[] = { 0, 4, 2, 2, 2, 2, 3, 7, 2, 1, 0 };	  /* -1, 0, 1, -1, 0 */
static const uint8_t go_files_plain[] = { 6, 8, 0 };				  /* 2 */
static const uint8_t go_lines_plain[] = { 82, 8, 0 };				  /* 40 */

static const uint8_t go_sp_outer[] = { 2, 1, 64, 14, 63, 1, 0 }; /* 0, 32, 0 */
static const uint8_t go_sp_plain[] = { 2, 8, 0 };		 /* 0 */

struct go_offsets {
	size_t sp_outer, sp_plain, names[5], files[3], files_outer, lines_outer, nodes_outer, files_plain, lines_plain;
	size_t names_part, units_part, files_part, values_part;
};

/* The parts without addresses; offsets are of the whole table. */
static inline void go_add_parts(struct go_table *g, struct go_offsets *o)
{
	bool first = g->layout == GO_1_2;

	o->names_part = g->size;
	o->names[0] = go_add_str(g, "main.outer");
	o->names[1] = go_add_str(g, "main.middle");
	o->names[2] = go_add_str(g, "main.inner");
	o->names[3] = go_add_str(g, "main.(*T).Plain");
	o->names[4] = go_add_str(g, "runtime.goexit");
	go_align(g);
	o->files_part = g->size;
	o->files[0] = go_add_str(g, "/src/out.go");
	o->files[1] = go_add_str(g, "/src/mid.go");
	o->files[2] = go_add_str(g, "/src/in.go");
	go_align(g);
	o->units_part = g->size;
	/* Of 1.2: their number, then where they are from the start, and they count from one. */
	go_add(g, first ? 4 : 0xffffffff, 4);
	for (int i = 0; i < 3; i++)
		go_add(g, o->files[i] - (first ? 0 : o->files_part), 4);
	go_align(g);
	o->values_part = g->size;
	go_add(g, 0, 1); /* offset 0 is none */
	o->files_outer = go_add_bytes(g, go_files_outer, sizeof(go_files_outer));
	if (first)
		g->bytes[o->files_outer] = 4;
	o->lines_outer = go_add_bytes(g, go_lines_outer, sizeof(go_lines_outer));
	o->nodes_outer = go_add_bytes(g, go_nodes_outer, sizeof(go_nodes_outer));
	o->files_plain = go_add_bytes(g, go_files_plain, sizeof(go_files_plain));
	if (first)
		g->bytes[o->files_plain] = 8;
	o->lines_plain = go_add_bytes(g, go_lines_plain, sizeof(go_lines_plain));
	o->sp_outer = go_add_bytes(g, go_sp_outer, sizeof(go_sp_outer));
	o->sp_plain = go_add_bytes(g, go_sp_plain, sizeof(go_sp_plain));
	go_align(g);
}

static inline void go_add_function(struct go_table *g, uint64_t start, size_t name, size_t sp, size_t files, size_t lines, size_t nodes)
{
	size_t width = g->layout >= GO_1_18 ? 4 : g->ptr_size;

	go_add(g, g->layout >= GO_1_18 ? start - GO_TEXT : start, width);
	g->name_at[g->nr] = g->size;
	go_add(g, name, 4);
	for (int i = 0; i < 2; i++)
		go_add(g, 0, 4);
	go_add(g, sp, 4);
	go_add(g, files, 4);
	go_add(g, lines, 4);
	go_add(g, 3, 4);
	if (g->layout > GO_1_2)
		go_add(g, 1, 4); /* unit: the files count from there */
	if (g->layout == GO_1_20)
		go_add(g, 9, 4);
	g->flags_at[g->nr++] = g->size + 1;
	go_add(g, 0, 3);
	go_add(g, 4, 1);
	go_add(g, 0, 4);
	go_add(g, 0, 4);
	go_add(g, nodes, 4);
	if (width == 8)
		while (g->size % 8)
			go_add(g, 0, 1);
	for (int i = 0; i < 3; i++)
		go_add(g, 0, width);
	if (g->layout >= GO_1_18)
		go_add(g, nodes ? 16 : 0xffffffff, 4);
	else
		go_add(g, nodes ? GO_TREES + 16 : 0, width);
	go_align(g);
}

static inline void go_add_node(struct go_table *g, size_t name, uint32_t parent)
{
	uint8_t *at = g->trees + g->trees_size;

	if (g->layout == GO_1_20) {
		go_put(at + 4, name, 4, g->swap);
		go_put(at + 8, parent, 4, g->swap);
		g->trees_size += 16;
	} else {
		go_put(at + 12, name, 4, g->swap);
		go_put(at + 16, parent, 4, g->swap);
		g->trees_size += 20;
	}
}

static inline void go_table_make(struct go_table *g, enum go_layout layout, uint8_t ptr_size, bool swap)
{
	static const uint32_t magic[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };
	size_t width = layout >= GO_1_18 ? 4 : ptr_size, head, list, at;
	struct go_offsets o;

	memset(g, 0, sizeof(*g));
	g->layout = layout;
	g->ptr_size = ptr_size;
	g->swap = swap;
	go_add(g, magic[layout], 4);
	go_add(g, 0, 2);
	go_add(g, 4, 1);
	go_add(g, ptr_size, 1);
	go_add(g, 2, ptr_size);
	head = g->size;
	if (layout > GO_1_2) {
		go_add(g, 3, ptr_size);
		if (layout >= GO_1_18)
			go_add(g, GO_TEXT, ptr_size);
		head = g->size;
		g->size += 5U * ptr_size;
		go_add_parts(g, &o);
	}
	list = g->size;
	g->size += 5 * width + (layout == GO_1_2 ? 4 : 0);
	go_align(g);
	if (layout == GO_1_2) {
		go_add_parts(g, &o);
		go_put(g->bytes + list + 5 * width, o.units_part, 4, swap);
		o.names_part = o.values_part = 0;
	} else {
		const size_t parts[] = { o.names_part, o.units_part, o.files_part, o.values_part, list };

		for (int i = 0; i < 5; i++)
			go_put(g->bytes + head + (size_t)i * ptr_size, parts[i], ptr_size, swap);
	}
	for (int i = 0; i < 3; i++) {
		static const uint64_t starts[] = { 0x401000, 0x401040, 0x401060 };

		go_put(g->bytes + list + 2U * (size_t)i * width, layout >= GO_1_18 ? starts[i] - GO_TEXT : starts[i], width, swap);
		if (i == 2)
			break;
		at = g->size - (layout == GO_1_2 ? 0 : list);
		go_put(g->bytes + list + (2U * (size_t)i + 1) * width, at, width, swap);
		if (i == 0)
			go_add_function(g, starts[i], o.names[0] - o.names_part, o.sp_outer - o.values_part, o.files_outer - o.values_part,
					o.lines_outer - o.values_part, o.nodes_outer - o.values_part);
		else
			go_add_function(g, starts[i], o.names[3] - o.names_part, o.sp_plain - o.values_part, o.files_plain - o.values_part,
					o.lines_plain - o.values_part, 0);
	}
	g->other_name = o.names[4] - o.names_part;
	g->trees_size = 16;
	go_add_node(g, o.names[1] - o.names_part, 0x20);
	go_add_node(g, o.names[2] - o.names_part, 0x3c);
}

/* As if it had been found in a file. */
static inline int go_table_module(const struct go_table *g, struct go_module *m)
{
	*m = (struct go_module){ 0 };
	m->table_bytes = memcpy(malloc(g->size), g->bytes, g->size);
	m->trees = memcpy(malloc(g->trees_size), g->trees, g->trees_size);
	m->trees_size = g->trees_size;
	m->trees_start = g->layout >= GO_1_18 ? 0 : GO_TREES;
	return go_pclntab_init(&m->table, m->table_bytes, g->size, g->swap);
}

/* A program with such a table (of 64 bits, from 1.18 on) and no section headers: the code at GO_TEXT, the trees and the table behind, the
 * runtime's structure at 0x600000. */
#define GO_ELF_BYTES 0x4000u
#define GO_ELF_MODULE 0x3000u /* where in the file the runtime's structure is */

static inline void go_put_segment(uint8_t *elf, int i, uint32_t type, uint32_t flags, uint64_t off, uint64_t vaddr, uint64_t size)
{
	uint8_t *ph = elf + 64 + 56 * i;

	go_put(ph, type, 4, false);
	go_put(ph + 4, flags, 4, false);
	go_put(ph + 8, off, 8, false);
	go_put(ph + 16, vaddr, 8, false);
	go_put(ph + 32, size, 8, false);
	go_put(ph + 40, size, 8, false);
}

static inline void go_elf_make(uint8_t elf[GO_ELF_BYTES], const struct go_table *g, bool text_in_table)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 },
			     note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 'G', 'o', 0, 0, 1, 2, 3, 4 };
	uint64_t words[64] = { 0 }, table = GO_TREES + 0x200;

	memset(elf, 0, GO_ELF_BYTES);
	memcpy(elf, ident, sizeof(ident));
	go_put(elf + 16, ET_EXEC, 2, false);
	go_put(elf + 18, EM_X86_64, 2, false);
	go_put(elf + 20, 1, 4, false);
	go_put(elf + 32, 64, 8, false);
	go_put(elf + 52, 64, 2, false);
	go_put(elf + 54, 56, 2, false);
	go_put(elf + 56, 4, 2, false);
	memcpy(elf + 0x800, note, sizeof(note));
	go_put_segment(elf, 0, PT_LOAD, PF_R | PF_X, 0x1000, GO_TEXT, 0x100);
	go_put_segment(elf, 1, PT_LOAD, PF_R, 0x1800, GO_TREES, 0x1800);
	go_put_segment(elf, 2, PT_LOAD, PF_R | PF_W, GO_ELF_MODULE, 0x600000, 0x1000);
	go_put_segment(elf, 3, PT_NOTE, PF_R, 0x800, 0, sizeof(note));
	memcpy(elf + 0x1800, g->trees, g->trees_size);
	memcpy(elf + 0x1a00, g->bytes, g->size);
	words[0] = table;
	for (int i = 0; i < 5; i++)
		memcpy(&words[1 + 3 * i], elf + 0x1a00 + 32 + 8 * i, 8);
	for (int i = 0; i < 5; i++)
		words[1 + 3 * i] += table;
	words[22] = GO_TEXT;
	words[g->layout == GO_1_20 ? 40 : 38] = GO_TREES;
	if (!text_in_table)
		memset(elf + 0x1a00 + 24, 0, 8);
	for (int i = 0; i < 64; i++)
		go_put(elf + GO_ELF_MODULE + 0x40 + 8 * i, words[i], 8, false);
}

#endif

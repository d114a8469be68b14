/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Line tables (.debug_line, DWARF 2 to 5): file names, and the program that makes the rows.
 */
#ifndef ASSAY_SYMBOLS_DWARF_LINE_H
#define ASSAY_SYMBOLS_DWARF_LINE_H

#include "symbols/dwarf_unit.h"
#include "symbols/source_builder.h"

struct dwarf_line_file {
	struct dwarf_value name;
	uint64_t dir;
	uint32_t path; /* string in the builder; SOURCE_NONE: not asked for yet */
};

struct dwarf_lines {
	const struct dwarf_unit *unit;
	struct source_builder *to;
	struct dwarf_slice slice;
	struct dwarf_encoding enc;
	struct bytes program;
	uint8_t min_insn_bytes, max_ops, opcode_base, line_range;
	int8_t line_base;
	const uint8_t *operands; /* how many each standard opcode has; [0]: of opcode 1 */
	VEC(struct dwarf_value) dirs;
	VEC(struct dwarf_line_file) files;
	char *tmp, *path; /* where names are put together */
};

/* Reads the head of the table of a unit that has one; -EBADMSG. */
int dwarf_lines_init(struct dwarf_lines *l, const struct dwarf_unit *u, struct source_builder *to);
void dwarf_lines_fini(struct dwarf_lines *l);
/* The path of a file by its number in the table, as a string of the builder; 0: not known. */
uint32_t dwarf_lines_path(struct dwarf_lines *l, uint64_t file);
/* Runs the program: adds its rows, as far as they are in code. */
void dwarf_lines_run(struct dwarf_lines *l);

#endif

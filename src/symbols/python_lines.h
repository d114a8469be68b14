/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of CPython's code objects: which bytes of the instructions belong to which line of the source.
 */
#ifndef ASSAY_SYMBOLS_PYTHON_LINES_H
#define ASSAY_SYMBOLS_PYTHON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* How the table is written. */
enum python_lines_kind {
	PYTHON_LINES_NONE,
	PYTHON_LINES_STEPS,   /* 3.8, 3.9: steps of both in pairs of bytes, the line's behind the instructions it does not apply to */
	PYTHON_LINES_RANGES,  /* 3.10: sizes of ranges with the step to their line */
	PYTHON_LINES_ENTRIES, /* from 3.11 on: entries of one byte and more, with columns */
};

#define PYTHON_LINE_MAX 0xffffffu

/* Instructions from the end of the range before it on. */
struct python_line {
	uint32_t end;
	uint32_t line; /* 0: none */
};

/* Of several tables one behind the other. */
struct python_line_list {
	VEC(struct python_line) ranges;
};

/* Appends the ranges of a table; of a damaged one those before the damage. `is_cut`: more of it is missing. */
void python_lines_parse(struct python_line_list *l, enum python_lines_kind kind, const uint8_t *table, size_t size, uint32_t first_line,
			bool is_cut);

/* 0: it is not known. */
uint32_t python_lines_find(const struct python_line *ranges, uint32_t nr, uint32_t instr);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A tracepoint's raw bytes, and what expressions make of them. All reads are bounded: one that
 * leaves the record gives nothing and marks the record as bad. Values have C's types, so that
 * signs, widths and comparisons come out as in the kernel that wrote the format.
 */
#ifndef ASSAY_SESSION_TRACE_RECORD_H
#define ASSAY_SESSION_TRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "session/trace_expr.h"

struct trace_record {
	const uint8_t *data;
	uint32_t size;
	bool swap; /* the recording machine had the other byte order */
	bool big_endian;
	uint8_t long_size;
	bool is_bad; /* something it needs lies outside */
};

struct trace_value {
	uint64_t v; /* extended to 64 bits by its type */
	struct trace_type type;
	bool is_known; /* false: made of a name that the format does not explain */
};

struct trace_memory {
	const uint8_t *p;
	uint32_t size;
};

struct trace_value trace_record_eval(struct trace_record *r, const struct trace_expr *e);
/* The number at an offset; 0 (and bad) where it is outside. */
uint64_t trace_record_number(struct trace_record *r, uint64_t offset, struct trace_type type);
/* The bytes of a field; of a dynamic one those that it refers to. Empty (and bad) outside. */
struct trace_memory trace_record_field(struct trace_record *r, const struct trace_field *f);
/* The bytes that a FIELD or DYNAMIC stands for, casts or not; empty for other expressions. */
struct trace_memory trace_record_memory(struct trace_record *r, const struct trace_expr *e);
/* Text ends at its NUL or where the memory ends. */
uint32_t trace_memory_text_len(struct trace_memory m);

#endif

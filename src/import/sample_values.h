/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct import_values: what the source says its values are, and the labels of its samples, each
 * distinct set once. A part of the builder, filled by importers whose format has such; becomes
 * perfdata/embedded_values.h in the recording.
 */
#ifndef ASSAY_IMPORT_SAMPLE_VALUES_H
#define ASSAY_IMPORT_SAMPLE_VALUES_H

#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "perfdata/embedded_values.h"

struct import_builder;

struct import_type {
	uint32_t name, unit; /* string ids */
	uint32_t event;	     /* EMBEDDED_COUNT: the number of samples */
};

struct import_label { /* no holes: sets are compared byte by byte */
	int64_t num;
	uint32_t key, str, unit; /* string ids */
	uint32_t has_str;
};

struct import_mapping {
	uint64_t id, start, limit, offset;
	uint32_t file, build_id; /* string ids */
	uint32_t flags;
};

struct import_function {
	uint32_t name, file; /* string ids */
	uint32_t line;	     /* where it begins */
};

struct import_values {
	VEC(struct import_type) types;
	VEC(struct import_label) labels;
	VEC(struct embedded_set) sets; /* [0] is the empty one */
	struct hindex set_index;
	VEC(struct import_mapping) mappings;
	VEC(struct import_function) functions;
	uint32_t default_type, period_type, period_unit, drop, keep; /* string ids */
	int64_t period;
	uint64_t made_kernel; /* set by the layout: where addresses of the kernel were made up */
};

void import_values_init(struct import_values *v);
void import_values_fini(struct import_values *v);
/* The number of the set of these labels, in this order. */
uint32_t import_labels(struct import_values *v, const struct import_label *labels, uint32_t nr);
/* As the recording has it; strings are the builder's. The caller frees it by
 * embedded_values_fini(). */
void import_values_embed(const struct import_builder *b, struct embedded_values *to);

#endif

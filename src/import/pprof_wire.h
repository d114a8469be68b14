/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.proto as bytes: its tables, and its samples one by one. It knows the messages and their fields, not what they mean. Fields that
 * are not known are skipped. Counts are never trusted, and an empty message of two bytes is a whole struct: what is kept is charged to a
 * budget.
 */
#ifndef ASSAY_IMPORT_PPROF_WIRE_H
#define ASSAY_IMPORT_PPROF_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/vec.h"

struct pprof_text {
	const char *s;
	size_t len;
};

/* Strings are indices of the string table; others refer by id. */
struct pprof_type {
	uint64_t type, unit;
};
struct pprof_mapping {
	uint64_t id, start, limit, offset, filename, build_id;
	uint64_t has[4]; /* functions, file names, line numbers, inlined functions */
};
struct pprof_function {
	uint64_t id, name, system_name, filename, start_line;
};
struct pprof_line {
	uint64_t function, line;
};
struct pprof_location {
	uint64_t id, mapping, address;
	uint32_t first_line, nr_lines; /* in pprof_wire.lines: innermost first */
};
struct pprof_label {
	uint64_t key, str, unit;
	int64_t num;
};
struct pprof_sample {
	VEC(uint64_t) locations; /* ids, innermost first */
	VEC(int64_t) values;
	VEC(struct pprof_label) labels;
};

struct pprof_wire {
	const uint8_t *data;
	size_t size;
	uint64_t bad_off; /* where it made no sense */
	VEC(struct pprof_text) strings;
	VEC(struct pprof_type) types;
	VEC(struct pprof_mapping) mappings;
	VEC(struct pprof_function) functions;
	VEC(struct pprof_location) locations;
	VEC(struct pprof_line) lines;
	VEC(uint64_t) comments;
	struct hindex mapping_index, function_index, location_index;
	int64_t time_ns, duration_ns, period;
	uint64_t drop, keep, default_type; /* strings */
	struct pprof_type period_type;
	struct pprof_sample sample; /* the one at hand: no more locations, values and labels than are of use */
	struct budget *memory;
	uint32_t most_labels;
};

/* Reads the tables; `data` and `memory` (in bytes, for the tables) must outlive it. -EBADMSG where the bytes are no profile, -E2BIG where
 * they would become more than is left in `memory`; pprof_wire_fini() in any case. */
int pprof_wire_init(struct pprof_wire *t, const void *data, size_t size, struct budget *memory);
void pprof_wire_fini(struct pprof_wire *t);
/* By id; UINT32_MAX where there is none. */
uint32_t pprof_wire_mapping(const struct pprof_wire *t, uint64_t id);
uint32_t pprof_wire_function(const struct pprof_wire *t, uint64_t id);
uint32_t pprof_wire_location(const struct pprof_wire *t, uint64_t id);
/* Calls back for each sample in turn (NULL: a damaged one) until it returns something else than 0. */
void pprof_wire_samples(struct pprof_wire *t, int (*each)(void *ctx, const struct pprof_sample *s), void *ctx);

#endif

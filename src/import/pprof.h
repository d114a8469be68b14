/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of the pprof importer: the wire format (pprof_wire.c), what samples refer to (pprof_places.c), and samples with their values
 * (pprof.c). Private to these.
 */
#ifndef ASSAY_IMPORT_PPROF_H
#define ASSAY_IMPORT_PPROF_H

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "import/reading.h"

#define PPROF_NONE UINT32_MAX

struct pprof_text {
	const char *s;
	size_t len;
};

/* Messages begin with their numbers, in the order of their fields. Strings are indices of the string table; others refer by id. */
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
	uint64_t key, str;
	int64_t num;
	uint64_t unit;
};
struct pprof_sample {
	VEC(uint64_t) locations; /* ids, innermost first */
	VEC(int64_t) values;
	VEC(struct pprof_label) labels;
};

/* The messages and their fields; what they mean is decided elsewhere. Fields that are not known are skipped. Counts are never trusted, and
 * an empty message of two bytes is a whole struct: what is kept is charged to a budget. */
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

/* Sets b->failed where it does not end. */
uint64_t pprof_take_varint(struct bytes *b);
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

struct pprof {
	struct import_builder *b;
	struct import_result *result;
	struct pprof_wire t;
	/* types */
	VEC(uint32_t) event_of_type; /* IMPORTED_COUNT: the number of samples */
	VEC(uint64_t) total_of_type; /* so far */
	bool has_count;		     /* the first type is that number: each sample is of one event */
	bool is_count;		     /* the only type's values are numbers of samples themselves */
	struct pprof_text clock;     /* what the clock is called whose type is "cpu" */
	/* places; PPROF_NONE: not made yet */
	VEC(uint32_t) dso_of_mapping;
	VEC(uint32_t) name_of_function;
	VEC(uint32_t) location_of[2]; /* by is_caller */
	uint32_t plain_dso;
	uint64_t nr_zeroes;
	/* of the sample at hand */
	VEC(uint32_t) locations;
	VEC(struct imported_label) labels;
	uint64_t nr_seen;
};

static inline struct pprof_text pprof_text_of(const struct pprof *x, uint64_t string)
{
	return string < x->t.strings.nr ? x->t.strings.v[string] : (struct pprof_text){ "", 0 };
}
static inline uint32_t pprof_string_of(const struct pprof *x, uint64_t string)
{
	struct pprof_text t = pprof_text_of(x, string);

	return import_string(x->b, t.s, t.len);
}
static inline bool pprof_same(struct pprof_text a, struct pprof_text b)
{
	return a.len == b.len && (!a.len || !memcmp(a.s, b.s, a.len));
}
static inline bool pprof_equals(struct pprof_text t, const char *s)
{
	return pprof_same(t, (struct pprof_text){ s, strlen(s) });
}

/* Modules of all mappings. */
void pprof_make_places(struct pprof *x);
/* The builder's location; PPROF_NONE: there is none of that id. *last_mode: whether the one before was of the kernel; -1: there is none. */
uint32_t pprof_location_of(struct pprof *x, uint64_t id, int *last_mode);

#endif

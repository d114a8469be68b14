/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the parts of the pprof importer share: samples (pprof.c), what their values are (pprof_types.c) and what they refer to
 * (pprof_places.c). Private to these.
 */
#ifndef ASSAY_IMPORT_PPROF_H
#define ASSAY_IMPORT_PPROF_H

#include <stdbool.h>
#include <string.h>

#include "import/pprof_wire.h"
#include "import/reading.h"

#define PPROF_NONE UINT32_MAX

struct pprof {
	struct import_builder *b;
	struct import_result *result;
	struct pprof_wire t;
	/* types */
	VEC(uint32_t) event_of_type; /* EMBEDDED_COUNT: the number of samples */
	VEC(uint64_t) total_of_type; /* so far */
	bool has_count;	     /* the first type is that number: each sample is of one event */
	bool is_count;	     /* the only type's values are numbers of samples themselves */
	struct pprof_text clock; /* what the clock is called whose type is "cpu" */
	/* places; PPROF_NONE: not made yet */
	VEC(uint32_t) dso_of_mapping;
	VEC(uint32_t) name_of_function;
	VEC(uint32_t) location_of[2]; /* by is_caller */
	uint32_t plain_dso;
	uint64_t nr_zeroes;
	/* of the sample at hand */
	VEC(uint32_t) locations;
	VEC(struct import_label) labels;
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

/* Events of all types, the default one first; what the source says of its values. Looks at the samples, since they tell whether the first
 * value may be taken for how many they are. */
void pprof_make_types(struct pprof *x);
/* The type that a sample with that `event` label is of; PPROF_NONE: none. */
uint32_t pprof_type_of_event(const struct pprof *x, struct pprof_text event);
/* The `event` label of a sample; empty where it has none. */
struct pprof_text pprof_event_of(const struct pprof *x, const struct pprof_sample *p);

#endif

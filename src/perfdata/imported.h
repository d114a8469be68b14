/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The feature section of an imported recording (FEAT_IMPORTED): the locations that its call chains consist of, with the names that their
 * source has for them, and what the source says of its values. Written by the importers, read by the session; perf does not see it
 * (header.h). It holds rows that refer to each other and to strings by number, and is used in place.
 */
#ifndef ASSAY_PERFDATA_IMPORTED_H
#define ASSAY_PERFDATA_IMPORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "base/strtab.h"
#include "base/vec.h"

#define FEAT_IMPORTED 200u

#define IMPORTED_NONE UINT32_MAX
#define IMPORTED_MAX_PLACES 64u
#define IMPORTED_COUNT UINT32_MAX /* a type's event: none, it is the number of samples */

enum imported_flags {
	IMPORTED_WHOLE_STACKS = 1, /* none was cut or broken */
	IMPORTED_REPEATS = 2,	   /* a sample's weight says how many samples it stands for */
	IMPORTED_SUMS = 4,	   /* periods are what counts: how many samples there are says nothing */
	IMPORTED_PAIR = 8,	   /* the first event is what was before, the second what came after */
};

enum imported_kind { IMPORTED_USER, IMPORTED_KERNEL, IMPORTED_KMODULE, IMPORTED_VDSO, IMPORTED_JIT, IMPORTED_MEMORY, IMPORTED_NR_KINDS };

struct imported_module {
	uint32_t path; /* string, as are all names, files and units */
	uint8_t kind;
	uint8_t build_id_size; /* 0: not known */
	uint8_t zero[2];
	uint8_t build_id[20];
};

/* A function of a module: what its locations of one name and one start have in common, or of one name where the start is not known. */
struct imported_symbol {
	uint64_t start; /* where it is not known, the lowest address of its locations */
	uint32_t name, module;
};

/* A word of call chains is the number of one of these. */
struct imported_location {
	uint64_t addr;		 /* in its module; imported_word() where the source has none */
	uint64_t ip;		 /* in memory; `addr` where the source has none */
	uint32_t module, symbol; /* IMPORTED_NONE: not known */
	uint32_t first_place;	 /* behind the places of the location before */
	uint16_t nr_places;
	uint16_t has_address; /* `addr` or `ip` is the source's */
};

/* A function at a location with its line: those that were inlined there, innermost first, then the one that was called. */
struct imported_place {
	uint32_t function, file, line;
};

struct imported_type {
	uint32_t name, unit;
	uint32_t event; /* index in the recording, or IMPORTED_COUNT */
};

struct imported_label {
	int64_t num;
	uint32_t key;
	uint32_t str; /* IMPORTED_NONE: it is the number */
	uint32_t unit;
	uint32_t zero;
};

struct imported_set { /* of labels, behind those of the set before */
	uint32_t first, nr;
};

/* As the source numbers and describes it; flags are its own. */
struct imported_mapping {
	uint64_t id, start, limit, offset;
	uint32_t file, build_id, flags, zero;
};

/* Where a function begins in its file. */
struct imported_function {
	uint32_t name, file, line;
};

struct imported {
	uint32_t flags;
	VEC(struct imported_location) locations;
	VEC(struct imported_symbol) symbols;
	VEC(struct imported_label) labels;
	VEC(struct imported_mapping) mappings;
	VEC(struct imported_set) sets; /* [0] is the empty one */
	VEC(struct imported_module) modules;
	VEC(struct imported_place) places;
	VEC(struct imported_type) types; /* of values, in the order of the source; none: it does not say */
	VEC(struct imported_function) functions;
	VEC(uint32_t) notes; /* what the source says of the recording, "label: text" */
	uint32_t default_type, period_type, period_unit;
	uint32_t drop, keep; /* which functions are left out when it is shown: expressions */
	int64_t period;
	/* once read: */
	const uint64_t *string_ends;
	const char *strings;
	uint32_t nr_strings;
};

/* Takes the section apart. Tables point into `data` (8-byte aligned), which must outlive it: there is nothing to free. All numbers are
 * checked here. -EBADMSG where it is damaged, -EPROTO where another version wrote it. */
int imported_init(struct imported *n, const void *data, size_t size);
/* Frees the tables of one that was filled to be written. */
void imported_fini(struct imported *n);
/* Appends the section to `o`, which is empty. */
void imported_encode(const struct imported *n, const struct strtab *strings, struct out *o);

static inline const char *imported_str(const struct imported *n, uint32_t id)
{
	return n->strings + (id ? n->string_ends[id - 1] : 0);
}

/* Words are two apart, because the byte in front of a return address is looked up as well, and in two ranges where no code is, because perf
 * takes them for addresses. */
#define IMPORTED_RANGE_SHIFT 56
#define IMPORTED_USER_RANGE UINT64_C(0x01)
#define IMPORTED_KERNEL_RANGE UINT64_C(0xfe)

static inline uint64_t imported_word(uint32_t location, bool is_kernel)
{
	return (is_kernel ? IMPORTED_KERNEL_RANGE : IMPORTED_USER_RANGE) << IMPORTED_RANGE_SHIFT | ((uint64_t)location * 2 + 1);
}
/* The number of its location; IMPORTED_NONE where it is no word of one. */
static inline uint32_t imported_number(const struct imported *n, uint64_t word)
{
	uint64_t range = word >> IMPORTED_RANGE_SHIFT, number = (word - (range << IMPORTED_RANGE_SHIFT)) / 2;

	return (range == IMPORTED_USER_RANGE || range == IMPORTED_KERNEL_RANGE) && number < n->locations.nr ? (uint32_t)number
													    : IMPORTED_NONE;
}

/* The labels of a sample; none where there is no such set. */
static inline const struct imported_label *imported_labels(const struct imported *n, uint64_t set, uint32_t *nr)
{
	*nr = set < n->sets.nr ? n->sets.v[set].nr : 0;
	return *nr ? &n->labels.v[n->sets.v[set].first] : NULL;
}
/* What the event's periods are counted in; NULL where that is not known, or said by its name ("count"). */
const char *imported_unit(const struct imported *n, uint32_t event);

#endif

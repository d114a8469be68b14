/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct import_builder: a foreign profile while it is read: modules, locations, stacks, tasks, events and samples, each distinct thing
 * once. The importers fill it; recording.h then numbers the locations and writes the perf.data.
 *
 * Memory is bounded by the bytes that the input really has (struct import_allowance), not by what they claim: who adds to it checks
 * import_check() after each line or message. It knows no format.
 */
#ifndef ASSAY_IMPORT_BUILDER_H
#define ASSAY_IMPORT_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/errbuf.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "import/import.h"
#include "perfdata/imported.h"

#define IMPORT_UNKNOWN UINT64_MAX
#define IMPORT_NO_DSO 0u
#define IMPORT_NO_STACK 0u
#define IMPORT_MAX_DEPTH 8000u /* frames of a stack: what a record has room for */
#define IMPORT_MAX_INLINED 60u /* functions at one location; below IMPORTED_MAX_PLACES */
#define IMPORT_MAX_NAME 16384u /* bytes of a name that are kept */
#define IMPORT_MAX_PATH 3800u
#define IMPORT_MAX_COUNTED 2000000u /* samples; of more the sums are what counts, as session.c would not repeat them */

struct import_location {
	uint32_t dso;
	uint32_t symbol;		 /* string id; 0: none */
	uint64_t addr;			 /* in the module */
	uint64_t ip;			 /* in memory */
	uint64_t off;			 /* from where the symbol begins */
	uint32_t first_place, nr_places; /* the last one's function is the symbol */
	bool is_kernel;
};

struct import_event {
	uint32_t name;
	uint32_t type; /* attr.type, attr.config: by its name, where that is known */
	uint64_t config;
	uint64_t period; /* attr.sample_period */
	bool has_time, has_addr, has_cpu, has_period, has_chain, has_text;
	uint64_t nr_samples;
};

struct import_sample {
	uint64_t time_ns, period;
	uint64_t addr;	/* of data */
	uint32_t count; /* samples that it stands for */
	int32_t pid, tid;
	uint32_t comm; /* string id; 0: none */
	uint32_t cpu;
	uint32_t stack;
	uint32_t text;	 /* id in `texts`: a tracepoint's fields */
	uint32_t labels; /* set of section.sets */
	uint16_t event;
};

struct import_stack {
	const uint32_t *locations; /* innermost first */
	uint32_t nr;
};

/* What a profile may cost, by its size as it was given (packed, where it is). Each is far above what honest profiles need. */
struct import_allowance {
	struct budget memory;	/* bytes: tables while it is read, and what is unpacked */
	struct budget recorded; /* bytes of the samples' records */
	struct budget callers;	/* distinct ways to a function, inlined ones counted: what trees have to hold */
	struct budget frames;	/* of all distinct stacks, inlined ones counted: what views go through */
};

/* A way to a location: the location that called it, and so on. */
struct import_caller {
	uint32_t caller, location;
};

struct import_builder {
	struct import_allowance allowance;
	struct strtab strings; /* all of them become strings of the section */
	struct strtab texts;
	struct arena arena;
	VEC(struct imported_module) dsos; /* [0] is none */
	VEC(struct imported_place) places;
	VEC(struct import_location) locations;
	VEC(struct import_stack) stacks;   /* [0] is the empty one */
	VEC(struct import_caller) callers; /* [0] is none */
	VEC(struct import_event) events;
	VEC(struct import_sample) samples;
	struct hindex dso_index, location_index, stack_index, caller_index, event_index;
	struct imported section;   /* what values are, of formats that say so, and notes; the rest when it is written */
	struct hindex label_index; /* of section.sets */
	/* about the recording; NULL, 0: not known */
	const char *hostname, *osrelease, *arch, *cpudesc, *command;
	uint64_t wall_ns, first_ns, last_ns; /* time of day of the first sample; times of samples where they have none themselves */
	bool has_whole_stacks;
	bool has_sums;		   /* periods are sums, and counts are not known */
	bool is_pair;		   /* event 0 is what was before, event 1 what came after */
	uint64_t nr_cut;	   /* stacks that were too deep */
	uint64_t nr_excess_events; /* that were taken for the last of IMPORT_MAX_EVENTS */
};

void import_builder_init(struct import_builder *b);
void import_builder_fini(struct import_builder *b);
/* So many bytes of input have been read; more may come. */
void import_allow(struct import_builder *b, uint64_t bytes_present);
/* Takes from the memory that is allowed. */
void import_charge(struct import_builder *b, uint64_t bytes);
/* -E2BIG, with the sentence, once the profile has cost more than it may. */
int import_check(const struct import_builder *b, struct errbuf *eb);

/* A NUL becomes the text "\x00"; what is too long is cut. */
uint32_t import_string(struct import_builder *b, const char *s, size_t len);
/* The same in `texts`, for what is no name. */
uint32_t import_text(struct import_builder *b, const char *s, size_t len);
/* By its path; what kind it is follows from that ("[kernel.kallsyms]", "[vdso]", "/tmp/perf-42.map"). */
uint32_t import_dso(struct import_builder *b, const char *path, size_t len);
/* A program of the kernel's, which is a module of its own there. */
bool import_is_bpf(const char *path);
/* The same of another kind, or with a build-id. */
uint32_t import_dso_kind(struct import_builder *b, const char *path, size_t len, enum imported_kind kind, const uint8_t *build_id,
			 uint8_t build_id_size);
/* `l` without its places, which are copied. */
uint32_t import_location(struct import_builder *b, const struct import_location *l, const struct imported_place *places,
			 uint32_t nr_places);
/* Innermost first; a stack that is too deep loses its outer end. */
uint32_t import_stack(struct import_builder *b, const uint32_t *locations, uint32_t nr);
/* By its name; attr.type and config where the name is a generic event's. */
uint32_t import_event(struct import_builder *b, const char *name, size_t len);
void import_sample(struct import_builder *b, const struct import_sample *s);
/* By their times, those of equal times as they came in. */
void import_sort_samples(struct import_builder *b);
/* The number of the set of these labels, in this order. */
uint32_t import_labels(struct import_builder *b, const struct imported_label *labels, uint32_t nr);
/* A line about the recording as a whole, "label: text". */
void import_note(struct import_builder *b, const char *text, size_t len);

static inline const char *import_str(const struct import_builder *b, uint32_t id)
{
	return strtab_get(&b->strings, id);
}
static inline bool import_is_kernel_kind(enum imported_kind kind)
{
	return kind == IMPORTED_KERNEL || kind == IMPORTED_KMODULE;
}
/* Where no module says whose it is, the height of an address does. */
static inline bool import_is_high(uint64_t addr)
{
	return addr >> 63;
}

#endif

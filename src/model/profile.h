/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct profile: column-oriented and interned: strings, locations, frames, stacks and tasks are u32 ids; samples are columns of ids.
 *
 * Fed by a session, sample by sample (profile_add), or only used to intern (script). Raw call chains and instruction pointers are looked
 * up whole under the task's map key. Frames are named in bulk after the load (profile_symbolize), or one by one (profile_frame).
 */
#ifndef ASSAY_MODEL_PROFILE_H
#define ASSAY_MODEL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "model/parallelism.h"
#include "model/stack_tree.h"
#include "session/machine.h"
#include "session/recording.h"
#include "session/unwinder.h"

#define FRAME_NONE UINT32_MAX /* location not yet symbolised */
#define STACK_NONE 0u	      /* the stack without frames; a sample without a chain has it */
#define PLACE_NONE UINT32_MAX /* location whose places were not looked for yet */

struct profile_location {
	struct location at;   /* dso, addr, ip */
	uint32_t frame;	      /* the function that was really called */
	uint32_t first_place; /* in profile.places, innermost first */
	uint16_t nr_places;
	uint8_t cpumode; /* MISC_KERNEL, MISC_USER … as the chain's marks said */
	bool is_caller;	 /* a return address: the call stands in front of it */
};

/* A function at a location: those that were inlined there, then the one that was really called. */
struct profile_place {
	uint32_t location;
	uint32_t frame;
	uint32_t file; /* string id of the path as the compiler had it; 0: not known */
	uint32_t line; /* innermost: of the address; others: of the call. 0: not known */
};

/* How much of the debug information is looked at. */
enum profile_source {
	PROFILE_SYMBOLS, /* nothing: functions of the symbol table */
	PROFILE_LINES,	 /* file and line of addresses */
	PROFILE_INLINES, /* these, and the functions that were inlined */
};

/* A function in a DSO. Without a symbol, a range of call frame information named by its address (is_nameless), or (function 0) one
 * address. */
struct profile_frame {
	uint32_t function; /* string id; 0: unresolved */
	uint32_t dso;
	uint64_t start, end; /* of the symbol; the address twice where unresolved */
	uint32_t
		row; /* the frame it is counted as: itself; under short names the first of its name in its DSO; its base where inlined there */
	bool is_object;	     /* the symbol table calls it data */
	bool is_nameless;    /* "module+0xADDRESS": no name is known, only where it begins */
	bool is_inlined;     /* start and end are those of the function that it was inlined into */
	bool is_interpreted; /* generated code that stands for a function in an interpreter */
};

/* A whole stack. What its callers' part is has no id of its own: profile_stack_node(). */
struct profile_stack {
	uint32_t node;	/* of profile.tree */
	uint32_t depth; /* frames */
};

struct profile_task { /* a task under one name */
	int32_t pid, tid;
	uint32_t comm; /* string id */
};

struct profile_samples {
	uint64_t *time_ns;
	uint64_t *period;
	uint32_t *task;
	uint32_t *cpu;
	uint32_t *stack;
	uint32_t *location;    /* of the sampled ip */
	uint32_t *labels;      /* an imported sample's set of recording_values(); NULL where there are none */
	uint32_t *fields;      /* tuples of profile.fields; NULL where there are none */
	double *latency;       /* period / threads that ran; NULL without profile.parallelism */
	uint32_t *parallelism; /* threads that ran; NULL unless profile.tells_parallelism */
	uint16_t *event;
	uint8_t *state;	 /* enum offcpu_state (abi/offcpu.h) */
	uint8_t *walk;	 /* how the walk of its dumped stack ended: profile_walk() */
	uint64_t *count; /* samples that a row stands for; NULL: one each */
	uint32_t nr, cap;
};

/* A branch that was taken, as a sample's branch stack has it. */
struct profile_branch {
	uint32_t sample;
	uint32_t from, to; /* locations */
	uint64_t flags;	   /* as in struct branch_entry */
};

/* Where the user part of a chain comes from. Only recorded ones have return addresses, only those unwound here are limited separately. */
enum profile_chain_kind {
	PROFILE_CHAIN_RECORDED,
	PROFILE_CHAIN_UNWOUND, /* from a dumped stack or a list of calls */
	PROFILE_CHAIN_WALKED,  /* while recording: abi/walked.h */
	PROFILE_CHAIN_MERGED,  /* recorded, with frames of Python: what repeats is no circle of frame pointers */
};

/* How frames of Python are shown. */
enum profile_python {
	PROFILE_PYTHON_AUTO,  /* mixed, or only where no native callers were recorded */
	PROFILE_PYTHON_MIXED, /* in place of the native frames that run them */
	PROFILE_PYTHON_ONLY,  /* and no native frames */
	PROFILE_PYTHON_OFF,
};

/* A chain as it was recorded → its stack. */
struct profile_chain {
	uint64_t map_key;
	const uint64_t *ips;
	uint32_t nr;
	uint32_t stack;
	uint8_t kind; /* enum profile_chain_kind */
};

/* What a sample has in the columns, but for time, period and latency, which add up. */
struct profile_row {
	uint32_t stack, location, task, cpu;
	uint32_t fields, labels, parallelism; /* 0 where there is no such column */
	uint16_t event;
	uint8_t state, walk;
};

struct profile_known_row {
	struct profile_row row;
	uint32_t sample; /* + 1; 0: none yet */
};

#define PROFILE_IP_CACHE 16384
#define PROFILE_ROW_CACHE 4096

struct profile {
	struct machine *machine; /* borrowed, as is the next */
	const struct recording *recording;
	struct strtab strings;
	struct arena chain_ips;
	VEC(struct profile_location) locations;
	VEC(struct profile_place) places; /* of all named locations */
	VEC(struct profile_frame) frames;
	VEC(struct profile_stack) stacks;
	struct stack_tree tree; /* of locations */
	VEC(struct profile_task) tasks;
	VEC(struct profile_chain) chains;
	struct hindex location_index, frame_index, stack_index, task_index, chain_index;
	struct hindex name_index;      /* function and DSO → frame; under short names only */
	VEC(uint8_t) has_libc;	       /* by file: whether the C library is part of it; quality_entry.c's */
	VEC(uint32_t) frame_of_symbol; /* of an imported recording; FRAME_NONE: not made yet */
	struct profile_samples samples;
	VEC(struct profile_branch) branches; /* of all samples, where they are kept */
	VEC(uint32_t) scratch;		     /* locations of the chain at hand */
	enum profile_source source;
	struct field_keys *fields;	 /* borrowed: what samples of tracepoints are kept of; NULL: nothing */
	struct parallelism *parallelism; /* borrowed: latencies of samples are kept; NULL: they are not */
	bool tells_parallelism;		 /* … and how many threads ran, too: such samples are rows of their own */
	enum profile_python python;
	bool has_only_python; /* of some samples nothing but that is shown */
	bool keep_branches;
	bool only_places;  /* the sampled places are what counts: no stack is resolved */
	bool adds_up;	   /* samples that differ in time and period alone may be one row: the first's time, the sum of periods */
	bool only_symbols; /* places without a symbol stand for themselves, as perf has them: is_nameless frames are not made */
	bool tells_builds; /* names of is_nameless frames have the build-id in them: for comparisons, where another build is other code. None is
			    * made where it is not known. */
	uint32_t max_stack;	    /* frames kept of a chain */
	uint32_t nr_forgets;	    /* how often profile_forget() made ids invalid */
	bool keep_outermost;	    /* of a longer one: those next to main, not those next to the sampled place */
	uint64_t nr_invalid_chains; /* with a mark that means nothing: dropped */
	bool keep_cycles; /* chains that go in a circle are kept as they are (script prints what was recorded) and known by profile_is_cyclic() */
	struct chain_cycles cycles;
	VEC(bool) is_cyclic;		    /* by stack; as far as there are such */
	bool has_cut_chains;		    /* some were longer than max_stack */
	struct unwinder *unwinder;	    /* NULL until a sample brings a stack */
	VEC(uint64_t) unwound;		    /* the chain at hand of such a one */
	VEC(uint64_t) merged;		    /* the same with frames of Python */
	uint64_t nr_by_end[UNWIND_NR_ENDS]; /* samples, by how their walk ended; those with other chains or none are NOT_DONE */
	uint64_t nr_unknown_arch;	    /* of these, with a stack of an architecture that is not known here */
	/* ip → location, direct-mapped */
	struct {
		uint64_t map_key, ip;
		uint32_t location;
		uint8_t cpumode;
		bool is_caller;
	} ip_cache[PROFILE_IP_CACHE];
	struct profile_known_row row_cache[PROFILE_ROW_CACHE]; /* by the hash of the row; where samples are added up */
	/* the last task seen → its id */
	const struct task *last_task;
	uint32_t last_comm, last_task_id;
	uint32_t last_chain;
	uint64_t chain_bytes, stack_bytes, location_bytes; /* of the session's memory */
	uint64_t nr_found; /* chains that were met before, not counting those met twice in a row; since profile_forget() */
	int32_t last_pid;
};

void profile_init(struct profile *p, struct machine *m, const struct recording *r);
void profile_fini(struct profile *p);

/* Adds a sample to the columns, or to a row that is there (adds_up). */
void profile_add(struct profile *p, const struct session_record *sr);

/* The parts of profile_add(), for users that keep no samples. A caller's ip is a return address. */
uint32_t profile_intern_location(struct profile *p, const struct task *task, uint64_t ip, unsigned cpumode);
uint32_t profile_intern_chain(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr);
/* The same for a chain whose user part was unwound: its callers lie inside the call. */
uint32_t profile_intern_unwound(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr);
/* And for one that was unwound while recording, without the marks that tell its end. */
uint32_t profile_intern_walked(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr);
/* The whole stack of a sample: what its chain says of the kernel, then its dumped stack walked, or its branch stack where that is one of
 * calls, or else the rest of its chain, which may have been walked while recording. STACK_NONE where it has none of them. Counts into nr_by_end. */
uint32_t profile_intern_sample(struct profile *p, const struct session_record *sr, struct unwind_result *walk);
/* Chains with frames of Python that were recorded otherwise. */
uint32_t profile_intern_merged(struct profile *p, const struct task *task, const uint64_t *ips, uint64_t nr);
/* The sampled place: that of the Python function where the interpreter itself runs it. */
uint32_t profile_intern_sampled(struct profile *p, const struct session_record *sr);
/* How a sample's Python frames are shown; PROFILE_PYTHON_OFF also where it has none. */
enum profile_python profile_python_mode(const struct profile *p, const struct session_record *sr);
/* Puts the Python frames of a sample into its chain: p->merged, whose number of words is returned. */
uint64_t profile_merge_python(struct profile *p, const struct session_record *sr, const uint64_t *ips, uint64_t nr);
uint32_t profile_intern_task(struct profile *p, const struct task *task);
/* The place of the address that a sample accessed. */
uint32_t profile_intern_data(struct profile *p, const struct session_record *sr);
/* The place of a variable of a program; also of one that its file has no bytes of. */
uint32_t profile_intern_variable(struct profile *p, const struct task *task, uint64_t addr);

/* Bytes in use for chains, stacks and locations. */
uint64_t profile_size_bytes(const struct profile *p);
/* Drops all chains and stacks, but not locations: added samples lose their stacks. */
void profile_forget(struct profile *p);

/* Drops recorded chains only: repeated ones are resolved again to the same stacks. For recordings in which few repeat (nr_found). */
void profile_forget_chains(struct profile *p);
/* Forgets all chains and stacks, but not locations: samples that were added have no stack any more. For those who read the sampled places
 * alone. */
void profile_forget_stacks(struct profile *p);
/* Everything was added: frees the indexes of chains, stacks and locations. No chain can be interned afterwards. */
void profile_seal(struct profile *p);

/* Names all locations, DSOs loaded in parallel. */
void profile_symbolize(struct profile *p);
/* Sets the places of a location to what is known of it, innermost first; nr 0: the function of the symbol table alone. */
void profile_set_places(struct profile *p, uint32_t location, const struct source_frame *known, uint32_t nr);
/* After that: takes out the samples of places without a name, and such places from all chains. No chain can be interned afterwards. */
void profile_drop_unnamed(struct profile *p);
/* The name that an imported location's symbol has in its source, which may be a compiler's; NULL where there is none. */
const char *profile_imported_name(const struct profile *p, uint32_t location);
/* The frame of one location, named now if need be. */
uint32_t profile_frame_of(struct profile *p, uint32_t location);
/* The same, as a pointer that is valid until the next frame is named. */
static inline const struct profile_frame *profile_frame_at(struct profile *p, uint32_t location)
{
	uint32_t frame = profile_frame_of(p, location);

	return &p->frames.v[frame];
}

/* The places of one location, looked for now if need be; valid until the next location is named. */
static inline const struct profile_place *profile_places_of(struct profile *p, uint32_t location, uint32_t *nr)
{
	profile_frame_of(p, location);
	*nr = p->locations.v[location].nr_places;
	return &p->places.v[p->locations.v[location].first_place];
}

/* The stack of a chain that went in a circle: its callers are not known. */
static inline bool profile_is_cyclic(const struct profile *p, uint32_t stack)
{
	return stack < p->is_cyclic.nr && p->is_cyclic.v[stack];
}

/* How many samples a row stands for. */
static inline uint64_t profile_samples_count(const struct profile_samples *s, uint32_t sample)
{
	return s->count ? s->count[sample] : 1;
}

/* How the walk of a sample's stack ended. */
#define PROFILE_WALK_GUESSED 0x80
static inline struct unwind_result profile_walk(const struct profile *p, uint32_t sample)
{
	uint8_t walk = p->samples.walk[sample];

	return (struct unwind_result){ (enum unwind_end)(walk & ~PROFILE_WALK_GUESSED), walk & PROFILE_WALK_GUESSED };
}
static inline uint8_t profile_walk_byte(struct unwind_result walk)
{
	return (uint8_t)(walk.end | (walk.guessed ? PROFILE_WALK_GUESSED : 0));
}

/* What kind of code a place is in. */
enum code_kind { CODE_USER, CODE_KERNEL, CODE_JIT, CODE_INTERPRETED };
enum code_kind profile_code_kind(const struct profile *p, uint32_t place);
/* What a place without a name goes by: "[libfoo.so]", "[unknown]" where not even the file is known. The caller frees. */
char *profile_unresolved_name(const struct profile *p, uint32_t dso);

/* The frames of a stack, the innermost first:
 *
 *	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n))
 *		use(stack_tree_frame(&p->tree, n)); // a location
 */
static inline uint32_t profile_stack_node(const struct profile *p, uint32_t stack)
{
	return p->stacks.v[stack].node;
}

/* Is there a name that a person gave it? */
static inline bool profile_is_named(const struct profile_frame *f)
{
	return f->function && !f->is_nameless;
}

static inline const char *profile_str(const struct profile *p, uint32_t id)
{
	return strtab_get(&p->strings, id);
}
static inline const struct dso *profile_dso(const struct profile *p, uint32_t dso)
{
	return dso_table_get(&p->machine->dsos, dso);
}

#endif

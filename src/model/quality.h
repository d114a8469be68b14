/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How reliable a profile is: how many stacks are complete, how many samples and frames have no name and in which modules, what was lost.
 * Fed by the samples of a profile, all at once (quality_of_profile) or one by one (quality_add, then quality_finish). view/quality_text.h
 * has the words.
 */
#ifndef ASSAY_MODEL_QUALITY_H
#define ASSAY_MODEL_QUALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"

enum quality_stack {
	QUALITY_COMPLETE,  /* its outermost function has no caller */
	QUALITY_GUESSED,   /* the same, but a caller was found by trusting frame pointers that nothing confirms: frames may be missing */
	QUALITY_TRUNCATED, /* cut: too many frames, or too little of the stack in the recording */
	QUALITY_BROKEN,	   /* its callers could not be found */
	QUALITY_NR_STACKS,
};

/* Why stacks were cut. */
enum quality_cut {
	QUALITY_CUT_KERNEL, /* kernel.perf_event_max_stack, record --max-stack */
	QUALITY_CUT_READER, /* --max-stack of the reader */
	QUALITY_CUT_DUMP,   /* more stack than was dumped */
	QUALITY_CUT_BUDGET, /* the same, where dumps were small for their number */
	QUALITY_CUT_RECORD, /* more frames than a record holds */
	QUALITY_CUT_CALLS,  /* more calls than the CPU keeps (LBR) */
	QUALITY_CUT_WAIT,   /* more stack than is dumped where a thread waits */
	QUALITY_CUT_PYTHON, /* more functions of Python than are recorded */
	QUALITY_NR_CUTS,
};

/* Where callers were lost, or guessed. */
enum quality_cause {
	QUALITY_CAUSE_POINTERS, /* the kernel followed frame pointers, and there were none */
	QUALITY_CAUSE_CALLS,	/* the CPU's list of calls (LBR) does not go so far */
	QUALITY_CAUSE_JIT,	/* in generated code, which no file has tables of */
	QUALITY_CAUSE_NO_TABLE, /* in code of a file that has no unwind table for it */
	QUALITY_CAUSE_32BIT,	/* in a program of 32 bits */
	QUALITY_CAUSE_TABLE,	/* in spite of a table: the stack was not what it says */
	QUALITY_NR_CAUSES,
};

/* What has to be counted by stack, because the stack itself decides what is made of it. */
enum quality_walk {
	QUALITY_WALK_NONE, /* the kernel's chain or the CPU's calls */
	QUALITY_WALK_LOST, /* ended without a caller */
	QUALITY_WALK_LOST_GUESSED,
	QUALITY_WALK_GUESSED, /* complete */
	QUALITY_NR_WALKS,
};

/* What is known of a stack from all of its frames. */
struct quality_facts {
	uint32_t outermost; /* location */
	bool has_jit;	    /* user frames in generated code */
	bool has_nowhere;   /* user frames in no map */
};

/* A module with places that have no name. */
struct quality_module {
	uint32_t dso;
	uint64_t nr_samples;	/* that were taken there, unresolved */
	uint64_t nr_waits;	/* the same of off-CPU times, while counting */
	uint64_t nr_frames;	/* of all stacks, unresolved */
	const char *path, *why; /* borrowed from the session; why: NULL: unknown */
	char remedy[256];	/* what would fix it, of the worst ones; "" where nothing would */
};

#define QUALITY_MAX_TOLD 3
#define QUALITY_WORTH_PERCENT 1.0 /* less is not worth a line */

struct quality {
	uint64_t nr_samples;
	bool has_stacks; /* call chains were recorded; nr_stacks samples have one, those left out that had no stack to walk */
	uint64_t nr_stacks, nr_by_stack[QUALITY_NR_STACKS], nr_by_cut[QUALITY_NR_CUTS];
	uint64_t nr_broken_by[QUALITY_NR_CAUSES], nr_guessed_by[QUALITY_NR_CAUSES];
	uint64_t nr_broken_in[JIT_NR_RUNTIMES]; /* QUALITY_CAUSE_JIT */
	/* Samples whose place could have a name, and those without one. Off-CPU times count where there is nothing else: nearly all end in the
	 * scheduler, whose name is known, and threads that wait would make code without names look rare. */
	uint64_t nr_placed, nr_unresolved;
	uint64_t nr_waits, nr_unresolved_waits; /* while counting */
	uint64_t nr_frames, nr_unresolved_frames;
	uint64_t nr_lost, nr_throttled;
	uint64_t nr_invalid_chains, nr_unknown_arch; /* of struct profile */
	bool is_dumped;				     /* stacks were dumped: no frame pointers needed */
	bool has_largest_dumps;			     /* as much of a stack was dumped as the kernel can */
	bool has_calls;				     /* stacks are the CPU's own list of calls: --call-graph lbr */
	/* Of the code without tables most stacks were lost in; NULL and "": none */
	const char *no_table_path;
	char no_table_remedy[256];
	const char *arch;		    /* of the recording; borrowed, may be NULL */
	VEC(struct quality_module) modules; /* the worst first */
	uint32_t nr_worth;		    /* of them, those that matter */
	uint32_t nr_reported;		    /* of those, the ones that get a line: their remedy is known */
	/* while counting: samples by location and by stack, since the last quality_settle() */
	VEC(uint32_t) of_location, of_wait, of_stack, of_walk[QUALITY_NR_WALKS];
	VEC(uint32_t) module_of_dso;   /* index into modules + 1 */
	VEC(uint64_t) no_table_of_dso; /* stacks that were lost there */
	VEC(uint8_t) width_of_dso;     /* 0: not asked, 1: 64 bits or not known, 2: 32 bits */
	/* as the last quality_settle() found them */
	VEC(struct quality_facts) facts; /* by stack */
	VEC(uint8_t) entry_of_location;	 /* 0: not asked, 1: no, 2: stacks begin there */
	uint32_t limit;			 /* frames of a stack that was cut */
	uint32_t calls_limit;		 /* user frames of one that fills the CPU's list; 0: none does */
};

void quality_init(struct quality *q);
void quality_fini(struct quality *q);

/* The location of samples whose event records neither address nor stack, as system calls: there is nothing to resolve. */
#define QUALITY_NO_PLACE UINT32_MAX
/* Counts a sample that was taken at `location`. `has_chain`: its event records call chains; then `stack`, and how its walk ended. */
void quality_add(struct quality *q, uint32_t location, bool has_chain, uint32_t stack, struct unwind_result walk);
/* The same of a record, whose stack is known. */
void quality_add_record(struct quality *q, struct profile *p, const struct session_record *sr, uint32_t stack, struct unwind_result walk);
/* And of a sample that the profile keeps. */
void quality_add_sample(struct quality *q, const struct profile *p, uint32_t sample);
/* Makes figures of what was counted; to be called before the profile forgets its stacks and locations. Names what has no name yet. */
void quality_settle(struct quality *q, struct profile *p);
/* When all records were read: settles, ranks the modules and asks for their remedies. */
void quality_finish(struct quality *q, struct profile *p);

/* Adds the figures of another recording, for one line of both. Modules are not merged: they are reported per recording. */
void quality_merge(struct quality *q, const struct quality *other);

/* What one stack is, by what the last quality_settle() found; `walk`: of that sample. */
enum quality_stack quality_judge(const struct quality *q, struct profile *p, uint32_t stack, struct unwind_result walk);

/* All of it for a profile that keeps its samples, after profile_symbolize(). */
void quality_of_profile(struct quality *q, struct profile *p);

/* Shares in percent; 0 of nothing. */
double quality_percent(uint64_t part, uint64_t whole);

/* What is past the limits where a profile misleads rather than informs. Few samples prove nothing. */
#define QUALITY_MIN_SAMPLES 20
bool quality_is_unresolved(const struct quality *q); /* 20% of the samples */
bool quality_is_incomplete(const struct quality *q); /* 20% of the stacks truncated or broken */
bool quality_is_lossy(const struct quality *q);	     /* 5% */

/* ---- for the files of quality ---- */

/* Judges all stacks that were counted since, and adds them to the figures. */
void quality_judge_stacks(struct quality *q, struct profile *p);

/* Whether a walk knows that it was cut, and by what. */
bool quality_is_cut(enum unwind_end end, enum quality_cut *cut);

/* Whether stacks begin at a place: the ELF entry, what starts programs, threads, goroutines and coroutines. Names that programs may use
 * count in a C library only. */
bool quality_is_entry(struct profile *p, uint32_t location, bool by_table);

#endif

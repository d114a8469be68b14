/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct flame: call stacks of one or several recordings merged into one tree by name, with one column of figures per recording.
 *
 * Fed by profiles (flame_add) or path by path (flame_add_path); flame_finish() grows the tree without nodes that are too narrow to see, so
 * the tree of a million distinct stacks is never built.
 */
#ifndef ASSAY_MODEL_FLAME_H
#define ASSAY_MODEL_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "model/diff.h"
#include "model/filter.h"
#include "model/match.h"
#include "model/profile.h"
#include "model/quality.h"
#include "model/weighted_tree.h"

enum flame_kind {
	FLAME_ROOT,
	FLAME_GROUP, /* a task, CPU or event that stacks are grouped by */
	FLAME_USER,
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_CUT, /* "[truncated]": what stacks without their outer end hang below */
};

enum flame_mark {
	FLAME_INLINED = 1,
	FLAME_INTERPRETED = 4, /* of FLAME_JIT */
	FLAME_UNRESOLVED = 2,  /* named by its module, and by where it begins if that is known */
};

#define FLAME_NONE UINT32_MAX

/* What frames are the same: these four. */
struct flame_frame {
	uint32_t name, module; /* string ids; module 0: none */
	uint8_t kind, marks;
};

/* A frame with the line of its function where the sample or the call was. */
struct flame_spot {
	uint32_t frame;
	uint32_t file, line; /* string id; 0: not known */
};

/* The line of a node that most of its weight has; spot FLAME_NONE: no line is known. */
struct flame_line {
	uint32_t spot;
	uint64_t weight; /* of all columns */
};

struct flame {
	uint32_t nr_columns;
	struct strtab strings;
	VEC(struct flame_frame) frames; /* [0] is the root's */
	struct hindex frame_index;
	VEC(struct flame_spot) spots;
	struct hindex spot_index;
	bool has_lines; /* of some spot */
	/* until flame_finish() */
	VEC(uint32_t) steps;		 /* spots of all paths, one path after the other */
	VEC(struct weighted_path) paths; /* outermost frame first; bottom-up: the sampled function first */
	/* of all that was added, by column */
	uint64_t *sum, *nr_samples, *sum_cut;
	double *squares;    /* of the weights of samples; 0: all weigh the same */
	uint64_t nr_called; /* samples that are not in a function of filter.symbols, but called by one */
	/* after flame_finish() */
	struct weighted_tree tree;    /* siblings by name, [truncated] last */
	VEC(struct flame_line) lines; /* by node; empty unless has_lines */
};

enum flame_group { FLAME_BY_COMM, FLAME_BY_PID, FLAME_BY_TID, FLAME_BY_CPU, FLAME_BY_EVENT, FLAME_BY_STATE, FLAME_NR_GROUPS };
/* The frame of a state that tasks are grouped by: "on CPU", "runnable" … `state` is an enum offcpu_state. */
const char *flame_state_name(unsigned state);
/* Durations are loaded as periods (input.by_duration). */
enum flame_weight { FLAME_SAMPLES, FLAME_PERIODS, FLAME_DURATIONS };

struct flame_options {
	enum flame_group by[FLAME_NR_GROUPS]; /* the first is next to the root */
	uint32_t nr_by;
	enum flame_weight weight;
	bool collapses_recursion;      /* struct recursion */
	bool bottom_up;		       /* merged from the sampled function upwards to its callers */
	uint32_t max_depth;	       /* frames of a stack; 0: all. What is deeper is summed up in its last shown caller */
	int32_t event;		       /* index in the recording; -1: all */
	const struct quality *quality; /* borrowed; says which stacks are cut. NULL: all are believed */
	const struct match *match;     /* borrowed; what modules are shown and merged by. NULL: their names */
	const struct filter_names
		*through; /* borrowed; only stacks with one of these functions (names, or patterns with * and ?); NULL: all */
};

void flame_init(struct flame *f, uint32_t nr_columns);
void flame_fini(struct flame *f);

uint32_t flame_intern_frame(struct flame *f, const char *name, size_t len, const char *module, enum flame_kind kind, unsigned marks);
/* The one frame that cut stacks hang below. */
uint32_t flame_cut_frame(struct flame *f);
/* `file` may be empty, `line` 0: not known. */
uint32_t flame_intern_spot(struct flame *f, uint32_t frame, const char *file, uint32_t line);
/* Adds a stack, outermost first, without the root; `frames` is copied. A path without frames counts for the root. */
void flame_add_path(struct flame *f, uint32_t column, const uint32_t *frames, uint32_t nr, uint64_t weight, uint64_t nr_samples);
/* The same of spots. */
void flame_add_spots(struct flame *f, uint32_t column, const uint32_t *spots, uint32_t nr, uint64_t weight, uint64_t nr_samples);

/* Adds the samples of a symbolised profile that pass the filter (NULL: all) to a column. May be called for a recording part by part. */
void flame_add(struct flame *f, uint32_t column, struct profile *p, const struct filter *filter, const struct flame_options *o);

/* Merges frames of files, and of tasks, that are the same in compared recordings; before flame_finish(). */
void flame_match(struct flame *f, const struct match *m);

/* Makes the tree and frees the paths. Frames below `least` in every column (NULL: none) are counted and left out with their children. */
void flame_finish(struct flame *f, const uint64_t *least);

/* Collapsing of recursion: a call of a function that is on the stack returns to its frame there: main, walk, step, walk, step, leaf
 * becomes main, walk, step, leaf. It goes back only over functions that also are below, so no function disappears and every caller that
 * is left called what is on it. web/flame_collapse.js does the same to a tree. */
struct recursion {
	struct flame *f;	/* borrowed */
	VEC(uint32_t) key_of;	/* by frame: the same for a function that was inlined here and called there; FLAME_NONE: no one function */
	VEC(uint32_t) last;	/* by key: where it was last, in the stack at hand */
	VEC(uint32_t) stamp_of; /* by key: the stack that it was last seen in */
	uint32_t stamp;
	VEC(uint32_t) before; /* by position: where the same key was before; FLAME_NONE: nowhere */
};

void recursion_init(struct recursion *r, struct flame *f);
void recursion_fini(struct recursion *r);

/* `spots` of the flame, from the root on; in place. Returns how many are left. */
uint32_t recursion_collapse(struct recursion *r, uint32_t *spots, uint32_t nr);

static inline const struct flame_frame *flame_frame_of(const struct flame *f, uint32_t node)
{
	return &f->frames.v[f->tree.nodes.v[node].frame];
}
static inline const char *flame_name(const struct flame *f, uint32_t node)
{
	return strtab_get(&f->strings, flame_frame_of(f, node)->name);
}

/* ---- a flame tree with columns of two sides, compared frame by frame ----
 *
 * The width of a frame is the mean of both sides, so that what only one side has is visible and frames still add up to their parent. Sides
 * are scaled to be equal first, or (`absolute`) taken as they are. */

enum flame_diff_side { FLAME_DIFF_BASE, FLAME_DIFF_NOW, FLAME_DIFF_NR_SIDES };

struct flame_diff {
	const struct flame *flame;	       /* borrowed */
	uint32_t nr[FLAME_DIFF_NR_SIDES];      /* recordings: the first nr[0] columns are the baseline */
	uint32_t nr_used[FLAME_DIFF_NR_SIDES]; /* of these, those with samples: the others say nothing, and are left out of all figures */
	bool absolute;
	bool negated;		     /* red and blue are swapped */
	const char *unit;	     /* of weights, in texts: "samples"; borrowed */
	double factor;		     /* by which they are multiplied in texts; 0: none */
	struct diff_result *results; /* by node; percent of its side's whole, or (absolute) of the baseline's */
	unsigned __int128 *factors;  /* by column: what a unit of weight counts in a width */
	unsigned shift;		     /* of these */
	double most;		     /* the largest difference of a node that is no noise; 0: all is */
	struct diff_summary tests;
	enum diff_basis basis;
};

/* Of a finished flame. Its first `nr_base` columns are the baseline, the others are the new side; both have one. */
void flame_diff_init(struct flame_diff *d, const struct flame *f, uint32_t nr_base, bool absolute);
void flame_diff_fini(struct flame_diff *d);

/* ---- the functions of the same stacks, as rows: a name in a module, wherever it was called or inlined. Those too narrow for the tree count, too ---- */

struct flame_functions {
	VEC(uint32_t) frames;			/* by row: one of the function's */
	uint64_t *self, *total;			/* row * nr_columns + column; of recursive calls the total has the outermost alone */
	struct diff_result *of_self, *of_total; /* by row; NULL before flame_functions_compare() */
	struct diff_summary self_tests, total_tests;
};

/* Of a flame whose stacks begin at their outermost frame, before flame_finish(). */
void flame_functions_init(struct flame_functions *fs, const struct flame *f);
void flame_functions_fini(struct flame_functions *fs);
/* Tests all functions by what they are themselves, and by what they are with all they call. */
void flame_functions_compare(struct flame_functions *fs, const struct flame_diff *d);

/* A flame_width_fn (view/flame_svg.h); `ctx` is the flame_diff. */
uint64_t flame_diff_width(const struct flame *f, const uint64_t *weights, const void *ctx);
/* Mean weight of a node in the recordings of a side. */
double flame_diff_mean(const struct flame_diff *d, uint32_t node, enum flame_diff_side side);
/* Several recordings a side do not tell it from noise; or its interval by samples alone has 0 in it. */
bool flame_diff_is_noise(const struct flame_diff *d, uint32_t node);
/* From −1 (shrank most) to 1 (grew most). */
double flame_diff_strength(const struct flame_diff *d, uint32_t node);

#endif

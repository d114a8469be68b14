/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A profile in the formats of other tools. export_profile() writes one of them, in one pass over the samples that pass the filter; the
 * rest of this header is for the writers, one file a format (export_<format>.c). The profile must be symbolised. assay-export(1) lists
 * what goes where.
 */
#ifndef ASSAY_VIEW_EXPORT_H
#define ASSAY_VIEW_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/out.h"
#include "base/vec.h"
#include "model/filter.h"
#include "model/profile.h"
#include "model/quality.h"
#include "model/span_store.h"

/* Name, summary, suffix that identifies the format (or NULL), always compressed, not for a terminal. export_<name>() writes it. */
#define EXPORT_FORMATS(FORMAT)                                                                                                             \
	FORMAT(FOLDED, folded, "stacks as text, one line each, for flame graph scripts", ".folded", false, false)                          \
	FORMAT(PPROF, pprof, "gzipped profile.proto, for go tool pprof and its relatives", ".pb", true, true)                              \
	FORMAT(FIREFOX, firefox, "processed profile, for profiler.firefox.com", NULL, false, false)                                        \
	FORMAT(SPEEDSCOPE, speedscope, "for speedscope", ".speedscope.json", false, false)                                                 \
	FORMAT(CHROME, chrome, "trace events, for Perfetto and chrome://tracing", NULL, false, false)                                      \
	FORMAT(CALLGRIND, callgrind, "for KCachegrind and callgrind_annotate", ".callgrind", false, false)                                 \
	FORMAT(CSV, csv, "one line for each sample, for spreadsheets and scripts", ".csv", false, false)

#define EXPORT_ID(id, ...) EXPORT_##id,
enum export_format { EXPORT_FORMATS(EXPORT_ID) EXPORT_NR_FORMATS };

enum export_with { EXPORT_WITH_COMM, EXPORT_WITH_PID, EXPORT_WITH_TID };

struct export_options {
	enum export_format format;
	int32_t event;			/* index in the recording; -1: all */
	enum export_with with;		/* folded: what names a task */
	bool periods;			/* folded: sums of periods instead of samples */
	bool annotate;			/* folded: _[k], _[i] and _[j] behind names */
	const char *name;		/* of the recording, for titles */
	const struct span_store *spans; /* chrome, firefox: states of tasks beside the samples; NULL: none */
};

#define EXPORT_MAX_SPANS (1u << 19) /* more make files that browsers do not open */

/* What there is to say of it. */
struct export_result {
	uint64_t nr_samples;
	bool is_laid_out; /* samples have no times: the format, which needs some, has them end to end */
};

/* `filter` and `quality` may be NULL. `quality` is initialised and empty; it becomes that of the written samples. */
struct export_result export_profile(struct out *o, struct profile *p, const struct filter *filter, struct quality *quality,
				    const struct export_options *options);

/* What formats there are. */
struct export_format_info {
	const char *name;
	const char *summary; /* for whom, no full stop */
	const char *suffix;  /* of files that are of this format beyond doubt; may be NULL */
	bool is_gzip;	     /* always compressed */
	bool is_binary;	     /* not for a terminal */
};
const struct export_format_info *export_format_get(enum export_format format);
/* -ENOENT where there is none. */
int export_format_find(const char *name);
/* The format that a file of this name is of; -ENOENT where its name does not tell. A ".gz" behind it is not looked at. */
int export_format_guess(const char *path);
/* A hint for a word or file name that means a format under another name ("Perfetto reads --format chrome"); NULL: none. */
const char *export_format_hint(const char *word);
const char *export_format_hint_of_file(const char *path);

/* ---- for the writers ---- */

struct export
{
	struct out *o;
	struct profile *p;
	const struct quality *quality;
	const struct export_options *options;
	bool weight_is_period; /* a sample weighs its period: asked for, or it is an imported sum, of which the number of samples says nothing */
	VEC(uint32_t) samples;	 /* those that are written, in the order of time */
	VEC(uint32_t) events;	 /* of these samples, by index in the recording */
	uint64_t *nr_of_task;	 /* samples, by task */
	uint32_t *name_of_frame; /* string ids */
	uint32_t *
		file_of_frame; /* string ids of the files that functions are written in; a line may be of another one, which was included */
	uint64_t first_ns, last_ns;
	bool has_times;		 /* samples do; otherwise time_ns is 0, or made up by export_layout.c */
	const uint64_t *time_ns; /* by sample */
	uint64_t *laid_times;	 /* export_layout.c: the same, owned */
	uint64_t *laid_ns;	 /* export_layout.c: how long one of an event is */
	uint64_t ns_per_count;	 /* export_layout.c: the same of all that are no times; 0: nothing was laid out */
};

/* The samples that pass, their quality and the names of their functions. Used by export_profile(), and by the viewer's page (view/viewer.h). */
void export_init(struct export *x, struct out *o, struct profile *p, const struct filter *filter, struct quality *quality,
		 const struct export_options *options);
void export_fini(struct export *x);

typedef void export_fn(struct export *x);
#define EXPORT_WRITER(id, name, ...) export_fn export_##name;
EXPORT_FORMATS(EXPORT_WRITER)

/* The name of a function; "[libfoo.so]" where there is none, "[unknown]" where not even the file is known. */
static inline uint32_t export_name_id(const struct export *x, uint32_t place)
{
	return x->name_of_frame[x->p->places.v[place].frame];
}
static inline const char *export_name(const struct export *x, uint32_t place)
{
	return profile_str(x->p, export_name_id(x, place));
}

static inline const struct profile_frame *export_frame_at(const struct export *x, uint32_t place)
{
	return &x->p->frames.v[x->p->places.v[place].frame];
}
static inline uint32_t export_file_of(const struct export *x, uint32_t place)
{
	return x->file_of_frame[x->p->places.v[place].frame];
}
/* The address that a location stands for: of a return address it is inside the call. */
uint64_t export_addr(const struct profile_location *l);

/* Whether the event's periods are nanoseconds of CPU time. */
bool export_is_clock(const struct export *x, uint32_t event);
/* The time between two samples of a running thread, or 0 where that cannot be known: the CPU's cycles have no length. */
uint64_t export_interval_ns(const struct export *x, uint32_t event);
const char *export_event_name(const struct export *x, uint32_t event);
/* What an event's periods are counted in: "nanoseconds", "bytes"…; NULL: plain numbers, or unknown. */
const char *export_unit(const struct export *x, uint32_t event);
/* How many nanoseconds one of them is; 0 where they are no times. */
uint64_t export_time_unit_ns(const struct export *x, uint32_t event);
/* Whether samples of that event say on which CPU they were taken. */
bool export_has_cpu(const struct export *x, uint32_t event);
static inline bool export_has_many_events(const struct export *x)
{
	return x->events.nr > 1;
}

/* The time of day of the first sample; 0 where the recording does not tell. */
uint64_t export_wall_ns(const struct export *x);

/* What is said about the recording as a whole, line by line: who made it where, with which command, and its quality. */
typedef void export_note_fn(void *ctx, const char *label, const char *text);
void export_notes(const struct export *x, export_note_fn *tell, void *ctx);
/* The same as members of an object that is open. */
void export_notes_json(const struct export *x, struct json *j);
/* "assay record -g -- ./a b", the parts apart by blanks; empty where the recording does not tell. The caller frees. */
char *export_command(const struct export *x);

/* What a task is called; the recording where an import does not tell. */
const char *export_task_name(const struct export *x, uint32_t task);
/* Imported tasks may have none; in a recording 0 is the idle task. */
static inline bool export_has_id(const struct profile_task *t)
{
	return t->pid || t->tid;
}

static inline uint64_t export_weight(const struct export *x, uint32_t sample)
{
	return x->weight_is_period ? x->p->samples.period[sample] : 1;
}

/* The samples of one task and event, in the order of time. */
struct export_series {
	uint32_t task, event;
	uint32_t first, nr; /* in export_series_list.samples */
	uint64_t sum;	    /* of periods */
};
struct export_series_list {
	VEC(struct export_series) v; /* by process, thread, then as they came */
	uint32_t *samples;
};
void export_series_init(struct export_series_list *l, const struct export *x);
void export_series_fini(struct export_series_list *l);
/* "app 4711", for other threads than the first "app 4711/4712"; with the event where there are several; without ids where an import has
 * none. */
void export_series_name(struct out *o, const struct export *x, const struct export_series *s);

/* "12.345678" of 12345678 with 6 decimals; into an array or behind a key. */
void export_json_fixed(struct json *j, uint64_t v, uint32_t decimals);

/* ---- stacks as paths of a format's own frames ----
 *
 * Formats identify frames by name, function, line or address; inlined functions are frames. Formats that number stacks have a tree of
 * these paths. It stores no frames: a new stack adds one run of nodes, read from the profile's stack when needed. Memory is a few words
 * a stack. */

/* When two frames are one. */
enum export_key {
	EXPORT_BY_NAME,
	EXPORT_BY_MARK,	    /* name, and what export_mark() says */
	EXPORT_BY_KIND,	    /* name, and whether it is user, kernel or JIT */
	EXPORT_BY_FUNCTION, /* name, module and source file */
	EXPORT_BY_LINE,	    /* these, and the line with the file that it is in */
	EXPORT_BY_ADDRESS,  /* address in its module, and how deeply inlined there */
};

struct export_frame {
	uint64_t a, b; /* its key */
	uint32_t c;
	uint32_t place; /* the first one met */
};

#define EXPORT_ROOT 0u /* the node of no frames */

struct export_path { /* a vec */
	uint32_t *v;
	uint32_t nr, cap;
};

/* Nodes that follow one another, each the child of the one before. */
struct export_run {
	uint32_t node;	 /* the first one */
	uint32_t parent; /* of that */
	uint32_t frame;	 /* of that */
	uint32_t sample; /* whose path it is the end of … */
	uint32_t depth;	 /* … from there on, counted from the outermost frame */
	uint32_t tail;	 /* in export_tree.tails: frames behind the first, once they were asked for; EXPORT_NONE: not yet */
};

#define EXPORT_NONE UINT32_MAX

struct export_tree {
	const struct export *x;
	enum export_key key;
	VEC(struct export_frame) frames;
	struct hindex frame_index;
	uint32_t *frame_of_place;
	struct export_path path; /* of the sample last asked for, innermost first */
	/* of numbered stacks */
	VEC(struct export_run) runs; /* by node; [0] is the root's */
	uint32_t nr_nodes;
	struct hindex run_index; /* by parent and frame */
	uint32_t *node_of_stack, *node_of_location;
	VEC(uint32_t) tails;
	struct export_path scratch;
};

void export_tree_init(struct export_tree *t, const struct export *x, enum export_key key);
void export_tree_fini(struct export_tree *t);

/* The frames of a sample's stack, or of the sampled place where it has none, into t->path; valid until the next call. */
void export_tree_path(struct export_tree *t, uint32_t sample);

/* The node of that path. Numbers are given as they are asked for; a parent's is smaller than its children's. */
uint32_t export_tree_node(struct export_tree *t, uint32_t sample);
uint32_t export_tree_parent(const struct export_tree *t, uint32_t node);
/* Calls `put` for each node but the root, in order. */
typedef void export_node_fn(void *ctx, uint32_t node, uint32_t parent, uint32_t frame);
void export_tree_each(struct export_tree *t, export_node_fn *put, void *ctx);

/* Positions of nodes in a walk through the tree: parents first, siblings by rising key. `nodes` is sorted. The caller frees. */
typedef uint64_t export_key_fn(const void *ctx, uint32_t node, uint32_t frame);
uint32_t *export_tree_rank(struct export_tree *t, const uint32_t *nodes, uint32_t nr, export_key_fn *key, const void *ctx);

/* The run that a node is in, and the node behind its last one. */
uint32_t export_tree_run(const struct export_tree *t, uint32_t node);
uint32_t export_tree_run_end(const struct export_tree *t, uint32_t run);

/* ---- samples without times (export_layout.c), for formats that are drawn along time ---- */

/* Lays samples of a task and event end to end, each as long as its weight, heaviest functions first. Nothing where samples have times.
 * Otherwise x->samples is reordered (samples of one task, event and node are adjacent) and x->time_ns is invented. To be called before
 * series are made. `ns_per_count`: the length of one count of an event that is no clock; reduced where all would be too long. */
void export_lay_out(struct export *x, struct export_tree *t, uint64_t ns_per_count);

/* How long a sample was made. */
uint64_t export_laid_ns(const struct export *x, uint32_t sample);

static inline bool export_is_laid_out(const struct export *x)
{
	return x->ns_per_count;
}

/* How deeply inlined a place is: 0 of the function that was really called. */
uint32_t export_inline_depth(const struct export *x, uint32_t place);
/* 'k', 'i', 'j', or 0 */
char export_mark(const struct export *x, uint32_t place);

#endif

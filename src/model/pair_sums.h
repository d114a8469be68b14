/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct pair_sums: how often and how long something took, of pairs of events (model/latency.h), summed up by what began it: a row for each
 * stack, object, task, CPU and size that differ. What pairs there are is a table (pair_sum_defs.c): a summary more is an entry more.
 *
 * Fed by samples in the order of time. Of futexes also who ended each wait: the thread whose wake on that address came last. Of memory also how
 * much was allocated: that counts when it begins, whether it ends or not.
 */
#ifndef ASSAY_MODEL_PAIR_SUMS_H
#define ASSAY_MODEL_PAIR_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/latency.h"
#include "model/profile.h"

/* What sets rows apart. */
enum pair_part {
	PAIR_BY_STACK = 1,
	PAIR_BY_TASK = 2,
	PAIR_BY_CPU = 4,
	PAIR_BY_OBJECT = 8,
};

/* What the number in the field `object` is. */
enum pair_object { PAIR_USER_ADDRESS, PAIR_KERNEL_ADDRESS, PAIR_KERNEL_FUNCTION, PAIR_NUMBER };

/* Which frame of a stack is the caller: a node of the profile's tree; `kind`: what the frames in front of it say it is, or NULL. */
typedef uint32_t pair_caller_fn(struct profile *p, uint32_t stack, const char **kind);

struct pair_sum_def {
	const char *name;
	const char *from, *to, *key; /* as those of struct latency; NULL: samples are handed over by who knows them */
	const char *object;	     /* the field of `from` that says what; of several, with commas between, the first that an event has */
	enum pair_object object_kind;
	const char *label;	/* a field with its name; NULL: none */
	const char *flags;	/* a field that tells kinds of objects apart; NULL: none */
	const char *size;	/* fields: of memory, its bytes; NULL: none, or by the next */
	const char *order;	/* its pages are a power of two, of which this is the exponent */
	const char *wanted;	/* the bytes that were asked for */
	const char *node;	/* the node that it was asked to be on, or -1 */
	const char *mobility;	/* of pages: the migrate type; `flags` are those of the allocation */
	pair_caller_fn *caller; /* NULL: the innermost frame */
	unsigned parts;		/* enum pair_part */
	bool keeps_first;	/* what begins again before it ended goes on */
	bool is_futex;		/* only calls that wait begin something, others may end it */
	const char *events;	/* to be recorded */
};

extern const struct pair_sum_def pair_sum_kernel_locks, pair_sum_futexes;
/* Page faults: by stack, thread and address. They are handed over one by one, whatever their event is called. */
extern const struct pair_sum_def pair_sum_faults;
/* Memory of the kernel: by call site and by address; pages by caller and by number. */
extern const struct pair_sum_def pair_sum_slab_callers, pair_sum_slab_objects, pair_sum_page_callers, pair_sum_pages;
/* The work of the kernel beside system calls: how long it ran, and how long it was due before it did. */
enum kernel_work { KERNEL_IRQ, KERNEL_SOFTIRQ, KERNEL_WORKQUEUE, KERNEL_NR_WORKS };
extern const struct pair_sum_def pair_sum_kernel_works[KERNEL_NR_WORKS], pair_sum_kernel_delays[KERNEL_NR_WORKS]; /* no delay of IRQ */

struct pair_figures {
	uint64_t nr, total_ns, min_ns, max_ns;
	uint64_t max_end_ns; /* when the longest ended */
};

/* Of memory. What ended is in struct pair_figures. */
struct pair_amounts {
	uint64_t nr, bytes, wanted;
	uint64_t freed;	   /* bytes that ended */
	uint64_t nr_moved; /* ended on another CPU than they began on */
	uint64_t nr_major; /* of page faults: those that had to read from a disk */
};

/* Adds `more`. */
void pair_figures_add(struct pair_figures *f, const struct pair_figures *more);
void pair_amounts_add(struct pair_amounts *a, const struct pair_amounts *more);
static inline uint64_t pair_figures_mean(const struct pair_figures *f)
{
	return f->nr ? f->total_ns / f->nr : 0;
}

#define PAIR_NO_LOCATION UINT32_MAX
#define PAIR_NO_ROW UINT32_MAX /* the tag of what is under way and not counted: its end must end nothing else */

/* Parts that do not set rows apart are those of the first. */
struct pair_row {
	const struct pair_sum_def *def;
	uint32_t task, stack; /* of the profile */
	uint32_t cpu;
	uint32_t label;	   /* string of the profile; 0: none */
	uint32_t location; /* of an address; PAIR_NO_LOCATION: it is none */
	uint32_t flags;
	uint32_t flags_text; /* string of the profile: the flags of an allocation as their format shows them; 0: not known */
	uint32_t order, mobility;
	int32_t node;  /* that was asked for; -1: any */
	uint64_t size; /* of each */
	uint64_t object;
	struct pair_figures figures;
	struct pair_amounts amounts;
};

/* Who ended waits of a row. */
struct pair_waker {
	uint32_t row;
	uint32_t task, stack; /* of the profile */
	uint64_t nr, total_ns;
	uint64_t longest_ns; /* in groups: of all stacks of the task, the time of this one */
};

/* The last wake on an address. */
struct pair_wake {
	int32_t pid;
	uint32_t task, stack;
	uint64_t address, time_ns;
};

/* The fields of an event of the recording. */
struct pair_event {
	bool is_from, is_to;
	uint8_t futex_effects; /* of a call without `op` */
	const struct trace_field *object, *label, *flags, *size, *order, *wanted, *node, *mobility, *op, *other_address, *result;
	const struct trace_shown *flags_shown; /* how the event prints its flags; NULL: it does not */
};

struct pair_sums {
	const struct pair_sum_def *def;
	struct profile *profile; /* borrowed; keeps stacks, tasks and locations */
	const struct recording *recording;
	struct event_patterns from, to;
	struct latency latency;
	VEC(struct pair_event) events;
	VEC(struct pair_row) rows;
	struct hindex index;
	VEC(struct pair_wake) wakes;
	struct hindex wake_index;
	VEC(struct pair_waker) wakers;
	struct hindex waker_index;
	uint64_t nr_begun_at[2];    /* begins that were taken and left out by the caller */
	uint64_t nr_not_waited;	    /* futex calls that returned at once: the value had changed */
	uint32_t page_bytes;	    /* of the machine that was recorded */
	struct pair_amounts failed; /* allocations that got nothing */
	struct pair_amounts alone;  /* what ended without having begun */
	/* Is called for each pair that is counted; NULL: not. */
	void (*each)(void *ctx, const struct pair_row *row, uint64_t took_ns, uint64_t end_ns);
	void *each_ctx;
};

int pair_sums_init(struct pair_sums *s, const struct pair_sum_def *def, struct profile *p, const struct recording *r, struct errbuf *eb);
void pair_sums_fini(struct pair_sums *s);
/* A sample. `is_kept` false: what it begins is not counted. Negative where the recording lacks a field. */
int pair_sums_add(struct pair_sums *s, const struct session_record *sr, bool is_kept, struct errbuf *eb);
/* A page fault, which has no end: pair_sum_faults. `is_major`: it had to read from a disk. */
void pair_sums_add_fault(struct pair_sums *s, const struct session_record *sr, bool is_major);
/* What began and is counted, and has not ended. */
uint32_t pair_sums_nr_open(const struct pair_sums *s);
/* Whether the recording has both events; of a pipe to be asked when all was read. */
bool pair_sums_is_recorded(const struct pair_sum_def *def, const struct recording *r);

/* ---- groups of rows ---- */

enum pair_groups_by {
	PAIR_GROUPS_BY_CALLER,
	PAIR_GROUPS_BY_TASK,
	PAIR_GROUPS_BY_OBJECT,
	PAIR_GROUPS_BY_PLACE, /* the file and the symbol of the object */
	PAIR_GROUPS_BY_ROW
};

/* What sorts them, the most first. */
enum pair_sort {
	PAIR_SORT_COUNT,
	PAIR_SORT_TOTAL,
	PAIR_SORT_MAX,
	PAIR_SORT_MIN,
	PAIR_SORT_MEAN,
	/* of memory */
	PAIR_SORT_NR,
	PAIR_SORT_BYTES,
	PAIR_SORT_MOVED,
	PAIR_SORT_WASTE,  /* the share of its bytes that were not asked for */
	PAIR_SORT_OBJECT, /* its address */
	PAIR_SORT_CALLER, /* where in the code */
	PAIR_SORT_ORDER,
	PAIR_SORT_MOBILITY,
	PAIR_SORT_FLAGS,
};

struct pair_group {
	const struct pair_row *row;	/* its first one */
	const struct pair_row *longest; /* the one with most of its time */
	const struct pair_row *last;	/* the one that was met last */
	struct pair_figures figures;
	struct pair_amounts amounts;
	uint64_t caller_ip;
	uint32_t caller_node; /* in the tree of stacks; STACK_TREE_ROOT: there is none */
	const char *kind;     /* of lock, by the functions that wait, or its flags */
	/* The one that ended most of the waiting; nr 0: not known. */
	struct pair_waker waker;
};

struct pair_groups {
	VEC(struct pair_group) v;
};

/* Adds the groups of these sums. `max_frames`: how many of a stack, from the caller on, set groups apart. */
void pair_groups_make(struct pair_groups *g, struct pair_sums *s, enum pair_groups_by by, uint32_t max_frames);
void pair_groups_sort(struct pair_groups *g, enum pair_sort sort);
/* By the first key, then by the second one where that is equal … */
void pair_groups_sort_by(struct pair_groups *g, const enum pair_sort *keys, uint32_t nr);
/* The share of its bytes that were not asked for, in per cent. */
double pair_amounts_waste(const struct pair_amounts *a);
void pair_groups_fini(struct pair_groups *g);

/* lock_functions.c: the first frame of a stack that is not part of a lock's implementation, and the kind of lock that the frames in front of
 * it tell. */
pair_caller_fn lock_caller;
/* The first that is not part of the kernel's allocator of pages. */
pair_caller_fn page_caller;

#endif

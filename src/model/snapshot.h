/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct snapshot: stacks of the threads of one process, seen once or many times. Places, stacks and strings are interned; a thread that
 * is seen again with the same stack is counted.
 *
 * Fed by a thread_stack_sink (from a live process or a core file), named once at the end.
 */
#ifndef ASSAY_MODEL_SNAPSHOT_H
#define ASSAY_MODEL_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "session/machine.h"
#include "session/thread_stack.h"

/* A function at a place. */
struct snapshot_frame {
	uint32_t function; /* string id; 0: not known */
	uint32_t file;	   /* string id; 0: not known */
	uint32_t line, column;
	bool is_inlined;
	bool is_kernel;
	bool is_nameless; /* "module+0xADDRESS": no name is known, only where it begins */
};

struct snapshot_place {
	struct stack_place at;
	uint32_t kernel;		 /* string id of "function+0x1/0x2"; 0: a place of the program, which `at` has */
	uint32_t first_frame, nr_frames; /* once named: innermost first */
};

struct snapshot_stack {
	uint32_t first, nr; /* in snapshot.chain; innermost first */
	struct unwind_result walk;
};

/* A thread with a stack, and how often it was seen so. */
struct snapshot_sighting {
	int32_t tid;
	uint32_t comm, state, why; /* string ids; 0: none. State and reason are those of the first time */
	uint32_t stack;
	uint32_t count;
};

struct snapshot {
	struct strtab strings;
	VEC(struct snapshot_place) places;
	VEC(struct snapshot_frame) frames;
	VEC(struct snapshot_stack) stacks;
	VEC(struct snapshot_sighting) sightings;
	VEC(uint32_t) chain;
	struct hindex place_index, stack_index, sighting_index;
	uint64_t nr_seen;	/* all counts together */
	uint64_t nr_incomplete; /* of these, not walked to their end */
};

void snapshot_init(struct snapshot *s);
void snapshot_fini(struct snapshot *s);
/* Adds what one thread shows; fits a thread_stack_sink. */
void snapshot_add(void *snapshot, const struct thread_stack *t);

struct snapshot_naming {
	bool functions;	  /* from symbol tables */
	bool nameless;	  /* those without a name by where they begin, as far as call frame information tells */
	bool inlines;	  /* functions that were inlined, too */
	bool lines;	  /* file:line */
	bool debug_names; /* functions as the debug information calls them */
};
/* Names all places, files loaded in parallel. */
void snapshot_name(struct snapshot *s, struct dso_table *dsos, const struct snapshot_naming *n);

static inline const char *snapshot_str(const struct snapshot *s, uint32_t id)
{
	return strtab_get(&s->strings, id);
}
/* True where the stack reaches a function without a caller, or belongs to no program. */
bool snapshot_is_complete(const struct snapshot *s, const struct snapshot_sighting *g);

/* All stacks as a tree from the outermost function down. */
struct snapshot_node {
	uint32_t name;			    /* string id: of the function, or of the threads of a group; 0: `place` has none */
	uint32_t place;			    /* of a function without a name */
	uint32_t parent, first_child, next; /* SNAPSHOT_NONE: none; the heavier sibling comes first */
	uint32_t count;
	int32_t tid; /* of a group: whose, or -1: of all threads called `name` */
	bool is_inlined, is_kernel, is_group;
};
#define SNAPSHOT_NONE UINT32_MAX
#define SNAPSHOT_ROOT 0u
struct snapshot_tree {
	VEC(struct snapshot_node) nodes; /* the children of SNAPSHOT_ROOT are the groups; a parent stands before its children */
};
/* One group for each name of threads or, with `per_thread`, for each thread. */
void snapshot_tree_init(struct snapshot_tree *t, const struct snapshot *s, bool per_thread);
void snapshot_tree_fini(struct snapshot_tree *t);

/* The files that a process had mapped, each from its first address to its last: what -l lists and -b refers to. */

struct snapshot_module {
	uint32_t dso;
	uint64_t start, end;
	bool has_code;
	char build_id[41];	/* hex; "" unknown */
	const char *debug_file; /* where its symbols came from, if not from itself; NULL */
};

struct snapshot_modules {
	VEC(struct snapshot_module) modules; /* by address */
};

/* Of all maps that are known of the task, not of code alone where others were asked for. `debug_files`: looks for these, too. */
void snapshot_modules_init(struct snapshot_modules *m, struct machine *machine, const struct task *task, bool debug_files);
void snapshot_modules_fini(struct snapshot_modules *m);
/* The module of a DSO, or NULL. */
const struct snapshot_module *snapshot_modules_find(const struct snapshot_modules *m, uint32_t dso);

#endif

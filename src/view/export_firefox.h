/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by export_firefox.c (metadata and threads), export_firefox_states.c (markers) and export_firefox_tables.c (tables, complete after the threads
 * were written).
 */
#ifndef ASSAY_VIEW_EXPORT_FIREFOX_H
#define ASSAY_VIEW_EXPORT_FIREFOX_H

#include "base/json.h"
#include "view/export.h"

#define FIREFOX_MS_DECIMALS 6

struct firefox_function {
	uint32_t name, dso, file;
};

struct firefox_row { /* of a thread */
	uint64_t period, weight;
	uint32_t sample, node; /* the first sample, if it is several */
};

struct firefox_states {	 /* markers of a thread: a track of the spans */
	uint32_t series; /* of samples; UINT32_MAX: none */
	uint32_t track;
};

struct firefox_thread { /* what one begins with; times since the first sample */
	uint64_t begin_ns, process_begin_ns;
	const char *name, *process_name, *pid;
	bool is_main;
	int64_t tid;
};

struct firefox {
	struct export *x;
	struct export_tree tree;
	struct export_series_list list;
	struct json j;
	VEC(struct firefox_row) rows;	   /* of the thread at hand */
	VEC(struct firefox_states) states; /* in the order of threads */
	uint32_t next_states;
	/* shared tables, filled when frames are written */
	VEC(uint32_t) strings; /* string ids of the profile; those of states come first */
	uint32_t *string_at;   /* string id → index + 1 */
	VEC(uint32_t) libs;    /* DSOs */
	uint32_t *lib_at;
	VEC(struct firefox_function) functions;
	struct hindex function_index;
	VEC(uint32_t) symbols; /* frames of the profile */
	uint32_t *symbol_at;
	VEC(uint32_t) files; /* string ids of sources */
	uint32_t *file_at;
	VEC(uint32_t) function_of; /* of tree.frames */
};

static inline void firefox_ms(struct json *j, const char *key, uint64_t ns)
{
	json_key(j, key);
	export_json_fixed(j, ns, FIREFOX_MS_DECIMALS);
}

static inline void firefox_empty(struct json *j, const char *key)
{
	json_put_array(j, key);
	json_array_end(j);
}

/* The members of a thread in front of its samples. */
void firefox_thread_head(struct firefox *w, const struct firefox_thread *t);

/* export_firefox_states.c: markers, where the recording has states of tasks. Before anything is written: */
void firefox_states_init(struct firefox *w);
void firefox_state_categories(struct firefox *w, void (*put)(struct json *j, const char *name, const char *color));
void firefox_state_schemas(struct firefox *w);
/* The markers of a thread; threads are written in the order of series. */
void firefox_markers(struct firefox *w, uint32_t series);
/* Tasks without samples, and CPUs. */
void firefox_state_threads(struct firefox *w);

/* Writes "libs" and "shared", of the frames and stacks that the tree has by now. */
void firefox_tables(struct firefox *w);
void firefox_tables_fini(struct firefox *w);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Shared by export_firefox.c (metadata and threads) and export_firefox_tables.c (tables, complete after the threads were written).
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

struct firefox {
	struct export *x;
	struct export_tree tree;
	struct export_series_list list;
	struct json j;
	VEC(struct firefox_row) rows; /* of the thread at hand */
	/* shared tables, filled when frames are written */
	VEC(uint32_t) strings; /* string ids of the profile */
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

/* Writes "libs" and "shared", of the frames and stacks that the tree has by now. */
void firefox_tables(struct firefox *w);
void firefox_tables_fini(struct firefox *w);

#endif

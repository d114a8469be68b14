/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Waits for locks as text, in the layout of `perf lock contention`, and as JSON.
 */
#ifndef ASSAY_VIEW_LOCK_TEXT_H
#define ASSAY_VIEW_LOCK_TEXT_H

#include "base/errbuf.h"
#include "base/json.h"
#include "base/out.h"
#include "model/pair_sums.h"

#define LOCK_MAX_COLUMNS 8

struct lock_text {
	enum pair_groups_by by;
	enum pair_sort columns[LOCK_MAX_COLUMNS];
	uint32_t nr_columns;
	uint64_t max_rows; /* 0: all */
	bool shows_stacks, shows_wakers;
};

/* "contended,wait_max": which columns; and the one that sorts, which is shown in any case. -EINVAL with a sentence. */
int lock_text_set_columns(struct lock_text *t, const char *list, const char *option, struct errbuf *eb);
int lock_text_find_column(const char *name, const char *option, enum pair_sort *found, struct errbuf *eb);
void lock_text_add_column(struct lock_text *t, enum pair_sort column);

/* "name+0x12", or the address. */
void lock_text_place(struct out *o, struct profile *p, uint32_t location, bool has_offset);
void lock_text_print(const struct lock_text *t, struct out *o, struct pair_sums *s, const struct pair_groups *g);
/* The names of a stack's functions, the innermost first, as an array. */
void lock_json_stack(struct json *j, struct profile *p, const char *key, uint32_t stack, uint32_t max_frames);
/* One document: an array of rows. */
void lock_json_print(const struct lock_text *t, struct out *o, struct pair_sums *s, const struct pair_groups *g);

#endif

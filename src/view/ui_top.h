/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The screen of `top`: rows of a live profile, with the callers of their functions below them. A refresh sorts rows anew and renumbers all strings;
 * so the cursor, what is open, the filter and the zooms are kept as texts or hashes of these, and what fades away closes nothing else.
 */
#ifndef ASSAY_VIEW_UI_TOP_H
#define ASSAY_VIEW_UI_TOP_H

#include "model/live_callers.h"
#include "view/top.h"
#include "view/ui.h"

enum ui_top_request {
	UI_TOP_ANNOTATE,
	UI_TOP_CLEAR, /* forget all samples */
	UI_TOP_SAVE,
};

struct ui_top_host {
	void *ctx;
	/* `row`: that of the cursor, or what it is below; NULL where there is none. `function`: at the cursor, escaped; "": none. */
	void (*request)(void *ctx, struct ui_app *app, enum ui_top_request what, const struct live_row *row, const char *function);
};

enum ui_top_zoom { UI_TOP_MODULE, UI_TOP_THREAD, UI_TOP_NR_ZOOMS };

struct ui_top_row {
	uint64_t id;	 /* the same after a refresh */
	uint32_t row;	 /* of the event */
	uint32_t caller; /* of `callers`; 0: the row itself */
	uint32_t depth;
	bool can_open, is_open;
};

struct ui_top {
	const struct live_profile *l; /* borrowed, as are the next */
	const struct top_stats *stats;
	const struct top_style *style;
	const struct ui_top_host *host;
	struct top_state *state;
	/* state of the view */
	char *zooms[UI_TOP_NR_ZOOMS]; /* text of a cell; NULL: all */
	char word[UI_PROMPT_SIZE];
	bool opens_all;
	VEC(uint64_t) flipped; /* ids of rows that are the other way */
	struct hindex flipped_index;
	bool asks_delay;
	/* rows as they are now */
	struct live_callers callers;
	VEC(struct ui_top_row) rows;
	int widths[LIVE_MAX_KEYS];
};

struct ui_view *ui_top_view(const struct live_profile *l, const struct top_stats *stats, const struct top_style *style,
			    struct top_state *state, const struct ui_top_host *host);

/* What top costs and what it lost, as the status of all views; `text` is the owner's, and has to last. */
void ui_top_status(struct ui_app *app, struct out *text, const struct top_stats *s, const struct top_state *st);

/* ui_top_rows.c: which rows there are. */
void ui_top_make_rows(struct ui_top *t);
bool ui_top_is_flipped(const struct ui_top *t, uint64_t id);
void ui_top_flip(struct ui_top *t, uint64_t id);
/* The row with that id, UINT32_MAX: there is none now. */
uint32_t ui_top_find(const struct ui_top *t, uint64_t id);
/* The event that is shown; NULL: there is none yet. */
const struct live_event *ui_top_event(const struct ui_top *t);
/* Which key of rows names what is zoomed into; nr_keys: none does. */
uint32_t ui_top_zoom_key(const struct ui_top *t, enum ui_top_zoom zoom);

#endif

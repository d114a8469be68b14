/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The report browser: rows of a histogram with call trees below them that open and close; the callers and callees of a function; flame
 * graphs; the time strips of threads; annotated functions. What needs another model is asked of the host (cmd/report_ui.c).
 */
#ifndef ASSAY_VIEW_UI_REPORT_H
#define ASSAY_VIEW_UI_REPORT_H

#include "model/annotation.h"
#include "model/callers.h"
#include "model/flame.h"
#include "model/hist.h"
#include "model/time_strips.h"
#include "view/annotate.h"
#include "view/report.h"
#include "view/ui.h"

enum ui_request {
	UI_ANNOTATE,
	UI_ZOOM_MODULE,
	UI_ZOOM_THREAD,
	UI_ZOOM_OUT,
	UI_FLAME,
	UI_CALLERS,
	UI_SAVE,
	UI_HEADER,
	UI_OTHER_FILE,
	UI_TIME,
	UI_NEXT_EVENT,
};

struct ui_host {
	void *ctx;
	/* `e`: the row of the cursor, NULL where there is none; `frame`: the function at the cursor, which may be one of its call tree, or
	 * FRAME_NONE. False: there is nothing to do, as for zooming out of nothing. */
	bool (*request)(void *ctx, struct ui_app *app, enum ui_request what, const struct hist_entry *e, uint32_t frame);
	/* Only samples of this time from now on. */
	void (*take_time)(void *ctx, struct ui_app *app, uint64_t from_ns, uint64_t to_ns);
};

struct ui_report {
	struct hist *h; /* borrowed, as are the next */
	const struct report_text_options *text;
	const struct ui_host *host;
	char *title;
	/* state */
	struct ui_report_entry **entries; /* by entry of the histogram; NULL: never opened */
	VEC(uint32_t) shown;		  /* entries that pass the filter */
	VEC(struct ui_report_row) rows;
	char word[UI_PROMPT_SIZE];
	int widths[HIST_MAX_COLUMNS];
	struct out cell;
	struct out words; /* of all rows, once one was looked for */
	size_t *word_at;  /* by entry, and the end; NULL: not made yet */
};

struct ui_report_row {
	uint32_t entry;
	uint32_t node; /* of its tree; WEIGHTED_NONE: the entry itself */
	uint16_t depth;
	uint8_t fold;  /* enum ui_fold */
	bool is_first; /* of its branch: has a figure */
};

enum ui_fold { UI_FOLD_LEAF, UI_FOLD_CLOSED, UI_FOLD_OPEN };

/* `title` is copied. */
struct ui_view *ui_report_view(struct hist *h, const struct report_text_options *text, const struct ui_host *host, const char *title);
/* Another histogram in place of the one before. */
void ui_report_set(struct ui_view *v, struct hist *h, const struct report_text_options *text, const char *title);

/* An annotated function, which changes hands. */
struct ui_annotate {
	struct annotation_list *list; /* borrowed */
	struct annotation annotation;
	struct annotate_options options;
	struct annotate_events events;
	enum disasm_syntax syntax;
	/* Another function of the list, which this one calls. */
	void (*call)(struct ui_app *app, const struct ui_annotate *from, uint32_t symbol);
	void (*save)(void *ctx, struct ui_app *app, const struct ui_annotate *a);
	void *save_ctx;
	/* Of a function that goes on running; may be NULL. Refresh: takes new samples into the annotation, true where there were some; free: of
	 * what was borrowed, once the view is gone. */
	bool (*refresh)(void *ctx, struct ui_annotate *a);
	void (*free)(void *ctx);
	void *live_ctx;
};
/* Functions of a list, which is borrowed, to choose from: those with at least so many percent of the events. */
typedef void ui_function_fn(void *ctx, struct ui_app *app, uint32_t symbol);
struct ui_view *ui_functions_view(struct annotation_list *l, const struct annotate_events *events, double percent_limit,
				  ui_function_fn *on_enter, void *ctx);
struct ui_view *ui_annotate_view(struct ui_annotate *a);

/* The flame and the callers change hands. */
struct ui_view *ui_flame_view(struct flame *f, const char *title);
/* What a refresh shows in its place; zoom and cursor stay on the same paths. NULL from `make`: nothing new. */
void ui_flame_on_refresh(struct ui_view *v, struct flame *(*make)(void *ctx), void *ctx);
struct ui_view *ui_callers_view(struct callers *c, struct hist *h, uint32_t frame, const struct ui_host *host);
/* The strips are borrowed. */
struct ui_view *ui_time_view(const struct time_strips *t, const struct ui_host *host);

#endif

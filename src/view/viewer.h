/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The viewer: a profile as one HTML file with a time line, flame graph, trees and tables that follow filters. The page has the columns of the
 * profile in it, and its script (web/view_*.js) does what the models do here. It needs no other file and no network.
 */
#ifndef ASSAY_VIEW_VIEWER_H
#define ASSAY_VIEW_VIEWER_H

#include <stdint.h>

#include "base/out.h"
#include "base/vec.h"
#include "model/filter.h"
#include "model/profile.h"
#include "model/quality.h"
#include "model/span_store.h"
#include "model/switch_spans.h"
#include "view/export.h"
#include "view/flame_svg.h"
#include "view/page.h"

#define VIEWER_MAX_SPANS (1u << 19)
#define VIEWER_MAX_ROWS (1u << 21) /* samples in the page; more are merged */

/* When samples are missing. */
struct viewer_gap {
	uint64_t begin_ns,
		end_ns;	  /* from the last sample of the CPU before the loss, or of throttling its begin; to where it is reported */
	uint64_t nr_lost; /* 0: the kernel throttled the event */
	uint32_t cpu;	  /* UINT32_MAX: not known */
	bool is_open;	  /* throttled, and its end has not been seen */
};

struct viewer_gaps {
	VEC(struct viewer_gap) v;
	VEC(uint64_t) sampled_ns; /* the last sample of each CPU; [0]: of any */
};

struct viewer_options {
	const char *name;		     /* of the recording */
	const char *title;		     /* NULL: made of the recording */
	const struct span_store *spans;	     /* states of tasks; NULL: none */
	const struct switch_spans *switches; /* where there are no such: when tasks ran; NULL: none */
	const struct viewer_gaps *gaps;	     /* NULL: none */
	const char *const *filters;	     /* options and their values by which samples were left out */
	uint32_t nr_filters;
	const char *states_note; /* what is to be known of the states; NULL: nothing */
	bool states_note_is_loud;
	bool with_code;	  /* instructions of the hottest functions … */
	bool with_source; /* … and the text of their source */
};

struct viewer_result {
	uint64_t nr_samples; /* that pass the filter */
	uint64_t merged_ns;  /* equal samples that are closer are one row; 0: each has its own */
};

/* Of a symbolised profile that keeps all samples. `filter` may be NULL; `quality` is initialised and empty, and becomes that of what is shown. */
struct viewer_result viewer_write(struct out *o, struct profile *p, const struct filter *filter, struct quality *quality,
				  const struct viewer_options *options);

/* Any record, in the order of time. A zeroed struct is empty. */
void viewer_gaps_see(struct viewer_gaps *g, const struct recording *r, const struct session_record *sr);
void viewer_gaps_fini(struct viewer_gaps *g);

/* ---- viewer_data.c: what the page has of the profile ---- */

/* What the script reads: the size of a JSON text, that text, then columns of numbers; seven bits a byte. viewer_data.c has the list. */
struct viewer_result viewer_data(struct out *o, struct export *x, const struct filter *filter, const struct viewer_options *options);

/* ---- viewer_code.c: lines of the hottest functions ---- */

struct viewer_code {
	struct profile *p;
	struct out text;       /* the key "code" with its value, NUL-terminated */
	uint32_t *of_location; /* by location of the profile: which line a sample there is of, from 1 on; 0: none that is shown */
	uint32_t nr_lines;
};

/* The tree has the nodes of all samples. */
void viewer_code_init(struct viewer_code *c, struct export_tree *t, const struct filter *filter, const struct viewer_options *options);
void viewer_code_fini(struct viewer_code *c);

/* ---- viewer_compare.c: the page of two sides that are compared. Between its beginning and its end stands the flame graph, as a part of this
 * document (flame_svg_options.nonce) ---- */

struct viewer_comparison {
	const char *title, *subtitle;
	const char *const *notes; /* lines below them */
	uint32_t nr_notes;
	const struct flame *flame;
	const struct flame_functions *functions; /* compared */
};

void viewer_compare_begin(struct page_html *page, struct out *o, const struct viewer_comparison *c);
void viewer_compare_end(struct page_html *page, struct out *o);

/* ---- viewer_rows.c: samples as they are in the page ---- */

struct viewer_row {
	uint64_t time_ns, period, count;
	uint32_t task, cpu, node; /* node: of the tree */
	uint32_t line;		  /* of the code; 0: none */
	uint16_t event;
	uint8_t state; /* enum offcpu_state */
};

struct viewer_rows {
	VEC(struct viewer_row) v; /* in the order of time */
	uint64_t merged_ns;
};

void viewer_rows_init(struct viewer_rows *r, struct export_tree *t, const struct viewer_code *c, uint32_t most);
/* Sorts them. Where there are more than `most`, equal samples of one cell of time become one, and cells grow until it fits, or are as long as all of the
 * time. */
void viewer_rows_fit(struct viewer_rows *r, uint32_t most);
void viewer_rows_fini(struct viewer_rows *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A diff table as text (perf's `diff` layout, with columns for noise where asked for or where there are several recordings) and as JSON
 * (schema: assay-diff(1); keys are only added).
 */
#ifndef ASSAY_VIEW_DIFF_H
#define ASSAY_VIEW_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/out.h"
#include "model/diff_table.h"

struct diff_text_options {
	uint16_t keys[DIFF_MAX_KEYS]; /* what is printed of a row's keys, in order */
	uint32_t nr_keys;
	char separator; /* 0: aligned */
	bool show_period, show_formula;
	bool show_noise;	  /* the interval of each difference; and the test, where there was one */
	bool list_files;	  /* even of two */
	bool rows_only;		  /* no lines with '#' */
	bool has_dso_filter;	  /* what has no symbol does not widen the column of files then, as in perf */
	bool is_colourful;	  /* noise is faded, where a test says so */
	const char *const *names; /* of recordings */
	const char *match_note;	  /* which files are compared under two names; NULL: none */
};

/* The table of one event. */
void diff_text(struct out *o, const struct diff_text_options *opts, const struct diff_table *t, const char *event_name);

/* { "schema", "computation", "sides": [{ "recordings": […] }], "match", "paired", "events": [ — then diff_json_table() for each event, then diff_json_end(). */
void diff_json_begin(struct json *j, struct out *o, const struct diff_table_options *opts, const struct match *m, const uint32_t *side_of,
		     const char *const *names, uint32_t nr_recordings);
void diff_json_table(struct json *j, const struct diff_table *t, const char *event_name);
void diff_json_end(struct json *j);

#endif

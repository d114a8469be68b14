/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A diff table as text: perf's `diff` layout, with columns for the noise where that was asked for or several recordings tell of it.
 */
#ifndef ASSAY_VIEW_DIFF_TEXT_H
#define ASSAY_VIEW_DIFF_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "model/diff_table.h"

struct diff_text_options {
	uint8_t keys[HIST_NR_KEYS]; /* what is printed of a row's keys, in order */
	uint32_t nr_keys;
	char separator; /* 0: aligned */
	bool show_period, show_formula;
	bool show_noise; /* the interval of each difference; and the test, where there was one */
	bool list_files; /* even of two */
	bool rows_only;	 /* no lines with '#' */
	bool has_dso_filter; /* what has no symbol does not widen the column of files then, as perf has it */
	bool is_colourful; /* noise is faded, where a test says so */
	const char *const *names; /* of recordings */
	const char *match_note; /* which files are compared under two names; NULL: none */
};

/* The table of one event. */
void diff_text(struct out *o, const struct diff_text_options *opts, const struct diff_table *t, const char *event_name);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options of `assay diff` that have a syntax of their own, and what follows from them.
 */
#ifndef ASSAY_CMD_DIFF_OPTIONS_H
#define ASSAY_CMD_DIFF_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"
#include "model/diff_table.h"
#include "model/filter.h"
#include "view/diff_text.h"

struct diff_options {
	struct diff_table_options table;
	struct diff_text_options text;
	const char *time; /* as typed: of each recording, with ':' between them */
};

option_call_fn diff_option_compute, diff_option_sort, diff_option_percentage, diff_option_separator, diff_option_absent;
/* The words of --sort with `separator` between them; the caller frees. */
char *diff_option_words(char separator);

/* Rows show lines of source files. */
bool diff_options_want_lines(const struct diff_options *o);
/* Fills in defaults, and which keys are printed: one that a filter of a single name settles is not. */
void diff_options_finish(struct diff_options *o, const struct filter *f);

#endif

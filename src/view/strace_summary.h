/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sums of system calls as strace -c prints them.
 */
#ifndef ASSAY_VIEW_STRACE_SUMMARY_H
#define ASSAY_VIEW_STRACE_SUMMARY_H

#include <stdint.h>

#include "base/out.h"
#include "model/syscall_sums.h"

/* The words of -S, in this order. */
#define STRACE_SORTS                                                                                                                       \
	"time|calls|errors|name|min|max|avg|nothing|none|time-total|total-time|count|error|syscall|syscall-name|min-time|shortest|max-time|longest|avg-time"
enum strace_sort {
	STRACE_BY_TIME,
	STRACE_BY_CALLS,
	STRACE_BY_ERRORS,
	STRACE_BY_NAME,
	STRACE_BY_MIN,
	STRACE_BY_MAX,
	STRACE_BY_AVG,
	STRACE_UNSORTED,
};

#define STRACE_COLUMNS "time-percent, total-time, min-time, max-time, avg-time, calls, errors, name"
enum strace_column {
	STRACE_COLUMN_SHARE,
	STRACE_COLUMN_TOTAL,
	STRACE_COLUMN_MIN,
	STRACE_COLUMN_MAX,
	STRACE_COLUMN_AVG,
	STRACE_COLUMN_CALLS,
	STRACE_COLUMN_ERRORS,
	STRACE_COLUMN_NAME,
	STRACE_NR_COLUMNS
};

struct strace_summary_options {
	unsigned sort;	     /* which word of STRACE_SORTS */
	uint32_t nr_columns; /* 0: those that strace shows by default */
	uint8_t columns[STRACE_NR_COLUMNS];
};

/* By the words of -U; -1: there is none of that name. */
int strace_column_find(const char *word);

/* Of sums in total; they are reordered. */
void strace_summary_text(struct out *o, struct syscall_sums *s, const struct strace_summary_options *opts);

#endif

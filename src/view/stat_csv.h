/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `stat -x`: counts as perf 6.1's separated values. The man page lists the fields.
 */
#ifndef ASSAY_VIEW_STAT_CSV_H
#define ASSAY_VIEW_STAT_CSV_H

#include "view/stat_rows.h"

extern const struct stat_format stat_csv_format;

/* What begins each line with -I: the time of the interval or "summary", padded and with the
 * separator behind it; and "" without -I. Room for STAT_CSV_PREFIX_MAX, returns `buf`. */
#define STAT_CSV_PREFIX_MAX 64
const char *stat_csv_prefix(const struct counts *c, const struct stat_style *s,
			    char buf[STAT_CSV_PREFIX_MAX]);
/* "S0-D0-C0,2,": the place with its separators. */
void stat_csv_place(struct out *o, const struct counts *c, const struct stat_style *s,
		    uint32_t place, uint32_t nr_cpus);
/* A metric's number without blanks and percent sign, as perf cuts it. */
void stat_csv_number(struct out *o, const char *format, double value);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `stat report` and `stat record`, as parts of the command `stat`.
 */
#ifndef ASSAY_CMD_STAT_REPORT_H
#define ASSAY_CMD_STAT_REPORT_H

#include "base/errbuf.h"
#include "model/counts.h"
#include "perfdata/stat_record.h"
#include "view/stat_text.h"

struct stat_report_options {
	const char *path;
	bool force; /* whatever its owner */
	const struct stat_format *format;
	struct stat_style style; /* `target` and `intervals` come from the file */
	bool has_aggr;		 /* --per-…, -A: not as it was recorded */
	enum counts_aggr aggr;
	int out_fd;
};

struct stat_args;

/* `stat report` with its own options, after those of `stat`; argv[0] is its name. */
int cmd_stat_report(struct stat_args *a, int argc, char **argv, struct errbuf *eb);

/* Shows a recording. */
int stat_report(const struct stat_report_options *opts, struct errbuf *eb);

enum stat_aggr stat_aggr_to_file(enum counts_aggr aggr);

#endif

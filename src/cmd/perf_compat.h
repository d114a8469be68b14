/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * perf's commands, options, sort keys and scripts that assay does not have, with what serves instead: typed by habit, each is named as
 * perf's and never taken for a misspelling of something else. tests/oracle/perf_commands.sh and perf_options.sh compare them with perf.
 */
#ifndef ASSAY_CMD_PERF_COMPAT_H
#define ASSAY_CMD_PERF_COMPAT_H

#include <stddef.h>

#include "base/errbuf.h"
#include "base/options.h"
#include "model/field_keys.h"
#include "model/hist_columns.h"

/* A command, sort key or script. */
struct perf_word {
	const char *name;
	const char *instead; /* what serves instead, the end of a sentence; NULL: nothing does */
};

/* NULL where perf has none of that name, or assay has it too. */
const struct perf_word *perf_command_find(const char *name);
/* All of them; the last has no name. */
const struct perf_word *perf_command_table(void);

/* For struct options. */
extern const struct option_absent perf_record_absent[], perf_stat_absent[], perf_report_absent[], perf_script_absent[], perf_list_absent[],
	perf_annotate_absent[], perf_lock_absent[], perf_kwork_absent[], perf_kwork_timehist_absent[], perf_sched_absent[],
	perf_sched_record_absent[], perf_timechart_absent[], perf_top_absent[], perf_inject_absent[];

/* Whether it is one of perf's sort keys that are not there. */
bool perf_sort_key_is_known(const char *word, size_t len);
/* Refuses a sort key: one of perf's that is not there by name, any other with what there is, as column_words() has it; `where` is
 * "report: --sort". */
int perf_sort_key_refuse(const char *where, const char *word, size_t len, enum hist_column end, unsigned flags, struct errbuf *eb);
/* What was taken for a field because it is no key: CMD_USAGE with a sentence where no event of the recording has it, else 0. */
int perf_sort_fields_check(struct field_keys *k, enum hist_column end, unsigned flags, struct errbuf *eb);

/* 0, or -EINVAL with a sentence for the words after `perf script`: names of its scripts, and `record` and `report`, which run them. */
int perf_script_refuse(const char *word, const char *next, struct errbuf *eb);

#endif

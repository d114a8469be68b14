/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of `assay stat` among themselves: its options, what they come down to, and the run.
 *
 *	stat.c		the command: words, output, exit status
 *	stat_options.c	the option table
 *	stat_setup.c	events, CPUs and threads, and the counts they are gathered in
 *	stat_run.c	one run after another: open, start, read, print
 *	stat_formats.c	-x, -j, -M, --metric-only, --plot
 *	stat_record.c	`stat record`: an observer that writes a file
 *	stat_report.c	`stat report`
 */
#ifndef ASSAY_CMD_STAT_H
#define ASSAY_CMD_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/options.h"
#include "base/out.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "capture/event_fds.h"
#include "capture/run_loop.h"
#include "capture/target.h"
#include "cmd/stat_metrics.h"
#include "kernel/event_parse.h"
#include "model/counts.h"
#include "view/stat_text.h"

struct stat_run;

/* Somebody who follows the readings beside the printer (`stat record`, a chart). */
struct stat_observer {
	/* After counters are open and r->counts is started; once per run. May be NULL, as all. */
	int (*opened)(void *ctx, struct stat_run *r, struct errbuf *eb);
	/* After each reading (r->counts.now holds it): of an interval, or the last of a run. */
	int (*reading)(void *ctx, struct stat_run *r, uint64_t time_ns, bool is_last,
		       struct errbuf *eb);
	void *ctx;
};

/* -e, -M, --filter and -G in the order given: the latter two speak about events before them. */
struct stat_event_word {
	enum { STAT_EVENT, STAT_FILTER, STAT_CGROUP, STAT_METRIC } kind;
	const char *text;
};

#define STAT_ROWS_MAX 96

struct stat_args {
	VEC(struct stat_event_word) words;
	int detailed; /* -d, -d -d, -d -d -d */
	bool null_run;

	struct capture_options target; /* all_cpus, cpus, pids, tids, workload; of the config no_inherit, all_user, all_kernel */
	enum counts_aggr aggr;
	bool no_aggr, per_core, per_socket, per_die, per_node, per_thread;
	bool no_scale;

	uint64_t repeat; /* -r: 1; 0: for ever */
	bool table, sync;
	const char *pre, *post;
	uint64_t interval_ms, interval_count, timeout_ms, delay_ms;
	bool interval_clear, summary;

	bool no_big_num, quiet, append;
	int verbose;
	const char *output;
	uint64_t log_fd;
	bool log_fd_given;

	const char *separator; /* -x */
	bool json, metric_only, plot, no_csv_summary, no_merge;
	bool is_record;	   /* the word `record` followed */
	const char *record_path; /* … and its -o */
	const struct stat_format *format; /* stat_text_format unless another was asked for */
	const struct stat_observer *observer;

	struct option rows[STAT_ROWS_MAX];
	size_t nr_rows;
};

/* stat_options.c */
void stat_args_init(struct stat_args *a);
void stat_args_fini(struct stat_args *a);
/* Parses argv and checks what was given; the words left are the command. As options_parse(). */
int stat_args_parse(struct stat_args *a, int *argc, char ***argv, struct errbuf *eb);
void stat_args_add_rows(struct stat_args *a, const struct option *rows, size_t nr);

/* stat_formats.c */
void stat_formats_add_rows(struct stat_args *a);
int stat_formats_check(struct stat_args *a, struct errbuf *eb);
/* `fd`: where the result goes. May change a->format. */
void stat_formats_set_style(struct stat_args *a, struct stat_style *s, int fd);
void stat_formats_fini_style(struct stat_style *s);

struct stat_run {
	const struct stat_args *args;
	struct event_list events;
	struct stat_metrics metrics; /* -M */
	uint32_t *event_map; /* event of the list → event of the counts */
	struct target target;
	struct event_fds counters;
	struct event_fds first_counters; /* of the first run: kept where closing would last */
	struct counts counts;
	struct stat_style style;
	bool has_told; /* what there is to say of the beginning */
	struct run_loop loop;
	struct out out;
	char *target_text;
	uint64_t nr_intervals;
};

/* stat_setup.c */
int stat_setup_events(struct stat_run *r, struct errbuf *eb);
/* For each run; where there is a command, it waits to be started. */
int stat_setup_target(struct stat_run *r, struct errbuf *eb);
/* After the counters were opened for the first time. */
void stat_setup_counts(struct stat_run *r);
/* What is counted, as the heading says it: "'ls -l'". The caller frees. */
char *stat_target_text(const struct stat_args *a);

/* stat_run.c */
/* Runs all (-r), prints, and returns the exit status or a negative errno with its sentence. */
int stat_run(struct stat_run *r, struct errbuf *eb);

#endif

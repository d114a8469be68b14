/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The counting engine: events of a target, counted in one run or many, read at every interval and at the end, into a struct counts
 * (model/counts.h). `assay stat` fills the options and prints what comes.
 */
#ifndef ASSAY_CAPTURE_COUNTING_H
#define ASSAY_CAPTURE_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "capture/event_fds.h"
#include "capture/probe_feed.h"
#include "capture/run_loop.h"
#include "capture/target.h"
#include "model/counts.h"
#include "model/metrics.h"
#include "perfdata/info.h"
#include "perfdata/stat_record.h"

/* Takes what was counted, live or from a file. Both return 0 or a negative errno, which ends the run; both may be NULL. */
struct counting_sink {
	/* The rows of an interval, which ended `time_ns` after the start (counts_compute(COUNTS_INTERVAL) was called). */
	int (*interval)(void *ctx, const struct counts *c, uint64_t time_ns);
	/* The result (counts_compute(COUNTS_TOTAL)). */
	int (*total)(void *ctx, const struct counts *c);
	void *ctx;
};

/* Strings are borrowed for the run. */
struct counting_options {
	struct event_words words; /* empty: the default events */
	int detailed;		  /* -d, -d -d, -d -d -d */
	bool null_run;		  /* no events, only times */
	/* The target: all_cpus, cpus, pids, tids, workload; of the config no_inherit, all_user, all_kernel; cmdline for the header. */
	struct capture_options target;
	enum counts_aggr aggr;
	bool no_scale, no_merge;

	uint64_t repeat; /* -r; 0: for ever */
	bool sync;
	const char *pre, *post; /* commands around each run */
	uint64_t interval_ms, interval_count, timeout_ms, delay_ms;
	bool summary;	    /* with intervals: the total, too */
	bool is_unattended; /* programs read our messages: none about how to stop */

	const char *record_path; /* write readings there; "-": stdout; NULL: nowhere */
	struct counting_sink sink;
};

void counting_options_init(struct counting_options *o);
void counting_options_fini(struct counting_options *o);
/* Runs all (-r). Returns the exit status, or a negative errno with its sentence. */
int counting_run(const struct counting_options *o, struct errbuf *eb);

/* A recording of counts, ours or perf's. */
struct counting_replay {
	const char *path;
	bool force;    /* whatever its owner */
	bool has_aggr; /* --per-…, -A: not as it was recorded */
	enum counts_aggr aggr;
	struct counting_sink sink;
	/* Set before the sink is called. */
	const char *heading; /* what was counted */
	bool has_intervals;
};
int counting_replay_run(struct counting_replay *o, struct errbuf *eb);

/* -M. first_event is an index of the list that the events were added to. A zeroed struct is empty. */
struct counting_metrics {
	VEC(struct metric_use) uses;
};
/* Adds the metrics of "ipc,TopdownL1", and their events to the list. An unknown name: -EINVAL and the nearest; one that this machine cannot
 * count: -ENOENT, and the sentence says what is missing. `sysfs`: "/sys". */
int counting_metrics_add(struct counting_metrics *m, struct event_list *list, const char *text, const char *sysfs, struct errbuf *eb);
void counting_metrics_fini(struct counting_metrics *m);

/* The rest is for the files of the engine. */
struct counting {
	const struct counting_options *o;
	struct run_loop loop;
	struct event_list events;
	struct counting_metrics metrics;
	uint32_t *event_map; /* event of the list → event of the counts */
	struct target target;
	struct event_fds fds;
	struct bpf_probes *probes;  /* of --temp; NULL: none */
	uint32_t first_probe;	    /* event of the counts */
	struct event_fds first_fds; /* of the first run: kept where closing would last */
	struct counts counts;
	struct counting_file *file; /* NULL: none */
	bool has_announced;
	uint64_t start_ns;			   /* of this run */
	uint64_t user_before_ns, system_before_ns; /* of our children, before this run */
};

/* counting_setup.c */
int counting_setup_events(struct counting *r, struct errbuf *eb);
/* For each run; where there is a command, it waits to be started. */
int counting_setup_target(struct counting *r, struct errbuf *eb);
/* After the events were opened for the first time. */
void counting_setup_counts(struct counting *r);

/* Where a CPU is, as the header of a recording says it; -1: tasks wherever they run. */
struct counts_cpu counting_place_cpu(const struct perfdata_info *host, int32_t cpu);

/* COUNTS_EXCLUDE_* of an attr's flags. */
uint32_t counting_excluded(uint64_t attr_flags);

/* counting_file.c: a perf.data of counts instead of samples. It is whole after each round: killed, it has the intervals so far. */
enum counts_aggr counting_aggr_from_file(enum stat_aggr aggr);
/* Opens the file (an older one is kept as NAME.old) and writes what is known at the start. */
int counting_file_open(struct counting_file **f, const struct counting *r, struct errbuf *eb);
/* Writes the reading in counts.now. */
int counting_file_add(struct counting_file *f, const struct counts *c, uint64_t time_ns, bool is_final, struct errbuf *eb);
/* Writes what comes last. */
int counting_file_finish(struct counting_file *f, struct errbuf *eb);
void counting_file_close(struct counting_file *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The door of this room: what to record, of whom, and into which file. `assay record` fills the
 * options from its command line; capture_run() does the rest and says how it went.
 *
 * Strings of the options are borrowed for the duration of the run.
 */
#ifndef ASSAY_CAPTURE_CAPTURE_H
#define ASSAY_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "capture/spec.h"
#include "kernel/event_config.h"
#include "kernel/event_parse.h"

struct capture_options {
	/* What: events as parsed; `config` without its "on whom" part, which follows from the
	 * target. */
	struct event_list events; /* empty: the default event. Changed by the run (fallbacks), freed
				     by the owner */
	struct event_config config;
	bool freq_max; /* -F max */
	bool strict_freq;
	bool inherit;	  /* --inherit: where -t would switch it off */
	bool keep_stacks; /* --call-graph dwarf,keep: raw stacks as perf stores them; otherwise they
			   * are unwound before they are written */

	/* Of whom. No task and no CPU named and no command: all CPUs. */
	bool all_cpus;		 /* -a */
	const char *cpus;	 /* -C */
	const char *pids;	 /* -p */
	const char *tids;	 /* -t */
	const char *user;	 /* -u */
	char **workload;	 /* argv of the command, NULL-terminated; NULL: none */
	struct delay_plan delay; /* -D */

	/* Whereto. */
	const char *output;  /* path or "-" */
	uint32_t ring_pages; /* -m; 0: default */
	int compress_level;  /* -z; 0: none */
	bool timestamp_filename;
	struct switch_spec switching; /* --switch-output */
	uint64_t switch_max_files;    /* 0: keep all */
	uint64_t max_size_bytes;      /* 0: no limit */
	bool no_build_ids;	      /* -B */
	uint64_t realtime;	      /* -r: SCHED_FIFO priority of the drain; 0: none */
	uint64_t map_timeout_ms;      /* --proc-map-timeout; 0: default */

	const char **cmdline; /* for the file's header; owned */
	uint32_t nr_cmdline;
};

void capture_options_init(struct capture_options *o);
/* The command line as the header of the file has it: with the program's full path. Before the options are parsed. */
void capture_options_set_cmdline(struct capture_options *o, int argc, char **argv);
/* Frees what the options own: the events, the delay plan and the command line. */
void capture_options_fini(struct capture_options *o);

/* Records until the target or the person ends it, and finishes the file. Returns
 *   0    all is well (the workload, where there is one, ended with 0),
 *   > 0  the workload's status: its exit code, or 128 + the signal that ended it; without a
 * workload 128 + the signal that stopped us; 127 or 126 with a sentence where the workload could
 * not be started, < 0  an errno with its sentence; what was recorded before is in the file. */
int capture_run(struct capture_options *o, struct errbuf *eb);

#endif

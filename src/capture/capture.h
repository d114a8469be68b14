/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Recording: what to record, on which target, and into which file. Strings of the options are borrowed for the duration of the run.
 */
#ifndef ASSAY_CAPTURE_CAPTURE_H
#define ASSAY_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "kernel/event_config.h"
#include "kernel/event_parse.h"

/* "4096B", "64K", "10M", "1G" (either case; a suffix is required): bytes, at least 1. -EINVAL or
 * -ERANGE. */
int spec_parse_size(const char *text, uint64_t *bytes);
/* "30s", "5m", "2h", "1d": seconds, at least 1. -EINVAL or -ERANGE. */
int spec_parse_seconds(const char *text, uint64_t *seconds);

/* --switch-output: at most one of the three is set. */
struct switch_spec {
	bool on_signal;
	uint64_t size_bytes;
	uint64_t every_s;
};
/* NULL or "signal": SIGUSR2; a size; a time. -EINVAL with a sentence. */
int switch_spec_parse(struct switch_spec *s, const char *text, struct errbuf *eb);
static inline bool switch_spec_is_on(const struct switch_spec *s)
{
	return s->on_signal || s->size_bytes || s->every_s;
}

/* -D: when events are switched on and off, in ms since the start. A zeroed struct is no delay. */
struct delay_step {
	uint64_t at_ms;
	bool enable;
};
struct delay_plan {
	bool given;
	VEC(struct delay_step) steps; /* ascending; begins with enable; empty (-D -1): never enabled */
};
/* "500", "-1", "10-20,30-40". -EINVAL with a sentence. */
int delay_plan_parse(struct delay_plan *p, const char *text, struct errbuf *eb);
void delay_plan_fini(struct delay_plan *p);

/* -e, --filter, --exclude-perf, -G and -M in the order given: the second to fourth are about events before them. An unknown event is no usage error: they
 * are parsed when all options are. */
struct event_word {
	enum { WORD_EVENT, WORD_FILTER, WORD_EXCLUDE_SELF, WORD_CGROUP, WORD_METRIC } kind;
	const char *text;
};
struct event_words {
	VEC(struct event_word) v;
};

struct syscall_tracing; /* capture/syscall_feed.h */
struct temp_probes;	/* capture/probe_feed.h */

struct capture_options {
	/* What: events as parsed; `config` without its tasks, which follow from the target. */
	struct event_list events; /* empty: the default event. Changed by the run (fallbacks), freed
				     by the owner */
	struct event_config config;
	bool freq_max; /* -F max */
	bool strict_freq;
	bool inherit_given;		       /* -i or --inherit: -t does not switch it off */
	struct syscall_tracing *syscalls;      /* system calls beside the events; NULL: none */
	bool off_cpu;			       /* --off-cpu: times off the CPU beside the events */
	bool off_cpu_may_fail;		       /* where BPF cannot be used, recording goes on without them */
	bool explains_waits;		       /* instead of these times, what tasks do and wait for (abi/wall_sample.h) */
	uint64_t off_cpu_thresh_ms;	       /* below it they are summed up */
	const struct temp_probes *temp_probes; /* --temp: probes beside the events (probe_feed.h); NULL: none */
	bool python;			       /* --python: frames of Python beside the samples (python_feed.h) */
	bool keep_stacks;		       /* --call-graph dwarf,keep: raw stacks as perf stores them; otherwise they
			   * are unwound before they are written */

	/* The target. No task and no CPU named and no command: all CPUs. */
	bool all_cpus;			       /* -a */
	const char *cpus;		       /* -C */
	const char *pids;		       /* -p */
	const char *tids;		       /* -t */
	const char *user;		       /* -u */
	char **workload;		       /* argv of the command, NULL-terminated; NULL: none */
	const struct user_credentials *run_as; /* what the command runs as; NULL: as we do. The caller's */
	struct delay_plan delay;	       /* -D */
	uint64_t duration_ms;		       /* recording ends then; 0: when its target does */

	/* The output. */
	const char *output;		 /* path or "-" */
	struct record_pipe *output_pipe; /* to a reader in this process, instead; the caller's. NULL: none */
	uint32_t ring_pages;		 /* -m; 0: default */
	int compress_level;		 /* -z; 0: none */
	bool timestamp_filename;
	struct switch_spec switching; /* --switch-output */
	uint64_t switch_max_files;    /* 0: keep all */
	uint64_t max_size_bytes;      /* 0: no limit */
	bool no_build_ids;	      /* -B */
	/* Java virtual machines are asked for the names of compiled code: of the target. */
	bool ask_jvms;
	struct jvm_maps **kept_jvms; /* with output_pipe: those whose maps its reader needs; the caller removes the maps. NULL: they stay */
	uint64_t realtime;	     /* -r: SCHED_FIFO priority of the drain; 0: none */
	uint64_t map_timeout_ms;     /* --proc-map-timeout; 0: default */

	const char **cmdline; /* for the file's header; owned */
	uint32_t nr_cmdline;
};

void capture_options_init(struct capture_options *o);
/* The command line as the header of the file has it: with the program's full path. Before the options are parsed. `group`: the word in front
 * of argv[0] where that names a command of the second level, as in `trace record`; NULL otherwise. */
void capture_options_set_cmdline(struct capture_options *o, const char *group, int argc, char **argv);
/* Frees what the options own: the events, the delay plan and the command line. */
void capture_options_fini(struct capture_options *o);

/* Records until the target ends or a signal comes, and finishes the file. Returns the workload's status (its exit code, or 128 + the signal
 * that ended it; 127 or 126 with a message where it could not be started), without one 128 + the signal that stopped us or 0, or a negative
 * errno with its message; what was recorded before is in the file. */
int capture_run(struct capture_options *o, struct errbuf *eb);

#endif

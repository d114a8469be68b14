/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the options of `record` to the attrs of its events, bit for bit as perf sets them: sample_type, read_format, period or frequency,
 * inheritance, which event tracks maps and tasks. No system calls.
 */
#ifndef ASSAY_KERNEL_EVENT_CONFIG_H
#define ASSAY_KERNEL_EVENT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/event_parse.h"

/* A zeroed struct plus event_config_init() is `perf record` without options. */
struct event_config {
	/* How often: one of the two. Tracepoints keep period 1 unless asked for explicitly. */
	uint64_t freq;	 /* Hz, 4000; already clamped (event_clamp_freq) */
	uint64_t period; /* -c; 0: by frequency */
	bool freq_given; /* -F was on the command line */
	bool no_samples; /* -n: period 0 */

	/* What a sample carries. */
	enum event_callgraph callgraph;
	uint32_t stack_user_size; /* CALLGRAPH_DWARF: bytes, a multiple of 8 */
	bool unwinds;		  /* CALLGRAPH_DWARF: the recorder unwinds, and no file will have the stacks: what
		       * perf asks for beside them is left out, and events have ids */
	uint16_t max_stack;	  /* 0: the kernel's */
	bool user_callchains, kernel_callchains;
	bool timestamp, timestamp_given;	 /* -T, --no-timestamp */
	bool sample_period, sample_period_given; /* -P, --no-period */
	bool address;				 /* -d: ADDR, DATA_SRC and data maps */
	bool phys_address, data_page_size, code_page_size, weight, cgroups, transaction;
	bool raw;		/* -R */
	bool sample_cpu;	/* --sample-cpu */
	bool sample_identifier; /* --sample-identifier */
	bool stat;		/* -s: counts per thread */
	bool running_time;	/* --running-time */
	bool has_clockid;	/* -k */
	int32_t clockid;

	/* On which tasks. */
	bool system_wide;	 /* -a or -C: no tasks named */
	bool targets_workload;	 /* the command we start is the target (no -a, -C, -p, -t, -u):
				  enable_on_exec */
	bool no_inherit;	 /* -i, -t */
	bool no_inherited_reads; /* event_inherits_reads() says no: what is read with its samples stays with
				  * the tasks that it is opened on */
	bool all_user, all_kernel;
	bool delayed; /* -D: the recorder enables by ioctl, only tracking starts at exec */

	/* What is tracked beside samples. */
	bool switch_events, namespaces, no_bpf_event, build_id_mmap;
};

void event_config_init(struct event_config *c);

/* Sets the attrs of all events in the list. Appends the tracking event ("dummy:HG") where perf has one (-a, -C, -D, events that are only on
 * some CPUs). Exactly one event of the list tracks maps, comms and tasks afterwards. */
void event_list_configure(struct event_list *list, const struct event_config *c);

/* The same to count: no samples and no tracking. Leaders of groups start and stop all. May be called again. */
void event_list_configure_counting(struct event_list *list, const struct event_config *c);

/* Index of the event that tracks (ATTR_TASK set). */
uint32_t event_list_tracking(const struct event_list *list);

/* The tracker. perf lets its first event track maps and tasks beside sampling, and files say so. The kernel counts what each event lost
 * without saying what it was: with one event doing both, lost maps would pass for lost samples. So the tracking is split off into a dummy
 * that no file names, and joined again in attrs that are written to files or shown. */
/* Takes the tracking bits from the list's first event and makes `tracker` (zeroed) of them, with the event's layout of trailers. False, and
 * nothing changed, if no event tracks or a dummy does already. */
bool tracking_split(struct event_list *list, struct event_spec *tracker);
/* The same event before the tracker is opened: what its opening had to leave out (the kernel's side) holds for the tracker too. */
void tracking_follow(const struct event_list *list, struct event_spec *tracker);
/* Gives the event the bits back that the tracker has by now. */
void tracking_join(struct event_list *list, const struct event_spec *tracker);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Event strings, as given to -e, into attrs; and --filter and -G, which apply to events given before them.
 *
 * 	events    := item { "," item }
 * 	item      := event | [ NAME ] "{" event { "," event } "}" [ ":" modifiers ]
 * 	event     := source [ ":" modifiers ]
 * 	source    := NAME [ "/" terms "/" ]              cycles, cpu-clock/period=1000/
 * 		   | PMU "/" terms "/" [ modifiers ]     cpu/event=0x3c,umask=1/u
 * 		   | "r" HEX | NUMBER ":" NUMBER         r1a8, 1:2
 * 		   | SYSTEM ":" NAME [ "/" terms "/" ]   sched:sched_switch; patterns, too
 * 		   | "mem:" ADDRESS [ "/" LENGTH ] [ ":" rwx ]
 * 	terms     := term { "," term }
 * 	term      := NAME [ "=" VALUE ] | "r" HEX
 * 	modifiers := u k h G H I (what to leave out), p pp ppp P (precision), S (sample read),
 * 		     D (pinned), e (exclusive), W (weak group), b (BPF counters)
 *
 * A name is, in this order: a generic event, a tool's event (duration_time), a raw code, an alias of a sysfs PMU, a libpfm4 name where that
 * is built in.
 *
 * An event's attr holds only what its text says: type, config*, exclude_*, precise_ip, pinned, exclusive, size, breakpoint. Period,
 * sample_type and the rest are set by event_config.h, which reads the terms.
 */
#ifndef ASSAY_KERNEL_EVENT_PARSE_H
#define ASSAY_KERNEL_EVENT_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/attr.h"
#include "base/errbuf.h"
#include "base/vec.h"
#include "kernel/cpus.h"

/* What we count ourselves, without the kernel. Their attr is that of "dummy". */
enum event_tool { EVENT_TOOL_NONE, EVENT_TOOL_DURATION, EVENT_TOOL_USER, EVENT_TOOL_SYSTEM };

enum event_callgraph { CALLGRAPH_NONE, CALLGRAPH_FP, CALLGRAPH_DWARF, CALLGRAPH_LBR };

/* Terms for the recorder: which of them were given, and their values. */
#define EVENT_TERM_PERIOD (1u << 0)
#define EVENT_TERM_FREQ (1u << 1)
#define EVENT_TERM_TIME (1u << 2)
#define EVENT_TERM_CALLGRAPH (1u << 3)
#define EVENT_TERM_STACK_SIZE (1u << 4)
#define EVENT_TERM_MAX_STACK (1u << 5)
#define EVENT_TERM_INHERIT (1u << 6)
#define EVENT_TERM_OVERWRITE (1u << 7)
#define EVENT_TERM_BRANCH_TYPE (1u << 8)
struct event_terms {
	uint32_t given;	       /* EVENT_TERM_* */
	uint64_t period, freq; /* one of them: what was said last */
	enum event_callgraph callgraph;
	uint32_t stack_size; /* bytes */
	uint16_t max_stack;
	bool time, inherit, overwrite;
	uint64_t branch_type; /* attr.branch_sample_type */
};

struct event_spec {
	struct attr attr;
	char *name;	      /* as perf shows it: the text as typed ("cs:u"; tracepoints without modifiers),
		       or what name= says; owned, as all strings here */
	int32_t group_leader; /* index in the list: its own for the leader; -1: in no group */
	char *group_name;     /* of a leader: what stood before the brace; or NULL */
	char *pmu;	      /* the sysfs PMU it was found in; NULL for generic events */
	char *unit;	      /* of its counts ("Joules", "MiB"); NULL: none */
	double scale;	      /* counts times this are in the unit; 1.0 where nothing is said */
	bool is_snapshot;     /* the count is a state, not a sum: no differences of it */
	bool is_uncore;	      /* belongs to a device, not to tasks: needs CPUs (-a), `cpus` says which */
	bool is_merged;	      /* one of several PMUs that the text meant together: those of the same
			   name and column are shown as one */
	bool per_core;	      /* percore: counts of a core's threads are shown together */
	struct cpu_list cpus; /* of its PMU (cpumask, cpus): open it on no others; empty: any */
	enum event_tool tool;
	char *filter;	    /* --filter, of tracepoints; NULL: none */
	int sample_program; /* fd of a BPF program that says which samples are kept; 0: none */
	char *cgroup;	    /* -G; NULL: none */
	struct event_terms terms;
	bool precise_max;   /* "P": the highest precise_ip that the kernel takes (event_open lowers
			       it) */
	bool sample_read;   /* "S" */
	bool weak_group;    /* "W": opened without its group where the group does not fit */
	bool bpf_counter;   /* "b" */
	bool is_absent;	    /* known, but not to this machine: nothing to open (allow_absent) */
	bool kernel_denied; /* left out by policy: event_open() reports it */
	uint32_t column;    /* where it began in its string, from 1; 0 for events of our own */
};
/* An event that stands alone, with the defaults; takes over `name`. */
struct event_spec event_spec_of(uint32_t type, uint64_t config, char *name);
void event_spec_fini(struct event_spec *spec);

/* A zeroed struct is an empty list. */
struct event_list {
	VEC(struct event_spec) events;
	uint32_t last_first; /* the first event of the last string: what --filter applies to */
	uint32_t nr_cgroups; /* of -G, so far */
	bool allow_absent;   /* set by the caller: well-known events of a PMU that this machine
				lacks are taken as absent, with a notice, and are no failure */
};

/* Called for each tracepoint found; both strings are borrowed for the call. */
typedef void tracepoint_fn(void *ctx, const char *system, const char *name, uint64_t id);

/* Where names that are not generic are looked up: this machine (event_sources_live), or a test's. */
struct event_sources {
	const char *sysfs; /* "/sys", or the root of a tree like it; NULL: no PMUs */
	/* Gives all tracepoints that match, in perf's order; both names may be patterns (fnmatch). Where none does: -ENOENT, -EACCES, …
	 * with the sentence. NULL: no tracepoints. */
	int (*tracepoints)(const char *system, const char *name, tracepoint_fn *found, void *ctx, struct errbuf *eb);
	/* A vendor's name into type and config*: libpfm4's. -ENOENT: unknown. NULL: no such names. */
	int (*pfm_find)(const char *name, struct attr *attr, struct errbuf *eb);
};
extern const struct event_sources event_sources_live;

/* Parses one -e argument and appends its events; call once for each -e. On failure nothing is appended, and the sentence names the column,
 * the reason and, for unknown names, the nearest known one. -EINVAL: syntax or unknown name; -ENOENT, -EACCES, …: something this machine
 * lacks or does not show (tracefs is mounted on the way if need be). */
int event_list_parse(struct event_list *list, const char *text, struct errbuf *eb);
int event_list_parse_from(struct event_list *list, const char *text, const struct event_sources *sources, struct errbuf *eb);

/* --filter: for all events of the last string, which must be tracepoints; several are joined by
 * "&&". -EINVAL with a sentence. */
int event_list_add_filter(struct event_list *list, const char *filter, struct errbuf *eb);
/* --exclude-perf: a filter against programs of our name, which all threads of this one have, for the same events. A filter cannot be
 * replaced, so it cannot name threads that are started later. */
int event_list_exclude_self(struct event_list *list, struct errbuf *eb);
/* -G A,B,…: one cgroup goes to all events so far that have none; of several, the n-th goes to the
 * n-th event ("" for none). -EINVAL with a sentence. */
int event_list_add_cgroups(struct event_list *list, const char *text, struct errbuf *eb);

/* Appends the event for a command line without -e: cycles:P (one for each kind of core), without the kernel where the policy (the paranoid
 * setting) forbids it. */
void event_list_add_default(struct event_list *list);

void event_list_fini(struct event_list *list);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Event strings, as given to -e, into attrs.
 *
 * Grammar of today: a comma list of
 *	generic hardware, software and cache names (cycles, cpu-clock, L1-dcache-load-misses),
 *	raw codes (r1a8), numbers (TYPE:CONFIG, as perf has them), tracepoints (sched:sched_switch),
 * each with modifiers behind a colon: u k h G H I (what to leave out), p pp ppp P (precision), S
 * (sample read), D (pinned), e (exclusive), W (weak group), b (BPF counters).
 * PMU terms, groups, breakpoints and globs get their productions in this file too.
 *
 * An event's attr holds only what its text says: type, config, exclude_*, precise_ip, pinned,
 * exclusive, size. Period, sample_type and the rest are the recorder's business.
 */
#ifndef ASSAY_KERNEL_EVENT_PARSE_H
#define ASSAY_KERNEL_EVENT_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/attr.h"
#include "base/errbuf.h"
#include "base/vec.h"

struct event_spec {
	struct attr attr;
	char *name; /* as perf shows it: the text as typed ("cs:u"; tracepoints without modifiers);
		       owned */
	bool precise_max;   /* "P": the highest precise_ip that the kernel takes (event_open lowers
			       it) */
	bool sample_read;   /* "S" */
	bool weak_group;    /* "W" */
	bool bpf_counter;   /* "b" */
	bool is_default;    /* nobody asked for it: event_list_add_default() */
	bool kernel_denied; /* left out by policy, not by wish: event_open() tells */
	uint32_t column;    /* where it began in its string, from 1; 0 for the default event */
};

/* A zeroed struct is an empty list. */
struct event_list {
	VEC(struct event_spec) events;
};

/* Where names that are not generic are looked up: this machine (event_sources_live), or a test's
 * table. */
struct event_sources {
	int (*tracepoint_id)(const char *system, const char *name, uint64_t *id, struct errbuf *eb);
};
extern const struct event_sources event_sources_live;

/* Parses one -e argument and appends its events; call once for each -e. On failure nothing is
 * appended, and the sentence names the column, the reason and, for unknown names, the nearest known
 * one. -EINVAL: syntax or unknown name; -ENOENT, -EACCES, …: a tracepoint that cannot be looked up
 * (tracefs is mounted on the way if need be). */
int event_list_parse(struct event_list *list, const char *text, struct errbuf *eb);
int event_list_parse_from(struct event_list *list, const char *text,
			  const struct event_sources *sources, struct errbuf *eb);

/* Appends the event for a command line without -e: cycles:P, without the kernel where the policy
 * (the paranoid setting) forbids it. */
void event_list_add_default(struct event_list *list);

void event_list_fini(struct event_list *list);

#endif

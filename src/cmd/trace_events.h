/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events beside system calls in `assay trace`: which are recorded and shown (-e GROUP:NAME, -F), and those that switch the output on and off.
 */
#ifndef ASSAY_CMD_TRACE_EVENTS_H
#define ASSAY_CMD_TRACE_EVENTS_H

#include <stdbool.h>

#include "base/errbuf.h"
#include "base/options.h"
#include "capture/capture.h"
#include "cmd/temp_probes.h"
#include "model/latency.h"
#include "session/recording.h"

struct trace_events {
	char *names;	    /* of -e, with commas between; NULL: none */
	bool calls_given;   /* -e named system calls, too */
	const char *faults; /* -F: all, maj, min; NULL: none */
	bool syscalls, syscalls_given;
	const char *switch_on, *switch_off;
	bool shows_switches;
	struct temp_option temp; /* --temp */
	/* while reading */
	struct event_patterns patterns; /* of `names` */
	bool is_off;
};

void trace_events_fini(struct trace_events *e);

/* -e: takes the events out of a list of system calls and events; *calls: the rest, the caller's, or NULL. */
void trace_events_take(struct trace_events *e, const char *list, char **calls);
/* -F [KIND]; `ctx` is the struct trace_events. */
option_call_fn trace_events_option_faults;
/* When all options were read: 0, or CMD_USAGE with the sentence. */
int trace_events_check(struct trace_events *e, struct errbuf *eb);
/* Whether system calls are traced: as in perf, events alone are not mixed with them unless that is asked for. */
bool trace_events_has_calls(const struct trace_events *e);

/* Whether an event is one of page faults, of those that -F asks for. */
bool trace_events_is_fault(const struct trace_events *e, const struct attr *a, bool *is_major);

/* Adds them behind the events of the options. */
int trace_events_add(struct trace_events *e, struct capture_options *o, struct errbuf *eb);

/* What becomes of a sample. */
enum trace_events_verdict { TRACE_EVENT_HIDDEN, TRACE_EVENT_CALL, TRACE_EVENT_SHOWN };
/* `is_call`: it is an event of system calls. After switching off, calls still have to be followed: HIDDEN with trace_events.is_off. */
enum trace_events_verdict trace_events_see(struct trace_events *e, const struct recording *r, const struct session_record *sr,
					   bool is_call);

#endif

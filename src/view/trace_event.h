/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of events among the lines of system calls: tracepoints and probes with their fields as `script` prints them, page faults with what
 * faulted and where.
 */
#ifndef ASSAY_VIEW_TRACE_EVENT_H
#define ASSAY_VIEW_TRACE_EVENT_H

#include "model/profile.h"
#include "view/trace_text.h"

/* Any sample but those of system calls. Places are named by `p`. */
void trace_event_line(struct trace_text *t, struct profile *p, const struct session_record *sr);

#endif

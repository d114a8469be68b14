/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The formats of the tracepoints that are recorded, collected from tracefs into the TRACING_DATA
 * section: without it nobody could read the raw data of their samples.
 */
#ifndef ASSAY_CAPTURE_TRACE_FORMATS_H
#define ASSAY_CAPTURE_TRACE_FORMATS_H

#include "base/errbuf.h"
#include "base/out.h"
#include "kernel/event_parse.h"

/* Appends the section's bytes to `o` (in memory); nothing where no event is a tracepoint. */
int trace_formats_collect(const struct event_list *list, struct out *o, struct errbuf *eb);

#endif

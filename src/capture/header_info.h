/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the header of a recording says: events with their ids, the machine, the command line, the
 * clock. Fills a struct perfdata_info for the writer.
 */
#ifndef ASSAY_CAPTURE_HEADER_INFO_H
#define ASSAY_CAPTURE_HEADER_INFO_H

#include "base/out.h"
#include "capture/capture.h"
#include "capture/event_fds.h"
#include "kernel/host.h"
#include "perfdata/info.h"

/* The events as they were opened; names are borrowed from the list. */
void header_info_set_events(struct perfdata_info *info, const struct event_fds *fds);
/* Command line, version, clock; borrowed from the options. */
void header_info_set_options(struct perfdata_info *info, const struct capture_options *o);
/* The machine; borrowed from `h`. */
void header_info_set_host(struct perfdata_info *info, const struct host *h);

/* trace_formats.c: the formats of the tracepoints that are recorded, collected from tracefs: without them the raw data of their
 * samples could not be read. Appends the bytes of the TRACING_DATA section to `o` (in memory); nothing where no event is a
 * tracepoint. */
int trace_formats_collect(const struct event_list *list, struct out *o, struct errbuf *eb);

#endif

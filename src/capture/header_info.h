/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The header of a recording: events with their ids, the machine, the command line, the clock. Fills a struct perfdata_info for the writer.
 */
#ifndef ASSAY_CAPTURE_HEADER_INFO_H
#define ASSAY_CAPTURE_HEADER_INFO_H

#include "base/out.h"
#include "capture/capture.h"
#include "capture/event_fds.h"
#include "perfdata/info.h"

/* The events as they were opened; names are borrowed from the list. */
void header_info_set_events(struct perfdata_info *info, const struct event_fds *fds);
/* Command line, version, clock; borrowed from the options. */
void header_info_set_options(struct perfdata_info *info, const struct capture_options *o);
/* The machine (host.c), as far as sysfs and /proc show it. */
void header_info_set_host(struct perfdata_info *info);
/* "CLOCK_MONOTONIC_RAW" or "mono_raw", "1", …: for -k. -EINVAL where unknown. */
int host_clock_find(const char *name, int32_t *clockid);
/* A line of a small file of sysfs, in the arena (NULL where there is none), or a number in one. */
const char *host_read_str(struct perfdata_info *info, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int64_t host_read_num(int64_t fallback, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* host_topology.c */
void host_read_topology(struct perfdata_info *info);
void host_read_caches(struct perfdata_info *info);
void host_read_numa(struct perfdata_info *info);
void host_read_memory(struct perfdata_info *info);

/* A tracepoint of our own: its name as "system:name", and its format as tracefs would have it. */
struct own_format {
	const char *name, *text;
};

/* trace_formats.c: the formats of the tracepoints that are recorded, collected from tracefs: without them the raw data of their samples
 * could not be read. Appends the bytes of the TRACING_DATA section to `o` (in memory); nothing where no event is a tracepoint. `own`: `nr_own` more. */
int trace_formats_collect(const struct event_list *list, const struct own_format *own, uint32_t nr_own, struct out *o, struct errbuf *eb);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct map_watch: map records at once. The rings of a recording are read several times a second, and by then a short-lived program
 * has ended and taken with it the only way to the files that it mapped below its own root, or that were deleted. So files being mapped
 * are also reported by events of their own, into small rings that wake their reader with each record. The file gets nothing of them.
 */
#ifndef ASSAY_CAPTURE_MAP_WATCH_H
#define ASSAY_CAPTURE_MAP_WATCH_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "capture/event_fds.h"

/* A zeroed struct watches nothing. */
struct map_watch {
	struct event_list list; /* one event */
	struct event_fds events;
	struct sample_layout layout;
	int64_t wall_offset_ns; /* wall clock less the clock of records */
	bool knows_wall;
	uint8_t *record; /* one in one piece */
};

/* `tracking`: of the recording's event that tracks maps. Where the kernel does not allow it, or it would take too many fds, nothing is
 * watched. */
void map_watch_open(struct map_watch *w, const struct target *t, const struct attr *tracking);
void map_watch_close(struct map_watch *w);
/* While it is not enabled there are no records. */
void map_watch_enable(struct map_watch *w, bool enable);

/* events.nr_rings entries for poll(). */
void map_watch_polls(const struct map_watch *w, struct pollfd *polls);
/* Gives out the records that have come. An fd whose tasks have ended is taken out of the polls. */
void map_watch_read(struct map_watch *w, struct pollfd *polls, void (*take)(void *ctx, const struct record *rec), void *ctx);
/* The wall clock at the time of a record; 0: unknown. */
int64_t map_watch_wall_ns(const struct map_watch *w, uint64_t time_ns);

#endif

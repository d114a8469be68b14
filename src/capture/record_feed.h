/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A source of records beside the rings of events: the ring buffer of a BPF program, emptied by the drain, as samples of an event of its own.
 */
#ifndef ASSAY_CAPTURE_RECORD_FEED_H
#define ASSAY_CAPTURE_RECORD_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "abi/attr.h"
#include "abi/sample.h"
#include "perfdata/info.h"

/* One more event of a feed, whose samples are laid out as those of the first. */
struct record_feed_event {
	const char *name;
	struct attr attr;
	uint64_t event_id;
};

struct record_feed {
	struct record_feed *next; /* another one beside it; NULL: none */
	const char *name;
	struct attr attr; /* as its samples are laid out; a file may have them walked */
	struct sample_layout layout;
	uint64_t event_id;
	struct record_feed_event *more; /* events behind the first; NULL: none */
	uint32_t nr_more;
	uint32_t ring_bytes;
	int wake_fd; /* readable when there is much to take */
	/* Whole records, valid until the next call; their size, or 0: there are none for now. */
	size_t (*take)(struct record_feed *feed, const uint8_t **records);
	/* Makes fewer of records that are about to be written, in place, once their stacks are walked; returns their size. NULL: does not. */
	size_t (*merge)(struct record_feed *feed, uint8_t *records, size_t size);
};

/* Adds the events, as files have them. */
static inline void record_feed_describe(const struct record_feed *f, struct perfdata_info *info)
{
	for (uint32_t i = 0; i <= f->nr_more; i++) {
		const struct record_feed_event *more = i ? &f->more[i - 1] : NULL;
		struct perfdata_event e = {
			.name = (char *)(more ? more->name : f->name), .attr = more ? more->attr : f->attr, .layout = f->layout, .nr_ids = 1
		};

		e.ids = arena_alloc(&info->arena, sizeof(*e.ids));
		e.ids[0] = more ? more->event_id : f->event_id;
		vec_push(&info->events, e);
	}
}

#endif

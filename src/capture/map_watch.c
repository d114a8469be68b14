/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A dummy event for each CPU of the target, and the difference between the clock of records and the wall clock: what was written to a file
 * after it was mapped is not what was mapped.
 */
#include "capture/mapped_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "kernel/event_open.h"

#define MAX_FDS 128
#define NR_PAGES 4

static struct event_spec spec_of(const struct attr *tracking, uint64_t flags)
{
	return (struct event_spec){
		.name = mem_strdup("dummy"),
		.group_leader = -1,
		.attr = {
			.type = ATTR_TYPE_SOFTWARE,
			.size = tracking->size,
			.config = CONFIG_DUMMY,
			.sample_type = SAMPLE_TID | SAMPLE_TIME,
			.flags = flags | ATTR_SAMPLE_ID_ALL | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_WATERMARK |
				 (tracking->flags & ATTR_USE_CLOCKID),
			.wakeup = 1,
			.clockid = tracking->clockid,
		},
	};
}

/* A record of our own, whose time is known by both clocks: we give ourselves the name that we have. */
static void measure_clock(struct map_watch *w, const struct attr *tracking)
{
	struct event_spec spec = spec_of(tracking, ATTR_COMM);
	struct event_opener opener = { 0 };
	struct ring ring = { 0 };
	uint32_t nr_pages = 1;
	int fd = event_open(&opener, &spec, 0, -1, -1, true, NULL);
	struct record rec;
	char name[17] = "";

	if (fd >= 0 && !ring_open(&ring, fd, &nr_pages, NULL) && !prctl(PR_GET_NAME, name) && !prctl(PR_SET_NAME, name)) {
		uint64_t now = clock_read_ns(CLOCK_REALTIME);
		struct ring_span s = ring_peek(&ring);
		const struct record_header *h = ring_span_record(&s, 0);

		if (h && h->type == RECORD_COMM && !record_decode(h, &w->layout, &rec)) {
			w->wall_offset_ns = (int64_t)(now - rec.id.time_ns);
			w->knows_wall = true;
		}
	}
	ring_close(&ring);
	if (fd >= 0)
		close(fd);
	free(spec.name);
	event_opener_fini(&opener);
}

void map_watch_open(struct map_watch *w, const struct target *t, const struct attr *tracking)
{
	struct event_spec spec = spec_of(tracking, ATTR_MMAP | ATTR_MMAP2 | (tracking->flags & (ATTR_BUILD_ID | ATTR_INHERIT)));

	memset(w, 0, sizeof(*w));
	vec_push(&w->list.events, spec);
	w->layout = sample_layout_of(&spec.attr);
	measure_clock(w, tracking);
	if ((uint64_t)t->cpus.cpus.nr * t->tasks.ids.nr > MAX_FDS)
		return;
	w->record = mem_alloc(UINT16_MAX + 1);
	if (event_fds_open(&w->events, &w->list, t, NR_PAGES, NULL)) {
		log_debug("maps are not watched: files of programs that end at once may be missing");
		map_watch_close(w);
	}
}

void map_watch_close(struct map_watch *w)
{
	event_fds_close(&w->events, false);
	event_list_fini(&w->list);
	free(w->record);
	w->record = NULL;
}

void map_watch_enable(struct map_watch *w, bool enable)
{
	if (w->events.list)
		event_fds_enable(&w->events, enable, true);
}

void map_watch_polls(const struct map_watch *w, struct pollfd *polls)
{
	for (uint32_t i = 0; i < w->events.nr_rings; i++)
		polls[i] = (struct pollfd){ .fd = w->events.rings[i].fd, .events = POLLIN };
}

static void read_ring(struct map_watch *w, struct ring *r, void (*take)(void *ctx, const struct record *rec), void *ctx)
{
	struct ring_span s = ring_peek(r);
	const struct record_header *h;
	struct record rec;

	for (size_t off = 0; (h = ring_span_record(&s, off)); off += h->size) {
		if (h->type != RECORD_MMAP && h->type != RECORD_MMAP2)
			continue;
		ring_span_copy(&s, off, w->record, h->size);
		if (!record_decode((const void *)w->record, &w->layout, &rec))
			take(ctx, &rec);
	}
	if (s.size)
		ring_consume(r, s.size);
}

void map_watch_read(struct map_watch *w, struct pollfd *polls, void (*take)(void *ctx, const struct record *rec), void *ctx)
{
	for (uint32_t i = 0; i < w->events.nr_rings; i++) {
		if (polls[i].revents)
			read_ring(w, &w->events.rings[i], take, ctx);
		if (polls[i].revents & (POLLHUP | POLLERR | POLLNVAL))
			polls[i].fd = -1;
	}
}

int64_t map_watch_wall_ns(const struct map_watch *w, uint64_t time_ns)
{
	return w->knows_wall && time_ns ? w->wall_offset_ns + (int64_t)time_ns : 0;
}

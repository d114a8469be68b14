/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The owner starts and stops the thread and is notified through an eventfd; while it runs, rings, tally and writer are its own.
 */
#include "capture/drain.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "abi/record.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/progress.h"

#define PERIOD_MS 200
#define EAGER_PERIOD_MS 25
#define FEED_PERIOD_MS 50     /* calls are read by a person as they are made */
#define BLIND_PERIOD_MS 10    /* while a ring has no fd that wakes us */
#define ROOM_MIN (4ull << 20) /* for the file, while stacks are on disk, too */

static int drain_ring(struct drain *d, uint32_t cpu)
{
	struct ring *r = &d->fds->rings[cpu];
	struct ring_span s = ring_peek(r);
	struct dump_use use = { 0 };
	int err;

	if (!s.size)
		return 0;
	if (d->stage) {
		/* What the ring loses while it waits, the kernel counts. */
		if (unwind_queue_is_full(&d->stage->queue)) {
			d->has_skipped = true;
			return 0;
		}
		if (d->input_tally)
			tally_span(d->input_tally, &s);
		unwind_stage_put(d->stage, cpu, &s, &use);
		ring_consume(r, s.size);
		stack_growth_add_use(d->growth, cpu, &use);
		return 1;
	}
	tally_span(d->tally, &s);
	/* Compression takes time, which a ring that is nearly full does not have. */
	err = writer_append2(d->writer, s.a, s.a_size, s.b, s.size - s.a_size, s.size <= r->size - r->size / 4);
	ring_consume(r, s.size);
	d->is_dirty = true;
	if (!err && writer_is_flushed(d->writer))
		d->nr_written = d->tally->nr_samples;
	return err ? err : 1;
}

/* Records go the way of those of the rings, so that they stay in order. */
static void stage_feed(struct drain *d, const uint8_t *records, size_t size)
{
	const struct ring_span s = { .a = records, .a_size = size, .size = size };

	unwind_stage_put(d->stage, UNWIND_NO_CPU, &s, NULL);
}

static int drain_feed(struct drain *d, struct record_feed *feed, bool *any)
{
	const uint8_t *records;
	/* What comes meanwhile is the next round's. Records are up to twice as large as what the ring buffer held. */
	size_t size, left = 2 * (size_t)feed->ring_bytes;
	int err = 0;

	if (d->stage && unwind_queue_is_full(&d->stage->queue)) {
		d->has_skipped = true;
		return 0;
	}
	while (!err && left && (size = feed->take(feed, &records)) > 0) {
		left -= size < left ? size : left;
		if (d->stage) {
			stage_feed(d, records, size);
			*any = true;
			continue;
		}
		tally_records(d->tally, records, size);
		err = writer_append(d->writer, records, size, false);
		*any = d->is_dirty = true;
	}
	return err;
}

static int write_round_end(struct drain *d)
{
	static const struct record_header round = { RECORD_FINISHED_ROUND, 0, sizeof(round) };

	d->is_dirty = true;
	return writer_append(d->writer, &round, sizeof(round), false);
}

/* Who reads along holds back what came in a round until the next one ends, and shows it when one more does. Where nothing follows, these are
 * empty. */
static int end_round(struct drain *d, bool has_records)
{
	bool is_awaited = d->has_awaited_round;
	int err = has_records || is_awaited ? write_round_end(d) : 0;

	d->has_awaited_round = has_records;
	if (!err && is_awaited && !has_records)
		err = write_round_end(d);
	return err;
}

int drain_round(struct drain *d, bool *any)
{
	*any = false;
	d->has_skipped = false;
	d->round_ns = clock_now_ns();
	for (uint32_t i = 0; i < d->fds->nr_rings; i++) {
		int n = drain_ring(d, i);

		if (n < 0)
			return n;
		*any |= n > 0;
	}
	for (struct record_feed *feed = d->feed; feed; feed = feed->next) {
		int err = drain_feed(d, feed, any);

		if (err)
			return err;
	}
	if (d->stage) {
		if (!d->has_skipped)
			unwind_stage_end_round(d->stage, false);
		return 0;
	}
	return end_round(d, *any);
}

int drain_relieve(struct drain *d)
{
	for (uint32_t i = 0; i < d->fds->nr_rings; i++) {
		struct ring *r = &d->fds->rings[i];
		int n;

		if (ring_peek(r).size <= r->size / 2)
			continue;
		n = drain_ring(d, i);
		if (n < 0)
			return n;
	}
	return 0;
}

static void drain_tell(struct drain *d, enum drain_report report)
{
	atomic_fetch_or(&d->reports, report);
	io_notify(d->report_fd);
}

/* An fd whose tasks have ended is ready for ever: another one that shares the ring takes its place. Where none is left (in our own table),
 * the ring is looked at by the clock alone, often. */
static void replace_dead(struct drain *d, bool *any_left)
{
	*any_left = false;
	d->is_blind = false;
	for (uint32_t i = 0; i < d->fds->nr_rings; i++) {
		struct pollfd *p = &d->polls[i];

		if (p->fd >= 0 && (p->revents & (POLLHUP | POLLERR | POLLNVAL)))
			p->fd = event_fds_find_waker(d->fds, i, p->fd);
		*any_left |= p->fd >= 0;
		d->is_blind |= p->fd < 0;
	}
}

static void look_after_dead(struct drain *d)
{
	bool dead = false, any_left;

	for (uint32_t i = 0; i < d->fds->nr_rings; i++)
		dead |= d->polls[i].fd < 0 || (d->polls[i].revents & (POLLHUP | POLLERR | POLLNVAL));
	if (!dead || (atomic_load(&d->reports) & DRAIN_GONE))
		return;
	replace_dead(d, &any_left);
	/* Asking the holders costs: once in a while. */
	if (!any_left && clock_now_ns() - d->asked_ns > PERIOD_MS * NS_PER_MS) {
		d->asked_ns = clock_now_ns();
		if (!event_fds_alive(d->fds)) {
			d->is_blind = false;
			drain_tell(d, DRAIN_GONE);
		}
	}
}

static int sync_if_due(struct drain *d, bool now)
{
	uint64_t t = clock_now_ns();
	int err;

	if (!d->is_dirty || (!now && t - d->synced_ns < PERIOD_MS * NS_PER_MS))
		return 0;
	d->synced_ns = t;
	d->is_dirty = false;
	err = writer_sync(d->writer);
	if (!err)
		d->nr_written = d->tally->nr_samples;
	return err;
}

/* Until the stage has something done, or it is time to look. */
static void await_stage(struct drain *d)
{
	struct pollfd wake = { .fd = d->wake_fd, .events = POLLIN };

	if (poll(&wake, 1, PERIOD_MS) > 0)
		io_take_notice(d->wake_fd);
}

/* Stacks that wait on disk may have the room that the file needs: then they are unwound first. What the rings lose meanwhile, the kernel
 * counts. */
static void make_room(struct drain *d, size_t size)
{
	if (writer_room(d->writer) >= size + ROOM_MIN)
		return;
	while (!unwind_queue_empty_spool(&d->stage->queue) && !atomic_load(&d->abandon_wanted))
		await_stage(d);
}

/* Writes a chunk of the stage's. Returns 1 when it is time to end. */
static int write_chunk(struct drain *d, struct unwind_chunk *c)
{
	int err = 0;

	for (struct record_feed *feed = d->feed; feed; feed = feed->next)
		if (c->block.size && feed->merge)
			c->block.size = (uint32_t)feed->merge(feed, c->block.data, c->block.size);
	if (c->block.size) {
		make_room(d, c->block.size);
		tally_records(d->tally, c->block.data, c->block.size);
		err = writer_append(d->writer, c->block.data, c->block.size, true);
		d->is_dirty = true;
		if (!err && writer_is_flushed(d->writer))
			d->nr_written = d->tally->nr_samples;
	}
	if (!err)
		unwind_counts_add(&d->counts, &c->counts);
	if (!err && c->ends_round)
		err = end_round(d, c->has_records);
	if (err)
		return err;
	if (d->max_bytes && writer_data_size(d->writer) >= d->max_bytes) {
		drain_tell(d, DRAIN_FULL);
		return 1;
	}
	if (!c->then_switch)
		return 0;
	d->is_switching = false;
	return d->rotate(d->ctx);
}

static int write_unwound(struct drain *d, bool *finished)
{
	struct unwind_chunk *c;
	int ret = 0;

	*finished = false;
	while (!ret && (c = unwind_queue_take(&d->stage->queue, finished))) {
		ret = write_chunk(d, c);
		unwind_chunk_free(c);
	}
	return ret;
}

/* The last round: no ring may be left waiting. */
static int drain_last_round(struct drain *d)
{
	bool any, finished;
	int ret = drain_round(d, &any);

	while (!ret && d->has_skipped && !atomic_load(&d->abandon_wanted)) {
		ret = write_unwound(d, &finished);
		if (ret)
			break;
		await_stage(d);
		ret = drain_round(d, &any);
	}
	return ret;
}

/* Counts what the rings still hold, and throws it away. */
static void forget_rings(struct drain *d)
{
	for (uint32_t i = 0; i < d->fds->nr_rings; i++) {
		struct ring *r = &d->fds->rings[i];
		struct ring_span s = r->page ? ring_peek(r) : (struct ring_span){ 0 };

		if (!s.size)
			continue;
		tally_span(d->tally, &s);
		ring_consume(r, s.size);
	}
}

/* Without waiting: what is unwound is written, the rest is counted. */
static int give_up_stage(struct drain *d)
{
	bool finished;
	int ret = write_unwound(d, &finished);
	uint64_t nr_samples;

	d->nr_abandoned += unwind_stage_stop(d->stage);
	if (!ret)
		ret = sync_if_due(d, true);
	nr_samples = d->tally->nr_samples;
	forget_rings(d);
	d->nr_abandoned += d->tally->nr_samples - nr_samples;
	d->tally->nr_samples = nr_samples;
	return ret;
}

/* The rings are empty for good: waits for what the stage has left to do. */
static int finish_stage(struct drain *d)
{
	uint64_t total = unwind_queue_backlog(&d->stage->queue);
	struct progress progress;
	bool finished = false;
	int ret = 0;

	unwind_queue_end(&d->stage->queue);
	progress_init(&progress, "Unwinding stacks", total);
	while (!ret && !finished && !atomic_load(&d->abandon_wanted)) {
		ret = write_unwound(d, &finished);
		if (!ret)
			ret = sync_if_due(d, finished);
		progress_update(&progress, total - unwind_queue_backlog(&d->stage->queue));
		if (!ret && !finished)
			await_stage(d);
	}
	progress_fini(&progress);
	return ret || finished ? ret : give_up_stage(d);
}

/* Where larger dumps are needed, they should come soon. */
static uint64_t period_ms(const struct drain *d)
{
	if (d->feed)
		return FEED_PERIOD_MS;
	return d->stage && stack_growth_is_eager(d->growth) ? EAGER_PERIOD_MS : PERIOD_MS;
}

/* Were we woken for the rings? The stage wakes us, too, and rounds should not be small. */
static bool is_round_due(const struct drain *d)
{
	/* The last one is no ring or feed. */
	for (uint32_t i = 0; i + 1 < d->nr_polls; i++)
		if (d->polls[i].fd >= 0 && d->polls[i].revents & POLLIN)
			return true;
	return d->is_blind || clock_now_ns() - d->round_ns >= period_ms(d) * NS_PER_MS;
}

/* A new file begins with what the rings will hold from now on. What runs by then is read now, not when the stage is there: by then they may
 * be gone. */
static int begin_switch(struct drain *d)
{
	bool any;
	int err = drain_round(d, &any); /* it completes the round before */

	if (err)
		return err;
	/* What a ring still holds belongs into this file: another time. */
	if (d->has_skipped) {
		atomic_store(&d->switch_wanted, true);
		return 0;
	}
	d->is_switching = true;
	unwind_stage_end_round(d->stage, true);
	return d->prepare(d->ctx);
}

static bool is_switch_due(struct drain *d)
{
	return !d->is_switching && (atomic_exchange(&d->switch_wanted, false) ||
				    (d->switch_bytes && writer_data_size(d->writer) - d->opening_bytes >= d->switch_bytes));
}

/* One turn with a stage. */
static int drain_turn_staged(struct drain *d)
{
	bool stop = atomic_load(&d->stop_wanted), next_file = is_switch_due(d);
	bool any = false, finished;
	int err = 0;

	if (stop || next_file || is_round_due(d))
		err = drain_round(d, &any);
	d->nr_wakeups += any;
	if (!err && next_file)
		err = begin_switch(d);
	stack_growth_look(d->growth);
	if (!err && stop) {
		err = drain_last_round(d);
		if (!err)
			err = finish_stage(d);
		return err ? err : 1;
	}
	if (!err)
		err = write_unwound(d, &finished);
	return err ? err : sync_if_due(d, false);
}

/* One turn after waking up. Returns 1 when it is time to end. */
static int drain_turn(struct drain *d)
{
	if (d->reader && record_pipe_is_closed(d->reader))
		return -EPIPE;
	if (d->stage)
		return drain_turn_staged(d);
	/* Read before the rings: what was in them when the order came is drained. */
	bool stop = atomic_load(&d->stop_wanted);
	bool any;
	int err = drain_round(d, &any);

	if (!err)
		err = sync_if_due(d, stop);
	if (err)
		return err;
	d->nr_wakeups += any;
	if (stop)
		return 1;
	if (d->max_bytes && writer_data_size(d->writer) >= d->max_bytes) {
		drain_tell(d, DRAIN_FULL);
		return 1;
	}
	return is_switch_due(d) ? d->rotate(d->ctx) : 0;
}

static void *drain_main(void *arg)
{
	struct drain *d = arg;
	uint32_t nr = d->nr_polls;
	int ret = 0;

	d->synced_ns = clock_now_ns();
	while (!ret) {
		int n = poll(d->polls, nr, d->is_blind ? BLIND_PERIOD_MS : (int)period_ms(d));

		if (n > 0 && d->polls[nr - 1].revents)
			io_take_notice(d->wake_fd);
		ret = drain_turn(d);
		if (!ret && n >= 0)
			look_after_dead(d);
	}
	if (d->stage)
		d->nr_abandoned += unwind_stage_stop(d->stage);
	if (ret < 0) {
		d->err = ret;
		drain_tell(d, DRAIN_FAILED);
	}
	drain_tell(d, DRAIN_ENDED);
	return NULL;
}

int drain_init(struct drain *d, struct event_fds *fds, struct tally *tally, struct errbuf *eb)
{
	uint32_t nr = fds->nr_rings + 1;

	d->fds = fds;
	d->tally = tally;
	d->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	d->report_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->wake_fd < 0 || d->report_fd < 0)
		return errbuf_set(eb, -errno, "cannot set up the drain of the rings: %s", strerror(errno));
	for (const struct record_feed *feed = d->feed; feed; feed = feed->next)
		nr++;
	d->polls = mem_zalloc(nr * sizeof(*d->polls));
	d->nr_polls = nr;
	for (uint32_t i = 0; i < fds->nr_rings; i++)
		d->polls[i] = (struct pollfd){ .fd = fds->rings[i].fd, .events = POLLIN };
	nr = fds->nr_rings;
	for (const struct record_feed *feed = d->feed; feed; feed = feed->next)
		d->polls[nr++] = (struct pollfd){ .fd = feed->wake_fd, .events = POLLIN };
	d->polls[nr] = (struct pollfd){ .fd = d->wake_fd, .events = POLLIN };
	return 0;
}

int drain_start(struct drain *d, struct errbuf *eb)
{
	const struct sched_param param = { .sched_priority = d->rt_priority };
	int err = -pthread_create(&d->thread, NULL, drain_main, d);

	if (err)
		return errbuf_set(eb, err, "cannot start the drain thread: %s", strerror(-err));
	d->is_running = true;
	if (d->rt_priority && (err = pthread_setschedparam(d->thread, SCHED_FIFO, &param)))
		log_warn("no realtime priority (-r %d): %s; recording without", d->rt_priority, strerror(err));
	return 0;
}

void drain_switch(struct drain *d)
{
	atomic_store(&d->switch_wanted, true);
	io_notify(d->wake_fd);
}

unsigned drain_take_reports(struct drain *d)
{
	io_take_notice(d->report_fd);
	return atomic_load(&d->reports);
}

void drain_ask_stop(struct drain *d)
{
	atomic_store(&d->stop_wanted, true);
	io_notify(d->wake_fd);
}

void drain_abandon(struct drain *d)
{
	atomic_store(&d->abandon_wanted, true);
	io_notify(d->wake_fd);
}

void drain_forget(struct drain *d)
{
	if (d->stage)
		d->tally->nr_samples += d->nr_abandoned + unwind_stage_stop(d->stage);
	d->nr_abandoned = 0;
	forget_rings(d);
}

void drain_stop(struct drain *d)
{
	if (!d->is_running)
		return;
	drain_ask_stop(d);
	pthread_join(d->thread, NULL);
	d->is_running = false;
}

void drain_fini(struct drain *d)
{
	drain_stop(d);
	if (d->polls) {
		close(d->wake_fd);
		close(d->report_fd);
	}
	free(d->polls);
	d->polls = NULL;
}

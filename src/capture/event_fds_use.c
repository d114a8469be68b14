/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is done with open events, in whichever table their fds are: switching on and off, reading, looking whether their tasks live,
 * closing.
 */
#include "capture/event_fds.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/sample.h"
#include "kernel/event_config.h"

#define MANY_ON_A_CPU 64
#define MANY_TRACEPOINTS 8 /* more are closed behind */
#define FDS_BEYOND 32	   /* fds of our own may follow those of the events */

/* One thing done to all fds, wherever they live. */
struct each_job {
	struct event_fds *s;
	uint32_t from, to, holder;
	void (*each)(struct event_fds *s, struct event_fd *f, void *ctx);
	void *ctx;
};

static void each_run(void *ctx)
{
	const struct each_job *j = ctx;

	for (uint32_t i = j->from; i < j->to; i++)
		if (j->s->fds.v[i].fd >= 0 && j->s->fds.v[i].holder == j->holder)
			j->each(j->s, &j->s->fds.v[i], j->ctx);
}

static void run_in_holders(struct each_job *j)
{
	for (uint32_t i = 0; i < j->s->parts.nr; i++) {
		j->from = j->s->parts.v[i].from;
		j->to = j->s->parts.v[i].to;
		j->holder = i + 1;
		fd_holder_run(j->s->parts.v[i].holder, each_run, j);
	}
}

static void for_each_fd(struct event_fds *s, void (*each)(struct event_fds *s, struct event_fd *f, void *ctx), void *ctx)
{
	struct each_job job = { s, 0, s->fds.nr, 0, each, ctx };

	each_run(&job);
	run_in_holders(&job);
}

struct enable_order {
	bool enable;
	uint32_t only;	 /* event that is meant; UINT32_MAX: all */
	uint32_t spared; /* event that is left alone; UINT32_MAX: none */
};

static void fd_enable(struct event_fds *s, struct event_fd *f, void *ctx)
{
	const struct enable_order *order = ctx;

	if (s->lead[f->event] != f->event)
		return;
	if (f->event == order->spared || (order->only != UINT32_MAX && f->event != order->only))
		return;
	if (order->enable)
		event_enable(f->fd);
	else
		event_disable(f->fd);
}

void event_fds_enable(struct event_fds *s, bool enable, bool tracking_too)
{
	struct enable_order order = { enable, UINT32_MAX, tracking_too ? UINT32_MAX : event_list_tracking(s->list) };

	/* No sample of a task whose beginning was not seen: the tracker comes first. */
	if (enable && s->has_tracker) {
		order.only = s->list->events.nr;
		for_each_fd(s, fd_enable, &order);
		order.only = UINT32_MAX;
	}
	for_each_fd(s, fd_enable, &order);
}

struct reading {
	struct event_reading words;
	struct errbuf *eb;
	int err;
};

/* Reads an fd: for its event, or for all members of the group that it leads at this CPU and task. */
static void fd_read(struct event_fds *s, struct event_fd *f, void *ctx)
{
	struct reading *r = ctx;
	const struct event_spec *spec = event_fds_spec(s, f);
	bool is_group = spec->attr.read_format & READ_GROUP;
	uint32_t ordinal = (uint32_t)(f - s->fds.v) - s->first[f->event];
	int err;

	if (is_group && s->lead[f->event] != f->event)
		return;
	err = event_read(f->fd, spec->attr.read_format, &r->words);
	if (err && err != -ENODATA && !r->err)
		r->err = errbuf_set(r->eb, err, "cannot read the counter of '%s': %s", spec->name, strerror(-err));
	if (err)
		return;
	if (!is_group)
		f->has_count = !event_reading_get(&r->words, f->id, &f->count);
	for (uint32_t e = f->event; is_group && e < s->list->events.nr; e++) {
		struct event_fd *m = &s->fds.v[s->first[e] + ordinal];

		if (s->lead[e] == f->event && ordinal < s->first[e + 1] - s->first[e] && m->fd >= 0)
			m->has_count = !event_reading_get(&r->words, m->id, &m->count);
	}
}

/* A counter that is active on another CPU costs an interrupt there. Where there are many, it is
 * cheaper to go and read them there. */
static bool must_travel(const struct event_fds *s, uint32_t nr_cpus)
{
	return s->is_counting && nr_cpus > 1 && s->nr_open / nr_cpus >= MANY_ON_A_CPU;
}

static void go_to_cpu(uint32_t cpu)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX);

	if (!set)
		return;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	sched_setaffinity(0, size, set); /* it works from anywhere, too */
	CPU_FREE(set);
}

int event_fds_read(struct event_fds *s, struct errbuf *eb)
{
	struct reading r = { .eb = eb };
	struct each_job job = { .s = s, .each = fd_read, .ctx = &r };
	uint32_t nr_cpus = s->target->any_cpu ? 1 : s->target->cpus.cpus.nr;
	bool travels = must_travel(s, nr_cpus);
	cpu_set_t home;

	if (travels && sched_getaffinity(0, sizeof(home), &home))
		travels = false; /* more CPUs than the set has room for */
	for (uint32_t i = 0; i < s->fds.nr; i++)
		s->fds.v[i].has_count = false;
	for (uint32_t cpu = 0; cpu < nr_cpus; cpu++) {
		if (travels)
			go_to_cpu(s->target->cpus.cpus.v[cpu]);
		for (uint32_t e = 0; e < s->list->events.nr + s->has_tracker; e++) {
			uint32_t nr = (s->first[e + 1] - s->first[e]) / nr_cpus;

			job.from = s->first[e] + cpu * nr;
			job.to = job.from + nr;
			each_run(&job);
		}
	}
	if (travels)
		sched_setaffinity(0, sizeof(home), &home);
	run_in_holders(&job);
	return r.err;
}

static bool fd_is_dead(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

int event_fds_find_waker(const struct event_fds *s, uint32_t cpu, int after)
{
	bool seen = after < 0;

	for (uint32_t i = 0; i < s->fds.nr; i++) {
		const struct event_fd *f = &s->fds.v[i];

		if (f->cpu != cpu || f->fd < 0 || f->holder)
			continue;
		if (seen && !fd_is_dead(f->fd))
			return f->fd;
		seen |= f->fd == after;
	}
	return -1;
}

static void fd_look(struct event_fds *s, struct event_fd *f, void *ctx)
{
	(void)s;
	if (!*(bool *)ctx && !fd_is_dead(f->fd))
		*(bool *)ctx = true;
}

bool event_fds_alive(struct event_fds *s)
{
	bool alive = false;

	for_each_fd(s, fd_look, &alive);
	return alive;
}

bool event_fds_close_slowly(const struct event_fds *s)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; s->is_opened && i < s->list->events.nr; i++)
		nr += s->is_opened[i] && s->list->events.v[i].attr.type == ATTR_TYPE_TRACEPOINT;
	return nr > MANY_TRACEPOINTS;
}

/* In the child: closes all that others may wait for, our terminal, pipes, files; but not the
 * events, nor `held`. Fds are reused, so those of events are not all in one row. */
static void close_all_others(const struct event_fds *s, int held)
{
	int last = held;
	bool *keep;

	for (uint32_t i = 0; i < s->fds.nr; i++)
		last = s->fds.v[i].fd > last ? s->fds.v[i].fd : last;
	last += FDS_BEYOND;
	keep = mem_zalloc((size_t)last + 1);
	keep[held] = true;
	for (uint32_t i = 0; i < s->fds.nr; i++)
		if (s->fds.v[i].fd >= 0)
			keep[s->fds.v[i].fd] = true;
	for (int fd = 0; fd <= last; fd++)
		if (!keep[fd])
			close(fd);
	free(keep);
}

/* Leaves the fds to a child that does nothing but end, so that callers need not wait
 * for the kernel. Who closes last pays, so it waits until we have closed ours: until the fd that is
 * returned is closed, too (-1: there is none). */
static int close_behind(const struct event_fds *s)
{
	int held[2];
	char none;
	pid_t pid;

	if (pipe2(held, O_CLOEXEC))
		return -1;
	pid = fork();
	if (pid != 0) {
		close(held[0]);
		return held[1];
	}
	close_all_others(s, held[0]);
	setsid();
	while (read(held[0], &none, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

void event_fds_close(struct event_fds *s, bool behind)
{
	int held = -1;

	if (behind && event_fds_close_slowly(s)) {
		event_fds_enable(s, false, true);
		held = close_behind(s);
	}
	for (uint32_t i = 0; i < s->nr_rings; i++)
		ring_close(&s->rings[i]);
	for (uint32_t i = 0; i < s->parts.nr; i++)
		fd_holder_free(s->parts.v[i].holder);
	for (uint32_t i = 0; i < s->fds.nr; i++)
		if (s->fds.v[i].fd >= 0 && !s->fds.v[i].holder)
			close(s->fds.v[i].fd);
	for (uint32_t i = 0; i < s->cgroups.nr; i++)
		close(s->cgroups.v[i].fd);
	if (held >= 0)
		close(held);
	vec_fini(&s->cgroups);
	vec_fini(&s->parts);
	vec_fini(&s->fds);
	free(s->rings);
	free(s->first);
	free(s->lead);
	free(s->is_opened);
	free(s->is_lacking);
	free(s->tracker.name);
	event_opener_fini(&s->opener);
	memset(s, 0, sizeof(*s));
}

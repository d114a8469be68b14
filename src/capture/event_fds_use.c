/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is done with open events, in whichever table their fds are: switching on and off, reading, checking whether their tasks live,
 * closing; and the holders: threads with a table of fds of their own (unshare(CLONE_FILES)), which run a job at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/event_fds.h"
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
	event_enable(f->fd, order->enable);
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

struct program_order {
	int program, err;
};

static void fd_set_program(struct event_fds *s, struct event_fd *f, void *ctx)
{
	const struct attr *a = &event_fds_spec(s, f)->attr;
	struct program_order *order = ctx;
	int err;

	if (event_fds_tracks_only(s, f) || attr_is_dummy(a) || a->type == ATTR_TYPE_TRACEPOINT)
		return;
	err = f->holder ? -EMFILE : event_set_program(f->fd, order->program);
	if (err && !order->err)
		order->err = err;
}

int event_fds_set_program(struct event_fds *s, int program, struct errbuf *eb)
{
	struct program_order order = { .program = program };

	for_each_fd(s, fd_set_program, &order);
	if (order.err == -EMFILE)
		return errbuf_set(eb, order.err, "events of so many threads do not fit into one table of files: raise 'ulimit -n'");
	if (order.err)
		return errbuf_set(eb, order.err, "the BPF program cannot be attached to the events: %s", strerror(-order.err));
	return 0;
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

/* A counter that is active on another CPU costs an interrupt there. Where there are many, it is cheaper to go and read them there. */
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

/* In the child: closes all that others may wait for, our terminal, pipes, files; but not the events, nor `held`. Fds are reused, so those
 * of events are not all in one row. */
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

/* Leaves the fds to a child that does nothing but end, so that callers need not wait for the kernel. The last close is the slow
 * one, so the child waits until the fd that is returned here is closed (-1: there is none). */
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

enum holder_state { HOLDER_STARTING, HOLDER_IDLE, HOLDER_POSTED, HOLDER_DONE, HOLDER_QUIT };

struct fd_holder {
	pthread_t thread;
	pthread_mutex_t turn; /* held while a job runs */
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	enum holder_state state;
	int err; /* of the start */
	void (*job)(void *ctx);
	void *ctx;
	const int *keep;
	uint32_t nr_keep;
};

static void close_range_or_each(unsigned from, unsigned to)
{
	long limit;

	if (from > to)
		return;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, from, to, 0))
		return;
#endif
	limit = sysconf(_SC_OPEN_MAX);
	for (unsigned fd = from; fd <= to && (long)fd < limit; fd++)
		close((int)fd);
}

/* Copies of pipes would keep their other ends waiting, and every fd here is one less for events. */
static int holder_unshare(const struct fd_holder *h)
{
	unsigned from = 0;

	if (unshare(CLONE_FILES))
		return -errno;
	for (uint32_t i = 0; i < h->nr_keep; i++) {
		unsigned fd = (unsigned)h->keep[i];

		if (fd)
			close_range_or_each(from, fd - 1);
		from = fd + 1;
	}
	close_range_or_each(from, ~0u);
	return 0;
}

static void holder_set(struct fd_holder *h, enum holder_state state)
{
	h->state = state;
	pthread_cond_broadcast(&h->changed);
}

static void *holder_main(void *arg)
{
	struct fd_holder *h = arg;

	pthread_mutex_lock(&h->lock);
	h->err = holder_unshare(h);
	holder_set(h, HOLDER_IDLE);
	while (h->state != HOLDER_QUIT) {
		if (h->state == HOLDER_POSTED) {
			h->job(h->ctx);
			holder_set(h, HOLDER_DONE);
		}
		pthread_cond_wait(&h->changed, &h->lock);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

int fd_holder_new(struct fd_holder **holder, const int *keep, uint32_t nr, struct errbuf *eb)
{
	struct fd_holder *h = mem_zalloc(sizeof(*h));
	int err;

	pthread_mutex_init(&h->turn, NULL);
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
	h->keep = keep;
	h->nr_keep = nr;
	err = -pthread_create(&h->thread, NULL, holder_main, h);
	if (!err) {
		pthread_mutex_lock(&h->lock);
		while (h->state == HOLDER_STARTING)
			pthread_cond_wait(&h->changed, &h->lock);
		pthread_mutex_unlock(&h->lock);
		h->keep = NULL;
		err = h->err;
		if (!err) {
			*holder = h;
			return 0;
		}
		fd_holder_free(h);
	} else {
		free(h);
	}
	return errbuf_set(eb, err, "cannot start a thread to hold more events: %s", strerror(-err));
}

void fd_holder_run(struct fd_holder *h, void (*job)(void *ctx), void *ctx)
{
	pthread_mutex_lock(&h->turn);
	pthread_mutex_lock(&h->lock);
	h->job = job;
	h->ctx = ctx;
	holder_set(h, HOLDER_POSTED);
	while (h->state == HOLDER_POSTED)
		pthread_cond_wait(&h->changed, &h->lock);
	h->state = HOLDER_IDLE;
	pthread_mutex_unlock(&h->lock);
	pthread_mutex_unlock(&h->turn);
}

void fd_holder_free(struct fd_holder *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	holder_set(h, HOLDER_QUIT);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	pthread_mutex_destroy(&h->turn);
	pthread_mutex_destroy(&h->lock);
	pthread_cond_destroy(&h->changed);
	free(h);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening events × CPUs × tasks. For each CPU the first event that opens carries the ring; all
 * others on that CPU are redirected into it. Where the table of fds is too small for all, the
 * carriers stay in ours and the others go to holders (fd_holder.h), each of which has a table of
 * its own. Tasks that vanish are passed over. What is in the rings is the drain's business.
 */
#include "capture/event_fds.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "kernel/event_config.h"
#include "kernel/sysctl.h"

#define OWN_FDS_RESERVE 48 /* for files, /proc, build-ids; what we opened before is among them */
#define HOLDER_FDS_RESERVE 8

static int find_fd(const struct event_fds *s, uint32_t event, uint32_t cpu, uint32_t task)
{
	for (uint32_t i = 0; i < s->nr_rings && i < s->fds.nr; i++) {
		const struct event_fd *f = &s->fds.v[i];

		if (f->event == event && f->cpu == cpu && f->task == task)
			return (int)i;
	}
	return -1;
}

/* Opens one; *gone tells that its task is. */
static int open_one(struct event_fds *s, struct event_fd *f, bool first, bool *gone,
		    struct errbuf *eb)
{
	struct event_spec *spec = &s->list->events.v[f->event];
	int fd = event_open(&s->opener, spec, s->target->tasks.ids.v[f->task],
			    (int)s->target->cpus.cpus.v[f->cpu], -1, first, eb);
	int err;

	*gone = fd == -ESRCH;
	if (*gone) {
		s->nr_vanished++;
		errbuf_clear(eb);
		return 0;
	}
	if (fd < 0)
		return fd;
	f->fd = fd;
	err = event_get_id(fd, &f->id);
	if (err)
		return errbuf_set(eb, err, "cannot learn the id of event '%s': %s", spec->name,
				  strerror(-err));
	return 0;
}

/* The carrier of a CPU's ring: event 0 on the first task that is still there. */
static int open_carrier(struct event_fds *s, uint32_t cpu, bool first, struct errbuf *eb)
{
	bool gone = true;
	int err;

	for (uint32_t task = 0; gone && task < s->target->tasks.ids.nr; task++) {
		struct event_fd f = { .fd = -1, .cpu = cpu, .task = task };

		err = open_one(s, &f, first, &gone, eb);
		if (f.fd >= 0) {
			*vec_add(&s->fds) = f;
			s->nr_own = s->fds.nr;
		}
		if (err)
			return err;
	}
	if (gone)
		return errbuf_set(eb, -ESRCH,
				  "nothing to record: all tasks of the target have ended");
	err = ring_open(&s->rings[cpu], s->fds.v[cpu].fd, &s->ring_pages, false, eb);
	return err;
}

struct open_job {
	struct event_fds *s;
	uint32_t event, cpu, task; /* where to go on */
	uint32_t budget;	   /* fds that fit */
	uint32_t last_opened;	   /* the event that the last fd belongs to */
	bool done;
	int err;
	struct errbuf *eb;
};

static bool job_step(struct open_job *j)
{
	if (++j->task < j->s->target->tasks.ids.nr)
		return true;
	j->task = 0;
	if (++j->cpu < j->s->nr_rings)
		return true;
	j->cpu = 0;
	return ++j->event < j->s->list->events.nr;
}

/* Opens on from where the job stands until all is open or the budget is used up. */
static void open_some(void *ctx)
{
	struct open_job *j = ctx;
	struct event_fds *s = j->s;

	while (j->budget) {
		struct event_fd f = { .fd = -1, .event = j->event, .cpu = j->cpu, .task = j->task };

		if (find_fd(s, f.event, f.cpu, f.task) < 0) {
			bool gone;

			j->err = open_one(s, &f, f.event != j->last_opened, &gone, j->eb);
			if (!j->err && !gone)
				j->err = event_set_output(f.fd, s->fds.v[f.cpu].fd);
			if (f.fd >= 0) {
				*vec_add(&s->fds) = f;
				j->last_opened = f.event;
				j->budget--;
			}
			if (j->err) {
				errbuf_set(j->eb, j->err,
					   "cannot redirect event '%s' into its CPU's ring: %s",
					   s->list->events.v[f.event].name, strerror(-j->err));
				return;
			}
		}
		if (!job_step(j)) {
			j->done = true;
			return;
		}
	}
}

static int compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Everything that does not fit into our own table, one holder after the other. */
static int open_in_holders(struct open_job *j, uint64_t limit)
{
	struct event_fds *s = j->s;
	int *keep = mem_alloc(s->nr_rings * sizeof(*keep));
	int err = 0;

	for (uint32_t i = 0; i < s->nr_rings; i++)
		keep[i] = s->fds.v[i].fd;
	qsort(keep, s->nr_rings, sizeof(keep[0]), compare_ints);
	while (!j->done && !err) {
		struct event_fds_part part = { .from = s->fds.nr };

		if (limit <= s->nr_rings + HOLDER_FDS_RESERVE) {
			err = errbuf_set(
				j->eb, -EMFILE,
				"a limit of %llu open files is too low for the rings of %u CPUs; raise "
				"it with 'ulimit -n %u' or record fewer CPUs with -C",
				(unsigned long long)limit, s->nr_rings,
				s->nr_rings + OWN_FDS_RESERVE + HOLDER_FDS_RESERVE);
			break;
		}
		err = fd_holder_new(&part.holder, keep, s->nr_rings, j->eb);
		if (err)
			break;
		j->budget = (uint32_t)(limit - s->nr_rings - HOLDER_FDS_RESERVE);
		fd_holder_run(part.holder, open_some, j);
		part.to = s->fds.nr;
		vec_push(&s->parts, part);
		err = j->err;
		/* A shrinking target can leave a holder empty; a limit that was lowered meanwhile
		 * cannot. */
		if (!err && !j->done && part.to == part.from)
			err = errbuf_set(j->eb, -EMFILE,
					 "no more events can be opened; see 'ulimit -n'");
	}
	free(keep);
	return err;
}

int event_fds_open(struct event_fds *s, struct event_list *list, const struct target *target,
		   uint32_t ring_pages, struct errbuf *eb)
{
	struct open_job job = { .s = s, .eb = eb };
	uint64_t limit = sysctl_nofile(), need;
	int err = 0;

	s->list = list;
	s->target = target;
	s->nr_rings = target->cpus.cpus.nr;
	s->rings = mem_zalloc(s->nr_rings * sizeof(*s->rings));
	s->ring_pages = s->ring_pages_wished = ring_pages ? ring_pages : ring_default_pages();
	need = (uint64_t)list->events.nr * s->nr_rings * target->tasks.ids.nr + OWN_FDS_RESERVE;
	if (need > limit && sysctl_raise_nofile())
		limit = sysctl_nofile();
	for (uint32_t cpu = 0; cpu < s->nr_rings && !err; cpu++)
		err = open_carrier(s, cpu, cpu == 0, eb);
	if (err)
		return err;
	if (need <= limit) {
		job.budget = UINT32_MAX;
		open_some(&job);
		s->nr_own = s->fds.nr;
		return job.err;
	}
	log_info("%llu events do not fit into %llu open files: holding them in several tables",
		 (unsigned long long)need, (unsigned long long)limit);
	return open_in_holders(&job, limit);
}

/* One thing done to all fds, wherever they live. */
struct each_job {
	struct event_fds *s;
	uint32_t from, to;
	void (*each)(struct event_fds *s, struct event_fd *f, void *ctx);
	void *ctx;
};

static void each_run(void *ctx)
{
	const struct each_job *j = ctx;

	for (uint32_t i = j->from; i < j->to; i++)
		if (j->s->fds.v[i].fd >= 0)
			j->each(j->s, &j->s->fds.v[i], j->ctx);
}

static void for_each_fd(struct event_fds *s,
			void (*each)(struct event_fds *s, struct event_fd *f, void *ctx), void *ctx)
{
	struct each_job job = { s, 0, s->nr_own, each, ctx };

	each_run(&job);
	for (uint32_t i = 0; i < s->parts.nr; i++) {
		job.from = s->parts.v[i].from;
		job.to = s->parts.v[i].to;
		fd_holder_run(s->parts.v[i].holder, each_run, &job);
	}
}

struct enable_order {
	bool enable;
	uint32_t spared; /* event that is left alone; UINT32_MAX: none */
};

static void fd_enable(struct event_fds *s, struct event_fd *f, void *ctx)
{
	const struct enable_order *order = ctx;

	(void)s;
	if (f->event == order->spared)
		return;
	if (order->enable)
		event_enable(f->fd);
	else
		event_disable(f->fd);
}

void event_fds_enable(struct event_fds *s, bool enable, bool tracking_too)
{
	struct enable_order order = { enable,
				      tracking_too ? UINT32_MAX : event_list_tracking(s->list) };

	for_each_fd(s, fd_enable, &order);
}

static void fd_read(struct event_fds *s, struct event_fd *f, void *ctx)
{
	(void)ctx;
	memset(&f->count, 0, sizeof(f->count));
	event_read(f->fd, s->list->events.v[f->event].attr.read_format, &f->count);
}

void event_fds_read(struct event_fds *s)
{
	for_each_fd(s, fd_read, NULL);
}

static bool fd_is_dead(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

int event_fds_find_waker(const struct event_fds *s, uint32_t cpu, int after)
{
	bool seen = after < 0;

	for (uint32_t i = 0; i < s->nr_own; i++) {
		const struct event_fd *f = &s->fds.v[i];

		if (f->cpu != cpu || f->fd < 0)
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

void event_fds_close(struct event_fds *s)
{
	for (uint32_t i = 0; i < s->nr_rings && s->rings; i++)
		ring_close(&s->rings[i]);
	free(s->rings);
	s->rings = NULL;
	for (uint32_t i = 0; i < s->parts.nr; i++)
		fd_holder_free(s->parts.v[i].holder);
	for (uint32_t i = 0; i < s->nr_own; i++)
		close(s->fds.v[i].fd);
	vec_fini(&s->parts);
	vec_fini(&s->fds);
	s->nr_own = s->nr_rings = 0;
	event_opener_fini(&s->opener);
}

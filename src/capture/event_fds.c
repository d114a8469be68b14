/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening events × CPUs × tasks. For each CPU the first event that opens carries the ring; all
 * others on that CPU are redirected into it. Where the table of fds is too small for all, the
 * carriers stay in ours and the others go to holders (fd_holder.h), each of which has a table of
 * its own. A tracker (tracking.h) is opened like an event behind the last one of the list. Tasks
 * that vanish are passed over. What is in the rings is the drain's business.
 */
#include "capture/event_fds.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "kernel/cgroup_scan.h"
#include "kernel/event_config.h"
#include "kernel/sysctl.h"

#define OWN_FDS_RESERVE 48 /* for files, /proc, build-ids; what we opened before is among them */
#define HOLDER_FDS_RESERVE 8

static uint32_t nr_specs(const struct event_fds *s)
{
	return s->list->events.nr + s->has_tracker;
}

static struct event_spec *spec_at(struct event_fds *s, uint32_t event)
{
	return event < s->list->events.nr ? &s->list->events.v[event] : &s->tracker;
}

int event_fd_compare(const void *a, const void *b)
{
	const struct event_fd *x = *(struct event_fd *const *)a, *y = *(struct event_fd *const *)b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

const struct event_spec *event_fds_spec(const struct event_fds *s, const struct event_fd *f)
{
	return spec_at((struct event_fds *)s, f->event);
}

bool event_fds_tracks_only(const struct event_fds *s, const struct event_fd *f)
{
	const struct attr *a = &event_fds_spec(s, f)->attr;

	return (a->flags & ATTR_TASK) && event_is_dummy(a);
}

/* Where an event is among the carriers; -1: it carries no ring. */
static int find_carrier(const struct event_fds *s, uint32_t event, uint32_t cpu, uint32_t task)
{
	const struct event_fd *f = cpu < s->fds.nr ? &s->fds.v[cpu] : NULL;

	return f && f->event == event && f->cpu == cpu && f->task == task ? (int)cpu : -1;
}

static int compare_places(const struct event_fd *f, uint32_t event, uint32_t cpu, uint32_t task)
{
	if (f->event != event)
		return f->event < event ? -1 : 1;
	if (f->cpu != cpu)
		return f->cpu < cpu ? -1 : 1;
	return f->task < task ? -1 : f->task > task;
}

/* The fd of an event that was opened before; -1: its task had vanished. */
static int find_opened(const struct event_fds *s, uint32_t event, uint32_t cpu, uint32_t task)
{
	uint32_t from = s->nr_rings, to = s->fds.nr;
	int carrier = find_carrier(s, event, cpu, task);

	if (carrier >= 0)
		return s->fds.v[carrier].fd;
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		int order = compare_places(&s->fds.v[mid], event, cpu, task);

		if (!order)
			return s->fds.v[mid].fd;
		if (order < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return -1;
}

static bool is_on_cpu(const struct event_fds *s, uint32_t event, uint32_t cpu)
{
	const struct cpu_list *cpus = &spec_at((struct event_fds *)s, event)->cpus;

	return !cpus->cpus.nr || cpu_list_has(cpus, s->target->cpus.cpus.v[cpu]);
}

/* Whom the event is about: a task, or its cgroup's fd. */
static int find_whom(struct event_fds *s, const struct event_spec *spec, uint32_t task,
		     struct errbuf *eb)
{
	struct event_cgroup group = { spec->cgroup, -1 };

	if (!spec->cgroup)
		return s->target->tasks.ids.v[task];
	for (uint32_t i = 0; i < s->cgroups.nr; i++)
		if (!strcmp(s->cgroups.v[i].name, spec->cgroup))
			return s->cgroups.v[i].fd;
	group.fd = cgroup_open(spec->cgroup, eb);
	if (group.fd >= 0)
		vec_push(&s->cgroups, group);
	return group.fd;
}

/* A weak group that does not fit is no group: its members go on as events of their own. */
static void break_group(struct event_fds *s, uint32_t leader)
{
	const uint64_t start = s->list->events.v[leader].attr.flags &
			       (ATTR_DISABLED | ATTR_ENABLE_ON_EXEC);

	for (uint32_t i = leader; i < s->list->events.nr; i++) {
		struct event_spec *spec = &s->list->events.v[i];

		if (spec->group_leader != (int32_t)leader)
			continue;
		spec->group_leader = -1;
		spec->attr.flags |= start;
	}
	log_warn("the group of '%s' does not fit into the counters: its events are recorded apart",
		 s->list->events.v[leader].name);
}

/* Opens one; *gone tells that its task is. */
static int open_one(struct event_fds *s, struct event_fd *f, bool *gone, struct errbuf *eb)
{
	bool first = !s->is_opened[f->event];
	struct event_spec *spec = spec_at(s, f->event);
	bool is_member = spec->group_leader >= 0 && spec->group_leader != (int32_t)f->event;
	int whom = find_whom(s, spec, f->task, eb), cpu = (int)s->target->cpus.cpus.v[f->cpu];
	int group_fd = -1, fd, err;

	*gone = false;
	if (spec->cgroup && whom < 0)
		return whom;
	if (is_member)
		group_fd = find_opened(s, (uint32_t)spec->group_leader, f->cpu, f->task);
	if (is_member && group_fd < 0)
		fd = -ESRCH;
	else
		fd = event_open(&s->opener, spec, whom, cpu, group_fd, first, eb);
	if (fd == -EINVAL && is_member &&
	    s->list->events.v[spec->group_leader].weak_group) {
		errbuf_clear(eb);
		break_group(s, (uint32_t)spec->group_leader);
		fd = event_open(&s->opener, spec, whom, cpu, -1, first, eb);
	}
	*gone = fd == -ESRCH;
	if (*gone) {
		s->nr_vanished++;
		errbuf_clear(eb);
		return 0;
	}
	if (fd < 0)
		return fd;
	f->fd = fd;
	s->is_opened[f->event] = true;
	err = event_get_id(fd, &f->id);
	if (err)
		return errbuf_set(eb, err, "cannot learn the id of event '%s': %s", spec->name,
				  strerror(-err));
	return event_set_filter(fd, spec, eb);
}

/* The carrier of a CPU's ring: the first event there is on that CPU, on the first task that is still
 * there. */
static int open_carrier(struct event_fds *s, uint32_t cpu, struct errbuf *eb)
{
	uint32_t event = 0;
	bool gone = true;
	int err;

	while (event + 1 < s->list->events.nr && !is_on_cpu(s, event, cpu))
		event++;
	for (uint32_t task = 0; gone && task < s->target->tasks.ids.nr; task++) {
		struct event_fd f = { .fd = -1, .event = event, .cpu = cpu, .task = task };

		err = open_one(s, &f, &gone, eb);
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
	if (++j->event >= nr_specs(j->s))
		return false;
	if (j->event == j->s->list->events.nr)
		tracking_follow(j->s->list, &j->s->tracker);
	return true;
}

/* Opens on from where the job stands until all is open or the budget is used up. */
static void open_some(void *ctx)
{
	struct open_job *j = ctx;
	struct event_fds *s = j->s;

	while (j->budget) {
		struct event_fd f = { .fd = -1, .event = j->event, .cpu = j->cpu, .task = j->task };

		if (is_on_cpu(s, f.event, f.cpu) &&
		    find_carrier(s, f.event, f.cpu, f.task) < 0) {
			bool gone;

			j->err = open_one(s, &f, &gone, j->eb);
			if (!j->err && !gone)
				j->err = event_set_output(f.fd, s->fds.v[f.cpu].fd);
			if (f.fd >= 0) {
				*vec_add(&s->fds) = f;
				j->budget--;
			}
			if (j->err) {
				errbuf_set(j->eb, j->err,
					   "cannot redirect event '%s' into its CPU's ring: %s",
					   spec_at(s, f.event)->name, strerror(-j->err));
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

/* Members are opened by their leader's fd, and events of a cgroup by its. */
static bool needs_one_table(const struct event_list *list)
{
	for (uint32_t i = 0; i < list->events.nr; i++)
		if (list->events.v[i].group_leader >= 0 || list->events.v[i].cgroup)
			return true;
	return false;
}

static int open_all(struct event_fds *s, struct errbuf *eb)
{
	struct open_job job = { .s = s, .eb = eb };
	uint64_t limit = sysctl_nofile(), need;
	int err = 0;

	need = (uint64_t)nr_specs(s) * s->nr_rings * s->target->tasks.ids.nr + OWN_FDS_RESERVE;
	if (need > limit && sysctl_raise_nofile())
		limit = sysctl_nofile();
	if (need > limit && needs_one_table(s->list))
		return errbuf_set(
			eb, -EMFILE,
			"groups and cgroups need all events in one table of files, and %llu do not fit "
			"into %llu: raise the limit with 'ulimit -n %llu'",
			(unsigned long long)need, (unsigned long long)limit,
			(unsigned long long)need);
	for (uint32_t cpu = 0; cpu < s->nr_rings && !err; cpu++)
		err = open_carrier(s, cpu, eb);
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

static void count_vanished(struct event_fds *s)
{
	uint32_t nr = s->target->tasks.ids.nr;
	bool *seen;

	if (!s->nr_vanished)
		return;
	seen = mem_zalloc(nr);
	for (uint32_t i = 0; i < s->fds.nr; i++)
		seen[s->fds.v[i].task] = true;
	for (uint32_t i = 0; i < nr; i++)
		s->nr_vanished_tasks += !seen[i];
	free(seen);
}

int event_fds_open(struct event_fds *s, struct event_list *list, const struct target *target,
		   uint32_t ring_pages, struct errbuf *eb)
{
	int err;

	s->list = list;
	s->target = target;
	s->nr_rings = target->cpus.cpus.nr;
	s->rings = mem_zalloc(s->nr_rings * sizeof(*s->rings));
	s->ring_pages = s->ring_pages_wished = ring_pages ? ring_pages : ring_default_pages();
	s->has_tracker = tracking_split(list, &s->tracker);
	s->is_opened = mem_zalloc(nr_specs(s) * sizeof(*s->is_opened));
	err = open_all(s, eb);
	count_vanished(s);
	if (s->has_tracker)
		tracking_join(list, &s->tracker);
	return err;
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
	uint32_t only;	 /* event that is meant; UINT32_MAX: all */
	uint32_t spared; /* event that is left alone; UINT32_MAX: none */
};

static void fd_enable(struct event_fds *s, struct event_fd *f, void *ctx)
{
	const struct enable_order *order = ctx;

	(void)s;
	if (f->event == order->spared || (order->only != UINT32_MAX && f->event != order->only))
		return;
	if (order->enable)
		event_enable(f->fd);
	else
		event_disable(f->fd);
}

void event_fds_enable(struct event_fds *s, bool enable, bool tracking_too)
{
	struct enable_order order = { enable, UINT32_MAX,
				      tracking_too ? UINT32_MAX : event_list_tracking(s->list) };

	/* No sample of a task whose beginning nobody saw: the tracker comes first. */
	if (enable && s->has_tracker) {
		order.only = s->list->events.nr;
		for_each_fd(s, fd_enable, &order);
		order.only = UINT32_MAX;
	}
	for_each_fd(s, fd_enable, &order);
}

static void fd_read(struct event_fds *s, struct event_fd *f, void *ctx)
{
	(void)ctx;
	memset(&f->count, 0, sizeof(f->count));
	f->count.id = f->id;
	event_read(f->fd, event_fds_spec(s, f)->attr.read_format, &f->count);
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
	free(s->is_opened);
	s->rings = NULL;
	s->is_opened = NULL;
	for (uint32_t i = 0; i < s->parts.nr; i++)
		fd_holder_free(s->parts.v[i].holder);
	for (uint32_t i = 0; i < s->nr_own; i++)
		close(s->fds.v[i].fd);
	for (uint32_t i = 0; i < s->cgroups.nr; i++)
		close(s->cgroups.v[i].fd);
	vec_fini(&s->cgroups);
	vec_fini(&s->parts);
	vec_fini(&s->fds);
	s->nr_own = s->nr_rings = 0;
	free(s->tracker.name);
	s->tracker.name = NULL;
	event_opener_fini(&s->opener);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening and reading counters: one system call per fd, and one per group to read. Closing them is
 * counters_close.c's.
 *
 * Groups: members are opened into the fd of their leader. Where the machine lacks the leader, the
 * next member leads; a weak group lets a member that does not fit stand alone.
 */
#include "kernel/counters.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "abi/sample.h"
#include "base/log.h"
#include "kernel/cgroup_scan.h"
#include "kernel/sysctl.h"

#define FDS_FOR_OURSELVES 32
#define MANY_ON_A_CPU 64
#define GROUP_HEAD 3 /* words before the members: their number, two times */

static void configure(struct event_spec *spec, const struct counters_target *t, bool leads,
		      bool grouped)
{
	struct attr *a = &spec->attr;

	a->read_format = READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING;
	if (grouped)
		a->read_format |= READ_ID | READ_GROUP;
	a->sample_type = SAMPLE_IDENTIFIER;
	a->sample_period = 0;
	a->flags &= ~(ATTR_FREQ | ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_INHERIT);
	if (t->inherit && !(spec->terms.given & EVENT_TERM_INHERIT && !spec->terms.inherit))
		a->flags |= ATTR_INHERIT;
	if (t->all_user)
		a->flags = (a->flags | ATTR_EXCLUDE_KERNEL) & ~ATTR_EXCLUDE_USER;
	if (t->all_kernel)
		a->flags = (a->flags | ATTR_EXCLUDE_USER) & ~ATTR_EXCLUDE_KERNEL;
	if (leads) {
		a->flags |= ATTR_DISABLED;
		if (t->enable_on_exec)
			a->flags |= ATTR_ENABLE_ON_EXEC;
	}
}

/* Is it a device's counter that is wanted beside tasks? It is opened on its own CPUs then. */
static bool is_device_beside_tasks(const struct event_spec *spec, const struct counters_target *t)
{
	return spec->is_uncore && spec->cpus.cpus.nr && t->nr_cpus == 1 && t->cpus[0] == -1;
}

static uint32_t nr_fds_of(const struct event_spec *spec, const struct counters_target *t)
{
	if (spec->tool || spec->is_absent)
		return 0;
	if (is_device_beside_tasks(spec, t))
		return spec->cpus.cpus.nr;
	return t->nr_cpus * t->nr_tids;
}

static int check_limit(struct counters *c, const struct counters_target *t, struct errbuf *eb)
{
	uint64_t need = FDS_FOR_OURSELVES;
	struct rlimit limit;

	for (uint32_t i = 0; i < c->list->events.nr; i++)
		need += nr_fds_of(&c->list->events.v[i], t);
	if (need <= sysctl_nofile())
		return 0;
	c->opener.nofile_raised = true;
	sysctl_raise_nofile();
	if (need <= sysctl_nofile() || getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	return errbuf_set(
		eb, -EMFILE,
		"%u events on %u CPUs or threads need %llu open files, and the hard limit is %llu: "
		"use fewer events, or as root 'ulimit -Hn %llu; ulimit -n %llu'",
		c->list->events.nr, t->nr_cpus * t->nr_tids, (unsigned long long)need,
		(unsigned long long)limit.rlim_max, (unsigned long long)need,
		(unsigned long long)need);
}

static bool is_unsupported(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -ENXIO ||
	       err == -EINVAL;
}

static bool is_in_group(const struct event_spec *spec)
{
	return spec->group_leader >= 0;
}

/* Where among the leader's fds the member's i-th belongs; -1: the event stands alone. */
static int group_fd_of(const struct counters *c, uint32_t event, uint32_t i)
{
	uint32_t lead = c->lead[event];

	if (lead == event || i >= c->first[lead + 1] - c->first[lead])
		return -1;
	return c->fds.v[c->first[lead] + i].fd;
}

struct cell {
	int pid, cpu; /* for the system call */
	uint32_t cpu_index, thread_index;
	bool wanted;
};

static struct cell cell_at(const struct event_spec *spec, const struct counters_target *t,
			   uint32_t i, int cgroup_fd)
{
	struct cell cell = { .wanted = true };

	if (is_device_beside_tasks(spec, t)) {
		cell.pid = -1;
		cell.cpu = (int)spec->cpus.cpus.v[i];
		return cell;
	}
	cell.cpu_index = i / t->nr_tids;
	cell.thread_index = i % t->nr_tids;
	cell.cpu = t->cpus[cell.cpu_index];
	cell.pid = spec->cgroup ? cgroup_fd : t->tids[cell.thread_index];
	if (spec->cpus.cpus.nr && cell.cpu >= 0)
		cell.wanted = cpu_list_has(&spec->cpus, (uint32_t)cell.cpu);
	return cell;
}

/* Opens one fd. 1: done (maybe without an fd), 0: the event is not to be had, < 0: failure. */
static int open_cell(struct counters *c, uint32_t event, const struct cell *cell,
		     const struct counters_target *t, uint32_t i, bool *opened, struct errbuf *eb)
{
	struct event_spec *spec = &c->list->events.v[event];
	struct counter_fd cf = { -1, event, cell->cpu_index, cell->thread_index };
	int group_fd = group_fd_of(c, event, i);
	struct errbuf why = { "" };
	int fd = -ESRCH;

	if (cell->wanted && (c->lead[event] == event || group_fd >= 0)) {
		fd = event_open(&c->opener, spec, cell->pid, cell->cpu, group_fd, !*opened, &why);
		if (fd == -EINVAL && group_fd >= 0 && spec->weak_group && !*opened) {
			c->lead[event] = event;
			configure(spec, t, true, false);
			errbuf_clear(&why);
			fd = event_open(&c->opener, spec, cell->pid, cell->cpu, -1, !*opened, &why);
		}
	}
	if (is_unsupported(fd) && !*opened) {
		log_info("%s", why.text);
		return 0;
	}
	if (fd < 0 && fd != -ESRCH && !is_unsupported(fd))
		return errbuf_set(eb, fd, "%s", why.text);
	if (fd >= 0) {
		*opened = true;
		cf.fd = fd;
	}
	vec_push(&c->fds, cf);
	if (fd >= 0 && spec->filter) {
		int err = event_set_filter(fd, spec, eb);

		if (err)
			return err;
	}
	return 1;
}

/* Who leads the group of `event`: the first member so far that the machine has, or itself. */
static uint32_t find_lead(const struct counters *c, uint32_t event)
{
	const struct event_spec *spec = &c->list->events.v[event];

	if (!is_in_group(spec))
		return event;
	for (uint32_t i = (uint32_t)spec->group_leader; i < event; i++)
		if (c->list->events.v[i].group_leader == spec->group_leader && c->supported[i] &&
		    c->lead[i] == i)
			return i;
	return event;
}

static int open_event(struct counters *c, uint32_t event, const struct counters_target *t,
		      struct errbuf *eb)
{
	struct event_spec *spec = &c->list->events.v[event];
	uint32_t nr = nr_fds_of(spec, t);
	bool opened = false;
	int cgroup_fd = -1;
	int ret = 1;

	c->first[event] = c->fds.nr;
	c->lead[event] = is_device_beside_tasks(spec, t) ? event : find_lead(c, event);
	c->supported[event] = !spec->is_absent;
	configure(spec, t, c->lead[event] == event, is_in_group(spec));
	if (spec->cgroup && nr) {
		cgroup_fd = cgroup_open(spec->cgroup, eb);
		if (cgroup_fd < 0)
			return cgroup_fd;
	}
	for (uint32_t i = 0; i < nr && ret > 0; i++) {
		struct cell cell = cell_at(spec, t, i, cgroup_fd);

		ret = open_cell(c, event, &cell, t, i, &opened, eb);
	}
	if (ret == 0) {
		c->supported[event] = false;
		c->fds.nr = c->first[event];
	}
	if (cgroup_fd >= 0)
		close(cgroup_fd);
	return ret < 0 ? ret : 0;
}

static bool has_any_fd(const struct counters *c)
{
	for (uint32_t i = 0; i < c->fds.nr; i++)
		if (c->fds.v[i].fd >= 0)
			return true;
	return false;
}

/* Leaders, one CPU after the other. */
static void order_reading(struct counters *c)
{
	c->order = mem_alloc((size_t)c->fds.nr * sizeof(c->order[0]) + 1);
	for (uint32_t cpu = 0; cpu < c->nr_cpus; cpu++)
		for (uint32_t i = 0; i < c->fds.nr; i++)
			if (c->fds.v[i].cpu == cpu && c->fds.v[i].fd >= 0 &&
			    c->lead[c->fds.v[i].event] == c->fds.v[i].event)
				c->order[c->nr_order++] = i;
}

int counters_open(struct counters *c, struct event_list *list, const struct counters_target *t,
		  struct errbuf *eb)
{
	uint32_t nr = list->events.nr;
	int err;

	memset(c, 0, sizeof(*c));
	c->list = list;
	c->cpus = t->cpus;
	c->nr_cpus = t->nr_cpus;
	c->opener.no_clock_fallback = true;
	c->first = mem_zalloc(((size_t)nr + 1) * sizeof(c->first[0]));
	c->lead = mem_zalloc(((size_t)nr + 1) * sizeof(c->lead[0]));
	c->supported = mem_zalloc((size_t)nr + 1);
	c->group_buf = mem_alloc((GROUP_HEAD + 2 * (size_t)nr) * sizeof(c->group_buf[0]));
	err = check_limit(c, t, eb);
	for (uint32_t i = 0; i < nr && !err; i++) {
		err = open_event(c, i, t, eb);
		c->first[i + 1] = c->fds.nr;
	}
	if (!err && c->fds.nr && !has_any_fd(c))
		err = errbuf_set(eb, -ESRCH, "all threads that were to be counted are gone");
	if (err)
		counters_close(c, true); /* hundreds may be open already */
	else
		order_reading(c);
	return err;
}

/* A group starts and stops with its leader. */
static void for_each_leader(const struct counters *c, int (*act)(int fd))
{
	for (uint32_t i = 0; i < c->nr_order; i++)
		act(c->fds.v[c->order[i]].fd);
}

void counters_enable(const struct counters *c)
{
	for_each_leader(c, event_enable);
}

void counters_disable(const struct counters *c)
{
	for_each_leader(c, event_disable);
}

static ssize_t read_words(int fd, uint64_t *words, size_t nr)
{
	ssize_t n;

	do
		n = read(fd, words, nr * sizeof(words[0]));
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n / (ssize_t)sizeof(words[0]);
}

static int read_one(const struct counter_fd *cf, counters_fn *tell, void *ctx)
{
	uint64_t words[3];
	ssize_t n = read_words(cf->fd, words, 3);

	if (n == 3)
		tell(ctx, cf, &(struct event_count){ words[0], words[1], words[2], 0, 0 });
	/* 0 words: a pinned counter that lost its place; it was not counted then */
	return n < 0 ? (int)n : 0;
}

/* Reads the group led by fds[i] and tells all its members of the same CPU and thread; the kernel
 * lists them in the order in which they were opened. */
static int read_group(struct counters *c, uint32_t i, counters_fn *tell, void *ctx)
{
	const struct counter_fd *lead = &c->fds.v[i];
	uint32_t ordinal = i - c->first[lead->event];
	uint64_t *w = c->group_buf, at = 0;
	ssize_t n = read_words(lead->fd, w, GROUP_HEAD + 2 * (size_t)c->list->events.nr);

	if (n < 0)
		return (int)n;
	if (n < GROUP_HEAD || (uint64_t)(n - GROUP_HEAD) / 2 < w[0])
		return 0;
	for (uint32_t e = lead->event; e < c->list->events.nr && at < w[0]; e++) {
		const struct counter_fd *cf;

		if (c->lead[e] != lead->event || c->first[e] + ordinal >= c->first[e + 1])
			continue;
		cf = &c->fds.v[c->first[e] + ordinal];
		if (cf->fd < 0)
			continue;
		tell(ctx, cf,
		     &(struct event_count){ w[GROUP_HEAD + 2 * at], w[1], w[2],
					    w[GROUP_HEAD + 2 * at + 1], 0 });
		at++;
	}
	return 0;
}

static int read_at(struct counters *c, uint32_t i, counters_fn *tell, void *ctx, struct errbuf *eb)
{
	const struct event_spec *spec = &c->list->events.v[c->fds.v[i].event];
	int err;

	if (spec->attr.read_format & READ_GROUP)
		err = read_group(c, i, tell, ctx);
	else
		err = read_one(&c->fds.v[i], tell, ctx);
	if (err)
		errbuf_set(eb, err, "cannot read the counter of '%s': %s", spec->name,
			   strerror(-err));
	return err;
}

/* A counter that is active on another CPU costs an interrupt there. Where there are many, it is
 * cheaper to go and read them there. */
static bool must_travel(const struct counters *c)
{
	return c->nr_cpus > 1 && c->nr_order / c->nr_cpus >= MANY_ON_A_CPU;
}

static void go_to_cpu(int32_t cpu)
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

int counters_read(struct counters *c, counters_fn *tell, void *ctx, struct errbuf *eb)
{
	bool travel = must_travel(c);
	cpu_set_t home;
	uint32_t at = UINT32_MAX;
	int err = 0;

	if (travel && sched_getaffinity(0, sizeof(home), &home))
		travel = false; /* more CPUs than the set has room for */
	for (uint32_t i = 0; i < c->nr_order && !err; i++) {
		const struct counter_fd *cf = &c->fds.v[c->order[i]];

		if (travel && cf->cpu != at)
			go_to_cpu(c->cpus[at = cf->cpu]);
		err = read_at(c, c->order[i], tell, ctx, eb);
	}
	if (travel)
		sched_setaffinity(0, sizeof(home), &home);
	return err;
}

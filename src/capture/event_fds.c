/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening events × CPUs × tasks. To sample, the first event that opens on a CPU carries the ring; all others on that CPU are redirected
 * into it. Where the table of fds is too small for all, the carriers stay in ours and the others go to holders, each of which has a table
 * of its own. A tracker (tracking_split()) is opened like an event behind the last one of the list. Tasks that vanish are left out.
 *
 * Groups: members are opened into the fd of their leader. A weak group that does not fit is taken apart: to sample, as a whole; to count,
 * by the members that do not fit. To count, where the machine lacks the leader, the next member leads.
 */
#include "capture/event_fds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/log.h"
#include "capture/filter_error.h"
#include "kernel/proc_scan.h"
#include "kernel/sysctl.h"

#define OWN_FDS_RESERVE 48 /* for files, /proc, build-ids; what we opened before is among them */
#define COUNTING_FDS_RESERVE 32
#define HOLDER_FDS_RESERVE 8
#define START_FLAGS (ATTR_DISABLED | ATTR_ENABLE_ON_EXEC)

static uint32_t nr_specs(const struct event_fds *s)
{
	return s->list->events.nr + s->has_tracker;
}

static struct event_spec *spec_at(const struct event_fds *s, uint32_t event)
{
	return event < s->list->events.nr ? &s->list->events.v[event] : (struct event_spec *)&s->tracker;
}

const struct event_spec *event_fds_spec(const struct event_fds *s, const struct event_fd *f)
{
	return spec_at(s, f->event);
}

bool event_fds_tracks_only(const struct event_fds *s, const struct event_fd *f)
{
	const struct attr *a = &event_fds_spec(s, f)->attr;

	return (a->flags & ATTR_TASK) && attr_is_dummy(a);
}

static uint32_t nr_cpus(const struct event_fds *s)
{
	return s->target->any_cpu ? 1 : s->target->cpus.cpus.nr;
}

/* Is it a device's counter that is wanted beside tasks? It is opened on its own CPUs then. */
static bool is_device_beside_tasks(const struct event_fds *s, const struct event_spec *spec)
{
	return spec->is_uncore && spec->cpus.cpus.nr && s->target->any_cpu;
}

static uint32_t nr_fds_of(const struct event_fds *s, const struct event_spec *spec)
{
	if (s->is_counting && (spec->tool || spec->is_absent))
		return 0;
	if (is_device_beside_tasks(s, spec))
		return spec->cpus.cpus.nr;
	return nr_cpus(s) * s->target->tasks.ids.nr;
}

/* A place for each fd, so that where one is follows from what it is of. */
static void lay_out(struct event_fds *s)
{
	uint32_t nr = nr_specs(s), nr_tasks = s->target->tasks.ids.nr;

	s->first = mem_zalloc(((size_t)nr + 1) * sizeof(*s->first));
	s->lead = mem_zalloc(((size_t)nr + 1) * sizeof(*s->lead));
	s->is_opened = mem_zalloc((size_t)nr + 1);
	s->is_lacking = mem_zalloc((size_t)nr + 1);
	for (uint32_t e = 0; e < nr; e++) {
		const struct event_spec *spec = spec_at(s, e);
		bool is_matrix = !is_device_beside_tasks(s, spec);
		uint32_t nr_fds = nr_fds_of(s, spec);

		s->lead[e] = spec->group_leader >= 0 && is_matrix ? (uint32_t)spec->group_leader : e;
		s->is_lacking[e] = spec->is_absent;
		for (uint32_t i = 0; i < nr_fds; i++)
			vec_push(
				&s->fds,
				((struct event_fd){
					.fd = -1, .event = e, .cpu = is_matrix ? i / nr_tasks : 0, .task = is_matrix ? i % nr_tasks : 0 }));
		s->first[e + 1] = s->fds.nr;
	}
}

/* The CPU of an fd, for the system call: -1: any. */
static int cpu_of(const struct event_fds *s, const struct event_fd *f)
{
	const struct event_spec *spec = event_fds_spec(s, f);

	if (is_device_beside_tasks(s, spec))
		return (int)spec->cpus.cpus.v[(uint32_t)(f - s->fds.v) - s->first[f->event]];
	return s->target->any_cpu ? -1 : (int)s->target->cpus.cpus.v[f->cpu];
}

static bool is_on_cpu(const struct event_fds *s, uint32_t event, uint32_t cpu)
{
	const struct cpu_list *cpus = &spec_at(s, event)->cpus;

	return !cpus->cpus.nr || s->target->any_cpu || cpu_list_has(cpus, s->target->cpus.cpus.v[cpu]);
}

/* The target of the event: a task, or the fd of its cgroup. */
static int find_target(struct event_fds *s, const struct event_spec *spec, uint32_t task, struct errbuf *eb)
{
	struct event_cgroup group = { spec->cgroup, -1 };

	if (!spec->cgroup)
		return is_device_beside_tasks(s, spec) ? -1 : s->target->tasks.ids.v[task];
	for (uint32_t i = 0; i < s->cgroups.nr; i++)
		if (!strcmp(s->cgroups.v[i].name, spec->cgroup))
			return s->cgroups.v[i].fd;
	group.fd = cgroup_open(spec->cgroup, eb);
	if (group.fd >= 0)
		vec_push(&s->cgroups, group);
	return group.fd;
}

/* Starts on its own, as its leader would have. */
static void lead_itself(struct event_fds *s, uint32_t event)
{
	struct event_spec *spec = &s->list->events.v[event];

	s->lead[event] = event;
	if (spec->group_leader >= 0)
		spec->attr.flags |= s->list->events.v[spec->group_leader].attr.flags & START_FLAGS;
}

/* A member of a weak group does not fit. */
static void leave_group(struct event_fds *s, uint32_t event)
{
	int32_t leader = s->list->events.v[event].group_leader;

	if (s->is_counting) {
		lead_itself(s, event);
		s->list->events.v[event].attr.read_format &= ~(READ_GROUP | READ_ID);
		return;
	}
	for (uint32_t i = s->list->events.nr; i-- > (uint32_t)leader;) {
		if (s->list->events.v[i].group_leader != leader)
			continue;
		lead_itself(s, i);
		s->list->events.v[i].group_leader = -1;
	}
	log_warn("the group of '%s' does not fit into the counters: its events are recorded apart", s->list->events.v[leader].name);
}

/* To count: the first member of the group so far that the machine has leads. */
static void find_lead(struct event_fds *s, uint32_t event)
{
	int32_t leader = s->list->events.v[event].group_leader;

	for (uint32_t i = (uint32_t)leader; s->lead[event] != event && i < event; i++) {
		if (s->list->events.v[i].group_leader == leader && !s->is_lacking[i] && s->lead[i] == i) {
			s->lead[event] = i;
			return;
		}
	}
	lead_itself(s, event);
}

static bool is_refused_by_machine(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -ENXIO || err == -EINVAL;
}

/* The leader's fd at the same place; -1: its task had vanished. */
static int group_fd_of(const struct event_fds *s, const struct event_fd *f)
{
	uint32_t lead = s->lead[f->event], ordinal = (uint32_t)(f - s->fds.v) - s->first[f->event];

	return ordinal < s->first[lead + 1] - s->first[lead] ? s->fds.v[s->first[lead] + ordinal].fd : -1;
}

/* Returns the fd, or a negative errno with the sentence. */
static int open_in_group(struct event_fds *s, const struct event_fd *f, int target_id, struct errbuf *eb)
{
	struct event_spec *spec = spec_at(s, f->event);
	bool first = !s->is_opened[f->event];
	int group_fd, fd;

	if (s->lead[f->event] == f->event)
		return event_open(&s->opener, spec, target_id, cpu_of(s, f), -1, first, eb);
	group_fd = group_fd_of(s, f);
	if (group_fd < 0)
		return -ESRCH;
	fd = event_open(&s->opener, spec, target_id, cpu_of(s, f), group_fd, first, eb);
	if (fd != -EINVAL || !spec->weak_group || (s->is_counting && !first))
		return fd;
	errbuf_clear(eb);
	leave_group(s, f->event);
	return event_open(&s->opener, spec, target_id, cpu_of(s, f), -1, first, eb);
}

/* Opens one. It stays closed where its task is gone, or where the machine lacks the event and is not asked to sample it. */
static int open_one(struct event_fds *s, struct event_fd *f, struct errbuf *eb)
{
	struct event_spec *spec = spec_at(s, f->event);
	int target_id = find_target(s, spec, f->task, eb), fd, err = 0;
	struct errbuf why = { "" };

	if (spec->cgroup && target_id < 0)
		return target_id;
	fd = open_in_group(s, f, target_id, &why);
	if (fd == -ESRCH) {
		s->nr_vanished++;
		return 0;
	}
	if (s->is_counting && is_refused_by_machine(fd)) {
		s->is_lacking[f->event] = !s->is_opened[f->event];
		if (s->is_lacking[f->event])
			log_info("%s", why.text);
		return 0;
	}
	if (fd < 0)
		return errbuf_set(eb, fd, "%s", why.text);
	f->fd = fd;
	s->is_opened[f->event] = true;
	s->nr_open++;
	if (!s->is_counting || spec->attr.read_format & READ_GROUP)
		err = event_get_id(fd, &f->id);
	if (err)
		return errbuf_set(eb, err, "cannot learn the id of event '%s': %s", spec->name, strerror(-err));
	err = event_set_filter(fd, spec, &why);
	if (err) {
		filter_error_explain(spec, err, eb);
		errbuf_set(eb, err, "%s", why.text); /* where there was nothing to explain */
	}
	return err;
}

/* The carrier of a CPU's ring: the first event there is on that CPU, on the first task that is still there. */
static int open_carrier(struct event_fds *s, uint32_t cpu, struct errbuf *eb)
{
	uint32_t event = 0, nr_tasks = s->target->tasks.ids.nr;

	while (event + 1 < s->list->events.nr && !is_on_cpu(s, event, cpu))
		event++;
	for (uint32_t task = 0; task < nr_tasks; task++) {
		struct event_fd *f = &s->fds.v[s->first[event] + cpu * nr_tasks + task];
		int err = open_one(s, f, eb);

		if (err)
			return err;
		if (f->fd >= 0)
			return ring_open(&s->rings[cpu], f->fd, &s->ring_pages, eb);
	}
	return errbuf_set(eb, -ESRCH, "nothing to record: all tasks of the target have ended");
}

struct open_job {
	struct event_fds *s;
	uint32_t next;	 /* where to go on */
	uint32_t budget; /* fds that fit */
	uint32_t holder;
	int err;
	struct errbuf *eb;
};

static bool is_done(const struct open_job *j)
{
	return j->next == j->s->fds.nr;
}

static void begin_event(struct event_fds *s, uint32_t event)
{
	if (event == s->list->events.nr)
		tracking_follow(s->list, &s->tracker);
	else if (s->is_counting)
		find_lead(s, event);
}

/* Opens on from where the job stands until all is open or the budget is used up. */
static void open_some(void *ctx)
{
	struct open_job *j = ctx;
	struct event_fds *s = j->s;

	for (; j->budget && !is_done(j) && !j->err; j->next++) {
		struct event_fd *f = &s->fds.v[j->next];

		if (j->next == s->first[f->event])
			begin_event(s, f->event);
		if (f->fd >= 0 || s->is_lacking[f->event] || !is_on_cpu(s, f->event, f->cpu))
			continue;
		f->holder = j->holder;
		j->err = open_one(s, f, j->eb);
		if (f->fd < 0)
			continue;
		j->budget--;
		if (!j->err && s->nr_rings)
			j->err = event_set_output(f->fd, s->rings[f->cpu].fd);
		if (j->err)
			errbuf_set(j->eb, j->err, "cannot redirect event '%s' into its CPU's ring: %s", event_fds_spec(s, f)->name,
				   strerror(-j->err));
	}
}

/* Everything that does not fit into our own table, one holder after the other. */
static int open_in_holders(struct open_job *j, uint64_t limit)
{
	struct event_fds *s = j->s;
	int *keep = mem_alloc(s->nr_rings * sizeof(*keep));
	int err = 0;

	for (uint32_t i = 0; i < s->nr_rings; i++)
		keep[i] = s->rings[i].fd;
	qsort(keep, s->nr_rings, sizeof(keep[0]), compare_u32);
	while (!is_done(j) && !err) {
		struct event_fds_part part = { .from = j->next };
		uint32_t nr_before = s->nr_open;

		if (limit <= s->nr_rings + HOLDER_FDS_RESERVE) {
			err = errbuf_set(j->eb, -EMFILE,
					 "a limit of %llu open files is too low for the rings of %u CPUs; raise "
					 "it with 'ulimit -n %u' or record fewer CPUs with -C",
					 (unsigned long long)limit, s->nr_rings, s->nr_rings + OWN_FDS_RESERVE + HOLDER_FDS_RESERVE);
			break;
		}
		err = fd_holder_new(&part.holder, keep, s->nr_rings, j->eb);
		if (err)
			break;
		j->budget = (uint32_t)(limit - s->nr_rings - HOLDER_FDS_RESERVE);
		j->holder = s->parts.nr + 1;
		fd_holder_run(part.holder, open_some, j);
		part.to = j->next;
		vec_push(&s->parts, part);
		err = j->err;
		/* A shrinking target can leave a holder empty; a limit that was lowered meanwhile cannot. */
		if (!err && !is_done(j) && s->nr_open == nr_before)
			err = errbuf_set(j->eb, -EMFILE, "no more events can be opened; see 'ulimit -n'");
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

/* Raises the soft limit where it is too low. False: the hard one is, too. */
static bool has_room(uint64_t need, uint64_t *limit)
{
	*limit = sysctl_nofile();
	if (need > *limit && sysctl_raise_nofile())
		*limit = sysctl_nofile();
	return need <= *limit;
}

static int open_to_sample(struct event_fds *s, struct errbuf *eb)
{
	struct open_job job = { .s = s, .budget = UINT32_MAX, .eb = eb };
	uint64_t need = (uint64_t)s->fds.nr + OWN_FDS_RESERVE, limit;
	bool fits = has_room(need, &limit);
	int err = 0;

	if (!fits && needs_one_table(s->list))
		return errbuf_set(eb, -EMFILE,
				  "groups and cgroups need all events in one table of files, and %llu do not fit "
				  "into %llu: raise the limit with 'ulimit -n %llu'",
				  (unsigned long long)need, (unsigned long long)limit, (unsigned long long)need);
	for (uint32_t cpu = 0; cpu < s->nr_rings && !err; cpu++)
		err = open_carrier(s, cpu, eb);
	if (err)
		return err;
	if (fits) {
		open_some(&job);
		return job.err;
	}
	log_info("%llu events do not fit into %llu open files: holding them in several tables", (unsigned long long)need,
		 (unsigned long long)limit);
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
		seen[s->fds.v[i].task] |= s->fds.v[i].fd >= 0;
	for (uint32_t i = 0; i < nr; i++)
		s->nr_vanished_tasks += !seen[i];
	free(seen);
}

int event_fds_open(struct event_fds *s, struct event_list *list, const struct target *target, uint32_t ring_pages, struct errbuf *eb)
{
	int err;

	s->list = list;
	s->target = target;
	s->nr_rings = target->cpus.cpus.nr;
	s->rings = mem_zalloc(s->nr_rings * sizeof(*s->rings));
	s->ring_pages = s->ring_pages_wished = ring_pages ? ring_pages : ring_default_pages();
	s->has_tracker = tracking_split(list, &s->tracker);
	lay_out(s);
	err = open_to_sample(s, eb);
	count_vanished(s);
	if (s->has_tracker)
		tracking_join(list, &s->tracker);
	return err;
}

/* Was anything to be opened? */
static bool is_wanted(const struct event_fds *s)
{
	for (uint32_t e = 0; e < s->list->events.nr; e++)
		if (!s->is_lacking[e] && s->first[e + 1] > s->first[e])
			return true;
	return false;
}

int event_fds_open_counting(struct event_fds *s, struct event_list *list, const struct target *target, struct errbuf *eb)
{
	struct open_job job = { .s = s, .budget = UINT32_MAX, .eb = eb };
	struct rlimit hard;
	uint64_t need, limit;

	s->list = list;
	s->target = target;
	s->is_counting = true;
	s->opener.no_clock_fallback = true;
	lay_out(s);
	need = (uint64_t)s->fds.nr + COUNTING_FDS_RESERVE;
	if (!has_room(need, &limit) && !getrlimit(RLIMIT_NOFILE, &hard))
		return errbuf_set(eb, -EMFILE,
				  "%u events on %u CPUs or threads need %llu open files, and the hard limit is %llu: "
				  "use fewer events, or as root 'ulimit -Hn %llu; ulimit -n %llu'",
				  list->events.nr, nr_cpus(s) * target->tasks.ids.nr, (unsigned long long)need,
				  (unsigned long long)hard.rlim_max, (unsigned long long)need, (unsigned long long)need);
	open_some(&job);
	if (!job.err && !s->nr_open && is_wanted(s))
		job.err = errbuf_set(eb, -ESRCH, "all threads that were to be counted are gone");
	return job.err;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening and closing the events with large dumps, within the limits of threads and of open files.
 * When and for whom, others say; what is in the samples is not looked at here.
 */
#include "capture/stack_growth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/sample.h"
#include "base/clock.h"
#include "base/log.h"
#include "kernel/event_open.h"
#include "kernel/sysctl.h"

#define CONFIG_TASK_CLOCK 1 /* software event; 0 is cpu-clock */
#define FDS_RESERVE 64 /* for files, /proc and build-ids */
#define MAX_PROCESSES 1024
#define RUN_MAX_NS 5000000ull /* the rings fill meanwhile */
#define EAGER_START_NS 2000000000ull
#define EAGER_STIR_NS 500000000ull

/* What such an event takes over: whom it leaves out, its clock, its rate. Neither tracking nor
 * inheritance. */
#define KEPT_FLAGS                                                                                 \
	(ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_EXCLUDE_IDLE |           \
	 ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_CHAIN_KERNEL |                      \
	 ATTR_EXCLUDE_CHAIN_USER | ATTR_FREQ | ATTR_WATERMARK | ATTR_PRECISE_IP |                  \
	 ATTR_SAMPLE_ID_ALL | ATTR_USE_CLOCKID)

void stack_growth_init(struct stack_growth *g, struct event_fds *fds, int wake_fd, bool enabled)
{
	memset(g, 0, sizeof(*g));
	g->fds = fds;
	g->wake_fd = wake_fd;
	g->is_enabled = enabled;
	for (uint32_t i = 0; i < fds->list->events.nr; i++)
		g->is_possible |= stack_growth_is_possible(&fds->list->events.v[i]);
	g->eager_until_ns = clock_now_ns() + EAGER_START_NS;
	pthread_mutex_init(&g->lock, NULL);
	pthread_mutex_init(&g->fds_lock, NULL);
}

void stack_growth_fini(struct stack_growth *g)
{
	if (!g->fds)
		return;
	for (uint32_t i = 0; i < g->events.nr; i++)
		if (g->events.v[i].fd >= 0)
			close(g->events.v[i].fd);
	vec_fini(&g->events);
	hindex_fini(&g->index);
	vec_fini(&g->closed);
	vec_fini(&g->wished);
	vec_fini(&g->gone);
	vec_fini(&g->threads);
	vec_fini(&g->processes);
	pthread_mutex_destroy(&g->lock);
	pthread_mutex_destroy(&g->fds_lock);
	g->fds = NULL;
}

bool stack_growth_is_possible(const struct event_spec *spec)
{
	const struct attr *a = &spec->attr;

	if (!(a->sample_type & SAMPLE_STACK_USER) || !(a->sample_type & SAMPLE_IDENTIFIER))
		return false;
	if (a->sample_stack_user >= STACK_GROWTH_SIZE || a->sample_type & SAMPLE_READ)
		return false;
	if (spec->group_leader >= 0 || spec->cgroup)
		return false;
	/* Two software events at one occurrence get one another's ids and dumps from the kernel (as
	 * of 6.18); the clocks among them have an occurrence each. */
	if (a->type == ATTR_TYPE_SOFTWARE && a->config > CONFIG_TASK_CLOCK)
		return false;
	return a->flags & ATTR_FREQ || a->sample_period > 1;
}

static void wake(struct stack_growth *g)
{
	uint64_t one = 1;
	ssize_t n = g->wake_fd >= 0 ? write(g->wake_fd, &one, sizeof(one)) : 0;

	(void)n;
}

void stack_growth_want(struct stack_growth *g, const struct growth_wish *w)
{
	pthread_mutex_lock(&g->lock);
	vec_push(&g->wished, *w);
	pthread_mutex_unlock(&g->lock);
	wake(g);
}

void stack_growth_gone(struct stack_growth *g, uint32_t tid)
{
	pthread_mutex_lock(&g->lock);
	vec_push(&g->gone, tid);
	pthread_mutex_unlock(&g->lock);
	wake(g);
}

static void make_eager(struct stack_growth *g, uint64_t ns)
{
	uint64_t until = clock_now_ns() + ns;

	pthread_mutex_lock(&g->lock);
	if (g->eager_until_ns < until)
		g->eager_until_ns = until;
	pthread_mutex_unlock(&g->lock);
}

void stack_growth_stir(struct stack_growth *g)
{
	make_eager(g, EAGER_STIR_NS);
}

bool stack_growth_is_eager(struct stack_growth *g)
{
	bool eager;

	if (!g->is_possible)
		return false;
	pthread_mutex_lock(&g->fds_lock);
	eager = g->threads.nr;
	pthread_mutex_unlock(&g->fds_lock);
	pthread_mutex_lock(&g->lock);
	eager |= clock_now_ns() < g->eager_until_ns;
	pthread_mutex_unlock(&g->lock);
	return eager;
}

bool stack_growth_find(struct stack_growth *g, uint64_t id, struct grown_event *e)
{
	bool found = false;

	if (!id)
		return false;
	pthread_mutex_lock(&g->lock);
	struct hindex_iter it = hindex_find(&g->index, hash_u64(id));
	for (uint32_t i; !found && (i = hindex_next(&it)) != HINDEX_NONE;) {
		found = g->events.v[i].id == id;
		if (found)
			*e = g->events.v[i];
	}
	pthread_mutex_unlock(&g->lock);
	return found;
}

/* The event of that kind on that CPU whose name its samples will bear. */
static const struct event_fd *find_original(const struct event_fds *s, uint32_t event, uint32_t cpu)
{
	for (uint32_t i = 0; i < s->fds.nr; i++)
		if (s->fds.v[i].event == event && s->fds.v[i].cpu == cpu)
			return &s->fds.v[i];
	return NULL;
}

static int open_one(struct stack_growth *g, uint32_t cpu, uint32_t size, struct grown_event *e)
{
	struct event_fds *s = g->fds;
	struct event_spec spec = s->list->events.v[e->event];
	struct errbuf eb = { "" };
	int err;

	spec.attr.flags = (spec.attr.flags & KEPT_FLAGS) | ATTR_DISABLED;
	spec.attr.sample_stack_user = size;
	e->fd = event_open(&s->opener, &spec, (pid_t)e->tid, (int)s->target->cpus.cpus.v[cpu], -1,
			   false, &eb);
	if (e->fd < 0)
		return e->fd;
	/* The first fds of the set are the rings' carriers, by CPU. */
	err = event_set_output(e->fd, s->fds.v[cpu].fd);
	if (!err)
		err = event_get_id(e->fd, &e->id);
	if (!err)
		err = event_set_filter(e->fd, &spec, &eb);
	if (err)
		close(e->fd);
	return err;
}

static bool has_room(const struct stack_growth *g, uint32_t nr)
{
	uint64_t need = (uint64_t)g->fds->nr_own + g->events.nr + nr + FDS_RESERVE;

	return need <= sysctl_nofile() || (sysctl_raise_nofile() && need <= sysctl_nofile());
}

/* Opens all events of a thread, not enabled; or none. */
static int open_all(struct stack_growth *g, uint32_t tid, uint32_t size, struct grown_events *fresh)
{
	const struct event_list *list = g->fds->list;

	for (uint32_t i = 0; i < list->events.nr; i++) {
		if (!stack_growth_is_possible(&list->events.v[i]) ||
		    list->events.v[i].attr.sample_stack_user >= size)
			continue;
		for (uint32_t cpu = 0; cpu < g->fds->nr_rings; cpu++) {
			const struct event_fd *original = find_original(g->fds, i, cpu);
			struct grown_event e = { .tid = tid, .event = i };
			int err;

			if (!original)
				continue;
			e.original_id = original->id;
			err = open_one(g, cpu, size, &e);
			if (err) {
				while (fresh->nr)
					close(fresh->v[--fresh->nr].fd);
				return err;
			}
			vec_push(fresh, e);
		}
	}
	return 0;
}

static void read_lost(struct stack_growth *g, struct grown_event *e)
{
	uint64_t format = g->fds->list->events.v[e->event].attr.read_format;
	struct event_count count = { .id = e->id };

	if (!event_read(e->fd, format, &count))
		e->lost = count.lost;
}

static void close_event(struct stack_growth *g, struct grown_event *e)
{
	uint32_t i = 0;

	read_lost(g, e);
	close(e->fd);
	while (i < g->closed.nr && g->closed.v[i].original_id != e->original_id)
		i++;
	if (i < g->closed.nr)
		g->closed.v[i].lost += e->lost;
	else
		vec_push(&g->closed, *e);
	e->fd = -1;
}

/* Of the first `nr` events. Nobody else writes to them. */
static void close_events(struct stack_growth *g, uint32_t tid, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (g->events.v[i].fd >= 0 && g->events.v[i].tid == tid)
			close_event(g, &g->events.v[i]);
}

static int grow(struct stack_growth *g, uint32_t tid, uint32_t size, bool is_new)
{
	uint32_t first = g->events.nr;
	struct grown_events fresh = { 0 };
	int err;

	if (is_new && g->threads.nr >= STACK_GROWTH_MAX_THREADS)
		return -E2BIG;
	if (!has_room(g, g->fds->nr_rings * g->fds->list->events.nr))
		return -EMFILE;
	err = open_all(g, tid, size, &fresh);
	if (err) {
		vec_fini(&fresh);
		return err;
	}
	/* Known before the first sample comes. */
	pthread_mutex_lock(&g->lock);
	for (uint32_t i = 0; i < fresh.nr; i++) {
		hindex_add(&g->index, hash_u64(fresh.v[i].id), g->events.nr);
		vec_push(&g->events, fresh.v[i]);
	}
	pthread_mutex_unlock(&g->lock);
	for (uint32_t i = 0; i < fresh.nr && g->is_enabled; i++)
		event_enable(fresh.v[i].fd);
	vec_fini(&fresh);
	close_events(g, tid, first);
	return 0;
}

static void grant(struct stack_growth *g, const struct growth_wish *w)
{
	const struct grown_size *has = grown_sizes_find(&g->threads, w->tid);
	const struct grown_size *process = grown_sizes_find(&g->processes, w->pid);
	uint32_t size = process ? process->size : 0;
	int err;

	if (w->dumped)
		size = stack_growth_choose_size(w);
	if (size <= (has ? has->size : 0))
		return;
	err = grow(g, w->tid, size, !has);
	if (err) {
		/* Who may not even need it is no matter. */
		if (err != -ESRCH && w->dumped) {
			g->nr_refused++;
			g->refusal = err;
		}
		return;
	}
	log_info("thread %u %s: %u bytes from here", w->tid,
		 w->dumped ? "has stacks larger than their dumps" :
			     "is of a process with stacks larger than their dumps", size);
	g->nr_threads += !has;
	if (g->max_size < size)
		g->max_size = size;
	grown_sizes_set(&g->threads, w->tid, size);
	if (process ? process->size < size : g->processes.nr < MAX_PROCESSES)
		grown_sizes_set(&g->processes, w->pid, size);
}

static void compact(struct stack_growth *g)
{
	uint32_t kept = 0;

	pthread_mutex_lock(&g->lock);
	hindex_fini(&g->index);
	for (uint32_t i = 0; i < g->events.nr; i++) {
		if (!g->events.v[i].id)
			continue;
		hindex_add(&g->index, hash_u64(g->events.v[i].id), kept);
		g->events.v[kept++] = g->events.v[i];
	}
	g->events.nr = kept;
	g->nr_forgotten = 0;
	pthread_mutex_unlock(&g->lock);
}

/* The kernel takes no samples of a task after its EXIT record: nothing of it is on its way. */
static void close_thread(struct stack_growth *g, uint32_t tid)
{
	grown_sizes_forget(&g->processes, tid);
	if (!grown_sizes_find(&g->threads, tid))
		return;
	grown_sizes_forget(&g->threads, tid);
	close_events(g, tid, g->events.nr);
	pthread_mutex_lock(&g->lock);
	for (uint32_t i = 0; i < g->events.nr; i++) {
		if (g->events.v[i].tid != tid || !g->events.v[i].id)
			continue;
		g->events.v[i].id = 0;
		g->nr_forgotten++;
	}
	pthread_mutex_unlock(&g->lock);
	if (g->nr_forgotten > g->events.nr / 2)
		compact(g);
}

static bool take_wish(struct stack_growth *g, struct growth_wish *w)
{
	bool got;

	pthread_mutex_lock(&g->lock);
	got = g->nr_taken < g->wished.nr;
	if (got)
		*w = g->wished.v[g->nr_taken++];
	else
		g->nr_taken = g->wished.nr = 0;
	pthread_mutex_unlock(&g->lock);
	return got;
}

static bool take_gone(struct stack_growth *g, uint32_t *tid)
{
	bool got;

	pthread_mutex_lock(&g->lock);
	got = g->gone.nr;
	if (got)
		*tid = g->gone.v[--g->gone.nr];
	pthread_mutex_unlock(&g->lock);
	return got;
}

void stack_growth_run(struct stack_growth *g)
{
	uint64_t end = clock_now_ns() + RUN_MAX_NS;
	struct growth_wish w;
	bool more = true;
	uint32_t tid;

	pthread_mutex_lock(&g->fds_lock);
	while (clock_now_ns() < end && (more = take_wish(g, &w)))
		grant(g, &w);
	while (take_gone(g, &tid))
		close_thread(g, tid);
	pthread_mutex_unlock(&g->fds_lock);
	if (more)
		wake(g);
}

void stack_growth_enable(struct stack_growth *g, bool enable)
{
	if (!g->fds)
		return;
	pthread_mutex_lock(&g->fds_lock);
	g->is_enabled = enable;
	for (uint32_t i = 0; i < g->events.nr; i++) {
		if (g->events.v[i].fd < 0)
			continue;
		if (enable)
			event_enable(g->events.v[i].fd);
		else
			event_disable(g->events.v[i].fd);
	}
	pthread_mutex_unlock(&g->fds_lock);
	if (enable)
		make_eager(g, EAGER_START_NS);
}

static void add_lost(struct stack_growth *g, const struct grown_event *e)
{
	for (uint32_t k = 0; k < g->fds->fds.nr; k++)
		if (g->fds->fds.v[k].id == e->original_id)
			g->fds->fds.v[k].count.lost += e->lost;
}

void stack_growth_add_lost(struct stack_growth *g)
{
	if (!g->fds)
		return;
	pthread_mutex_lock(&g->fds_lock);
	for (uint32_t i = 0; i < g->events.nr; i++) {
		if (g->events.v[i].fd < 0)
			continue;
		read_lost(g, &g->events.v[i]);
		add_lost(g, &g->events.v[i]);
	}
	for (uint32_t i = 0; i < g->closed.nr; i++)
		add_lost(g, &g->closed.v[i]);
	pthread_mutex_unlock(&g->fds_lock);
}

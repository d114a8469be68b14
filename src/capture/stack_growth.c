/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/stack_growth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "kernel/event_open.h"
#include "kernel/sysctl.h"

#define FDS_RESERVE 64 /* for files, /proc and build-ids */

/* Flags that a twin shares: what is excluded, clock, rate, inheritance. Neither tracking nor the start by exec. */
#define KEPT_FLAGS                                                                                                                         \
	(ATTR_INHERIT | ATTR_INHERIT_THREAD | ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_EXCLUDE_IDLE |              \
	 ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_GUEST | ATTR_EXCLUDE_CHAIN_KERNEL | ATTR_EXCLUDE_CHAIN_USER | ATTR_FREQ | ATTR_WATERMARK |       \
	 ATTR_PRECISE_IP | ATTR_SAMPLE_ID_ALL | ATTR_USE_CLOCKID)

bool stack_growth_is_possible(const struct event_spec *spec)
{
	const struct attr *a = &spec->attr;

	if (!(a->sample_type & SAMPLE_STACK_USER) || !(a->sample_type & SAMPLE_IDENTIFIER))
		return false;
	if (a->sample_type & SAMPLE_READ || a->flags & ATTR_INHERIT_STAT)
		return false;
	if (spec->group_leader >= 0 || spec->cgroup || spec->terms.given & EVENT_TERM_STACK_SIZE)
		return false;
	return a->flags & ATTR_FREQ || a->sample_period > 1;
}

/* For as many again as there are events, and the tracker. */
static bool has_room(uint64_t nr_events)
{
	uint64_t need = nr_events * 2 + FDS_RESERVE;

	return need <= sysctl_nofile() || (sysctl_raise_nofile() && need <= sysctl_nofile());
}

void stack_growth_plan(struct stack_growth *g, struct event_list *list, const struct event_config *config, const struct target *target,
		       uint64_t ring_bytes)
{
	uint64_t rate = 0;
	uint32_t nr = 0;

	g->large = 0;
	g->starts_large = true;
	for (uint32_t i = 0; i < list->events.nr; i++) {
		const struct attr *a = &list->events.v[i].attr;

		if (!stack_growth_is_possible(&list->events.v[i]))
			continue;
		nr++;
		rate += a->flags & ATTR_FREQ ? a->sample_period : 0;
		/* How many come of these is not known before they do. */
		g->starts_large &= !!(a->flags & ATTR_FREQ);
	}
	if (!nr || !config->unwinds || config->stack_user_size)
		return;
	if (has_room((list->events.nr + 1ull) * target->cpus.cpus.nr * target->tasks.ids.nr))
		g->large = dump_policy_choose_large(rate, ring_bytes);
	else
		log_info("dumps of stacks stay at %u bytes: %llu open files are too few for others", DUMP_SMALL,
			 (unsigned long long)sysctl_nofile());
	for (uint32_t i = 0; i < list->events.nr; i++)
		if (stack_growth_is_possible(&list->events.v[i]))
			list->events.v[i].attr.sample_stack_user = g->large && g->starts_large ? g->large : DUMP_SMALL;
}

static int open_twin(struct stack_growth *g, const struct event_fd *f)
{
	struct event_fds *s = g->fds;
	struct event_spec spec = s->list->events.v[f->event];
	struct event_twin t = { .event = f->event, .cpu = f->cpu, .original_id = f->id };
	struct errbuf eb = { "" };
	int err;

	spec.attr.flags = (spec.attr.flags & KEPT_FLAGS) | ATTR_DISABLED;
	spec.attr.sample_stack_user = g->starts_large ? DUMP_SMALL : g->large;
	t.fd = event_open(&s->opener, &spec, s->target->tasks.ids.v[f->task], (int)s->target->cpus.cpus.v[f->cpu], -1, false, &eb);
	if (t.fd == -ESRCH)
		return 0;
	if (t.fd < 0)
		return t.fd;
	err = event_set_output(t.fd, s->rings[f->cpu].fd);
	if (!err)
		err = event_get_id(t.fd, &t.id);
	if (!err)
		err = event_set_filter(t.fd, &spec, &eb);
	if (err)
		close(t.fd);
	else
		vec_push(&g->twins, t);
	return err;
}

static bool has_twin(const struct stack_growth *g, const struct event_fd *f)
{
	return f->fd >= 0 && f->event < g->fds->list->events.nr && stack_growth_is_possible(&g->fds->list->events.v[f->event]);
}

static void close_twins(struct stack_growth *g)
{
	for (uint32_t i = 0; i < g->twins.nr; i++)
		close(g->twins.v[i].fd);
	g->twins.nr = 0;
}

void stack_growth_open(struct stack_growth *g, struct event_fds *fds, bool enabled)
{
	int err = 0;

	g->fds = fds;
	g->is_enabled = enabled;
	pthread_mutex_init(&g->lock, NULL);
	dump_policy_init(&g->policy, fds->nr_rings, g->large, g->starts_large, fds->nr_rings ? fds->rings[0].size : 0, clock_now_ns());
	g->feedback = mem_zalloc((fds->nr_rings + 1) * sizeof(*g->feedback));
	if (!g->large)
		return;
	if (fds->parts.nr)
		err = -EMFILE;
	for (uint32_t i = 0; i < fds->fds.nr && !err; i++)
		if (has_twin(g, &fds->fds.v[i]))
			err = open_twin(g, &fds->fds.v[i]);
	if (!err)
		return;
	close_twins(g);
	log_info("dumps of stacks stay at %u bytes: no events for others (%s)", g->starts_large ? g->large : DUMP_SMALL, strerror(-err));
}

void stack_growth_close(struct stack_growth *g)
{
	if (!g->fds)
		return;
	close_twins(g);
	vec_fini(&g->twins);
	dump_policy_fini(&g->policy);
	free(g->feedback);
	g->feedback = NULL;
	pthread_mutex_destroy(&g->lock);
	g->fds = NULL;
}

/* Under the lock. One goes before the other comes: an occurrence is never sampled twice. */
static void switch_cpu(struct stack_growth *g, uint32_t cpu, bool to_twins)
{
	const struct event_fds *s = g->fds;

	for (uint32_t i = 0; i < g->twins.nr && !to_twins; i++)
		if (g->twins.v[i].cpu == cpu)
			event_enable(g->twins.v[i].fd, false);
	for (uint32_t i = 0; i < s->fds.nr; i++)
		if (s->fds.v[i].cpu == cpu && has_twin(g, &s->fds.v[i]))
			event_enable(s->fds.v[i].fd, !to_twins);
	for (uint32_t i = 0; i < g->twins.nr && to_twins; i++)
		if (g->twins.v[i].cpu == cpu)
			event_enable(g->twins.v[i].fd, true);
}

void stack_growth_add_use(struct stack_growth *g, uint32_t cpu, const struct dump_use *use)
{
	struct dump_use *u;

	if (!g->twins.nr)
		return;
	/* No other thread reads this part of it. */
	u = &g->policy.cpus[cpu].use;
	u->nr += use->nr;
	u->bytes += use->bytes;
	u->nr_lost += use->nr_lost;
	u->nr_full += use->nr_full;
	u->nr_deep += use->nr_deep;
	u->deep_bytes += use->deep_bytes;
}

void stack_growth_add_walk(struct stack_growth *g, uint32_t cpu, uint64_t reach, uint32_t dumped, bool is_cut)
{
	struct growth_feedback *f = &g->feedback[cpu];

	atomic_fetch_add_explicit(&f->nr_walked, 1, memory_order_relaxed);
	if (is_cut || reach > DUMP_SMALL)
		atomic_fetch_add_explicit(&f->nr_needy, 1, memory_order_relaxed);
	if (is_cut && dumped <= DUMP_SMALL)
		atomic_fetch_add_explicit(&f->nr_cut, 1, memory_order_relaxed);
}

static void take_feedback(struct stack_growth *g)
{
	for (uint32_t i = 0; i < g->policy.nr_cpus; i++) {
		struct dump_need *n = &g->policy.cpus[i].need;
		struct growth_feedback *f = &g->feedback[i];

		n->nr_walked += atomic_exchange_explicit(&f->nr_walked, 0, memory_order_relaxed);
		n->nr_needy += atomic_exchange_explicit(&f->nr_needy, 0, memory_order_relaxed);
		n->nr_cut += atomic_exchange_explicit(&f->nr_cut, 0, memory_order_relaxed);
	}
}

void stack_growth_look(struct stack_growth *g)
{
	struct dump_policy *p = &g->policy;

	if (!g->twins.nr)
		return;
	pthread_mutex_lock(&g->lock);
	take_feedback(g);
	if (dump_policy_decide(p, clock_now_ns()) && g->is_enabled)
		for (uint32_t i = 0; i < p->nr_cpus; i++)
			if (p->cpus[i].is_switched)
				switch_cpu(g, i, p->cpus[i].is_large != g->starts_large);
	pthread_mutex_unlock(&g->lock);
}

bool stack_growth_is_eager(struct stack_growth *g)
{
	bool is_eager;

	if (!g->twins.nr)
		return false;
	pthread_mutex_lock(&g->lock);
	is_eager = dump_policy_is_watching(&g->policy);
	pthread_mutex_unlock(&g->lock);
	return is_eager;
}

void stack_growth_enable(struct stack_growth *g, bool enable)
{
	if (!g->fds)
		return;
	pthread_mutex_lock(&g->lock);
	g->is_enabled = enable;
	for (uint32_t i = 0; i < g->policy.nr_cpus && enable; i++)
		if (g->policy.cpus[i].is_large != g->starts_large)
			switch_cpu(g, i, true);
	for (uint32_t i = 0; i < g->twins.nr && !enable; i++)
		event_enable(g->twins.v[i].fd, false);
	pthread_mutex_unlock(&g->lock);
}

void stack_growth_add_lost(struct stack_growth *g)
{
	/* Twins are in the order of those they stand for. */
	for (uint32_t i = 0, k = 0; i < g->twins.nr; i++) {
		struct event_twin *t = &g->twins.v[i];
		uint64_t format = g->fds->list->events.v[t->event].attr.read_format;
		struct event_reading reading;
		struct event_count count;

		if (!event_read(t->fd, format, &reading) && !event_reading_get(&reading, t->id, &count))
			t->lost = count.lost;
		while (g->fds->fds.v[k].id != t->original_id)
			k++;
		g->fds->fds.v[k].count.lost += t->lost;
	}
}

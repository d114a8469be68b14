/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The walk from the end of the interval to its begin.
 */
#include "model/wall_path.h"

#define MAX_STEPS (1u << 20)

void wall_path_fini(struct wall_path *p)
{
	vec_fini(&p->steps);
}

/* The last wait of a thread that began before `time_ns`; NULL: there is none. */
static const struct wall_wait *wait_before(const struct wall *w, uint32_t thread, uint64_t time_ns)
{
	uint32_t low = w->first_wait.v[thread], high = w->first_wait.v[thread + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (w->waits.v[middle].out_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low > w->first_wait.v[thread] ? &w->waits.v[low - 1] : NULL;
}

struct walk {
	const struct wall *w;
	struct wall_path *p;
	uint32_t thread;
	uint64_t at_ns;
	bool has_jumped; /* and no time passed since */
};

/* From `begin_ns` to where the walk is; it goes on there. */
static void put_step(struct walk *k, enum wall_class class, uint64_t begin_ns, uint32_t sum)
{
	struct wall_path *p = k->p;
	struct wall_step *last = p->steps.nr ? &p->steps.v[p->steps.nr - 1] : NULL;

	if (begin_ns < p->from_ns)
		begin_ns = p->from_ns;
	if (begin_ns < k->at_ns) {
		if (last && last->thread == k->thread && last->class == class && last->sum == sum)
			last->begin_ns = begin_ns;
		else
			vec_push(&p->steps, ((struct wall_step){ k->thread, class, begin_ns, k->at_ns, sum }));
	}
	k->has_jumped = false;
	k->at_ns = begin_ns;
}

/* No other task is waited for where an interrupt ends the wait. */
static bool is_followed(const struct walk *k, const struct wall_wait *wait)
{
	enum wall_class c = k->w->sums.v[wait->sum].class;

	return wait->waker != WALL_NONE && wait->waker < k->w->threads.nr && !k->has_jumped && k->at_ns == wait->wake_ns &&
	       c != WALL_SLEEP && c != WALL_DISK && c != WALL_FAULT;
}

/* One step back. False: what was before is not known. */
static bool step_back(struct walk *k)
{
	const struct wall_wait *wait = wait_before(k->w, k->thread, k->at_ns);
	const struct wall_thread *thread = &k->w->threads.v[k->thread];

	if (!wait) {
		put_step(k, WALL_RUNNING, thread->begin_ns, WALL_NONE);
		/* It begins where another thread started it. */
		k->thread = thread->maker;
		return k->thread != WALL_NONE;
	}
	if (wait->in_ns < k->at_ns) {
		put_step(k, WALL_RUNNING, wait->in_ns, WALL_NONE);
	} else if (wait->wake_ns < k->at_ns) {
		put_step(k, WALL_RUNNABLE, wait->wake_ns, wait->sum);
	} else if (is_followed(k, wait)) {
		k->thread = wait->waker;
		k->has_jumped = true;
	} else {
		put_step(k, (enum wall_class)k->w->sums.v[wait->sum].class, wait->out_ns, wait->sum);
	}
	return true;
}

static void follow(struct wall_path *p, const struct wall *w)
{
	struct walk k = { .w = w, .p = p, .thread = p->thread, .at_ns = p->to_ns };

	while (k.at_ns > p->from_ns && step_back(&k))
		if (p->steps.nr >= MAX_STEPS) {
			p->is_cut = true;
			break;
		}
	for (uint32_t i = 0, j = p->steps.nr; i + 1 < j; i++) {
		struct wall_step s = p->steps.v[i];

		p->steps.v[i] = p->steps.v[--j];
		p->steps.v[j] = s;
	}
}

/* When a thread last did something before `to_ns`. */
static uint64_t last_active_ns(const struct wall *w, uint32_t thread, uint64_t to_ns)
{
	const struct wall_thread *k = &w->threads.v[thread];
	uint64_t end_ns = to_ns < k->end_ns ? to_ns : k->end_ns;
	const struct wall_wait *wait = wait_before(w, thread, end_ns);

	if (k->begin_ns >= end_ns)
		return 0;
	return wait && wait->in_ns >= end_ns ? wait->out_ns : end_ns;
}

bool wall_path_find(struct wall_path *p, const struct wall *w, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t latest_ns = 0;

	*p = (struct wall_path){ .from_ns = from_ns, .to_ns = to_ns, .thread = WALL_NONE };
	for (uint32_t i = 0; i < w->threads.nr; i++) {
		uint64_t active_ns = w->threads.v[i].is_shown ? last_active_ns(w, i, to_ns) : 0;

		if (active_ns > latest_ns) {
			latest_ns = active_ns;
			p->thread = i;
		}
	}
	if (p->thread == WALL_NONE || latest_ns <= from_ns)
		return false;
	p->to_ns = latest_ns;
	follow(p, w);
	return p->steps.nr > 0;
}

bool wall_path_longest(struct wall_path *p, const struct wall *w)
{
	const struct wall_wait *longest = NULL;

	*p = (struct wall_path){ .thread = WALL_NONE };
	for (uint32_t i = 0; i < w->waits.nr; i++) {
		const struct wall_wait *x = &w->waits.v[i];
		const struct wall_thread *k = &w->threads.v[x->thread];

		if (!k->is_shown || (k->is_idle && !w->keeps_idle) || w->sums.v[x->sum].class == WALL_SLEEP ||
		    w->sums.v[x->sum].kind == WALL_WAS_UNKNOWN)
			continue;
		if (!longest || x->in_ns - x->out_ns > longest->in_ns - longest->out_ns)
			longest = x;
	}
	if (!longest)
		return false;
	p->thread = longest->thread;
	p->from_ns = longest->out_ns;
	p->to_ns = longest->in_ns;
	follow(p, w);
	return p->steps.nr > 0;
}

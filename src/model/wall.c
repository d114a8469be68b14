/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Waits are summed up when they end, by thread, stack and state; classes of stacks are found once a stack, when all are named.
 */
#include "model/wall.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WAITS (32u << 20)	/* that are kept for chains: 1.2 GB; sums have them all */
#define IDLE_SHARE 0.95		/* of the elapsed time in one stack */
#define IDLE_SHARE_OF_ONE 0.995 /* where it was a single wait */
#define IDLE_RUNNABLE_SHARE 0.25
#define IDLE_WAITS 3

void wall_init(struct wall *w, struct profile *p, struct timeline *t)
{
	*w = (struct wall){ .profile = p, .timeline = t };
}

void wall_fini(struct wall *w)
{
	vec_fini(&w->threads);
	vec_fini(&w->sums);
	vec_fini(&w->waits);
	vec_fini(&w->first_wait);
	hindex_fini(&w->sum_index);
	vec_fini(&w->preempted);
	vec_fini(&w->takers);
}

static struct wall_thread *thread_of(struct wall *w, uint32_t track)
{
	while (w->threads.nr <= track)
		vec_push(&w->threads, ((struct wall_thread){ .class = WALL_UNKNOWN,
							     .waker = WALL_NONE,
							     .taker = WALL_NONE,
							     .maker = WALL_NONE,
							     .top_wait = WALL_NONE }));
	return &w->threads.v[track];
}

static uint32_t add_to_sum(struct wall *w, struct wall_sum key, uint64_t ns)
{
	uint64_t hash =
		hash_pair((uint64_t)key.thread << 32 | key.stack, (uint64_t)key.kind << 16 | (uint64_t)key.class << 8 | (uint8_t)key.state);
	uint32_t id = HINDEX_INTERN(&w->sum_index, hash, &w->sums, s,
				    s->thread == key.thread && s->stack == key.stack && s->kind == key.kind && s->class == key.class &&
					    s->state == key.state,
				    key);
	struct wall_sum *s = &w->sums.v[id];

	s->nr++;
	s->total_ns += ns;
	s->max_ns = ns > s->max_ns ? ns : s->max_ns;
	return id;
}

static uint32_t intern_stack(struct wall *w, const struct session_record *sr)
{
	struct unwind_result walk;
	uint32_t stack = profile_intern_sample(w->profile, sr, &walk);

	/* Where no stacks were recorded, there are none. */
	if (w->quality && (sr->rec.sample.nr_ips || walk.end != UNWIND_NOT_DONE))
		quality_add(w->quality, QUALITY_NO_PLACE, true, stack, walk);
	return stack;
}

static void see_time(struct wall *w, uint64_t time_ns)
{
	if (!w->first_ns)
		w->first_ns = time_ns;
	if (time_ns > w->last_ns)
		w->last_ns = time_ns;
}

static void end_taker(struct wall_thread *k, uint64_t now_ns)
{
	struct wall_taker *least = &k->takers[0];

	if (k->taker == WALL_NONE)
		return;
	for (int i = 0; i < WALL_MAX_TAKERS; i++) {
		struct wall_taker *x = &k->takers[i];

		if (x->thread == k->taker || x->thread == WALL_NONE) {
			least = x;
			break;
		}
		least = x->ns < least->ns ? x : least;
	}
	if (least->thread != k->taker)
		*least = (struct wall_taker){ k->taker, 0 };
	least->ns += now_ns > k->taken_ns ? now_ns - k->taken_ns : 0;
	k->taker = WALL_NONE;
}

/* Those who had its CPU, the run of the wait at hand. */
static uint32_t keep_takers(struct wall *w, struct wall_thread *k, uint64_t now_ns)
{
	uint32_t first = w->takers.nr;

	end_taker(k, now_ns);
	for (int i = 0; i < WALL_MAX_TAKERS && k->takers[i].thread != WALL_NONE; i++)
		vec_push(&w->takers, k->takers[i]);
	if (first == w->takers.nr)
		return WALL_NONE;
	vec_push(&w->takers, ((struct wall_taker){ WALL_NONE, 0 }));
	return first;
}

/* The wait at hand ends at `now_ns`; it was runnable from `wake_ns` on. */
static void end_wait(struct wall *w, uint32_t track, uint64_t wake_ns, uint64_t now_ns)
{
	struct wall_thread *k = &w->threads.v[track];
	/* Records that came too late for the order of time. */
	uint64_t woken_ns = wake_ns < k->out_ns ? k->out_ns : wake_ns > now_ns ? now_ns : wake_ns;
	struct wall_wait wait = { .out_ns = k->out_ns, .wake_ns = woken_ns, .in_ns = now_ns, .thread = track, .waker = k->waker };
	bool is_preempted = k->state == 'R';

	wait.takers = is_preempted && w->waits.nr < MAX_WAITS ? keep_takers(w, k, now_ns) : WALL_NONE;
	if (!is_preempted) {
		wait.sum = add_to_sum(
			w,
			(struct wall_sum){
				.thread = track, .stack = k->stack, .kind = WALL_WAS_BLOCKED, .class = k->class, .state = k->state },
			woken_ns - k->out_ns);
		k->nr_waits++;
	}
	if (is_preempted || now_ns > woken_ns) {
		uint32_t sum = add_to_sum(
			w, (struct wall_sum){ .thread = track, .stack = k->stack, .kind = WALL_WAS_RUNNABLE, .class = WALL_RUNNABLE },
			now_ns - woken_ns);

		if (is_preempted)
			wait.sum = sum;
	}
	if (w->waits.nr < MAX_WAITS)
		vec_push(&w->waits, wait);
	else
		w->is_wait_limit = true;
}

/* The end of the wait at hand is missing. Until it was woken it was blocked; from then on, to `now_ns`, nothing is known. */
static void end_unseen(struct wall *w, uint32_t track, uint64_t now_ns)
{
	struct wall_thread *k = &w->threads.v[track];
	struct wall_wait rest = {
		.out_ns = k->out_ns, .wake_ns = now_ns, .in_ns = now_ns, .thread = track, .waker = WALL_NONE, .takers = WALL_NONE
	};

	k->is_open = false;
	if (k->state != 'R' && k->wake_ns > k->out_ns && k->nr_losses == w->timeline->nr_losses) {
		end_wait(w, track, k->wake_ns, k->wake_ns);
		rest.out_ns = k->wake_ns;
	}
	if (now_ns <= rest.out_ns)
		return;
	rest.sum = add_to_sum(w, (struct wall_sum){ .thread = track, .stack = STACK_NONE, .kind = WALL_WAS_UNKNOWN, .class = WALL_UNKNOWN },
			      now_ns - rest.out_ns);
	if (w->waits.nr < MAX_WAITS)
		vec_push(&w->waits, rest);
	else
		w->is_wait_limit = true;
}

void wall_see(struct wall *w, uint32_t track, uint64_t time_ns)
{
	see_time(w, time_ns);
	if (thread_of(w, track)->is_open)
		end_unseen(w, track, time_ns);
}

void wall_add_limit(struct wall *w, uint64_t time_ns)
{
	see_time(w, time_ns);
}

/* A wait begins at `out_ns`. */
static void begin_wait(struct wall *w, uint32_t track, uint32_t stack, uint64_t out_ns, char state, enum wall_class class)
{
	struct wall_thread *k = thread_of(w, track);

	k->is_met = true;
	k->is_open = true;
	k->out_ns = out_ns;
	k->wake_ns = 0;
	k->nr_losses = w->timeline->nr_losses;
	k->state = state;
	k->class = class;
	k->waker = k->taker = WALL_NONE;
	for (int i = 0; i < WALL_MAX_TAKERS; i++)
		k->takers[i] = (struct wall_taker){ WALL_NONE, 0 };
	k->stack = stack;
}

static void leave(struct wall *w, const struct session_record *sr, const struct sched_event *e, uint32_t track, enum wall_class class)
{
	if (thread_of(w, track)->is_open)
		end_unseen(w, track, e->time_ns);
	begin_wait(w, track, intern_stack(w, sr), e->time_ns, e->state, class);
}

void wall_add_waiting(struct wall *w, const struct session_record *sr, uint32_t track, char letter, enum wall_class class)
{
	struct unwind_result walk;

	see_time(w, sr->time_ns);
	/* Its callers were not looked for. */
	begin_wait(w, track, profile_intern_sample(w->profile, sr, &walk), timeline_track(w->timeline, track)->out_ns, letter, class);
}

static void come(struct wall *w, const struct sched_event *e, uint32_t track)
{
	const struct timeline_track *t = timeline_track(w->timeline, track);
	struct wall_thread *k = thread_of(w, track);

	k->is_met = true;
	if (k->is_open && t->is_wait_known && t->out_ns == k->out_ns && e->time_ns >= k->out_ns) {
		uint64_t delay_ns = t->is_delay_known ? t->delay_ns : 0;

		end_wait(w, track, e->time_ns - delay_ns, e->time_ns);
	} else if (k->is_open) {
		end_unseen(w, track, e->time_ns);
	} else if (t->is_delay_known && t->delay_ns) {
		/* It was woken before anything else was known of it. */
		add_to_sum(w, (struct wall_sum){ .thread = track, .kind = WALL_WAS_RUNNABLE, .class = WALL_RUNNABLE }, t->delay_ns);
	}
	k->is_open = false;
	k->waker = WALL_NONE;
}

/* The first thing that is known of a thread is that it is woken: it was blocked all the time before. */
static void wake_first(struct wall *w, const struct sched_event *e, uint32_t track)
{
	uint64_t begin_ns = w->first_ns;

	if (e->kind != SCHED_WAKEUP_NEW && !timeline_track(w->timeline, track)->is_born && e->time_ns > begin_ns)
		add_to_sum(w,
			   (struct wall_sum){
				   .thread = track, .kind = WALL_WAS_BLOCKED, .class = WALL_UNKNOWN, .stack = STACK_NONE, .state = '?' },
			   e->time_ns - begin_ns);
}

static void wake(struct wall *w, const struct session_record *sr, const struct sched_event *e, const struct timeline_step *step)
{
	struct wall_thread *k = thread_of(w, step->to);
	uint32_t waker = WALL_NONE;

	if (!step->is_used)
		return;
	if (!k->is_met)
		wake_first(w, e, step->to);
	if (sr->task && sr->task->tid > 0 && !e->is_irq && sr->task->id < w->timeline->by_task.nr)
		waker = w->timeline->by_task.v[sr->task->id];
	k->is_met = true;
	k->wake_ns = e->time_ns;
	k->waker = waker == TIMELINE_NONE || waker == step->to ? WALL_NONE : waker;
	if (e->kind == SCHED_WAKEUP_NEW && !k->begin_ns) {
		k->begin_ns = e->time_ns;
		k->maker = k->waker;
	}
}

void wall_add_taker(struct wall *w, uint32_t track, uint32_t taker, uint64_t time_ns)
{
	struct wall_thread *k = thread_of(w, track);

	if (!k->is_open || k->state != 'R' || taker == track || taker == k->taker)
		return;
	end_taker(k, time_ns);
	k->taker = taker;
	k->taken_ns = time_ns;
}

/* What runs on a CPU where a thread was preempted is why that one waits, until it, or nothing, runs there. */
static void follow_preempted(struct wall *w, const struct sched_event *e, const struct timeline_step *step)
{
	while (w->preempted.nr <= e->cpu)
		vec_push(&w->preempted, WALL_NONE);
	if (e->state == 'R' && !timeline_track(w->timeline, step->from)->is_idle)
		w->preempted.v[e->cpu] = step->from;
	if (timeline_track(w->timeline, step->to)->is_idle || step->to == w->preempted.v[e->cpu])
		w->preempted.v[e->cpu] = WALL_NONE;
	else if (w->preempted.v[e->cpu] != WALL_NONE)
		wall_add_taker(w, w->preempted.v[e->cpu], step->to, e->time_ns);
}

void wall_add(struct wall *w, const struct session_record *sr, const struct sched_event *e, const struct timeline_step *step,
	      enum wall_class class)
{
	see_time(w, e->time_ns);
	if (e->kind == SCHED_SWITCH) {
		if (!timeline_track(w->timeline, step->from)->is_idle)
			leave(w, sr, e, step->from, class);
		if (step->to != step->from && !timeline_track(w->timeline, step->to)->is_idle)
			come(w, e, step->to);
		follow_preempted(w, e, step);
	} else if (e->kind != SCHED_MIGRATE && e->kind != SCHED_RUNTIME) {
		wake(w, sr, e, step);
	}
}

void wall_add_sample(struct wall *w, const struct session_record *sr)
{
	const struct sample *s = &sr->rec.sample;
	bool is_kernel = (sr->header->misc & MISC_CPUMODE_MASK) == MISC_KERNEL;
	uint32_t track, stack;
	uint64_t ns = s->period ? s->period : 1;

	see_time(w, sr->time_ns);
	if (!sr->task || sr->task->tid <= 0)
		return;
	track = timeline_track_of(w->timeline, sr->task);
	stack = intern_stack(w, sr);
	thread_of(w, track)->sampled_ns[is_kernel] += ns;
	add_to_sum(w,
		   (struct wall_sum){ .thread = track,
				      .stack = stack,
				      .kind = is_kernel ? WALL_RAN_KERNEL : WALL_RAN_USER,
				      .class = is_kernel ? WALL_KERNEL : WALL_USER },
		   ns);
	w->nr_samples++;
}

/* ---- the end ---- */

static void close_open_waits(struct wall *w)
{
	for (uint32_t i = 0; i < w->threads.nr; i++) {
		struct wall_thread *k = &w->threads.v[i];
		const struct timeline_track *t = timeline_track(w->timeline, i);

		if (!k->is_open || t->state == TIMELINE_ENDED || t->state == TIMELINE_UNKNOWN || !timeline_has_all(w->timeline, t))
			continue;
		end_wait(w, i, t->state == TIMELINE_WOKEN ? t->since_ns : k->state == 'R' ? k->out_ns : w->last_ns, w->last_ns);
	}
}

static void find_limits(const struct wall *w, struct wall_thread *k, const struct timeline_track *t)
{
	if (!k->begin_ns)
		k->begin_ns = t->is_born && t->begin_ns > w->first_ns ? t->begin_ns : w->first_ns;
	k->end_ns = t->state == TIMELINE_ENDED ? t->since_ns : w->last_ns;
}

/* Samples say how the time that it ran divides; how much that is, the scheduler knows better. */
static void divide_running(struct wall *w, uint32_t thread)
{
	struct wall_thread *k = &w->threads.v[thread];
	uint64_t running_ns = timeline_track(w->timeline, thread)->times_ns[TIMELINE_RUNNING];
	uint64_t sampled_ns = k->sampled_ns[0] + k->sampled_ns[1];

	if (!sampled_ns) {
		k->ns[WALL_RUNNING] = running_ns;
		return;
	}
	k->ns[WALL_USER] = (uint64_t)((double)running_ns * (double)k->sampled_ns[0] / (double)sampled_ns);
	if (k->ns[WALL_USER] > running_ns)
		k->ns[WALL_USER] = running_ns;
	k->ns[WALL_KERNEL] = running_ns - k->ns[WALL_USER];
}

static void scale_sample_sums(struct wall *w)
{
	for (uint32_t i = 0; i < w->sums.nr; i++) {
		struct wall_sum *s = &w->sums.v[i];
		const struct wall_thread *k = &w->threads.v[s->thread];
		double sampled_ns;

		if (s->kind > WALL_RAN_KERNEL)
			continue;
		sampled_ns = (double)(k->sampled_ns[0] + k->sampled_ns[1]);
		s->total_ns = (uint64_t)((double)s->total_ns / sampled_ns *
					 (double)timeline_track(w->timeline, s->thread)->times_ns[TIMELINE_RUNNING]);
		s->max_ns = 0;
	}
}

static void add_sums_to_threads(struct wall *w)
{
	for (uint32_t i = 0; i < w->sums.nr; i++) {
		struct wall_sum *s = &w->sums.v[i];
		struct wall_thread *k = &w->threads.v[s->thread];

		if (s->kind <= WALL_RAN_KERNEL || s->kind == WALL_WAS_UNKNOWN)
			continue;
		if (s->class == WALL_UNKNOWN)
			s->class = (uint8_t)wall_class_of_stack(w->profile, s->stack, s->state);
		k->ns[s->class] += s->total_ns;
		if (s->kind == WALL_WAS_BLOCKED && (k->top_wait == WALL_NONE || s->total_ns > w->sums.v[k->top_wait].total_ns))
			k->top_wait = i;
	}
}

/* That it waited for a CPU, on a busy machine after each wake, is not its doing, unless that is much of its time. */
static bool is_idle(const struct wall *w, const struct wall_thread *k)
{
	const struct wall_sum *top = k->top_wait == WALL_NONE ? NULL : &w->sums.v[k->top_wait];
	double elapsed_ns = (double)wall_elapsed_ns(k), runnable_ns = (double)k->ns[WALL_RUNNABLE];

	if (!top || top->class == WALL_DISK || top->class == WALL_FAULT)
		return false;
	if (runnable_ns <= IDLE_RUNNABLE_SHARE * elapsed_ns)
		elapsed_ns -= runnable_ns;
	return (double)top->total_ns >= (top->nr >= IDLE_WAITS ? IDLE_SHARE : IDLE_SHARE_OF_ONE) * elapsed_ns;
}

static void sum_up_thread(struct wall *w, struct wall_thread *k)
{
	uint64_t known_ns = 0, elapsed_ns = wall_elapsed_ns(k);

	for (int c = 0; c < WALL_UNKNOWN; c++)
		known_ns += k->ns[c];
	/* A span may begin before what is known to be the thread's begin by the time that passes between two records. */
	if (known_ns > elapsed_ns) {
		k->begin_ns = k->end_ns > known_ns ? k->end_ns - known_ns : 0;
		k->end_ns = k->begin_ns + known_ns;
	} else {
		k->ns[WALL_UNKNOWN] = elapsed_ns - known_ns;
	}
	k->is_idle = is_idle(w, k);
}

/* Where all are idle, that is what was asked for. */
static void add_up(struct wall *w)
{
	bool shows_idle = w->keeps_idle || w->nr_idle == w->nr_shown;

	for (uint32_t i = 0; i < w->threads.nr; i++) {
		struct wall_thread *k = &w->threads.v[i];

		if (!k->is_shown)
			continue;
		w->nr_gaps += timeline_track(w->timeline, i)->nr_gaps;
		for (int c = 0; c < WALL_NR_CLASSES && (shows_idle || !k->is_idle); c++)
			w->total_ns[c] += k->ns[c];
		w->elapsed_ns += k->is_idle && !shows_idle ? 0 : wall_elapsed_ns(k);
	}
	w->keeps_idle = shows_idle;
	w->nr_folded = shows_idle ? 0 : w->nr_idle;
}

static int by_thread_and_time(const void *a, const void *b)
{
	const struct wall_wait *x = a, *y = b;

	return x->thread != y->thread ? COMPARE(x->thread, y->thread) : COMPARE(x->out_ns, y->out_ns);
}

static void index_waits(struct wall *w)
{
	uint32_t at = 0;

	vec_sort(&w->waits, by_thread_and_time);
	for (uint32_t i = 0; i <= w->threads.nr; i++) {
		while (at < w->waits.nr && w->waits.v[at].thread < i)
			at++;
		vec_push(&w->first_wait, at);
	}
}

void wall_finish(struct wall *w, bool (*is_wanted)(void *ctx, const struct task *task), void *ctx)
{
	if (w->timeline->tracks.nr)
		thread_of(w, w->timeline->tracks.nr - 1);
	close_open_waits(w);
	profile_symbolize(w->profile);
	scale_sample_sums(w);
	for (uint32_t i = 0; i < w->threads.nr; i++) {
		find_limits(w, &w->threads.v[i], timeline_track(w->timeline, i));
		divide_running(w, i);
	}
	add_sums_to_threads(w);
	for (uint32_t i = 0; i < w->threads.nr; i++) {
		struct wall_thread *k = &w->threads.v[i];
		const struct timeline_track *t = timeline_track(w->timeline, i);

		sum_up_thread(w, k);
		k->is_shown = !t->is_idle && k->is_met && wall_elapsed_ns(k) && (!is_wanted || is_wanted(ctx, t->task));
		w->nr_shown += k->is_shown;
		w->nr_idle += k->is_shown && k->is_idle;
	}
	add_up(w);
	index_waits(w);
}

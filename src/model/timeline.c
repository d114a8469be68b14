/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events to spans. A span is added to the sums of its track when it ends; one that began before records were lost is not.
 */
#include "model/timeline.h"

#include <string.h>

void timeline_init(struct timeline *t, struct machine *m)
{
	memset(t, 0, sizeof(*t));
	t->machine = m;
}

void timeline_fini(struct timeline *t)
{
	vec_fini(&t->tracks);
	vec_fini(&t->by_task);
	vec_fini(&t->cpus);
}

static void spend(struct timeline *t, uint64_t bytes)
{
	if (t->machine->memory)
		budget_take(t->machine->memory, bytes);
}

static uint32_t add_track(struct timeline *t, const struct task *task)
{
	vec_push(&t->tracks,
		 ((struct timeline_track){ .task = task, .cpu = TIMELINE_NONE, .queue_cpu = TIMELINE_NONE, .begin_ns = t->first_ns }));
	spend(t, 2 * sizeof(struct timeline_track));
	return t->tracks.nr - 1;
}

static uint32_t track_of_task(struct timeline *t, const struct task *task)
{
	while (t->by_task.nr <= task->id) {
		vec_push(&t->by_task, TIMELINE_NONE);
		spend(t, 2 * sizeof(uint32_t));
	}
	if (t->by_task.v[task->id] == TIMELINE_NONE)
		t->by_task.v[task->id] = add_track(t, task);
	return t->by_task.v[task->id];
}

uint32_t timeline_track_of(struct timeline *t, const struct task *task)
{
	return track_of_task(t, task);
}

/* The number is below TIMELINE_MAX_CPUS. */
/* In which a task that leaves may still be sampled, behind the record that it does. */
#define SWITCH_NS 20000

static struct timeline_cpu *cpu_of(struct timeline *t, uint32_t number)
{
	while (t->cpus.nr <= number)
		vec_push(&t->cpus, ((struct timeline_cpu){ .current = TIMELINE_NONE, .idle = TIMELINE_NONE }));
	return &t->cpus.v[number];
}

static uint32_t idle_track(struct timeline *t, uint32_t cpu)
{
	struct timeline_cpu *c = cpu_of(t, cpu);

	if (c->idle == TIMELINE_NONE) {
		c->idle = add_track(t, task_table_get(&t->machine->tasks, 0, 0));
		t->tracks.v[c->idle].is_idle = true;
		t->tracks.v[c->idle].cpu = cpu;
	}
	return c->idle;
}

/* Records that name tasks speak of others. */
static inline bool is_renumbered(const struct sched_event *e)
{
	return e->events && e->events->nr_renumbered;
}

/* The name in the event is that of a task of which no record tells one. */
static uint32_t find_track(struct timeline *t, int32_t tid, const struct sched_event *e, bool is_next)
{
	struct task_table *tasks = &t->machine->tasks;
	struct task *task = task_table_find(tasks, tid);
	const char *comm;
	uint32_t len;
	char name[64];
	uint32_t track;

	if (!task)
		task = task_table_get(tasks, -1, tid);
	track = track_of_task(t, task);
	comm = task->comm_known && !is_renumbered(e) ? NULL : sched_event_comm(e, is_next, &len);
	if (comm && len && len < sizeof(name)) {
		memcpy(name, comm, len);
		name[len] = 0;
		task_table_comm(tasks, task, name, false);
		t->tracks.v[track].is_named_by_events = is_renumbered(e);
		t->tracks.v[track].event_comm = task->comm;
	}
	return track;
}

static uint32_t find_and_keep(struct timeline *t, int32_t tid, const struct sched_event *e, bool is_next)
{
	uint32_t slot = (uint32_t)tid % TIMELINE_LAST, track = find_track(t, tid, e, is_next);

	t->last[slot].tid = tid;
	t->last[slot].track = track;
	t->last[slot].task = t->tracks.v[track].task;
	return track;
}

static inline uint32_t track_of(struct timeline *t, int32_t tid, const struct sched_event *e, bool is_next)
{
	uint32_t slot = (uint32_t)tid % TIMELINE_LAST;

	if (tid <= 0)
		return idle_track(t, e->cpu);
	if (__builtin_expect(t->last[slot].tid == tid && !t->last[slot].task->superseded && !is_renumbered(e), 1))
		return t->last[slot].track;
	return find_and_keep(t, tid, e, is_next);
}

static bool has_name(const struct timeline *t, const struct timeline_track *k, const struct sched_event *e, bool is_next)
{
	const char *name = machine_comm(t->machine, k->task);
	uint32_t len;
	const char *comm = sched_event_comm(e, is_next, &len);

	return !comm || (strlen(name) == strnlen(comm, len) && !memcmp(name, comm, strnlen(comm, len)));
}

/* The number of a task that has ended is another one's, of which the FORK record is missing. One that ended may still run for a moment: then it has
 * its name. */
static uint32_t renew(struct timeline *t, uint32_t track, int32_t tid, const struct sched_event *e, bool is_next)
{
	struct timeline_track *k = &t->tracks.v[track];
	bool is_new = e->kind == SCHED_WAKEUP_NEW && k->is_seen && k->state != TIMELINE_WOKEN;

	if (k->is_idle || (!is_new && (k->state != TIMELINE_ENDED || has_name(t, k, e, is_next))))
		return track;
	task_table_renew(&t->machine->tasks, tid);
	track = find_and_keep(t, tid, e, is_next);
	t->tracks.v[track].begin_ns = e->time_ns;
	t->tracks.v[track].is_born = true;
	return track;
}

static enum timeline_state state_of_letter(char letter)
{
	switch (letter) {
	case 'R':
		return TIMELINE_PREEMPTED;
	case 'S':
		return TIMELINE_SLEEPS;
	case 'D':
		return TIMELINE_WAITS;
	case 'I':
		return TIMELINE_IDLES;
	case 'T':
	case 't':
		return TIMELINE_STOPPED;
	case 'X':
	case 'x':
	case 'Z':
		return TIMELINE_ENDED;
	}
	return TIMELINE_PARKED;
}

/* Nothing of what it did since was lost. A record that came too late for the order of time counts as such. */
static bool is_whole(const struct timeline *t, const struct timeline_track *k, uint64_t now_ns)
{
	return timeline_has_all(t, k) && k->since_ns <= now_ns;
}

static void add_hole(struct timeline_hole *h, uint64_t begin_ns, uint64_t end_ns)
{
	if (!h->end_ns || begin_ns < h->begin_ns)
		h->begin_ns = begin_ns;
	if (end_ns > h->end_ns)
		h->end_ns = end_ns;
}

static void end_span(const struct timeline *t, struct timeline_track *k, uint64_t now_ns)
{
	if (!is_whole(t, k, now_ns)) {
		k->nr_gaps++;
		add_hole(&k->hole, k->since_ns, now_ns);
	} else if (k->state == TIMELINE_UNKNOWN && k->is_seen) {
		add_hole(&k->hole, k->since_ns, now_ns);
	} else if (k->state != TIMELINE_UNKNOWN && k->state != TIMELINE_ENDED) {
		k->times_ns[k->state] += now_ns - k->since_ns;
		if (t->see_span)
			t->see_span(t->see_span_ctx, (uint32_t)(k - t->tracks.v), k->state, k->since_ns, now_ns);
	}
}

static void begin_span(const struct timeline *t, struct timeline_track *k, enum timeline_state state, uint64_t now_ns)
{
	k->state = state;
	k->since_ns = now_ns;
	k->nr_losses = t->nr_losses;
	k->is_seen = true;
}

/* It does something else than was thought: a switch is missing. */
static void doubt(const struct timeline *t, struct timeline_track *k, uint64_t now_ns)
{
	k->nr_gaps++;
	add_hole(&k->hole, k->since_ns, now_ns);
	begin_span(t, k, TIMELINE_UNKNOWN, now_ns);
}

/* The one that leaves: how long it ran. */
static void leave(struct timeline *t, struct timeline_cpu *c, const struct sched_event *e, struct timeline_step *step)
{
	struct timeline_track *k = &t->tracks.v[step->from];
	uint32_t current = timeline_current(t, c);

	step->is_first = !c->is_seen;
	step->run_begin_ns = c->since_ns;
	step->is_gap = c->is_seen && current != step->from;
	if (step->is_gap) {
		t->nr_gaps++;
		if (current != TIMELINE_NONE && t->tracks.v[current].state == TIMELINE_RUNNING && t->tracks.v[current].cpu == e->cpu)
			doubt(t, &t->tracks.v[current], e->time_ns);
	}
	step->is_run_known = c->is_seen && !step->is_gap && k->state == TIMELINE_RUNNING && is_whole(t, k, e->time_ns);
	if (step->is_run_known) {
		step->run_ns = e->time_ns - c->since_ns;
		end_span(t, k, e->time_ns);
	} else {
		/* When it came is not there, nor how long it waited before. */
		if (c->is_seen) {
			k->nr_gaps++;
			add_hole(&k->hole, k->is_seen ? k->since_ns : t->first_ns, e->time_ns);
		} else if (e->time_ns - t->first_ns > k->unseen_ns) {
			k->unseen_ns = e->time_ns - t->first_ns;
		}
		k->wait_ns = k->delay_ns = k->migration_ns = 0;
		k->is_wait_known = k->is_delay_known = step->is_first;
	}
	begin_span(t, k, state_of_letter(e->state), e->time_ns);
	k->blocked = k->state;
	k->out_ns = e->time_ns;
	k->cpu = k->queue_cpu = e->cpu;
	k->nr_switches[e->state == 'R']++;
}

static void count_delay(struct timeline_track *k, uint64_t delay_ns, uint64_t now_ns)
{
	struct pair_figures *f = &k->delays;

	f->nr++;
	f->total_ns += delay_ns;
	if (delay_ns > f->max_ns) {
		f->max_ns = delay_ns;
		f->max_end_ns = now_ns;
	}
}

static bool is_counted(const struct timeline *t, uint32_t cpu)
{
	for (uint32_t i = 0; i < t->nr_counted_cpus; i++)
		if (t->counted_cpus[i] == cpu)
			return true;
	return !t->nr_counted_cpus;
}

/* It is on the queue of a CPU to which nothing in the recording moved it: it may have run elsewhere, on one that was not recorded. */
static bool is_astray(const struct timeline *t, const struct timeline_track *k, uint32_t cpu, uint64_t now_ns)
{
	return t->nr_cpus <= t->nr_recorded_cpus && k->queue_cpu != TIMELINE_NONE && k->queue_cpu != cpu && !k->is_idle &&
	       k->state != TIMELINE_RUNNING && k->state != TIMELINE_ENDED && k->state != TIMELINE_UNKNOWN && is_whole(t, k, now_ns);
}

/* The one that comes: how long it waited. */
static void come(struct timeline *t, const struct sched_event *e, const struct timeline_step *step)
{
	struct timeline_track *k = &t->tracks.v[step->to];
	bool is_doubted = is_astray(t, k, e->cpu, e->time_ns), was_runnable;

	if (is_doubted)
		doubt(t, k, e->time_ns);
	was_runnable = timeline_is_runnable(k->state);
	if (k->state == TIMELINE_ENDED) { /* another task of the same number */
		k->is_seen = false;
		k->out_ns = 0;
		k->state = TIMELINE_UNKNOWN;
	}
	k->left = k->out_ns ? k->blocked : TIMELINE_UNKNOWN;
	k->is_wait_known = !k->is_seen || (is_whole(t, k, e->time_ns) && k->state != TIMELINE_RUNNING && k->state != TIMELINE_UNKNOWN);
	k->wait_ns = k->out_ns && k->is_wait_known ? e->time_ns - k->out_ns : 0;
	k->is_delay_known = !k->is_seen || (was_runnable && is_whole(t, k, e->time_ns));
	k->delay_ns = was_runnable && k->is_delay_known ? e->time_ns - k->since_ns : 0;
	if (k->is_delay_known && is_counted(t, e->cpu))
		count_delay(k, k->delay_ns, e->time_ns);
	if (k->state == TIMELINE_RUNNING) {
		/* It left another CPU, and that is missing. */
		if (k->cpu != TIMELINE_NONE && k->cpu != e->cpu && t->cpus.v[k->cpu].current == step->to)
			t->cpus.v[k->cpu].current = TIMELINE_NONE;
		k->nr_gaps++;
		add_hole(&k->hole, k->since_ns, e->time_ns);
	} else {
		if (k->is_seen && !was_runnable && !is_doubted && is_whole(t, k, e->time_ns) && !k->is_idle)
			k->nr_gaps++; /* a wake */
		end_span(t, k, e->time_ns);
	}
	if (!was_runnable)
		k->migration_ns = 0;
	begin_span(t, k, TIMELINE_RUNNING, e->time_ns);
	k->cpu = k->queue_cpu = e->cpu;
}

/* What ran on it until now is not known. */
static void miss_cpu(const struct timeline *t, struct timeline_cpu *c, uint64_t now_ns)
{
	uint64_t since_ns = c->is_seen ? c->since_ns : t->first_ns;

	if (now_ns <= since_ns)
		return;
	c->unknown_ns += now_ns - since_ns;
	if (c->is_seen)
		add_hole(&c->hole, since_ns, now_ns);
	else
		c->first_ns = now_ns - since_ns;
}

static void add_switch(struct timeline *t, const struct sched_event *e, struct timeline_step *step)
{
	struct timeline_cpu *c;

	step->from = track_of(t, e->tid, e, false);
	step->to = track_of(t, e->next_tid, e, true);
	if (__builtin_expect(t->tracks.v[step->to].state == TIMELINE_ENDED, 0))
		step->to = renew(t, step->to, e->next_tid, e, true);
	c = cpu_of(t, e->cpu);
	t->nr_switches++;
	leave(t, c, e, step);
	if (step->is_run_known && t->tracks.v[step->from].is_idle)
		c->idle_ns += step->run_ns;
	if (!step->is_run_known)
		miss_cpu(t, c, e->time_ns);
	t->nr_cpus += !c->is_seen;
	if (step->to != step->from)
		come(t, e, step);
	c->is_seen = true;
	c->current = step->to;
	c->nr_losses = t->nr_losses;
	c->since_ns = e->time_ns;
}

bool timeline_see(struct timeline *t, const struct task *task, uint32_t cpu, uint64_t time_ns)
{
	uint32_t track = timeline_track_of(t, task);
	struct timeline_track *k = &t->tracks.v[track];
	struct timeline_cpu *c;
	uint32_t current;

	if (cpu >= TIMELINE_MAX_CPUS || !k->is_seen || k->state == TIMELINE_RUNNING || k->state == TIMELINE_ENDED ||
	    time_ns < k->out_ns + SWITCH_NS)
		return false;
	k->nr_gaps++;
	add_hole(&k->hole, k->since_ns, time_ns);
	begin_span(t, k, TIMELINE_RUNNING, time_ns);
	k->wait_ns = k->delay_ns = k->migration_ns = 0;
	k->is_wait_known = k->is_delay_known = false;
	c = cpu_of(t, cpu);
	current = timeline_current(t, c);
	if (c->is_seen && current != TIMELINE_NONE && t->tracks.v[current].state == TIMELINE_RUNNING && t->tracks.v[current].cpu == cpu)
		doubt(t, &t->tracks.v[current], time_ns);
	miss_cpu(t, c, time_ns);
	k->cpu = k->queue_cpu = cpu;
	t->nr_cpus += !c->is_seen;
	c->is_seen = true;
	c->current = track;
	c->nr_losses = t->nr_losses;
	c->since_ns = time_ns;
	return true;
}

static void add_wake(struct timeline *t, const struct sched_event *e, struct timeline_step *step)
{
	struct timeline_track *k = &t->tracks.v[step->to];

	if (e->kind == SCHED_WAKEUP && t->has_waking)
		return;
	/* Of one that runs it comes too early: it was about to block. */
	if (is_whole(t, k, e->time_ns) && (k->state == TIMELINE_RUNNING || timeline_is_runnable(k->state)))
		return;
	if (k->state == TIMELINE_ENDED) {
		k->out_ns = 0;
		k->queue_cpu = TIMELINE_NONE;
	}
	if (e->kind == SCHED_WAKEUP_NEW)
		k->queue_cpu = TIMELINE_NONE;
	end_span(t, k, e->time_ns);
	begin_span(t, k, TIMELINE_WOKEN, e->time_ns);
	if (e->kind == SCHED_WAKEUP_NEW && !k->is_born)
		k->begin_ns = e->time_ns;
	k->is_born |= e->kind == SCHED_WAKEUP_NEW;
	k->migration_ns = 0;
	k->nr_wakes++;
	t->nr_wakes_used++;
	step->is_used = true;
}

static void add_migration(const struct timeline *t, const struct sched_event *e, const struct timeline_step *step)
{
	struct timeline_track *k = &t->tracks.v[step->to];

	if (e->from_cpu >= 0 && is_astray(t, k, (uint32_t)e->from_cpu, e->time_ns))
		doubt(t, k, e->time_ns);
	k->queue_cpu = e->to_cpu >= 0 ? (uint32_t)e->to_cpu : TIMELINE_NONE;
	k->nr_migrations++;
	if (timeline_is_runnable(k->state)) {
		k->migration_ns = e->time_ns - k->since_ns;
		if (e->to_cpu >= 0)
			k->cpu = (uint32_t)e->to_cpu;
	}
}

bool timeline_add(struct timeline *t, const struct sched_event *e, struct timeline_step *step)
{
	*step = (struct timeline_step){ .from = TIMELINE_NONE, .to = TIMELINE_NONE };
	if (e->cpu >= TIMELINE_MAX_CPUS) {
		t->nr_bad_cpus++;
		return false;
	}
	if (!t->first_ns)
		t->first_ns = e->time_ns;
	t->last_ns = e->time_ns > t->last_ns ? e->time_ns : t->last_ns;
	if (e->kind == SCHED_SWITCH) {
		add_switch(t, e, step);
		return true;
	}
	step->to = track_of(t, e->tid, e, false);
	switch (e->kind) {
	case SCHED_WAKING:
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		step->to = renew(t, step->to, e->tid, e, false);
		add_wake(t, e, step);
		break;
	case SCHED_MIGRATE:
		add_migration(t, e, step);
		break;
	case SCHED_RUNTIME:
		if (is_counted(t, e->cpu))
			t->tracks.v[step->to].runtime_ns += e->runtime_ns;
		break;
	default:
		break;
	}
	return true;
}

/* As many records may be lost as there are others: the cost must not grow with CPUs and tasks. */
void timeline_lose(struct timeline *t, uint32_t cpu)
{
	t->nr_losses++;
	if (cpu == TIMELINE_NONE)
		t->lost_at_nr = t->nr_losses;
	else if (cpu < t->cpus.nr)
		t->cpus.v[cpu].lost_at_nr = t->nr_losses;
}

void timeline_begin_task(struct timeline *t, const struct task *task, uint64_t time_ns)
{
	uint32_t id = track_of_task(t, task);
	struct timeline_track *k = &t->tracks.v[id];

	k->is_born = true;
	k->begin_ns = time_ns;
}

void timeline_finish(struct timeline *t)
{
	for (uint32_t i = 0; i < t->tracks.nr; i++) {
		struct timeline_track *k = &t->tracks.v[i];

		/* One that was lost sight of is a gap, too, and so is one whose number another has since, but of which no end was seen. */
		if (k->is_seen && k->task->superseded && k->state != TIMELINE_ENDED && !k->is_idle)
			doubt(t, k, t->last_ns);
		if (k->is_seen && k->state != TIMELINE_ENDED)
			end_span(t, k, t->last_ns);
		/* A record may have given it another name since. */
		if (k->is_named_by_events)
			t->machine->tasks.tasks.v[k->task->id]->comm = k->event_comm;
	}
	for (uint32_t i = 0; i < t->cpus.nr; i++) {
		struct timeline_cpu *c = &t->cpus.v[i];

		if (c->is_seen && c->idle != TIMELINE_NONE && timeline_current(t, c) == c->idle)
			c->idle_ns += t->last_ns - c->since_ns;
		else if (c->is_seen && timeline_current(t, c) == TIMELINE_NONE)
			miss_cpu(t, c, t->last_ns);
	}
}

bool timeline_begin_wait(struct timeline *t, const struct task *task, char letter, uint64_t since_ns)
{
	uint32_t id = track_of_task(t, task);
	struct timeline_track *k = &t->tracks.v[id];

	if (k->is_seen || t->nr_losses || !since_ns)
		return false;
	if (!t->first_ns)
		t->first_ns = since_ns;
	begin_span(t, k, state_of_letter(letter), since_ns);
	k->begin_ns = k->out_ns = since_ns;
	k->blocked = k->state;
	return true;
}

uint64_t timeline_unknown_ns(const struct timeline *t, const struct timeline_track *k)
{
	uint64_t end_ns = k->state == TIMELINE_ENDED ? k->since_ns : t->last_ns, known_ns = 0;

	for (int i = 0; i < TIMELINE_NR_STATES; i++)
		known_ns += k->times_ns[i];
	return end_ns > k->begin_ns && end_ns - k->begin_ns > known_ns ? end_ns - k->begin_ns - known_ns : 0;
}

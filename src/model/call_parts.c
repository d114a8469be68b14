/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Notes and waits are sorted by thread and time when all are known: those of a call are a run of each.
 */
#include "model/call_parts.h"

#include <string.h>

enum { SIDE_NOT_KNOWN, SIDE_NONE, SIDE_ENTRY, SIDE_EXIT, SIDE_FAULT, SIDE_CLOCK };

#define CONFIG_MAJOR_FAULTS 6 /* PERF_COUNT_SW_PAGE_FAULTS_MAJ */

void call_notes_init(struct call_notes *n, struct wall_records *r, struct profile *p)
{
	*n = (struct call_notes){ .records = r, .profile = p };
}

void call_notes_fini(struct call_notes *n)
{
	vec_fini(&n->v);
	vec_fini(&n->first);
	vec_fini(&n->interrupts);
	vec_fini(&n->sides);
}

/* ---- notes ---- */

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), of = strlen(end);

	return len > of && !strcmp(name + len - of, end);
}

static uint8_t find_side(const struct call_notes *n, int32_t event)
{
	const struct perfdata_event *e = &n->records->recording->info->events.v[event];
	bool is_interrupt = !strncmp(e->name, "irq:", 4) || !strncmp(e->name, "irq_vectors:", 12);

	if (wall_records_is_clock(n->records, event))
		return SIDE_CLOCK;
	if (e->attr.type == ATTR_TYPE_SOFTWARE && e->attr.config == CONFIG_MAJOR_FAULTS)
		return SIDE_FAULT;
	if (e->attr.type != ATTR_TYPE_TRACEPOINT || !is_interrupt)
		return SIDE_NONE;
	return ends_in(e->name, "_entry") ? SIDE_ENTRY : ends_in(e->name, "_exit") ? SIDE_EXIT : SIDE_NONE;
}

static uint8_t side_of(struct call_notes *n, int32_t event)
{
	while (n->sides.nr <= (uint32_t)event)
		vec_push(&n->sides, (uint8_t)SIDE_NOT_KNOWN);
	if (n->sides.v[event] == SIDE_NOT_KNOWN)
		n->sides.v[event] = find_side(n, event);
	return n->sides.v[event];
}

/* Interrupts are inside of others, and soft ones follow at their end: the outermost counts. */
static void take_interrupt(struct call_notes *n, const struct session_record *sr, uint32_t track, bool is_entry)
{
	struct call_interrupt *at;

	while (n->interrupts.nr <= track)
		vec_push(&n->interrupts, ((struct call_interrupt){ 0 }));
	at = &n->interrupts.v[track];
	if (is_entry) {
		if (!at->depth++)
			at->since_ns = sr->time_ns, at->event = sr->event;
	} else if (at->depth && !--at->depth && sr->time_ns > at->since_ns) {
		vec_push(&n->v, ((struct call_note){ .time_ns = at->since_ns,
						     .ns = sr->time_ns - at->since_ns,
						     .thread = track,
						     .what = (uint32_t)at->event,
						     .kind = CALL_NOTE_INTERRUPT }));
	}
}

static void take_fault(struct call_notes *n, const struct session_record *sr, uint32_t track)
{
	const struct map *map = map_set_find(task_maps(sr->task), sr->rec.sample.addr);

	vec_push(&n->v, ((struct call_note){
				.time_ns = sr->time_ns, .thread = track, .what = map ? map->dso : UINT32_MAX, .kind = CALL_NOTE_FAULT }));
}

static void take_clock(struct call_notes *n, const struct session_record *sr, uint32_t track)
{
	bool is_kernel = (sr->header->misc & MISC_CPUMODE_MASK) == MISC_KERNEL;
	struct unwind_result walk;

	vec_push(&n->v, ((struct call_note){ .time_ns = sr->time_ns,
					     .thread = track,
					     .what = profile_intern_sample(n->profile, sr, &walk),
					     .kind = is_kernel ? CALL_NOTE_KERNEL : CALL_NOTE_USER }));
}

void call_notes_take(struct call_notes *n, const struct session_record *sr)
{
	uint32_t track;
	uint8_t side;

	if (sr->header->type != RECORD_SAMPLE || sr->event < 0 || !sr->task || sr->task->tid <= 0)
		return;
	side = side_of(n, sr->event);
	if (side == SIDE_NONE)
		return;
	track = timeline_track_of(&n->records->timeline, sr->task);
	if (side == SIDE_CLOCK)
		take_clock(n, sr, track);
	else if (side == SIDE_FAULT)
		take_fault(n, sr, track);
	else
		take_interrupt(n, sr, track, side == SIDE_ENTRY);
}

static int by_thread_and_time(const void *a, const void *b)
{
	const struct call_note *x = a, *y = b;

	return x->thread != y->thread ? COMPARE(x->thread, y->thread) : COMPARE(x->time_ns, y->time_ns);
}

void call_notes_finish(struct call_notes *n)
{
	uint32_t at = 0;

	vec_sort(&n->v, by_thread_and_time);
	for (uint32_t i = 0; i <= n->records->timeline.tracks.nr; i++) {
		while (at < n->v.nr && n->v.v[at].thread < i)
			at++;
		vec_push(&n->first, at);
	}
	for (uint32_t i = 0; i < n->records->recording->info->events.nr; i++) {
		n->has_interrupts |= side_of(n, (int32_t)i) == SIDE_ENTRY;
		n->has_faults |= side_of(n, (int32_t)i) == SIDE_FAULT;
	}
}

/* ---- one call ---- */

static void add_other(struct call_other *others, uint32_t thread, uint64_t ns)
{
	uint32_t i = 0;

	if (thread == WALL_NONE)
		return;
	while (i < CALL_MAX_OTHERS && others[i].thread != WALL_NONE && others[i].thread != thread)
		i++;
	if (i == CALL_MAX_OTHERS) {
		/* The least of them makes room for one that has more. */
		if (others[--i].ns >= ns)
			return;
		others[i] = (struct call_other){ thread, 0 };
	} else if (others[i].thread == WALL_NONE) {
		others[i].thread = thread;
	}
	others[i].ns += ns;
	for (; i && others[i].ns > others[i - 1].ns; i--) {
		struct call_other o = others[i];

		others[i] = others[i - 1];
		others[i - 1] = o;
	}
}

static uint64_t clip(uint64_t time_ns, const struct call *c)
{
	return time_ns < c->begin_ns ? c->begin_ns : time_ns > c->end_ns ? c->end_ns : time_ns;
}

static void add_wait(struct call_parts *p, const struct call *c, const struct wall *w, uint32_t id)
{
	const struct wall_wait *x = &w->waits.v[id];
	uint64_t out_ns = clip(x->out_ns, c), wake_ns = clip(x->wake_ns, c), in_ns = clip(x->in_ns, c);
	bool is_preempted = w->sums.v[x->sum].kind == WALL_WAS_RUNNABLE;
	const struct wall_wait *longest = p->longest_wait == WALL_NONE ? NULL : &w->waits.v[p->longest_wait];

	if (w->sums.v[x->sum].kind == WALL_WAS_UNKNOWN) {
		p->ns[WALL_UNKNOWN] += in_ns - out_ns;
		return;
	}
	if (!longest || in_ns - out_ns > clip(longest->in_ns, c) - clip(longest->out_ns, c))
		p->longest_wait = id;
	p->ns[WALL_RUNNABLE] += in_ns - wake_ns;
	if (is_preempted) {
		p->nr_preempted++;
		p->preempted_ns += in_ns - wake_ns;
		for (uint32_t i = x->takers; i != WALL_NONE && w->takers.v[i].thread != WALL_NONE; i++)
			add_other(p->takers, w->takers.v[i].thread, w->takers.v[i].ns);
		return;
	}
	p->nr_waits++;
	p->ns[w->sums.v[x->sum].class] += wake_ns - out_ns;
	add_other(p->wakers, x->waker, wake_ns - out_ns);
}

static void add_waits(struct call_parts *p, const struct call *c, const struct wall *w)
{
	uint32_t low = w->first_wait.v[c->thread], end = w->first_wait.v[c->thread + 1], high = end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (w->waits.v[middle].in_ns <= c->begin_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < end && w->waits.v[low].out_ns < c->end_ns; low++)
		add_wait(p, c, w, low);
}

static void add_notes(struct call_parts *p, const struct call *c, const struct call_notes *n)
{
	uint32_t low = n->first.v[c->thread], end = n->first.v[c->thread + 1], high = end, run = 0, last = STACK_NONE;
	uint64_t longest_ns = 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (n->v.v[middle].time_ns < c->begin_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < end && n->v.v[low].time_ns <= c->end_ns; low++) {
		const struct call_note *x = &n->v.v[low];

		if (x->kind == CALL_NOTE_INTERRUPT) {
			p->nr_interrupts++;
			p->ns[CALL_INTERRUPTS] += clip(x->time_ns + x->ns, c) - x->time_ns;
			if (x->ns > longest_ns)
				longest_ns = x->ns, p->interrupt = x->what;
		} else if (x->kind == CALL_NOTE_FAULT) {
			if (!p->nr_faults++)
				p->fault_file = x->what;
		} else {
			bool is_kernel = x->kind == CALL_NOTE_KERNEL;

			p->samples[is_kernel + (is_kernel && wall_class_of_stack(n->profile, x->what, 'R') == WALL_FAULT)]++;
			p->nr_samples++;
			/* The longest run of equal stacks, which needs no table. */
			run = x->what == last ? run + 1 : 1;
			last = x->what;
			if (run > p->top_stack_nr || p->top_stack == STACK_NONE)
				p->top_stack = x->what, p->top_stack_nr = run;
		}
	}
}

/* Waits that overlap, because records came in the wrong order, are no more than the call. */
static void trim(struct call_parts *p, uint64_t excess_ns)
{
	while (excess_ns) {
		uint64_t *top = &p->ns[call_parts_top(p)];
		uint64_t part_ns = *top < excess_ns ? *top : excess_ns;

		*top -= part_ns;
		excess_ns -= part_ns;
	}
}

bool call_parts_find(struct call_parts *p, const struct call *c, const struct wall *w, const struct call_notes *n)
{
	uint64_t took_ns = call_took_ns(c), known_ns = 0;

	*p = (struct call_parts){ .longest_wait = WALL_NONE, .top_stack = STACK_NONE, .fault_file = UINT32_MAX, .interrupt = UINT32_MAX };
	for (int i = 0; i < CALL_MAX_OTHERS; i++)
		p->takers[i].thread = p->wakers[i].thread = WALL_NONE;
	if (c->is_moved || c->thread + 1 >= w->first_wait.nr || c->thread + 1 >= n->first.nr) {
		p->ns[WALL_UNKNOWN] = took_ns;
		return false;
	}
	add_waits(p, c, w);
	add_notes(p, c, n);
	for (uint32_t i = 0; i < CALL_NR_PARTS; i++)
		known_ns += p->ns[i];
	if (known_ns > took_ns)
		trim(p, known_ns - took_ns);
	p->running_ns = took_ns > known_ns ? took_ns - known_ns : 0;
	p->waited_fault_ns = p->ns[WALL_FAULT];
	call_parts_divide(p);
	return true;
}

void call_parts_divide(struct call_parts *p)
{
	uint64_t kernel_ns, fault_ns, nr = p->nr_samples;

	p->ns[WALL_RUNNING] = nr ? 0 : p->running_ns;
	if (!nr)
		return;
	kernel_ns = (uint64_t)((unsigned __int128)p->running_ns * p->samples[1] / nr);
	fault_ns = (uint64_t)((unsigned __int128)p->running_ns * p->samples[2] / nr);
	p->ns[WALL_KERNEL] = kernel_ns;
	p->ns[WALL_FAULT] = p->waited_fault_ns + fault_ns;
	p->ns[WALL_USER] = p->running_ns - kernel_ns - fault_ns;
}

void call_parts_add(struct call_parts *sum, const struct call_parts *p)
{
	for (uint32_t i = 0; i < CALL_NR_PARTS; i++)
		sum->ns[i] += p->ns[i];
	sum->preempted_ns += p->preempted_ns;
	sum->running_ns += p->running_ns;
	sum->waited_fault_ns += p->waited_fault_ns;
	for (int i = 0; i < 3; i++)
		sum->samples[i] += p->samples[i];
	sum->nr_preempted += p->nr_preempted;
	sum->nr_waits += p->nr_waits;
	sum->nr_faults += p->nr_faults;
	sum->nr_interrupts += p->nr_interrupts;
	sum->nr_samples += p->nr_samples;
}

uint32_t call_parts_top(const struct call_parts *p)
{
	uint32_t top = 0;

	for (uint32_t i = 1; i < CALL_NR_PARTS; i++)
		if (p->ns[i] > p->ns[top])
			top = i;
	return top;
}

const char *call_part_name(uint32_t part)
{
	return part == CALL_INTERRUPTS ? "interrupts" : wall_class_name((enum wall_class)part);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which tracks of the store become rows, and in which order.
 */
#include "view/timechart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/span_states.h"

void timechart_fini(struct timechart *c)
{
	vec_fini(&c->rows);
}

static const struct task *task_of(const struct timechart *c, uint32_t key)
{
	return timeline_track(c->timeline, key)->task;
}

const char *timechart_name(const struct timechart *c, uint32_t key)
{
	return strtab_get(&c->machine->tasks.strings, task_of(c, key)->comm);
}

static int32_t pid_of(const struct task *task)
{
	return task->pid < 0 ? task->tid : task->pid;
}

static bool is_chosen(const struct timechart *c, const struct timechart_choice *choice, uint32_t key)
{
	const struct task *task = task_of(c, key);

	for (uint32_t i = 0; i < choice->processes.nr; i++) {
		const char *word = choice->processes.v[i];
		char *end;
		long id = strtol(word, &end, 10);

		if (!strcmp(word, timechart_name(c, key)) || (*word && !*end && (id == task->tid || id == pid_of(task))))
			return true;
	}
	return !choice->processes.nr;
}

static uint64_t active_of(const struct span_sum *sum)
{
	uint64_t ns = 0;

	for (int state = 0; state < SPAN_NR_STATES; state++)
		ns += span_states[state].is_activity ? sum->ns[state] : 0;
	return ns;
}

static struct timechart_row row_of_track(const struct timechart *c, uint32_t track)
{
	const struct span_track *k = &c->store->tracks.v[track];
	struct timechart_row row = { .kind = k->kind, .track = track, .key = k->key };
	struct span_sum sum = { 0 };

	span_store_sum(c->store, track, 0, UINT64_MAX, &sum);
	row.active_ns = active_of(&sum);
	row.process_begin_ns = k->spans.nr ? k->spans.v[0].begin_ns : UINT64_MAX;
	return row;
}

static bool is_of_task(enum span_kind kind)
{
	return kind == SPAN_OF_TASK || kind == SPAN_OF_IO;
}

static int by_activity(const void *a, const void *b)
{
	const struct timechart_row *x = a, *y = b;

	return x->active_ns != y->active_ns ? COMPARE(y->active_ns, x->active_ns) : COMPARE(x->key, y->key);
}

static int by_process(const void *a, const void *b, void *ctx)
{
	const struct timechart *c = ctx;
	const struct timechart_row *x = a, *y = b;
	const struct task *p = task_of(c, x->key), *q = task_of(c, y->key);
	bool leads_x = p->tid == pid_of(p), leads_y = q->tid == pid_of(q);

	if (x->process_begin_ns != y->process_begin_ns)
		return COMPARE(x->process_begin_ns, y->process_begin_ns);
	if (pid_of(p) != pid_of(q))
		return COMPARE(pid_of(p), pid_of(q));
	if (leads_x != leads_y)
		return leads_x ? -1 : 1;
	return x->key != y->key ? COMPARE(x->key, y->key) : COMPARE((int)x->kind, (int)y->kind);
}

static int by_pid(const void *a, const void *b, void *ctx)
{
	const struct timechart *c = ctx;
	const struct timechart_row *x = a, *y = b;
	int order = COMPARE(pid_of(task_of(c, x->key)), pid_of(task_of(c, y->key)));

	return order ? order : COMPARE(x->process_begin_ns, y->process_begin_ns);
}

/* All rows of a process begin when its first one does, and follow each other so. */
static void order_tasks(struct timechart *c, struct timechart_row *rows, uint32_t nr)
{
	if (!nr)
		return;
	qsort_r(rows, nr, sizeof(*rows), by_pid, c);
	for (uint32_t i = 1; i < nr; i++)
		if (pid_of(task_of(c, rows[i].key)) == pid_of(task_of(c, rows[i - 1].key)))
			rows[i].process_begin_ns = rows[i - 1].process_begin_ns;
	qsort_r(rows, nr, sizeof(*rows), by_process, c);
	for (uint32_t i = 1; i < nr; i++)
		rows[i].is_thread = pid_of(task_of(c, rows[i].key)) == pid_of(task_of(c, rows[i - 1].key));
}

/* A task with two rows, of its states and of its system calls, counts as one. Returns how many rows are left. */
static uint32_t keep_most_active(struct timechart *c, struct timechart_row *rows, uint32_t nr, uint32_t nr_tasks)
{
	enum { KEPT = 1, LEFT_OUT };
	uint8_t *fate = mem_zalloc(c->timeline->tracks.nr + 1);
	uint32_t kept = 0, tasks = 0;

	qsort(rows, nr, sizeof(*rows), by_activity);
	for (uint32_t i = 0; i < nr; i++) {
		uint8_t *f = &fate[rows[i].key];

		if (!*f) {
			*f = tasks < nr_tasks ? KEPT : LEFT_OUT;
			tasks += *f == KEPT;
			c->nr_tasks_left_out += *f == LEFT_OUT;
		}
		if (*f == KEPT)
			rows[kept++] = rows[i];
	}
	free(fate);
	return kept;
}

static void add_tasks(struct timechart *c, const struct timechart_choice *choice)
{
	uint32_t first = c->rows.nr;

	for (uint32_t i = 0; i < c->store->tracks.nr; i++) {
		const struct span_track *k = &c->store->tracks.v[i];
		struct timechart_row row;

		if (!is_of_task(k->kind) || (choice->io_only && k->kind == SPAN_OF_TASK) || !k->spans.nr || !is_chosen(c, choice, k->key))
			continue;
		row = row_of_track(c, i);
		row.is_highlighted = (choice->highlighted_ns && row.active_ns >= choice->highlighted_ns) ||
				     (choice->highlighted_name && !strcmp(choice->highlighted_name, timechart_name(c, k->key)));
		vec_push(&c->rows, row);
	}
	if (c->rows.nr == first)
		return;
	c->rows.nr = first + keep_most_active(c, c->rows.v + first, c->rows.nr - first, choice->nr_tasks);
	order_tasks(c, c->rows.v + first, c->rows.nr - first);
}

/* Rows of a kind share a scale. */
static uint32_t max_value_of_kind(const struct timechart *c, enum span_kind kind)
{
	uint32_t max = 0;

	for (uint32_t t = 0; kind != SPAN_OF_CPU && t < c->store->tracks.nr; t++) {
		const struct span_track *k = &c->store->tracks.v[t];

		for (uint32_t i = 0; k->kind == kind && i < k->spans.nr; i++)
			if (k->spans.v[i].state != SPAN_MIXED && k->spans.v[i].value > max)
				max = k->spans.v[i].value;
	}
	return max;
}

static void add_cpu(struct timechart *c, const struct timechart_choice *choice, uint32_t cpu, const uint32_t *max_values)
{
	static const enum span_kind kinds[] = { SPAN_OF_CPU, SPAN_OF_POWER, SPAN_OF_FREQUENCY };
	bool has_row = false;

	for (size_t i = 0; i < (choice->tasks_only ? 1 : sizeof(kinds) / sizeof(kinds[0])); i++) {
		uint32_t track = span_store_find(c->store, kinds[i], cpu);
		struct timechart_row row;

		if (track == SPAN_NO_TRACK || !c->store->tracks.v[track].spans.nr)
			continue;
		row = row_of_track(c, track);
		row.is_thread = has_row;
		has_row = true;
		row.max_value = max_values[kinds[i]];
		vec_push(&c->rows, row);
	}
}

static void add_cpus(struct timechart *c, const struct timechart_choice *choice)
{
	uint32_t max_values[SPAN_NR_KINDS] = { 0 }, nr = 0;
	bool *is_there;

	for (int kind = SPAN_OF_CPU; kind <= SPAN_OF_FREQUENCY; kind++) {
		max_values[kind] = max_value_of_kind(c, (enum span_kind)kind);
		nr = c->store->by_key[kind].nr > nr ? c->store->by_key[kind].nr : nr;
	}
	is_there = mem_zalloc(nr + 1);
	for (uint32_t i = 0; i < choice->cpu_order.nr; i++) {
		add_cpu(c, choice, choice->cpu_order.v[i], max_values);
		if (choice->cpu_order.v[i] < nr)
			is_there[choice->cpu_order.v[i]] = true;
	}
	for (uint32_t cpu = 0; cpu < nr; cpu++)
		if (!is_there[cpu])
			add_cpu(c, choice, cpu, max_values);
	free(is_there);
}

void timechart_choose(struct timechart *c, const struct timechart_choice *choice)
{
	c->rows.nr = 0;
	c->nr_tasks_left_out = 0;
	if (!choice->io_only)
		add_cpus(c, choice);
	if (!choice->power_only)
		add_tasks(c, choice);
}

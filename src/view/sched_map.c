/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sched map: what runs on each CPU, a line per switch. Tasks have two letters, which are explained where they first appear and where the
 * task has taken another name since.
 */
#include "view/sched_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define NO_TRACK TIMELINE_NONE
#define LOST (TIMELINE_NONE - 1) /* records of the CPU were lost since: not known */
#define LEFT (TIMELINE_NONE - 2) /* a task that is not looked for came */
#define COLOUR_CPU "\033[31m"
#define COLOUR_TASK "\033[34m"
#define COLOUR_END "\033[m"

void sched_map_fini(struct sched_map *m)
{
	filter_fini(&m->cpus);
	filter_fini(&m->colours);
	for (uint32_t i = 0; i < m->task_names.nr; i++)
		free(m->task_names.v[i]);
	vec_fini(&m->task_names);
	vec_fini(&m->names);
	vec_fini(&m->columns);
	vec_fini(&m->shown);
}

static bool has_number(const uint32_t *v, uint32_t nr, uint32_t number)
{
	for (uint32_t i = 0; i < nr; i++)
		if (v[i] == number)
			return true;
	return false;
}

static bool is_looked_for(const struct sched_map *m, uint32_t track)
{
	const struct timeline_track *k = timeline_track(m->t, track);
	const char *comm = machine_comm(m->t->machine, k->task);

	if (!m->task_names.nr)
		return true;
	for (uint32_t i = 0; i < m->task_names.nr && !k->is_idle; i++)
		if (m->is_fuzzy ? strstr(comm, m->task_names.v[i]) != NULL : !strcmp(comm, m->task_names.v[i]))
			return true;
	return false;
}

/* A0, B0 … Z0, A1 … Z9, and again from A0 on, as in perf. */
static const char *letters_of(struct sched_map *m, uint32_t track)
{
	struct sched_map_name *n = &m->names.v[track];

	if (n->letters[0])
		return n->letters;
	if (timeline_track(m->t, track)->is_idle) {
		memcpy(n->letters, ". ", 3);
	} else {
		n->letters[0] = (char)('A' + m->nr_letters % 26);
		n->letters[1] = (char)('0' + m->nr_letters / 26 % 10);
		m->nr_letters++;
	}
	return n->letters;
}

static bool has_column(const struct sched_map *m, uint32_t cpu)
{
	return has_number(m->columns.v, m->columns.nr, cpu);
}

/* All CPUs up to this one have a column; in the compact map only those that appeared. */
static bool add_column(struct sched_map *m, uint32_t cpu)
{
	while (m->shown.nr <= cpu)
		vec_push(&m->shown, NO_TRACK);
	if (m->is_compact ? has_column(m, cpu) : cpu < m->columns.nr)
		return false;
	for (uint32_t i = m->is_compact ? cpu : m->columns.nr; i <= cpu; i++)
		vec_push(&m->columns, i);
	return true;
}

static const char *colour_of(const struct sched_map *m, uint32_t cpu, uint32_t track)
{
	if (!m->has_colours)
		return NULL;
	if (track < LEFT &&
	    has_number((const uint32_t *)m->colours.pids.v, m->colours.pids.nr, (uint32_t)timeline_track(m->t, track)->task->tid))
		return COLOUR_TASK;
	return has_number(m->colours.cpus.v, m->colours.cpus.nr, cpu) ? COLOUR_CPU : NULL;
}

static void put_columns(struct sched_map *m, uint32_t cpu)
{
	out_str(m->o, "  ");
	for (uint32_t i = 0; i < m->columns.nr; i++) {
		uint32_t at = m->columns.v[i], track = m->shown.v[at];
		const char *colour = colour_of(m, at, track);
		char *cell;

		if (colour)
			out_str(m->o, colour);
		cell = out_room(m->o, 4);
		cell[0] = at == cpu ? '*' : ' ';
		memcpy(cell + 1, track == NO_TRACK ? "  " : track == LOST ? "? " : track == LEFT ? "- " : letters_of(m, track), 2);
		cell[3] = ' ';
		out_advance(m->o, 4);
		if (colour)
			out_str(m->o, COLOUR_END);
	}
}

static void put_line(struct sched_map *m, const struct sched_event *e, uint32_t explained, bool is_new_cpu, bool is_gap)
{
	m->nr_lines++;
	put_columns(m, e->cpu);
	out_str(m->o, "  ");
	sched_put_seconds(m->o, e->time_ns, 12);
	out_str(m->o, " secs ");
	if (explained != NO_TRACK) {
		const struct timeline_track *k = timeline_track(m->t, explained);

		out_str(m->o, letters_of(m, explained));
		out_str(m->o, " => ");
		escape_terminal_str(m->o, machine_comm(m->t->machine, k->task));
		out_printf(m->o, ":%d", k->task->tid);
	}
	if (m->is_compact && is_new_cpu)
		out_printf(m->o, " (CPU %u)", e->cpu);
	if (is_gap)
		out_str(m->o, " (switches are missing)");
	out_char(m->o, '\n');
}

/* The letters of a task are explained with its first line, and where its name has changed; those of the idle task once. */
static uint32_t explain(struct sched_map *m, uint32_t track)
{
	struct sched_map_name *n = &m->names.v[track];
	const struct timeline_track *k = timeline_track(m->t, track);

	if (k->is_idle ? m->is_idle_explained : n->is_explained)
		return NO_TRACK;
	m->is_idle_explained |= k->is_idle;
	letters_of(m, track);
	n->is_explained = true;
	return track;
}

void sched_map_rename(struct sched_map *m, const struct task *task)
{
	uint32_t track = task->id < m->t->by_task.nr ? m->t->by_task.v[task->id] : NO_TRACK;

	if (track < m->names.nr)
		m->names.v[track].is_explained = false;
}

void sched_map_lose(struct sched_map *m, uint32_t cpu)
{
	for (uint32_t i = cpu == TIMELINE_NONE ? 0 : cpu; i < m->shown.nr && (cpu == TIMELINE_NONE || i == cpu); i++)
		if (m->shown.v[i] != NO_TRACK)
			m->shown.v[i] = LOST;
}

void sched_map_add(struct sched_map *m, const struct sched_event *e, const struct timeline_step *step)
{
	bool is_cpu_shown = !m->cpus.cpus.nr || has_number(m->cpus.cpus.v, m->cpus.cpus.nr, e->cpu);
	bool comes = is_looked_for(m, step->to), is_new_cpu, leaves;
	uint32_t *shown;

	while (m->names.nr < m->t->tracks.nr)
		vec_push(&m->names, ((struct sched_map_name){ 0 }));
	is_new_cpu = add_column(m, e->cpu);
	shown = &m->shown.v[e->cpu];
	leaves = m->task_names.nr && *shown == step->from && !timeline_track(m->t, step->from)->is_idle;
	*shown = comes || timeline_track(m->t, step->to)->is_idle ? step->to : LEFT;
	if (comes && is_cpu_shown)
		put_line(m, e, explain(m, step->to), is_new_cpu, step->is_gap);
	else if (comes)
		explain(m, step->to);
	if (leaves && is_cpu_shown) {
		uint32_t now = *shown;

		*shown = LEFT;
		put_line(m, e, NO_TRACK, false, step->is_gap);
		*shown = now;
	}
}

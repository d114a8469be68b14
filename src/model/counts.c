/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The matrix of running totals, and how it becomes rows: difference, scaling, sum, mean. Values of multiplexed counters are scaled cell by
 * cell, because CPUs and threads are not equally busy.
 */
#include "model/counts.h"

#include <math.h>
#include <string.h>

#include "abi/attr.h"

#define SERIES_PER_ROW 3

static void counts_series_add(struct counts_series *s, double value)
{
	double delta = value - s->mean;

	s->nr += 1;
	s->mean += delta / s->nr;
	s->m2 += delta * (value - s->mean);
}

double counts_series_stderr(const struct counts_series *s)
{
	if (s->nr < 2)
		return 0;
	return sqrt(s->m2 / (s->nr - 1) / s->nr);
}

double counts_series_spread_pct(const struct counts_series *s)
{
	return s->mean != 0 ? 100.0 * counts_series_stderr(s) / fabs(s->mean) : 0;
}

void counts_init(struct counts *c, enum counts_aggr aggr)
{
	memset(c, 0, sizeof(*c));
	c->aggr = aggr;
}

void counts_fini(struct counts *c)
{
	vec_fini(&c->events);
	vec_fini(&c->cpus);
	vec_fini(&c->threads);
	vec_fini(&c->places);
	vec_fini(&c->runs);
	free(c->now);
	free(c->before);
	free(c->rows);
	free(c->series);
	c->now = c->before = NULL;
	c->rows = NULL;
	c->series = NULL;
	arena_fini(&c->arena);
}

static const char *copy_str(struct counts *c, const char *s)
{
	return s ? arena_str(&c->arena, s, strlen(s)) : NULL;
}

uint32_t counts_add_event(struct counts *c, const struct counts_event *e)
{
	struct counts_event *own = vec_add(&c->events);

	*own = *e;
	own->name = copy_str(c, e->name);
	own->unit = copy_str(c, e->unit ? e->unit : "");
	own->cgroup = copy_str(c, e->cgroup);
	return c->events.nr - 1;
}

uint32_t counts_add_cpu(struct counts *c, const struct counts_cpu *cpu)
{
	vec_push(&c->cpus, *cpu);
	return c->cpus.nr - 1;
}

uint32_t counts_add_thread(struct counts *c, pid_t tid, const char *comm)
{
	struct counts_thread t = { .tid = tid, .comm = copy_str(c, comm) };

	vec_push(&c->threads, t);
	return c->threads.nr - 1;
}

/* The place that a CPU belongs to, with what tells it from others filled in. */
static struct counts_place place_of_cpu(enum counts_aggr aggr, const struct counts_cpu *cpu)
{
	struct counts_place p = { -1, -1, -1, -1, -1, 0, 1, 0 };

	if (aggr == COUNTS_PER_NODE) {
		p.node = cpu->node;
		return p;
	}
	/* What a core is part of tells it from others as much as its number does. */
	p.socket = cpu->socket;
	if (aggr != COUNTS_PER_SOCKET)
		p.die = cpu->die;
	if (aggr != COUNTS_PER_SOCKET && aggr != COUNTS_PER_DIE)
		p.core = cpu->core;
	if (aggr == COUNTS_PER_CPU)
		p.cpu = cpu->cpu;
	return p;
}

static int place_compare(const void *va, const void *vb)
{
	const struct counts_place *a = va, *b = vb;

	return COMPARE(a->node, b->node)     ?:
	       COMPARE(a->socket, b->socket) ?:
	       COMPARE(a->die, b->die)	     ?:
	       COMPARE(a->core, b->core)     ?:
	       COMPARE(a->cpu, b->cpu);
}

static int place_compare_cpu(const void *va, const void *vb)
{
	const struct counts_place *a = va, *b = vb;

	return COMPARE(a->cpu, b->cpu);
}

static void make_cpu_places(struct counts *c)
{
	for (uint32_t i = 0; i < c->cpus.nr; i++) {
		struct counts_place p = place_of_cpu(c->aggr, &c->cpus.v[i]);
		uint32_t j = 0;

		p.first_cpu = i;
		while (j < c->places.nr && place_compare(&c->places.v[j], &p))
			j++;
		if (j < c->places.nr)
			c->places.v[j].nr_cpus++;
		else
			vec_push(&c->places, p);
	}
	qsort(c->places.v, c->places.nr, sizeof(c->places.v[0]), c->aggr == COUNTS_PER_CPU ? place_compare_cpu : place_compare);
}

static void make_places(struct counts *c)
{
	struct counts_place p = { -1, -1, -1, -1, -1, 0, 0, 0 };

	p.nr_cpus = c->cpus.nr;
	if (c->aggr == COUNTS_GLOBAL) {
		vec_push(&c->places, p);
	} else if (c->aggr == COUNTS_PER_THREAD) {
		for (p.thread = 0; p.thread < c->threads.nr; p.thread++)
			vec_push(&c->places, p);
	} else {
		make_cpu_places(c);
	}
}

void counts_start(struct counts *c)
{
	const struct counts_cpu any = { -1, -1, -1, -1, -1 };
	size_t nr_cells, nr_rows;

	if (!c->cpus.nr)
		counts_add_cpu(c, &any);
	if (!c->threads.nr)
		counts_add_thread(c, -1, NULL);
	make_places(c);
	nr_cells = (size_t)c->events.nr * c->cpus.nr * c->threads.nr;
	nr_rows = (size_t)c->events.nr * c->places.nr;
	c->now = mem_zalloc((nr_cells + 1) * sizeof(c->now[0]));
	c->before = mem_zalloc((nr_cells + 1) * sizeof(c->before[0]));
	c->rows = mem_zalloc((nr_rows + 1) * sizeof(c->rows[0]));
	c->series = mem_zalloc((nr_rows + 1) * SERIES_PER_ROW * sizeof(c->series[0]));
}

static size_t matrix_size(const struct counts *c)
{
	return (size_t)c->events.nr * c->cpus.nr * c->threads.nr * sizeof(c->now[0]);
}

void counts_begin_run(struct counts *c)
{
	memset(c->before, 0, matrix_size(c));
	c->elapsed_ns = c->user_ns = c->system_ns = 0;
	c->before_elapsed_ns = c->before_user_ns = c->before_system_ns = 0;
	counts_begin_reading(c);
}

void counts_begin_reading(struct counts *c)
{
	memset(c->now, 0, matrix_size(c));
}

void counts_put(struct counts *c, uint32_t event, uint32_t cpu, uint32_t thread, uint64_t value, uint64_t enabled, uint64_t running)
{
	struct counts_cell *cell = counts_cell_at(c, c->now, event, cpu, thread);

	cell->value += value;
	cell->enabled += enabled;
	cell->running += running;
	cell->present = true;
}

void counts_put_times(struct counts *c, uint64_t elapsed_ns, uint64_t user_ns, uint64_t system_ns)
{
	c->elapsed_ns = elapsed_ns;
	c->user_ns = user_ns;
	c->system_ns = system_ns;
}

/* Never below 0, although a PMU that is reset in between may count backwards. */
static double since(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

static void add_cell(const struct counts *c, const struct counts_event *e, struct counts_row *row, const struct counts_cell *now,
		     const struct counts_cell *before)
{
	double value, enabled, running;

	if (!now->present)
		return;
	value = e->snapshot ? (double)now->value : since(now->value, before->value);
	enabled = since(now->enabled, before->enabled);
	running = since(now->running, before->running);
	row->nr_cells++;
	row->enabled += enabled;
	row->running += running;
	if (running <= 0)
		return;
	if (running < enabled && !c->no_scale)
		value *= enabled / running;
	row->value += value;
}

static void fill_tool_row(const struct counts *c, const struct counts_event *e, uint32_t place, bool interval, struct counts_row *row)
{
	double value;

	/* Times of the whole run belong to no core: counted once. A thread lived through all of them. */
	if (place > 0 && c->aggr == COUNTS_PER_CPU) {
		row->state = COUNTS_ABSENT;
		return;
	}
	if ((place > 0 && c->aggr != COUNTS_PER_THREAD) || e->has_no_times) {
		row->state = COUNTS_NOT_COUNTED;
		row->nr_cells = place == 0;
		return;
	}
	switch (e->tool) {
	case COUNTS_DURATION_TIME:
		value = since(c->elapsed_ns, interval ? c->before_elapsed_ns : 0);
		break;
	case COUNTS_USER_TIME:
		value = since(c->user_ns, interval ? c->before_user_ns : 0);
		break;
	default:
		value = since(c->system_ns, interval ? c->before_system_ns : 0);
		break;
	}
	row->state = COUNTS_OK;
	row->nr_cells = 1;
	row->value = row->enabled = row->running = value;
}

/* Sums the cells of an event by place; `place_of` tells the place of each CPU (or thread). */
static void fill_rows(const struct counts *c, uint32_t event, const uint32_t *place_of, bool interval, struct counts_row *rows)
{
	static const struct counts_cell zero;
	const struct counts_event *e = &c->events.v[event];
	bool seen = false;

	memset(rows, 0, c->places.nr * sizeof(rows[0]));
	for (uint32_t cpu = 0; cpu < c->cpus.nr; cpu++) {
		for (uint32_t t = 0; t < c->threads.nr; t++) {
			uint32_t place = place_of[c->aggr == COUNTS_PER_THREAD ? t : cpu];

			add_cell(c, e, &rows[place], counts_cell_at(c, c->now, event, cpu, t),
				 interval ? counts_cell_at(c, c->before, event, cpu, t) : &zero);
		}
	}
	for (uint32_t p = 0; p < c->places.nr; p++)
		seen |= rows[p].nr_cells > 0;
	for (uint32_t p = 0; p < c->places.nr; p++) {
		if (!e->supported)
			rows[p].state = COUNTS_NOT_SUPPORTED;
		else if (e->tool)
			fill_tool_row(c, e, p, interval, &rows[p]);
		else if (!rows[p].nr_cells && seen)
			rows[p].state = COUNTS_ABSENT;
		else if (rows[p].running <= 0)
			rows[p].state = COUNTS_NOT_COUNTED;
	}
}

/* For each CPU, or each thread, the index of its place. */
static uint32_t *map_places(const struct counts *c)
{
	uint32_t nr = c->aggr == COUNTS_PER_THREAD ? c->threads.nr : c->cpus.nr;
	uint32_t *map = mem_zalloc((size_t)nr * sizeof(map[0]) + 1);

	for (uint32_t i = 0; i < nr; i++) {
		struct counts_place p;

		if (c->aggr == COUNTS_PER_THREAD)
			map[i] = i;
		if (c->aggr == COUNTS_PER_THREAD || c->aggr == COUNTS_GLOBAL)
			continue;
		p = place_of_cpu(c->aggr, &c->cpus.v[i]);
		while (place_compare(&c->places.v[map[i]], &p))
			map[i]++;
	}
	return map;
}

static void fill_all_rows(struct counts *c, bool interval)
{
	uint32_t *place_of = map_places(c);

	for (uint32_t e = 0; e < c->events.nr; e++)
		fill_rows(c, e, place_of, interval, &c->rows[(size_t)e * c->places.nr]);
	free(place_of);
}

void counts_end_run(struct counts *c)
{
	struct counts_run run = { c->elapsed_ns, c->user_ns, c->system_ns };
	size_t nr_rows = (size_t)c->events.nr * c->places.nr;

	fill_all_rows(c, false);
	for (size_t i = 0; i < nr_rows; i++) {
		struct counts_series *s = &c->series[i * SERIES_PER_ROW];

		/* A run in which it never ran says nothing about its mean. */
		if (c->rows[i].state != COUNTS_OK)
			continue;
		counts_series_add(&s[0], c->rows[i].value);
		counts_series_add(&s[1], c->rows[i].enabled);
		counts_series_add(&s[2], c->rows[i].running);
	}
	vec_push(&c->runs, run);
	counts_series_add(&c->elapsed, (double)run.elapsed_ns);
	counts_series_add(&c->user, (double)run.user_ns);
	counts_series_add(&c->system, (double)run.system_ns);
}

static void compute_means(struct counts *c)
{
	size_t nr_rows = (size_t)c->events.nr * c->places.nr;

	fill_all_rows(c, false);
	for (size_t i = 0; i < nr_rows; i++) {
		const struct counts_series *s = &c->series[i * SERIES_PER_ROW];
		struct counts_row *row = &c->rows[i];

		if (!s[0].nr)
			continue;
		row->state = COUNTS_OK;
		row->value = s[0].mean;
		row->enabled = s[1].mean;
		row->running = s[2].mean;
		row->spread_pct = counts_series_spread_pct(&s[0]);
	}
	c->span_ns = c->elapsed.mean;
}

void counts_compute(struct counts *c, enum counts_span span)
{
	c->span = span;
	if (span == COUNTS_TOTAL && c->runs.nr) {
		compute_means(c);
		return;
	}
	fill_all_rows(c, span == COUNTS_INTERVAL);
	c->span_ns = since(c->elapsed_ns, span == COUNTS_INTERVAL ? c->before_elapsed_ns : 0);
	if (span != COUNTS_INTERVAL)
		return;
	memcpy(c->before, c->now, matrix_size(c));
	c->before_elapsed_ns = c->elapsed_ns;
	c->before_user_ns = c->user_ns;
	c->before_system_ns = c->system_ns;
}

static bool same_cgroup(const struct counts_event *a, const struct counts_event *b)
{
	if (!a->cgroup || !b->cgroup)
		return a->cgroup == b->cgroup;
	return strcmp(a->cgroup, b->cgroup) == 0;
}

bool counts_find_value(const struct counts *c, uint32_t place, uint32_t like, uint32_t type, uint64_t config, double *value)
{
	const struct counts_event *wanted = &c->events.v[like];

	for (uint32_t i = 0; i < c->events.nr; i++) {
		const struct counts_event *e = &c->events.v[i];
		const struct counts_row *row = counts_row_get(c, i, place);

		if (e->tool || e->type != type || e->config != config || row->state != COUNTS_OK || !same_cgroup(e, wanted) ||
		    (e->excluded != wanted->excluded && type != ATTR_TYPE_SOFTWARE))
			continue;
		*value = row->value;
		return true;
	}
	return false;
}

struct sort_item {
	uint32_t place;
	double value;
	bool counted;
};

static int sort_compare(const void *va, const void *vb)
{
	const struct sort_item *a = va, *b = vb;

	return COMPARE(b->value, a->value) ?: COMPARE(b->counted, a->counted) ?: COMPARE(a->place, b->place);
}

uint32_t counts_sort_places(const struct counts *c, uint32_t event, bool skip_zero, uint32_t *order)
{
	struct sort_item *items = mem_alloc((size_t)c->places.nr * sizeof(items[0]) + 1);
	uint32_t nr = 0;

	for (uint32_t p = 0; p < c->places.nr; p++) {
		const struct counts_row *row = counts_row_get(c, event, p);

		if (row->state == COUNTS_ABSENT || (skip_zero && row->value == 0))
			continue;
		items[nr++] = (struct sort_item){ p, row->value, row->state == COUNTS_OK };
	}
	qsort(items, nr, sizeof(items[0]), sort_compare);
	for (uint32_t i = 0; i < nr; i++)
		order[i] = items[i].place;
	free(items);
	return nr;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sched summary: one table of columns for text, CSV and JSON.
 */
#include "view/sched_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"

struct column {
	const char *name; /* of CSV and JSON */
	const char *heading;
	int width;
	bool is_time; /* nanoseconds, in text milliseconds */
	uint64_t (*get)(const struct timeline *t, const struct timeline_track *k);
};

#define TIME_OF(name, state)                                                                                                               \
	static uint64_t name(const struct timeline *t, const struct timeline_track *k)                                                     \
	{                                                                                                                                  \
		(void)t;                                                                                                                   \
		return k->times_ns[state];                                                                                                 \
	}
#define MEMBER_OF(name, member)                                                                                                            \
	static uint64_t name(const struct timeline *t, const struct timeline_track *k)                                                     \
	{                                                                                                                                  \
		(void)t;                                                                                                                   \
		return k->member;                                                                                                          \
	}

TIME_OF(running_ns, TIMELINE_RUNNING)
TIME_OF(woken_ns, TIMELINE_WOKEN)
TIME_OF(preempted_ns, TIMELINE_PREEMPTED)
TIME_OF(sleep_ns, TIMELINE_SLEEPS)
TIME_OF(disk_ns, TIMELINE_WAITS)
TIME_OF(idle_ns, TIMELINE_IDLES)
TIME_OF(stopped_ns, TIMELINE_STOPPED)
TIME_OF(parked_ns, TIMELINE_PARKED)
MEMBER_OF(nr_own_switches, nr_switches[0])
MEMBER_OF(nr_preemptions, nr_switches[1])
MEMBER_OF(nr_wakes, nr_wakes)
MEMBER_OF(nr_migrations, nr_migrations)
MEMBER_OF(nr_gaps, nr_gaps)

static const struct column columns[] = {
	{ "running_ns", "running", 11, true, running_ns },	    { "woken_ns", "woken", 11, true, woken_ns },
	{ "preempted_ns", "preempted", 11, true, preempted_ns },    { "sleep_ns", "sleep(S)", 11, true, sleep_ns },
	{ "uninterruptible_ns", "wait(D)", 11, true, disk_ns },	    { "idle_ns", "idle(I)", 11, true, idle_ns },
	{ "stopped_ns", "stopped(T)", 11, true, stopped_ns },	    { "other_ns", "other", 11, true, parked_ns },
	{ "unknown_ns", "unknown", 11, true, timeline_unknown_ns }, { "voluntary", "voluntary", 10, false, nr_own_switches },
	{ "preemptions", "preempts", 9, false, nr_preemptions },    { "wakes", "wakes", 8, false, nr_wakes },
	{ "migrations", "migrations", 11, false, nr_migrations },   { "gaps", "gaps", 6, false, nr_gaps },
};
#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static int by_running(const void *a, const void *b)
{
	const struct timeline_track *x = *(const struct timeline_track *const *)a, *y = *(const struct timeline_track *const *)b;
	int order = COMPARE(y->times_ns[TIMELINE_RUNNING], x->times_ns[TIMELINE_RUNNING]);

	return order ? order : COMPARE(x->task->tid, y->task->tid);
}

static void put_text_row(struct out *o, const struct timeline *t, const struct timeline_track *k)
{
	out_printf(o, "%8d ", k->task->tid);
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		uint64_t v = columns[i].get(t, k);

		if (columns[i].is_time)
			sched_put_ms(o, v, columns[i].width);
		else
			out_u64(o, v, columns[i].width);
	}
	out_str(o, "  ");
	sched_put_comm(o, t, k);
	out_char(o, '\n');
}

static void put_csv_row(struct out *o, const struct timeline *t, const struct timeline_track *k)
{
	const char *comm = machine_comm(t->machine, k->task);

	escape_csv(o, comm, strlen(comm), ',');
	out_printf(o, ",%d,%d", k->task->tid, k->task->pid);
	for (size_t i = 0; i < NR_COLUMNS; i++)
		out_printf(o, ",%llu", (unsigned long long)columns[i].get(t, k));
	out_char(o, '\n');
}

static void put_json_row(struct json *j, const struct timeline *t, const struct timeline_track *k)
{
	json_object(j);
	json_put_str(j, "comm", machine_comm(t->machine, k->task));
	json_put_i64(j, "tid", k->task->tid);
	json_put_i64(j, "pid", k->task->pid);
	for (size_t i = 0; i < NR_COLUMNS; i++)
		json_put_u64(j, columns[i].name, columns[i].get(t, k));
	json_object_end(j);
}

static void put_headings(struct out *o, enum sched_format format)
{
	out_str(o, format == SCHED_CSV ? "comm,tid,pid" : "     tid ");
	for (size_t i = 0; i < NR_COLUMNS; i++) {
		if (format == SCHED_CSV)
			out_printf(o, ",%s", columns[i].name);
		else
			out_printf(o, "%*s", columns[i].width, columns[i].heading);
	}
	out_str(o, format == SCHED_CSV ? "\n" : "  task (times in msec)\n");
}

static void put_cpus(struct out *o, const struct timeline *t)
{
	uint64_t span_ns = t->last_ns - t->first_ns;

	out_char(o, '\n');
	for (uint32_t i = 0; i < t->cpus.nr; i++) {
		const struct timeline_cpu *c = &t->cpus.v[i];

		if (!c->is_seen)
			continue;
		out_printf(o, "CPU %3u: idle ", i);
		sched_put_ms(o, c->idle_ns, 11);
		out_printf(o, " msec (%.2f%%)", span_ns ? 100.0 * (double)c->idle_ns / (double)span_ns : 0.0);
		if (c->hole.end_ns || timeline_is_much(c->unknown_ns, span_ns)) {
			out_str(o, ", not known: ");
			sched_put_ms(o, c->unknown_ns, 0);
			out_str(o, " msec");
		}
		out_char(o, '\n');
	}
	out_printf(o, "%llu switch%s in ", (unsigned long long)t->nr_switches, t->nr_switches == 1 ? "" : "es");
	sched_put_ms(o, span_ns, 0);
	out_str(o, " msec\n");
}

void sched_summary_print(struct out *o, const struct timeline *t, enum sched_format format)
{
	VEC(const struct timeline_track *) rows = { 0 };
	struct json j;

	for (uint32_t i = 0; i < t->tracks.nr; i++)
		if (t->tracks.v[i].is_seen && !t->tracks.v[i].is_idle)
			vec_push(&rows, &t->tracks.v[i]);
	vec_sort(&rows, by_running);
	if (format == SCHED_JSON) {
		json_init(&j, o, true);
		json_array(&j);
	} else {
		put_headings(o, format);
	}
	for (uint32_t i = 0; i < rows.nr; i++) {
		if (format == SCHED_JSON)
			put_json_row(&j, t, rows.v[i]);
		else if (format == SCHED_CSV)
			put_csv_row(o, t, rows.v[i]);
		else
			put_text_row(o, t, rows.v[i]);
	}
	if (format == SCHED_TEXT)
		put_cpus(o, t);
	if (format == SCHED_JSON) {
		json_array_end(&j);
		out_char(o, '\n');
	}
	vec_fini(&rows);
}

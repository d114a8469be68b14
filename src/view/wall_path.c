/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A critical path: how long it was in which thread, and its steps in the order of time.
 */
#include "base/json.h"
#include "view/sched_text.h"
#include "view/wall_text.h"

#define MAX_LINES 100

static void put_what(struct out *o, const struct wall *w, const struct wall_step *s)
{
	out_printf(o, "blocked: %s", wall_class_name(s->class));
	if (s->sum != WALL_NONE) {
		out_str(o, ", ");
		wall_put_stack(o, w, w->sums.v[s->sum].stack, 3);
	}
}

/* Steps of one thread that follow each other are one entry: the order of the threads is what matters. */
static void put_threads(struct out *o, const struct wall *w, const struct wall_path *p)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < p->steps.nr && nr < MAX_LINES; i++) {
		if (i && p->steps.v[i].thread == p->steps.v[i - 1].thread)
			continue;
		out_str(o, nr++ ? " -> " : "  ");
		wall_put_thread(o, w, p->steps.v[i].thread);
	}
	out_str(o, nr == MAX_LINES ? " -> ...\n" : "\n");
}

static bool is_blocked(const struct wall_step *s)
{
	return s->class != WALL_RUNNING && s->class != WALL_RUNNABLE;
}

/* How long a thread goes on without being blocked is one line, however often it was preempted. Returns the step behind it. */
static uint32_t put_line(struct out *o, const struct wall *w, const struct wall_path *p, uint32_t first)
{
	const struct wall_step *s = &p->steps.v[first];
	uint64_t running_ns = 0, runnable_ns = 0;
	uint32_t i = first + 1;

	while (!is_blocked(s) && i < p->steps.nr && p->steps.v[i].thread == s->thread && !is_blocked(&p->steps.v[i]))
		i++;
	for (uint32_t n = first; n < i; n++)
		*(p->steps.v[n].class == WALL_RUNNING ? &running_ns : &runnable_ns) += p->steps.v[n].end_ns - p->steps.v[n].begin_ns;
	sched_put_ms(o, s->begin_ns - w->first_ns, 12);
	sched_put_ms(o, p->steps.v[i - 1].end_ns - s->begin_ns, 12);
	out_str(o, " ms  ");
	wall_put_thread(o, w, s->thread);
	out_str(o, ": ");
	if (is_blocked(s)) {
		put_what(o, w, s);
	} else {
		out_str(o, "running ");
		sched_put_ms(o, running_ns, 0);
		out_str(o, " ms, runnable ");
		sched_put_ms(o, runnable_ns, 0);
		out_str(o, " ms");
	}
	out_char(o, '\n');
	return i;
}

void wall_path_print(struct out *o, const struct wall *w, const struct wall_path *p)
{
	uint32_t i = 0, nr_lines = 0;

	out_str(o, "\ncritical path of ");
	sched_put_ms(o, p->to_ns - p->from_ns, 0);
	out_str(o, " ms, from ");
	sched_put_ms(o, p->from_ns - w->first_ns, 0);
	out_str(o, " to ");
	sched_put_ms(o, p->to_ns - w->first_ns, 0);
	out_str(o, " ms, to ");
	wall_put_thread(o, w, p->thread);
	out_str(o, ":\n");
	put_threads(o, w, p);
	while (i < p->steps.nr && nr_lines++ < MAX_LINES)
		i = put_line(o, w, p, i);
	if (i < p->steps.nr)
		out_printf(o, "  and %u more steps (--json has all)\n", p->steps.nr - i);
	if (p->is_cut)
		out_str(o, "  the path is longer than what is kept of it: its begin is missing\n");
}

void wall_path_json(struct json *j, const struct wall *w, const struct wall_path *p)
{
	json_put_object(j, "critical_path");
	json_put_u64(j, "from_ns", p->from_ns);
	json_put_u64(j, "to_ns", p->to_ns);
	json_put_i64(j, "tid", wall_task(w, p->thread)->tid);
	json_put_bool(j, "cut", p->is_cut);
	json_put_array(j, "steps");
	for (uint32_t i = 0; i < p->steps.nr; i++) {
		const struct wall_step *s = &p->steps.v[i];

		json_object(j);
		json_put_str(j, "comm", machine_comm(w->timeline->machine, wall_task(w, s->thread)));
		json_put_i64(j, "tid", wall_task(w, s->thread)->tid);
		json_put_str(j, "class", wall_class_name(s->class));
		json_put_u64(j, "begin_ns", s->begin_ns);
		json_put_u64(j, "end_ns", s->end_ns);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row per thread with the share of each class, only columns that have something, then the stacks of each class.
 */
#include "view/wall_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "view/sched_text.h"

#define COLUMN 9

/* The scheduler's own functions, which every stack of a wait begins with. */
bool wall_is_scheduler(const char *function)
{
	static const char *const names[] = { "__schedule",
					     "schedule",
					     "__traceiter_sched_switch",
					     "schedule_timeout",
					     "preempt_schedule",
					     "preempt_schedule_common",
					     "preempt_schedule_irq",
					     "__cond_resched",
					     "schedule_preempt_disabled",
					     "schedule_hrtimeout_range",
					     "schedule_hrtimeout_range_clock" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(function, names[i]))
			return true;
	return false;
}

void wall_put_thread(struct out *o, const struct wall *w, uint32_t thread)
{
	const struct task *task = wall_task(w, thread);

	escape_terminal_str(o, machine_comm(w->timeline->machine, task));
	out_printf(o, " (%d)", task->tid);
}

static void put_share(struct out *o, uint64_t ns, uint64_t of_ns)
{
	if (ns)
		out_printf(o, "%*.2f%%", COLUMN - 1, of_ns ? 100.0 * (double)ns / (double)of_ns : 0.0);
	else
		out_printf(o, "%*s", COLUMN, "-");
}

static void put_row(struct out *o, const struct wall *w, const bool *is_used, const uint64_t *ns, uint64_t elapsed_ns)
{
	(void)w;
	sched_put_ms(o, elapsed_ns, 12);
	for (int c = 0; c < WALL_NR_CLASSES; c++)
		if (is_used[c])
			put_share(o, ns[c], elapsed_ns);
	out_str(o, "  ");
}

struct row {
	const struct wall *w;
	uint32_t thread;
};

static int by_elapsed(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const struct wall_thread *k = &x->w->threads.v[x->thread], *l = &y->w->threads.v[y->thread];
	int order = COMPARE(wall_elapsed_ns(l), wall_elapsed_ns(k));

	return order ? order : COMPARE(wall_task(x->w, x->thread)->tid, wall_task(y->w, y->thread)->tid);
}

/* Rows from `from` on as one. */
static void put_rest(struct out *o, const struct wall *w, const bool *is_used, const struct row *rows, uint32_t from, uint32_t nr)
{
	uint64_t ns[WALL_NR_CLASSES] = { 0 }, elapsed_ns = 0;

	for (uint32_t i = from; i < nr; i++) {
		const struct wall_thread *k = &w->threads.v[rows[i].thread];

		elapsed_ns += wall_elapsed_ns(k);
		for (int c = 0; c < WALL_NR_CLASSES; c++)
			ns[c] += k->ns[c];
	}
	put_row(o, w, is_used, ns, elapsed_ns);
	out_printf(o, "%u more threads (--all shows them)\n", nr - from);
}

static void put_threads(const struct wall_text *t, struct out *o, const struct wall *w)
{
	bool is_used[WALL_NR_CLASSES] = { false };
	VEC(struct row) rows = { 0 };
	uint32_t nr;

	for (uint32_t i = 0; i < w->threads.nr; i++) {
		const struct wall_thread *k = &w->threads.v[i];

		if (!k->is_shown || (k->is_idle && !w->keeps_idle))
			continue;
		vec_push(&rows, ((struct row){ w, i }));
		for (int c = 0; c < WALL_NR_CLASSES; c++)
			is_used[c] |= k->ns[c] != 0;
	}
	vec_sort(&rows, by_elapsed);
	out_str(o, "elapsed (ms)");
	for (int c = 0; c < WALL_NR_CLASSES; c++)
		if (is_used[c])
			out_printf(o, "%*s", COLUMN, wall_class_heading((enum wall_class)c));
	out_str(o, "  thread\n");
	/* A row for the rest takes a line as well. */
	nr = rows.nr > t->max_threads + 1 ? t->max_threads : rows.nr;
	for (uint32_t i = 0; i < nr; i++) {
		const struct wall_thread *k = &w->threads.v[rows.v[i].thread];

		put_row(o, w, is_used, k->ns, wall_elapsed_ns(k));
		wall_put_thread(o, w, rows.v[i].thread);
		out_str(o, k->is_idle ? ", idle" : "");
		out_str(o, timeline_track(w->timeline, rows.v[i].thread)->nr_gaps ? ", incomplete\n" : "\n");
	}
	if (nr < rows.nr)
		put_rest(o, w, is_used, rows.v, nr, rows.nr);
	put_row(o, w, is_used, w->total_ns, w->elapsed_ns);
	out_printf(o, "total of %u thread%s\n", w->nr_shown - w->nr_folded, w->nr_shown - w->nr_folded == 1 ? "" : "s");
	vec_fini(&rows);
}

/* ---- stacks ---- */

static void put_frame(struct out *o, const struct profile *p, const struct profile_frame *f)
{
	char *name = profile_is_named(f) ? NULL : profile_unresolved_name(p, f->dso);

	escape_terminal_str(o, name ? name : profile_str(p, f->function));
	free(name);
}

void wall_put_locations(struct out *o, const struct wall *w, const uint32_t *locations, uint32_t nr_locations, uint32_t max_frames)
{
	struct profile *p = w->profile;
	bool has_kernel = false;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < nr_locations; i++) {
		const struct profile_frame *f = profile_frame_at(p, locations[i]);
		bool is_kernel = p->locations.v[locations[i]].cpumode == MISC_KERNEL;

		if (is_kernel && (has_kernel || (f->function && wall_is_scheduler(profile_str(p, f->function)))))
			continue;
		if (nr == max_frames) {
			out_str(o, " <- ...");
			break;
		}
		has_kernel |= is_kernel;
		out_str(o, nr++ ? " <- " : "");
		put_frame(o, p, f);
	}
	out_str(o, nr ? "" : "[no stack]");
}

void wall_put_stack(struct out *o, const struct wall *w, uint32_t stack, uint32_t max_frames)
{
	VEC(uint32_t) locations = { 0 };
	struct profile *p = w->profile;

	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n))
		vec_push(&locations, stack_tree_frame(&p->tree, n));
	wall_put_locations(o, w, locations.v, locations.nr, max_frames);
	vec_fini(&locations);
}

static void put_class_heading(struct out *o, const struct wall *w, enum wall_class c)
{
	out_printf(o, "\n%s: ", wall_class_heading(c));
	sched_put_ms(o, w->total_ns[c], 0);
	out_printf(o, " ms, %.2f%%\n", w->elapsed_ns ? 100.0 * (double)w->total_ns[c] / (double)w->elapsed_ns : 0.0);
}

static void put_stack_row(const struct wall_text *t, struct out *o, const struct wall *w, const struct wall_stack *s)
{
	bool is_sampled = s->class <= WALL_RUNNING;

	out_str(o, "  ");
	put_share(o, s->total_ns, w->elapsed_ns);
	out_printf(o, " %8llu %s", (unsigned long long)s->nr, is_sampled ? "samples" : "waits");
	if (!is_sampled) {
		out_str(o, ", longest ");
		sched_put_ms(o, s->max_ns, 10);
		out_str(o, " ms");
	}
	out_str(o, "  ");
	wall_put_thread(o, w, s->thread);
	if (s->nr_threads > 1)
		out_printf(o, " and %u more", s->nr_threads - 1);
	out_str(o, ": ");
	wall_put_stack(o, w, s->stack, t->max_frames);
	out_char(o, '\n');
}

static void put_stacks(const struct wall_text *t, struct out *o, const struct wall *w, const struct wall_stacks *s)
{
	enum wall_class class = WALL_NR_CLASSES;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->v.nr; i++) {
		const struct wall_stack *row = &s->v.v[i];

		if (row->class != class) {
			class = row->class;
			nr = 0;
			put_class_heading(o, w, class);
		}
		if (nr++ < t->max_stacks)
			put_stack_row(t, o, w, row);
	}
}

/* ---- idle threads, and what is missing ---- */

/* What it does all the time, so that a thread that is idle by mistake is seen. */
static void put_idle_wait(const struct wall_text *t, struct out *o, const struct wall *w, const struct wall_thread *k)
{
	const struct wall_sum *s = &w->sums.v[k->top_wait];

	out_printf(o, ": %s %.2f%% of ", wall_class_heading((enum wall_class)s->class),
		   100.0 * (double)s->total_ns / (double)wall_elapsed_ns(k));
	sched_put_ms(o, wall_elapsed_ns(k), 0);
	out_printf(o, " ms, %llu wait%s, ", (unsigned long long)s->nr, s->nr == 1 ? "" : "s");
	wall_put_stack(o, w, s->stack, t->max_frames);
	out_char(o, '\n');
}

static void put_idle(const struct wall_text *t, struct out *o, const struct wall *w)
{
	uint32_t nr = 0;

	if (!w->nr_folded)
		return;
	out_printf(o, "\n%u idle thread%s left out (--all shows %s), each waiting in one place nearly all the time:\n", w->nr_idle,
		   w->nr_idle == 1 ? "" : "s", w->nr_idle == 1 ? "it" : "them");
	for (uint32_t i = 0; i < w->threads.nr; i++) {
		const struct wall_thread *k = &w->threads.v[i];

		if (!k->is_shown || !k->is_idle)
			continue;
		if (nr++ == t->max_threads && w->nr_idle > nr) {
			out_printf(o, "  and %u more\n", w->nr_idle - t->max_threads);
			break;
		}
		out_str(o, "  ");
		wall_put_thread(o, w, i);
		put_idle_wait(t, o, w, k);
	}
}

void wall_text_print(const struct wall_text *t, struct out *o, const struct wall *w, const struct wall_stacks *s)
{
	put_threads(t, o, w);
	if (t->max_stacks)
		put_stacks(t, o, w, s);
	put_idle(t, o, w);
	if (t->path)
		wall_path_print(o, w, t->path);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sums of threads merged by class and stack.
 */
#include "model/wall_stacks.h"

#include <stdlib.h>

static void add(struct wall_stacks *s, const struct wall_sum *sum)
{
	struct wall_stack none = { .class = sum->class, .stack = sum->stack, .thread = sum->thread };
	uint32_t id = HINDEX_INTERN(&s->index, hash_pair(sum->class, sum->stack), &s->v, x,
				    x->class == (enum wall_class)sum->class && x->stack == sum->stack, none);
	struct wall_stack *row = &s->v.v[id];

	row->nr += sum->nr;
	row->total_ns += sum->total_ns;
	row->max_ns = sum->max_ns > row->max_ns ? sum->max_ns : row->max_ns;
	row->nr_threads++;
	if (sum->total_ns > row->thread_ns) {
		row->thread_ns = sum->total_ns;
		row->thread = sum->thread;
	}
}

static int by_class_and_time(const void *a, const void *b)
{
	const struct wall_stack *x = a, *y = b;
	int order = COMPARE((int)x->class, (int)y->class);

	order = order ? order : COMPARE(y->total_ns, x->total_ns);
	return order ? order : COMPARE(x->stack, y->stack);
}

void wall_stacks_make(struct wall_stacks *s, const struct wall *w)
{
	*s = (struct wall_stacks){ 0 };
	for (uint32_t i = 0; i < w->sums.nr; i++) {
		const struct wall_thread *k = &w->threads.v[w->sums.v[i].thread];

		if (k->is_shown && (w->keeps_idle || !k->is_idle) && w->sums.v[i].total_ns)
			add(s, &w->sums.v[i]);
	}
	vec_sort(&s->v, by_class_and_time);
}

void wall_stacks_fini(struct wall_stacks *s)
{
	vec_fini(&s->v);
	hindex_fini(&s->index);
}

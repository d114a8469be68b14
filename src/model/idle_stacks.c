/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Idle time by CPU and text of the stack before.
 */
#include "model/idle_stacks.h"

#define ENTRY_BYTES 96u /* of an entry, its place in the index, and what tables have left to grow */

void idle_stacks_init(struct idle_stacks *s, struct budget *memory)
{
	*s = (struct idle_stacks){ .memory = memory };
	strtab_init(&s->texts);
}

void idle_stacks_fini(struct idle_stacks *s)
{
	strtab_fini(&s->texts);
	vec_fini(&s->v);
	vec_fini(&s->before);
	hindex_fini(&s->index);
}

void idle_stacks_leave(struct idle_stacks *s, uint32_t cpu, const char *text, uint32_t len)
{
	uint32_t nr_before = s->texts.entries.nr;

	while (s->before.nr <= cpu)
		vec_push(&s->before, IDLE_STACKS_NONE);
	if (s->memory && s->memory->is_exhausted) {
		s->nr_forgotten++;
		s->before.v[cpu] = IDLE_STACKS_NONE;
		return;
	}
	s->before.v[cpu] = strtab_intern_len(&s->texts, text, len);
	if (s->memory && s->texts.entries.nr > nr_before)
		budget_take(s->memory, len + ENTRY_BYTES);
}

void idle_stacks_add(struct idle_stacks *s, uint32_t cpu, uint64_t idle_ns)
{
	uint32_t text = cpu < s->before.nr ? s->before.v[cpu] : IDLE_STACKS_NONE, nr_before = s->v.nr, at;

	if (text == IDLE_STACKS_NONE)
		return;
	at = HINDEX_INTERN(&s->index, hash_pair(cpu, text), &s->v, e, e->cpu == cpu && e->text == text,
			   ((struct idle_stack){ .cpu = cpu, .text = text }));
	if (s->memory && s->v.nr > nr_before)
		budget_take(s->memory, ENTRY_BYTES);
	s->v.v[at].nr++;
	s->v.v[at].idle_ns += idle_ns;
}

static int by_cpu_and_time(const void *a, const void *b)
{
	const struct idle_stack *x = a, *y = b;

	if (x->cpu != y->cpu)
		return COMPARE(x->cpu, y->cpu);
	if (x->idle_ns != y->idle_ns)
		return COMPARE(y->idle_ns, x->idle_ns);
	return COMPARE(x->text, y->text);
}

void idle_stacks_sort(struct idle_stacks *s)
{
	vec_sort(&s->v, by_cpu_and_time);
	hindex_clear(&s->index);
}

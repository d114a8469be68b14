/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From locations to frames: which function of its DSO an address lies in.
 *
 * Unique locations are thousands where samples are millions, so this is a pass over the locations after the load: first the
 * symbol tables that are needed, in parallel, then a binary search for each location. Demangling happens once per symbol.
 */
#include <stdlib.h>
#include <string.h>

#include "model/profile.h"

static uint32_t add_frame(struct profile *p, uint32_t dso, const struct symtab *tab, const struct symbol *sym, uint64_t addr)
{
	uint64_t start = sym ? sym->start : addr;
	uint64_t h = hash_pair(start, (uint64_t)dso << 1 | !!sym);
	struct hindex_iter it = hindex_find(&p->frame_index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct profile_frame *f = &p->frames.v[id];

		if (f->start == start && f->dso == dso && !f->function == !sym)
			return id;
	}

	struct profile_frame f = { .dso = dso, .start = start, .end = sym ? sym->end : addr };

	if (sym) {
		bool raw = !tab->mangled || p->session->options.symbols.no_demangle;
		char *readable = raw ? NULL : symbolizer_demangle(sym->name);

		f.is_object = sym->kind == SYMBOL_OBJECT;
		f.function = strtab_intern(&p->strings, readable ? readable : sym->name);
		free(readable);
	}
	vec_push(&p->frames, f);
	hindex_add(&p->frame_index, h, p->frames.nr - 1);
	return p->frames.nr - 1;
}

uint32_t profile_frame_of(struct profile *p, uint32_t location)
{
	struct profile_location *l = &p->locations.v[location];

	if (l->frame == FRAME_NONE) {
		const struct symtab *t = l->at.dso == DSO_NONE ? NULL : dso_table_symbols(&p->session->machine.dsos, l->at.dso);
		const struct symbol *sym = t ? symtab_find(t, l->at.addr) : NULL;

		/* A nameless symbol (a JIT may write one) says no more than none. */
		l->frame = add_frame(p, l->at.dso, t, sym && *sym->name ? sym : NULL, l->at.ip);
	}
	return l->frame;
}

void profile_symbolize(struct profile *p)
{
	uint32_t nr_dsos = p->session->machine.dsos.dsos.nr;
	uint8_t *needed = mem_zalloc(nr_dsos);
	VEC(uint32_t) ids = { 0 };

	for (uint32_t i = 0; i < p->locations.nr; i++)
		needed[p->locations.v[i].at.dso] = 1;
	for (uint32_t i = 1; i < nr_dsos; i++)
		if (needed[i])
			vec_push(&ids, i);
	dso_table_load(&p->session->machine.dsos, ids.v, ids.nr);
	for (uint32_t i = 0; i < p->locations.nr; i++)
		profile_frame_of(p, i);
	vec_fini(&ids);
	free(needed);
}

static bool is_named(const struct profile *p, uint32_t location)
{
	return p->frames.v[p->locations.v[location].frame].function;
}

/* Stacks lose their unnamed frames where they lie: a parent stands before its children, so one pass does. What is the same afterwards
 * under two ids is summed up by whoever reads it. */
static uint32_t *shorten_stacks(struct profile *p)
{
	uint32_t *short_of = mem_alloc(p->stacks.nr * sizeof(*short_of));

	short_of[STACK_NONE] = STACK_NONE;
	for (uint32_t i = 1; i < p->stacks.nr; i++) {
		struct profile_stack *s = &p->stacks.v[i];

		s->parent = short_of[s->parent];
		s->depth = p->stacks.v[s->parent].depth + 1;
		short_of[i] = is_named(p, s->location) ? i : s->parent;
	}
	return short_of;
}

void profile_drop_unnamed(struct profile *p)
{
	uint32_t *short_of = shorten_stacks(p);
	struct profile_samples *s = &p->samples;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->nr; i++) {
		if (!is_named(p, s->location[i]))
			continue;
		s->time_ns[kept] = s->time_ns[i];
		s->period[kept] = s->period[i];
		s->task[kept] = s->task[i];
		s->cpu[kept] = s->cpu[i];
		s->stack[kept] = short_of[s->stack[i]];
		s->location[kept] = s->location[i];
		s->event[kept++] = s->event[i];
	}
	s->nr = kept;
	free(short_of);
}

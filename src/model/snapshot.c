/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interning of places, stacks and sightings; and their names.
 */
#include "model/snapshot.h"

#include <stdlib.h>
#include <string.h>

void snapshot_init(struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
	strtab_init(&s->strings);
}

void snapshot_fini(struct snapshot *s)
{
	strtab_fini(&s->strings);
	vec_fini(&s->places);
	vec_fini(&s->frames);
	vec_fini(&s->stacks);
	vec_fini(&s->sightings);
	vec_fini(&s->chain);
	hindex_fini(&s->place_index);
	hindex_fini(&s->stack_index);
	hindex_fini(&s->sighting_index);
}

static uint32_t intern_place(struct snapshot *s, const struct stack_place *at, uint32_t kernel)
{
	uint64_t h = hash_pair(at->pc, hash_pair(at->at.ip, (uint64_t)at->at.dso << 32 | kernel));

	return HINDEX_INTERN(&s->place_index, h, &s->places, p,
			     p->at.pc == at->pc && p->at.at.ip == at->at.ip && p->at.at.dso == at->at.dso && p->at.at.addr == at->at.addr &&
				     p->kernel == kernel,
			     ((struct snapshot_place){ .at = *at, .kernel = kernel }));
}

static void push_kernel(struct snapshot *s, const char *text)
{
	static const struct stack_place nowhere;

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len)
			vec_push(&s->chain, intern_place(s, &nowhere, strtab_intern_len(&s->strings, text, len)));
		text += len + (text[len] == '\n');
	}
}

/* The chain from `first` on becomes a stack, or goes again where there is an equal one. */
static uint32_t intern_stack(struct snapshot *s, uint32_t first, struct unwind_result walk)
{
	uint32_t nr = s->chain.nr - first;
	const uint32_t *chain = s->chain.v + first;
	uint64_t h = hash_bytes(nr ? chain : &nr, nr ? nr * sizeof(*chain) : sizeof(nr), walk.end + walk.guessed * UNWIND_NR_ENDS);
	uint32_t nr_stacks = s->stacks.nr;
	uint32_t id = HINDEX_INTERN(&s->stack_index, h, &s->stacks, k,
				    k->nr == nr && k->walk.end == walk.end && k->walk.guessed == walk.guessed &&
					    (!nr || !memcmp(s->chain.v + k->first, chain, nr * sizeof(*chain))),
				    ((struct snapshot_stack){ first, nr, walk }));

	if (id < nr_stacks)
		s->chain.nr = first;
	return id;
}

static uint32_t intern_text(struct snapshot *s, const char *text)
{
	return text ? strtab_intern(&s->strings, text) : 0;
}

static struct snapshot_sighting *intern_sighting(struct snapshot *s, int32_t tid, uint32_t comm, uint32_t stack)
{
	uint64_t h = hash_pair((uint64_t)(uint32_t)tid << 32 | comm, stack);
	uint32_t id = HINDEX_INTERN(&s->sighting_index, h, &s->sightings, g, g->tid == tid && g->comm == comm && g->stack == stack,
				    ((struct snapshot_sighting){ .tid = tid, .comm = comm, .stack = stack }));

	return &s->sightings.v[id];
}

bool snapshot_is_complete(const struct snapshot *s, const struct snapshot_sighting *g)
{
	enum unwind_end end = s->stacks.v[g->stack].walk.end;

	return !g->why && (end == UNWIND_COMPLETE || end == UNWIND_NOT_DONE);
}

void snapshot_add(void *snapshot, const struct thread_stack *t)
{
	struct snapshot *s = snapshot;
	uint32_t first = s->chain.nr;
	struct snapshot_sighting *g;

	if (t->kernel)
		push_kernel(s, t->kernel);
	for (uint32_t i = 0; i < t->nr; i++)
		vec_push(&s->chain, intern_place(s, &t->places[i], 0));
	g = intern_sighting(s, t->tid, intern_text(s, t->comm), intern_stack(s, first, t->walk));
	if (!g->count) {
		g->state = intern_text(s, t->state);
		g->why = intern_text(s, t->why);
	}
	g->count++;
	s->nr_seen++;
	s->nr_incomplete += !snapshot_is_complete(s, g);
}

/* Takes `readable`. */
static uint32_t intern_name(struct snapshot *s, const char *name, char *readable)
{
	uint32_t id = strtab_intern(&s->strings, readable ? readable : name);

	free(readable);
	return id;
}

static uint32_t intern_source_name(struct snapshot *s, const struct symbolizer_options *opts, const char *name)
{
	return intern_name(s, name, symbolizer_readable_source(opts, name));
}

static void add_frame(struct snapshot *s, struct snapshot_place *p, uint32_t function, const struct source_frame *known, bool lines,
		      bool is_inlined)
{
	*vec_add(&s->frames) = (struct snapshot_frame){
		.function = function,
		.file = lines && known && known->file ? strtab_intern(&s->strings, known->file) : 0,
		.line = lines && known ? known->line : 0,
		.column = lines && known ? known->column : 0,
		.is_inlined = is_inlined,
	};
	p->nr_frames++;
}

/* Of "function+0x1/0x2" the function. */
static void name_kernel(struct snapshot *s, struct snapshot_place *p)
{
	const char *text = snapshot_str(s, p->kernel);

	add_frame(s, p, strtab_intern_len(&s->strings, text, strcspn(text, "+")), NULL, false, false);
	s->frames.v[s->frames.nr - 1].is_kernel = true;
}

/* What no symbol covers goes by where it begins, as in profiles. */
static uint32_t name_nameless(struct snapshot *s, const struct dso *d, uint64_t vaddr)
{
	char *name = mem_printf("%s+0x%llx", d->short_name, (unsigned long long)vaddr);
	uint32_t id = strtab_intern(&s->strings, name);

	free(name);
	return id;
}

static void name_place(struct snapshot *s, struct snapshot_place *p, struct dso_table *dsos, const struct snapshot_naming *n)
{
	const struct location *at = &p->at.at;
	bool wants_source = (n->inlines || n->lines || n->debug_names) && at->dso != DSO_NONE;
	const struct symtab *tab = n->functions && at->dso != DSO_NONE ? dso_table_symbols(dsos, at->dso) : NULL;
	const struct symbol *sym = tab ? symtab_find(tab, at->addr) : NULL;
	struct source_info *si = wants_source ? dso_table_source(dsos, at->dso) : NULL;
	const struct source_frame *known = NULL;
	uint32_t nr = si ? source_info_find(si, at->addr, &known) : 0;
	const struct source_frame *called = nr ? &known[n->inlines ? nr - 1 : 0] : NULL;
	uint32_t function = sym ? intern_name(s, sym->name, tab->mangled ? symbolizer_readable(&dsos->options, sym->name) : NULL) : 0;
	struct unwind_function nameless;
	bool is_nameless;

	p->first_frame = s->frames.nr;
	if (p->kernel) {
		name_kernel(s, p);
		return;
	}
	for (uint32_t i = 0; n->inlines && i + 1 < nr; i++)
		add_frame(s, p, n->functions ? intern_source_name(s, &dsos->options, known[i].function ? known[i].function : "??") : 0,
			  &known[i], n->lines, true);
	if (called && called->function && n->functions && (n->debug_names || !function))
		function = intern_source_name(s, &dsos->options, called->function);
	is_nameless = !function && n->nameless && at->dso != DSO_NONE && dso_table_find_function(dsos, at->dso, at->addr, &nameless);
	if (is_nameless)
		function = name_nameless(s, dso_table_get(dsos, at->dso), nameless.vaddr);
	add_frame(s, p, function, called, n->lines, false);
	s->frames.v[s->frames.nr - 1].is_nameless = is_nameless;
}

static int by_dso_and_addr(const void *a, const void *b)
{
	const struct location *x = a, *y = b;

	return COMPARE(x->dso, y->dso) ?: COMPARE(x->addr, y->addr);
}

/* Loads what naming will ask for, in parallel. */
static void prepare(struct snapshot *s, struct dso_table *dsos, const struct snapshot_naming *n)
{
	VEC(struct location) all = { 0 };
	VEC(struct dso_addrs) lists = { 0 };
	VEC(uint32_t) ids = { 0 };
	uint64_t *addrs;

	for (uint32_t i = 0; i < s->places.nr; i++)
		if (s->places.v[i].at.at.dso != DSO_NONE)
			vec_push(&all, s->places.v[i].at.at);
	vec_sort(&all, by_dso_and_addr);
	addrs = mem_alloc(all.nr * sizeof(*addrs) + 1);
	for (uint32_t i = 0; i < all.nr; i++) {
		addrs[i] = all.v[i].addr;
		if (!i || all.v[i].dso != all.v[i - 1].dso) {
			vec_push(&ids, all.v[i].dso);
			vec_push(&lists, ((struct dso_addrs){ .dso = all.v[i].dso, .v = &addrs[i] }));
		}
		lists.v[lists.nr - 1].nr++;
	}
	if (n->functions)
		dso_table_load(dsos, ids.v, ids.nr);
	if (n->inlines || n->lines || n->debug_names)
		dso_table_prefetch_source(dsos, lists.v, lists.nr);
	free(addrs);
	vec_fini(&all);
	vec_fini(&lists);
	vec_fini(&ids);
}

void snapshot_name(struct snapshot *s, struct dso_table *dsos, const struct snapshot_naming *n)
{
	prepare(s, dsos, n);
	for (uint32_t i = 0; i < s->places.nr; i++)
		name_place(s, &s->places.v[i], dsos, n);
}

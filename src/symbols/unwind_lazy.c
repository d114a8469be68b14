/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions of both sections sorted by where they begin, and cut into pieces wherever none reaches across: a piece is mostly one
 * function. Tables of pieces are made under a lock and published once; finding one takes none.
 */
#include "symbols/unwind_build.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "symbols/unwind_rule.h"
#include "symbols/unwind_table.h"

struct piece {
	uint32_t from; /* up to the next piece */
	uint32_t place;
};

struct unwind_lazy {
	struct unwind_input in;
	uint64_t base;
	struct cfi_reader *eh, *debug;
	VEC(struct unwind_function_place) places; /* by `from` */
	VEC(struct piece) pieces;
	struct unwind_table *_Atomic *tables; /* by piece; NULL: not made yet */
	pthread_mutex_t lock;		      /* of the readers */
};

struct listing {
	struct unwind_lazy *l;
	bool is_debug, is_sorted;
};

static void take_place(void *ctx, uint64_t off, uint64_t start, uint64_t end)
{
	struct listing *listing = ctx;
	struct unwind_lazy *l = listing->l;
	struct unwind_function_place p = { .entry_off = (uint32_t)off, .is_debug = listing->is_debug };
	uint64_t delta;

	if (!unwind_input_place(&l->in, l->base, start, end, &p.from, &p.to, &delta))
		return;
	if (l->places.nr && l->places.v[l->places.nr - 1].from > p.from)
		listing->is_sorted = false;
	vec_push(&l->places, p);
}

/* Of those that begin together, the first of the section comes first: which of them wins depends on it. */
static int compare_places(const void *pa, const void *pb)
{
	const struct unwind_function_place *a = pa, *b = pb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->is_debug != b->is_debug)
		return a->is_debug ? 1 : -1;
	return a->entry_off < b->entry_off ? -1 : a->entry_off > b->entry_off;
}

static void cut_pieces(struct unwind_lazy *l)
{
	uint32_t reach = 0;

	for (uint32_t i = 0; i < l->places.nr; i++) {
		const struct unwind_function_place *p = &l->places.v[i];

		if (!i || p->from >= reach)
			vec_push(&l->pieces, ((struct piece){ p->from, i }));
		if (p->to > reach)
			reach = p->to;
	}
	l->tables = mem_zalloc((size_t)l->pieces.nr * sizeof(*l->tables));
}

/* A section that is ours. False: it cannot be read in pieces. */
static bool list_section(struct unwind_lazy *l, struct cfi_section *s, struct cfi_reader **reader, struct listing *listing)
{
	if (!s->size)
		return true;
	s->bytes = memcpy(mem_alloc(s->size), s->bytes, s->size);
	*reader = cfi_reader_new(s, l->in.arch);
	return cfi_reader_list(*reader, take_place, listing);
}

/* Without stubs, which would be in each piece. NULL: it is empty, or can only be compiled as a whole. */
static struct unwind_lazy *lazy_new(const struct unwind_input *in)
{
	struct listing listing = { .is_sorted = true };
	struct unwind_lazy *l;
	bool ok;

	if (in->go || in->eh.size > UINT32_MAX || in->debug.size > UINT32_MAX)
		return NULL;
	l = mem_zalloc(sizeof(*l));
	pthread_mutex_init(&l->lock, NULL);
	l->in = *in;
	l->in.nr_plts = 0;
	l->base = unwind_input_base(in);
	listing.l = l;
	/* Both are copied before anything fails: what is freed is ours. */
	ok = list_section(l, &l->in.eh, &l->eh, &listing);
	listing.is_debug = true;
	ok &= list_section(l, &l->in.debug, &l->debug, &listing);
	if (!ok || !l->places.nr) {
		unwind_lazy_free(l);
		return NULL;
	}
	if (!listing.is_sorted)
		qsort(l->places.v, l->places.nr, sizeof(*l->places.v), compare_places);
	cut_pieces(l);
	return l;
}

struct unwind_table *unwind_lazy_build(const struct unwind_input *in)
{
	struct unwind_lazy *l = lazy_new(in);
	struct unwind_input rest = *in;
	struct unwind_table *t;

	if (!l)
		return unwind_build(in);
	rest.eh.size = rest.debug.size = 0;
	t = unwind_build(&rest);
	t->lazy = l;
	/* Without what is compiled later. */
	t->part.memory_bytes += l->in.eh.size + l->in.debug.size + l->places.cap * sizeof(*l->places.v) +
				l->pieces.cap * (sizeof(*l->pieces.v) + sizeof(*l->tables));
	return t;
}

void unwind_lazy_free(struct unwind_lazy *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; l->tables && i < l->pieces.nr; i++)
		unwind_table_free(atomic_load_explicit(&l->tables[i], memory_order_relaxed));
	free(l->tables);
	cfi_reader_free(l->eh);
	cfi_reader_free(l->debug);
	if (l->in.eh.size)
		free((void *)l->in.eh.bytes);
	if (l->in.debug.size)
		free((void *)l->in.debug.bytes);
	vec_fini(&l->places);
	vec_fini(&l->pieces);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

uint32_t unwind_lazy_nr_functions(const struct unwind_lazy *l)
{
	return l->places.nr;
}

static struct unwind_table *compile(struct unwind_lazy *l, uint32_t piece)
{
	uint32_t first = l->pieces.v[piece].place;
	uint32_t end = piece + 1 < l->pieces.nr ? l->pieces.v[piece + 1].place : l->places.nr;
	struct unwind_picked picked = { .eh = l->eh, .debug = l->debug, .places = l->places.v + first, .nr = end - first };
	struct unwind_table *t;

	pthread_mutex_lock(&l->lock);
	t = atomic_load_explicit(&l->tables[piece], memory_order_relaxed);
	if (!t) {
		l->in.picked = &picked;
		t = unwind_build(&l->in);
		atomic_store_explicit(&l->tables[piece], t, memory_order_release);
	}
	pthread_mutex_unlock(&l->lock);
	return t;
}

const struct unwind_table *unwind_lazy_find(struct unwind_lazy *l, uint64_t file_off)
{
	uint64_t rel = file_off - l->base;
	uint32_t above = vec_search(l->pieces.nr, i, l->pieces.v[i].from > rel);
	struct unwind_table *t;

	if (file_off < l->base || !above)
		return NULL;
	t = atomic_load_explicit(&l->tables[above - 1], memory_order_acquire);
	return t ? t : compile(l, above - 1);
}

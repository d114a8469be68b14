/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct unwind_table over flat bytes: the check that makes any bytes safe to look up and to step by, and the small questions. The bytes
 * come from unwind_build.c or from the symbol index on disk, which may be damaged.
 */
#include "symbols/unwind_table.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_rule.h"

bool unwind_table_set_parts(struct unwind_table *t, const void *bytes, size_t size)
{
	const struct unwind_head *h = bytes;
	uint64_t need;

	if (size < sizeof(*h) || (uintptr_t)bytes % 8 || h->magic != UNWIND_TABLE_MAGIC || h->size_bytes != size || h->zero)
		return false;
	/* None of the products overflows: 32-bit counts of at most 8 bytes. */
	need = sizeof(*h) + (uint64_t)h->nr_rows * sizeof(struct unwind_row) + (uint64_t)h->nr_rule_units * 8 +
	       (uint64_t)h->nr_blocks * sizeof(uint32_t) + h->expr_bytes;
	if (need != size)
		return false;
	t->head = h;
	t->rows = (const struct unwind_row *)(h + 1);
	t->rules = (const uint64_t *)(t->rows + h->nr_rows);
	t->blocks = (const uint32_t *)(t->rules + h->nr_rule_units);
	t->exprs = (const uint8_t *)(t->blocks + h->nr_blocks);
	return true;
}

static bool expr_is_inside(const struct unwind_table *t, int32_t off)
{
	uint32_t at = (uint32_t)off, bytes = t->head->expr_bytes;

	if (off < 0 || bytes < 2 || at > bytes - 2)
		return false;
	return (uint32_t)(t->exprs[at] | t->exprs[at + 1] << 8) <= bytes - 2 - at;
}

static bool rule_is_sound(const struct unwind_table *t, const struct unwind_rule *r)
{
	if (r->flags & RULE_CFA_EXPR ? !expr_is_inside(t, r->cfa_value) : r->cfa_reg >= ARCH_MAX_REGS)
		return false;
	if (r->ra >= ARCH_MAX_REGS)
		return false;
	for (uint32_t i = 0; i < r->nr_regs; i++) {
		const struct unwind_reg_rule *reg = &r->regs[i];

		/* Ascending: no register twice, so that there are never more than ARCH_MAX_REGS. */
		if (reg->reg >= ARCH_MAX_REGS || reg->how >= NR_HOWS || (i && reg->reg <= r->regs[i - 1].reg))
			return false;
		if ((reg->how == HOW_EXPR || reg->how == HOW_VAL_EXPR) && !expr_is_inside(t, reg->value))
			return false;
		if (reg->how == HOW_REGISTER && (reg->value < 0 || reg->value >= ARCH_MAX_REGS))
			return false;
	}
	return true;
}

/* Rules lie one behind the other from unit 1 on; `is_start` gets a mark for each. */
static bool rules_are_sound(const struct unwind_table *t, uint8_t *is_start)
{
	uint32_t nr = t->head->nr_rule_units;

	for (uint32_t at = 1; at < nr;) {
		const struct unwind_rule *r = unwind_table_rule(t, at);

		if (r->nr_regs > nr - at - 1 || !rule_is_sound(t, r))
			return false;
		is_start[at] = 1;
		at += 1U + r->nr_regs;
	}
	return true;
}

static bool rows_are_sound(const struct unwind_table *t, const uint8_t *is_start)
{
	const struct unwind_head *h = t->head;

	for (uint32_t i = 0; i < h->nr_rows; i++) {
		const struct unwind_row *r = &t->rows[i];

		if (i && r->addr <= r[-1].addr)
			return false;
		if (r->rule != UNWIND_GAP && (r->rule >= h->nr_rule_units || !is_start[r->rule]))
			return false;
	}
	return !h->nr_rows || t->rows[h->nr_rows - 1].rule == UNWIND_GAP;
}

static bool blocks_are_sound(const struct unwind_table *t)
{
	const struct unwind_head *h = t->head;
	uint32_t row = 0;

	if (!h->nr_rows)
		return h->nr_blocks == 0;
	if (h->block_shift > 31 || h->nr_blocks != (t->rows[h->nr_rows - 1].addr >> h->block_shift) + UINT64_C(2))
		return false;
	for (uint32_t i = 0; i < h->nr_blocks; i++) {
		row = unwind_table_block_start(t->rows, h->nr_rows, h->block_shift, i, row);
		if (t->blocks[i] != row)
			return false;
	}
	return true;
}

int unwind_table_view(struct unwind_table **table, const void *bytes, size_t size)
{
	struct unwind_table t = { 0 };
	uint8_t *is_start;
	bool sound;

	*table = NULL;
	if (!unwind_table_set_parts(&t, bytes, size))
		return -EBADMSG;
	is_start = mem_zalloc((size_t)t.head->nr_rule_units + 1);
	sound = rules_are_sound(&t, is_start) && rows_are_sound(&t, is_start) && blocks_are_sound(&t);
	free(is_start);
	if (!sound)
		return -EBADMSG;
	*table = mem_alloc(sizeof(t));
	**table = t;
	return 0;
}

const void *unwind_table_bytes(const struct unwind_table *t, size_t *size)
{
	*size = t->lazy ? 0 : t->head->size_bytes;
	return t->lazy ? NULL : t->head;
}

/* Tables that are compiled in pieces: the functions of both sections sorted by where they begin, and cut wherever none reaches across: a
 * piece is mostly one function. Tables of pieces are made under a lock and published once; finding one takes none. */

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

	return COMPARE(a->from, b->from) ?: COMPARE(a->is_debug, b->is_debug) ?: COMPARE(a->entry_off, b->entry_off);
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

static void lazy_free(struct unwind_lazy *l)
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
		lazy_free(l);
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

void unwind_table_free(struct unwind_table *t)
{
	if (t && !t->part.is_borrowed) {
		symbol_index_close(t->part.index);
		lazy_free(t->lazy);
		free(t->owned);
	}
	free(t);
}

uint32_t unwind_table_nr_rows(const struct unwind_table *t)
{
	return t->lazy ? t->lazy->places.nr : t->head->nr_rows;
}

uint32_t unwind_table_nr_damaged(const struct unwind_table *t)
{
	return t->head->nr_damaged;
}

enum unwind_cover unwind_table_cover(const struct unwind_table *t, uint64_t addr)
{
	uint32_t rule = unwind_table_resolve(&t, addr);

	if (rule == UNWIND_GAP)
		return UNWIND_UNCOVERED;
	return unwind_table_rule(t, rule)->flags & RULE_OUTERMOST ? UNWIND_OUTERMOST : UNWIND_COVERED;
}

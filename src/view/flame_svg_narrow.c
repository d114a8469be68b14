/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Walks the narrow nodes of model/flame.h below each rectangle, without recursion: they may be as deep as a file says.
 */
#include "view/flame_svg_narrow.h"

struct step {
	uint32_t node; /* of flame.narrow: an id from nodes.nr on */
	uint32_t depth; /* on its rectangle: from 1 */
};

struct writer {
	struct out *o;
	const struct flame *f;
	const struct flame_layout *l;
	struct renumbering *names;
	VEC(uint32_t) way; /* names, from the rectangle on */
	VEC(struct step) todo;
	uint32_t written, common; /* depth of what was written last; of what it has in common with the way */
};

static uint64_t width_of(const struct writer *w, uint32_t node)
{
	return w->l->width_of(w->f, weighted_totals(&w->f->tree, node), w->l->ctx);
}

/* Of the stacks that end there: they hide nothing. */
static uint64_t own_width_of(const struct writer *w, uint32_t node)
{
	return w->l->width_of(w->f, weighted_selves(&w->f->tree, node), w->l->ctx);
}

static const struct weighted_node *narrow_of(const struct flame *f, uint32_t id)
{
	return &f->tree.narrow.v[id - f->tree.nodes.nr];
}

/* What of a node is neither its own nor listed, in any column. */
static bool is_cut(const struct flame *f, uint32_t node, uint32_t first_drawn, uint32_t first_narrow)
{
	for (uint32_t c = 0; c < f->nr_columns; c++) {
		uint64_t known = weighted_self(&f->tree, node, c);

		for (uint32_t n = first_drawn; n != WEIGHTED_NONE; n = f->tree.nodes.v[n].next_sibling)
			known += weighted_total(&f->tree, n, c);
		for (uint32_t n = first_narrow; n != WEIGHTED_NONE; n = narrow_of(f, n)->next_sibling)
			known += weighted_total(&f->tree, n, c);
		if (known != weighted_total(&f->tree, node, c))
			return true;
	}
	return false;
}

/* The width of a node that nothing listed stands on. */
static uint64_t rest_of(const struct writer *w, uint32_t node, uint32_t first_drawn, uint32_t first_narrow)
{
	uint64_t rest = width_of(w, node), taken;

	for (uint32_t n = first_drawn; n != WEIGHTED_NONE; n = w->f->tree.nodes.v[n].next_sibling) {
		taken = width_of(w, n);
		rest -= taken < rest ? taken : rest;
	}
	for (uint32_t n = first_narrow; n != WEIGHTED_NONE; n = narrow_of(w->f, n)->next_sibling) {
		taken = width_of(w, n);
		rest -= taken < rest ? taken : rest;
	}
	return rest;
}

static void put_end(struct writer *w, uint32_t depth, bool cut, uint64_t weight)
{
	int64_t up = w->written - w->common;

	out_printf(w->o, ",%lld", (long long)(cut ? -1 - up : up));
	for (uint32_t i = w->common; i < depth; i++) {
		out_char(w->o, ',');
		out_u64(w->o, renumbering_add(w->names, w->way.v[i]), 0);
	}
	out_str(w->o, ",-");
	out_u64(w->o, weight, 0);
	w->written = w->common = depth;
}

static void put_node(struct writer *w, struct step s)
{
	const struct weighted_node *n = narrow_of(w->f, s.node);
	uint64_t rest = rest_of(w, s.node, FLAME_NONE, n->first_child), own = own_width_of(w, s.node);
	bool cut = is_cut(w->f, s.node, FLAME_NONE, n->first_child);

	if (w->common > s.depth - 1)
		w->common = s.depth - 1;
	w->way.nr = s.depth - 1;
	vec_push(&w->way, w->f->frames.v[n->frame].name);
	if (own > rest)
		own = rest;
	if (cut && own)
		put_end(w, s.depth, false, own);
	if (cut)
		rest -= own;
	if (rest)
		put_end(w, s.depth, cut, rest);
	for (uint32_t c = n->first_child; c != WEIGHTED_NONE; c = narrow_of(w->f, c)->next_sibling)
		vec_push(&w->todo, ((struct step){ c, s.depth + 1 }));
}

/* Frames of the rectangle's node that are not even in the list of narrow ones. */
static void put_unlisted(struct writer *w, uint32_t node)
{
	uint32_t drawn = w->f->tree.nodes.v[node].first_child, narrow = w->f->tree.first_narrow.v[node];
	uint64_t rest, own = own_width_of(w, node);

	if (!is_cut(w->f, node, drawn, narrow))
		return;
	rest = rest_of(w, node, drawn, narrow);
	rest -= own < rest ? own : rest;
	if (rest)
		put_end(w, 0, true, rest);
}

static bool put_rect(struct writer *w, uint32_t rect, bool is_first)
{
	uint32_t node = w->l->rects.v[rect].node, first = w->f->tree.first_narrow.v[node];

	if (first == WEIGHTED_NONE && !is_cut(w->f, node, w->f->tree.nodes.v[node].first_child, FLAME_NONE))
		return false;
	out_printf(w->o, "%s[%u", is_first ? ",\n\"narrow\":[" : ",", rect);
	w->written = w->common = 0;
	put_unlisted(w, node);
	for (uint32_t c = first; c != WEIGHTED_NONE; c = narrow_of(w->f, c)->next_sibling)
		vec_push(&w->todo, ((struct step){ c, 1 }));
	while (w->todo.nr)
		put_node(w, w->todo.v[--w->todo.nr]);
	out_char(w->o, ']');
	return true;
}

void flame_svg_narrow(struct out *o, const struct flame *f, const struct flame_layout *l, struct renumbering *names)
{
	struct writer w = { .o = o, .f = f, .l = l, .names = names };
	bool is_first = true;

	if (!f->tree.nr_hidden)
		return;
	for (uint32_t i = 0; i < l->rects.nr; i++)
		if (put_rect(&w, i, is_first))
			is_first = false;
	if (!is_first)
		out_char(o, ']');
	vec_fini(&w.way);
	vec_fini(&w.todo);
}

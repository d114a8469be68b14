/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In two steps: label_parse.c says where the parts of a name are, here it is decided which of them fit.
 */
#include "view/label.h"

#include "view/label_parse.h"

#define LEAST_CUT 6 /* letters: in fewer, two ends tell nothing */

struct writer {
	struct out *o;
	const struct label_name *n;
};

static void put(const struct writer *w, size_t from, size_t to)
{
	out_mem(w->o, w->n->text + w->n->at.v[from], w->n->at.v[to] - w->n->at.v[from]);
}

static void put_ellipsis(const struct writer *w)
{
	out_str(w->o, "…");
}

/* Too short for two ends, it is the beginning. */
static void put_cut(const struct writer *w, size_t from, size_t to, size_t max)
{
	size_t tail = max < LEAST_CUT ? 0 : (max - 1) * 2 / 5;

	if (to - from <= max) {
		put(w, from, to);
		return;
	}
	put(w, from, from + max - 1 - tail);
	put_ellipsis(w);
	put(w, to - tail, to);
}

/* How long [from, to) is at least: with the contents of its brackets left out. */
static size_t least_length(const struct label_name *n, size_t from, size_t to)
{
	size_t length = to - from;

	for (uint32_t i = 0; i < n->elidable.nr; i++) {
		const struct label_span *s = &n->elidable.v[i];

		if (s->open >= from && s->open < to)
			length -= s->close - s->open - 2;
	}
	return length;
}

/* [from, to) in `max` letters: of the contents of brackets, as much as there is room for, the last ones first. */
static void put_fitted(const struct writer *w, size_t from, size_t to, size_t max)
{
	size_t room = max - least_length(w->n, from, to);
	VEC(size_t) shown = { 0 };

	for (uint32_t i = w->n->elidable.nr; i-- > 0;) {
		const struct label_span *s = &w->n->elidable.v[i];
		size_t whole = s->close - s->open - 1, most = room + 1 < whole ? room + 1 : whole;
		bool is_inside = s->open >= from && s->open < to;

		if (most < LEAST_CUT && most < whole)
			most = 1;
		vec_push(&shown, is_inside ? most : 0);
		room -= is_inside ? most - 1 : 0;
	}
	for (uint32_t i = 0; i < w->n->elidable.nr; i++) {
		const struct label_span *s = &w->n->elidable.v[i];
		size_t letters = shown.v[shown.nr - 1 - i];

		if (!letters)
			continue;
		put(w, from, s->open + 1);
		put_cut(w, s->open + 1, s->close, letters);
		from = s->close;
	}
	put(w, from, to);
	vec_fini(&shown);
}

/* Where a component without its arguments and the separator behind it ends. */
static size_t ident_end(const struct label_name *n, uint32_t part)
{
	size_t end = n->parts.v[part + 1] - (n->is_scoped ? 2 : 1);

	for (uint32_t i = 0; i < n->elidable.nr; i++)
		if (n->elidable.v[i].open > n->parts.v[part])
			return n->elidable.v[i].open < end ? n->elidable.v[i].open : end;
	return end;
}

/* The components from `part` on, which have room, behind a piece of the one before, or a mark. */
static void put_parts(const struct writer *w, uint32_t part, size_t length, size_t max)
{
	const struct label_name *n = w->n;
	size_t separator = n->is_scoped ? 2 : 1, room = max - length - separator;
	size_t from = n->parts.v[part], before = n->parts.v[part - 1], end = ident_end(n, part - 1);

	if (room < LEAST_CUT) {
		put_ellipsis(w);
		out_str(w->o, n->is_scoped ? "::" : "");
		put_fitted(w, from, n->end, max - (n->is_scoped ? 3 : 1));
		return;
	}
	put_cut(w, before, end, room);
	put(w, from - separator, from);
	put_fitted(w, from, n->end, max - separator - (end - before < room ? end - before : room));
}

/* As many of the last components as fit; where not even one does, the function's own name. */
static void put_last_parts(const struct writer *w, size_t max)
{
	const struct label_name *n = w->n;
	size_t length = 0, to = n->end;
	uint32_t k = n->parts.nr;

	for (; k > 0; k--) {
		size_t more = least_length(n, n->parts.v[k - 1], to);

		if (length + more + (n->is_scoped ? 3 : 1) > max)
			break;
		length += more;
		to = n->parts.v[k - 1];
	}
	if (k > 0 && k < n->parts.nr) {
		put_parts(w, k, length, max);
	} else if (least_length(n, n->base, n->end) <= max) {
		put_fitted(w, n->base, n->end, max);
	} else {
		put_cut(w, n->base, n->ident, max);
	}
}

static void put_parsed(const struct writer *w, size_t max)
{
	const struct label_name *n = w->n;
	bool is_long = n->has_params && n->params.close - n->params.open > 2;
	size_t behind = is_long ? 2 + n->nr - n->params.close : n->nr - n->end;

	for (int i = 0; i < 2; i++) {
		size_t from = i ? n->start : 0;

		if (n->end - from + behind > max)
			continue;
		put(w, from, n->end);
		if (is_long) {
			out_char(w->o, '(');
			put_ellipsis(w);
		}
		put(w, is_long ? n->params.close : n->end, n->nr);
		return;
	}
	if (least_length(n, n->start, n->end) <= max)
		put_fitted(w, n->start, n->end, max);
	else
		put_last_parts(w, max);
}

void label_shorten(struct out *o, const char *name, size_t len, size_t max)
{
	struct label_name n;
	struct writer w = { .o = o, .n = &n };

	label_name_init(&n, name, len);
	if (n.nr <= max) {
		out_mem(o, name, len);
	} else if (n.nr > LABEL_MOST_PARSED) {
		put_cut(&w, 0, n.nr, max);
	} else {
		label_name_parse(&n);
		put_parsed(&w, max);
	}
	label_name_fini(&n);
}

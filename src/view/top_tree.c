/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tree of callers of `top` in lines of text: as an icicle whose boxes are as wide as their share, and as the callers of a row.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "view/heat_colour.h"
#include "view/page.h"
#include "view/top.h"

#define MAX_CALLERS 4096u /* nodes of callers that are looked at */

static double share(double part, double whole)
{
	return whole > 0 ? 100.0 * part / whole : 0;
}

static void put_no_stacks(struct out *o, const struct top_style *style, int line_width)
{
	static const char text[] = "No call chains yet: start with 'assay top -g' to see callers.";

	(void)style;
	top_line(o, text, sizeof(text) - 1, line_width);
}

/* ---- the flame view ---- */

struct box {
	uint32_t node, depth;
	int from, to; /* columns */
};

struct flame_order {
	const struct live_event *e;
	const struct live_profile *l;
};

/* Siblings together, by name, so that they stay where they are from refresh to refresh. */
static int cmp_siblings(const void *va, const void *vb, void *ctx)
{
	const struct flame_order *f = ctx;
	const struct live_node *a = &f->e->nodes.v[*(const uint32_t *)va], *b = &f->e->nodes.v[*(const uint32_t *)vb];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return strcmp(live_profile_text(f->l, a->name), live_profile_text(f->l, b->name));
}

struct boxes {
	struct box *v;
	uint32_t nr, cap;
};

/* Places the children of each box, parents first: a child is no wider than its share of its parent, and what is left of a parent is its own. */
static void lay_out(const struct live_profile *l, const struct live_event *e, struct boxes *boxes, int max_depth, int line_width)
{
	struct flame_order order = { e, l };
	VEC(uint32_t) sorted = { 0 };

	for (uint32_t i = 1; i < e->nodes.nr; i++)
		vec_push(&sorted, i);
	vec_sort_r(&sorted, cmp_siblings, &order);
	vec_push(boxes, ((struct box){ 0, 0, 0, line_width }));
	for (uint32_t i = 0; i < boxes->nr; i++) {
		struct box parent = boxes->v[i];
		double at = parent.from, scale = e->nodes.v[0].total > 0 ? line_width / e->nodes.v[0].total : 0;
		uint32_t k = vec_search(sorted.nr, n_, e->nodes.v[sorted.v[n_]].parent >= parent.node);

		if ((int)parent.depth >= max_depth)
			continue;
		for (; k < sorted.nr && e->nodes.v[sorted.v[k]].parent == parent.node; k++) {
			double width = e->nodes.v[sorted.v[k]].total * scale;
			int from = (int)(at + 0.5), to = (int)(at + width + 0.5);

			at += width;
			to = to > parent.to ? parent.to : to;
			if (to > from)
				vec_push(boxes, ((struct box){ sorted.v[k], parent.depth + 1, from, to }));
		}
	}
	vec_fini(&sorted);
}

static void put_box(struct out *o, const struct live_profile *l, const struct live_node *n, const struct box *b, bool colour, bool is_odd)
{
	int width = b->to - b->from;
	size_t len = strtab_len(&l->strings, n->name), letters = 0;
	const char *name = live_profile_text(l, n->name);

	if (colour)
		out_str(o, n->level == 'k' ? is_odd ? "\033[30;43m" : "\033[30;103m" : is_odd ? "\033[30;41m" : "\033[30;101m");
	if (width > 2) {
		struct out text;

		out_init(&text, -1);
		label_shorten(&text, name, len, (size_t)width - 1);
		out_mem(o, text.buf, text.len);
		for (size_t i = 0; i < text.len; i++)
			letters += ((uint8_t)text.buf[i] & 0xc0) != 0x80;
		out_fini(&text);
	}
	for (; (int)letters < width - 1; letters++)
		out_char(o, colour ? ' ' : '-');
	out_char(o, colour ? ' ' : '|');
	if (colour)
		out_str(o, HEAT_OFF);
}

void top_flame(struct out *o, const struct live_profile *l, const struct top_state *st, const struct top_style *style, int rows,
	       int line_width)
{
	const struct live_event *e = &l->events.v[st->event];
	struct boxes boxes = { 0 };
	uint32_t i = 1;

	if (e->nodes.nr < 2) {
		put_no_stacks(o, style, line_width);
		return;
	}
	lay_out(l, e, &boxes, rows, line_width);
	/* They are sorted by depth, and then from left to right. */
	for (int depth = 1; depth <= rows && i < boxes.nr; depth++) {
		int at = 0;

		if (depth > 1)
			out_char(o, '\n');
		for (uint32_t k = 0; i < boxes.nr && (int)boxes.v[i].depth == depth; i++, k++) {
			out_spaces(o, boxes.v[i].from - at);
			put_box(o, l, &e->nodes.v[boxes.v[i].node], &boxes.v[i], style->colour, k % 2);
			at = boxes.v[i].to;
		}
	}
	vec_fini(&boxes);
}

/* ---- callers of a row ---- */

struct caller {
	uint32_t name, parent; /* parent: in the list; UINT32_MAX: the function itself */
	uint32_t depth;
	double total;
	uint32_t first_child, next_sibling;
};

struct callers {
	struct caller *v;
	uint32_t nr, cap;
	bool is_cut;
};

static uint32_t find_caller(struct callers *c, uint32_t parent, uint32_t name)
{
	struct caller added;

	for (uint32_t i = c->v[parent].first_child; i; i = c->v[i].next_sibling)
		if (c->v[i].name == name)
			return i;
	if (c->nr >= MAX_CALLERS) {
		c->is_cut = true;
		return 0;
	}
	added = (struct caller){
		.name = name, .parent = parent, .depth = c->v[parent].depth + 1, .next_sibling = c->v[parent].first_child
	};
	vec_push(c, added);
	c->v[parent].first_child = c->nr - 1;
	return c->nr - 1;
}

/* Each node of that function, with those above it; what a recursion counts in an inner call is not counted again. */
static void gather(struct callers *c, const struct live_event *e, uint32_t name)
{
	vec_push(c, ((struct caller){ .name = name, .parent = UINT32_MAX }));
	for (uint32_t i = 1; i < e->nodes.nr; i++) {
		double weight = e->nodes.v[i].total;
		uint32_t at = 0, n;
		bool is_inner = false;

		if (e->nodes.v[i].name != name)
			continue;
		for (n = e->nodes.v[i].parent; n && !is_inner; n = e->nodes.v[n].parent)
			is_inner = e->nodes.v[n].name == name;
		if (is_inner)
			continue;
		c->v[0].total += weight;
		for (n = e->nodes.v[i].parent; n; n = e->nodes.v[n].parent) {
			at = find_caller(c, at, e->nodes.v[n].name);
			if (!at)
				break;
			c->v[at].total += weight;
		}
	}
}

static int cmp_callers(const void *va, const void *vb, void *ctx)
{
	const struct callers *c = ctx;
	double a = c->v[*(const uint32_t *)va].total, b = c->v[*(const uint32_t *)vb].total;

	return a > b ? 1 : a < b ? -1 : 0;
}

static void put_caller(struct out *o, const struct live_profile *l, const struct caller *c, double total, const struct top_style *style,
		       int line_width)
{
	double percent = share(c->total, total);
	const char *on = style->colour ? heat_colour(percent) : NULL;
	int indent = 2 * (int)c->depth, left;
	struct out line;

	indent = indent > line_width / 2 ? line_width / 2 : indent;
	left = line_width - 10 - indent;
	out_init(&line, -1);
	out_str(&line, on ? on : "");
	out_printf(&line, "%7.2f%%", percent);
	out_str(&line, on ? HEAT_OFF : "");
	out_spaces(&line, 2 + indent);
	label_shorten(&line, live_profile_text(l, c->name), strtab_len(&l->strings, c->name), left > 1 ? (size_t)left : 1);
	top_line(o, line.buf, line.len, line_width);
	out_fini(&line);
}

void top_callers(struct out *o, const struct live_profile *l, const struct top_state *st, const struct top_style *style, int rows,
		 int line_width)
{
	const struct live_event *e = &l->events.v[st->event];
	const struct live_row *r = st->selected < e->rows.nr ? &e->rows.v[st->selected] : NULL;
	struct callers c = { 0 };
	VEC(uint32_t) open = { 0 };

	if (e->nodes.nr < 2 || !r || !r->name) {
		put_no_stacks(o, style, line_width);
		return;
	}
	gather(&c, e, r->name);
	vec_push(&open, 0);
	for (int line = 0; open.nr && line < rows; line++) {
		uint32_t at = open.v[--open.nr], before = open.nr;

		if (line)
			out_char(o, '\n');
		put_caller(o, l, &c.v[at], e->nodes.v[0].total, style, line_width);
		for (uint32_t i = c.v[at].first_child; i; i = c.v[i].next_sibling)
			vec_push(&open, i);
		/* The heaviest last: it is the next line. */
		if (open.nr - before > 1)
			qsort_r(open.v + before, open.nr - before, sizeof(*open.v), cmp_callers, &c);
	}
	vec_fini(&open);
	vec_fini(&c);
}

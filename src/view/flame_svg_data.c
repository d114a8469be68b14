/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Columns of numbers in compact JSON, with only the names and frames that are drawn or searchable.
 */
#include "view/flame_svg.h"

#include <stdlib.h>
#include <string.h>

#include "view/page.h"

void renumbering_init(struct renumbering *r, uint32_t nr)
{
	memset(r, 0, sizeof(*r));
	r->of = mem_alloc(nr * sizeof(*r->of));
	memset(r->of, 0xff, nr * sizeof(*r->of));
}

void renumbering_fini(struct renumbering *r)
{
	free(r->of);
	vec_fini(&r->used);
}

uint32_t renumbering_add(struct renumbering *r, uint32_t id)
{
	if (r->of[id] == UINT32_MAX) {
		r->of[id] = r->used.nr;
		vec_push(&r->used, id);
	}
	return r->of[id];
}

/* What is too narrow to be drawn, below each rectangle. Without recursion: it may be as deep as a file says. */

struct step {
	uint32_t node;	/* of flame.narrow: an id from nodes.nr on */
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

/* Frames, rows and lines */

static void put_strings(struct out *o, const char *key, const struct flame *f, const struct renumbering *r)
{
	out_printf(o, ",\n\"%s\":[", key);
	for (uint32_t i = 0; i < r->used.nr; i++) {
		out_str(o, i ? "," : "");
		svg_text_json(o, strtab_get(&f->strings, r->used.v[i]), strtab_len(&f->strings, r->used.v[i]));
	}
	out_char(o, ']');
}

/* Frames and their strings; names that only narrow frames have come last. */
static void put_frames(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts,
		       const struct renumbering *frames)
{
	struct renumbering names, modules;
	struct out table, narrow;

	out_init(&table, -1);
	out_init(&narrow, -1);
	renumbering_init(&names, f->strings.entries.nr);
	renumbering_init(&modules, f->strings.entries.nr);
	renumbering_add(&modules, 0);
	for (uint32_t i = 0; i < frames->used.nr; i++) {
		const struct flame_frame *fr = &f->frames.v[frames->used.v[i]];

		out_printf(&table, "%s%u,%u,%u,%u,%u", i ? "," : "", renumbering_add(&names, fr->name),
			   renumbering_add(&modules, fr->module), fr->kind, fr->marks, flame_palette_colour(opts->palette, f, fr));
	}
	flame_svg_narrow(&narrow, f, l, &names);
	put_strings(o, "names", f, &names);
	put_strings(o, "modules", f, &modules);
	out_str(o, ",\n\"frames\":[");
	out_mem(o, table.buf, table.len);
	out_char(o, ']');
	out_mem(o, narrow.buf, narrow.len);
	renumbering_fini(&names);
	renumbering_fini(&modules);
	out_fini(&table);
	out_fini(&narrow);
}

static void put_u64(struct out *o, uint64_t v, char after)
{
	out_u64(o, v, 0);
	out_char(o, after);
}

static uint64_t self_of(const struct flame *f, uint32_t node)
{
	uint64_t self = 0;

	for (uint32_t c = 0; c < f->nr_columns; c++)
		self += weighted_self(&f->tree, node, c);
	return self;
}

static void put_rows(struct out *o, const struct flame *f, const struct flame_layout *l, struct renumbering *frames)
{
	uint64_t end = 0;

	out_str(o, ",\n\"rows\":[[");
	for (uint32_t i = 0; i < l->rects.nr; i++) {
		const struct flame_rect *r = &l->rects.v[i];

		if (i && r->row != r[-1].row) {
			out_str(o, "],\n[");
			end = 0;
		} else if (i) {
			out_char(o, ',');
		}
		put_u64(o, r->x0 - end, ',');
		put_u64(o, r->x1 - r->x0, ',');
		put_u64(o, renumbering_add(frames, f->tree.nodes.v[r->node].frame), ',');
		out_u64(o, self_of(f, r->node), 0);
		end = r->x1;
	}
	out_str(o, "]]");
}

static void put_colour(struct out *o, const struct flame *f, uint32_t node, const struct flame_svg_options *opts)
{
	out_u64(o, opts->colour_of(f, node, opts->ctx), 0);
}

static void put_details(struct out *o, const struct flame *f, uint32_t node, const struct flame_svg_options *opts)
{
	struct out text;

	out_init(&text, -1);
	opts->details_of(&text, f, node, opts->ctx);
	svg_text_json(o, text.buf, text.len);
	out_fini(&text);
}

/* One value for each rectangle, in the order of the rows. */
static void put_column(struct out *o, const char *key, const struct flame *f, const struct flame_layout *l,
		       const struct flame_svg_options *opts,
		       void (*put)(struct out *, const struct flame *, uint32_t, const struct flame_svg_options *))
{
	out_printf(o, ",\n\"%s\":[", key);
	for (uint32_t i = 0; i < l->rects.nr; i++) {
		out_str(o, i ? "," : "");
		put(o, f, l->rects.v[i].node, opts);
	}
	out_char(o, ']');
}

static void put_spots(struct out *o, const struct flame *f, const struct renumbering *spots)
{
	struct renumbering files;
	struct out table;

	out_init(&table, -1);
	renumbering_init(&files, f->strings.entries.nr);
	renumbering_add(&files, 0);
	for (uint32_t i = 0; i < spots->used.nr; i++) {
		const struct flame_spot *s = &f->spots.v[spots->used.v[i]];

		out_printf(&table, "%s%u,%u", i ? "," : "", renumbering_add(&files, s->file), s->line);
	}
	put_strings(o, "files", f, &files);
	out_str(o, ",\n\"spots\":[");
	out_mem(o, table.buf, table.len);
	out_char(o, ']');
	renumbering_fini(&files);
	out_fini(&table);
}

/* 1 to 99; 0: all of it. */
static unsigned percent_of(uint64_t part, uint64_t whole)
{
	double percent = whole ? 100.0 * (double)part / (double)whole : 0;

	return part >= whole ? 0 : percent < 1 ? 1 : percent > 99 ? 99 : (unsigned)(percent + 0.5);
}

static void put_lines(struct out *o, const struct flame *f, const struct flame_layout *l)
{
	struct renumbering spots;
	uint32_t last = 0;
	bool is_first = true;

	if (!f->has_lines)
		return;
	renumbering_init(&spots, f->spots.nr);
	out_str(o, ",\n\"lines\":[");
	for (uint32_t i = 0; i < l->rects.nr; i++) {
		const struct flame_line *line = &f->lines.v[l->rects.v[i].node];
		uint64_t whole = 0;

		if (line->spot == FLAME_NONE)
			continue;
		for (uint32_t c = 0; c < f->nr_columns; c++)
			whole += weighted_total(&f->tree, l->rects.v[i].node, c);
		out_printf(o, "%s%u,%u,%u", is_first ? "" : ",", i - last, renumbering_add(&spots, line->spot),
			   percent_of(line->weight, whole));
		is_first = false;
		last = i;
	}
	out_char(o, ']');
	put_spots(o, f, &spots);
	renumbering_fini(&spots);
}

void flame_svg_data(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts, int top,
		    bool edges)
{
	struct renumbering frames;
	struct out rows;

	out_init(&rows, -1);
	renumbering_init(&frames, f->frames.nr);
	put_rows(&rows, f, l, &frames);
	out_str(o, "{\"unit\":");
	svg_text_json(o, opts->unit, strlen(opts->unit));
	if (opts->factor > 0)
		out_printf(o, ",\"factor\":%.15g", opts->factor);
	out_printf(o, ",\"total\":%llu,\"width\":%u,\"top\":%d,\"row\":%d,\"char\":%.2f,\"inverted\":%s,\"fixed\":%s,\"edges\":%s",
		   (unsigned long long)l->total, opts->width, top, FLAME_SVG_ROW, FLAME_SVG_CHAR, opts->inverted ? "true" : "false",
		   opts->fixed_width ? "true" : "false", edges ? "true" : "false");
	put_frames(o, f, l, opts, &frames);
	out_mem(o, rows.buf, rows.len);
	if (opts->colour_of)
		put_column(o, "colours", f, l, opts, put_colour);
	if (opts->details_of)
		put_column(o, "details", f, l, opts, put_details);
	put_lines(o, f, l);
	out_str(o, "}\n");
	renumbering_fini(&frames);
	out_fini(&rows);
}

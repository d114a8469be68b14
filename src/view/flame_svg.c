/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Layout, the still picture (one path per colour, then labels), and the page around it: legend, data, and the script, which replaces the
 * still picture.
 */
#include "view/flame_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/page.h"

/* Layout: one pass, row by row. The rectangles of a row are the children of those in the row before, in the same order. */

uint64_t flame_width_first(const struct flame *f, const uint64_t *weights, const void *ctx)
{
	(void)f, (void)ctx;
	return weights[0];
}

static void add_rect(struct flame_layout *l, uint32_t node, uint64_t x0, uint64_t width, uint32_t above)
{
	struct flame_rect r = { .node = node, .x0 = x0, .x1 = x0 + width, .above = above };

	if (l->rects.nr)
		r.row = l->rects.v[above].row + 1;
	vec_push(&l->rects, r);
	l->nr_rows = r.row + 1;
}

void flame_layout_build(struct flame_layout *l, const struct flame *f, flame_width_fn *width_of, const void *ctx, uint64_t least)
{
	memset(l, 0, sizeof(*l));
	l->width_of = width_of;
	l->ctx = ctx;
	l->total = width_of(f, weighted_totals(&f->tree, WEIGHTED_ROOT), ctx);
	add_rect(l, WEIGHTED_ROOT, 0, l->total, 0);
	for (uint32_t i = 0; i < l->rects.nr; i++) {
		uint64_t x = l->rects.v[i].x0;

		for (uint32_t c = f->tree.nodes.v[l->rects.v[i].node].first_child; c != WEIGHTED_NONE;
		     c = f->tree.nodes.v[c].next_sibling) {
			uint64_t width = width_of(f, weighted_totals(&f->tree, c), ctx);

			if (width && width >= least)
				add_rect(l, c, x, width, i);
			else
				l->nr_hidden++;
			x += width;
		}
	}
}

void flame_layout_fini(struct flame_layout *l)
{
	vec_fini(&l->rects);
}

/* The still picture, for what runs no script: an <img>, a converter, an editor. Of a deep or crowded graph it has the rows next to the root and
 * the widest frames, so that what a script discards has a bound. The rows that are drawn are the beginning of the layout. */

#define TENTHS 10 /* paths are in tenths of a pixel */
#define FLAME_STILL_ROWS 400u
#define FLAME_STILL_RECTS 50000u
#define LEAST_CHARS 3 /* a shorter piece of a name tells nothing */
#define WIDE 1000     /* tenths: of what is wider, the rows alone bound the number */

struct still {
	struct out *o;
	const struct flame *f;
	const struct flame_layout *l;
	const struct flame_svg_options *opts;
	int top;
	uint32_t nr_rects; /* of the rows that are drawn */
	int64_t least;	   /* tenths that are still drawn */
};

static uint32_t nr_drawn_rows(const struct flame_layout *l)
{
	return l->nr_rows < FLAME_STILL_ROWS ? l->nr_rows : FLAME_STILL_ROWS;
}

/* Rows of the area: the last is the line that tells of the others. */
static uint32_t nr_lines(const struct flame_layout *l)
{
	return nr_drawn_rows(l) + (l->nr_rows > FLAME_STILL_ROWS);
}

static int still_height(const struct flame_layout *l)
{
	return (int)nr_lines(l) * FLAME_SVG_ROW;
}

/* Tenths of a pixel from the left of the area. */
static int64_t tenths(const struct still *s, uint64_t x)
{
	double width = (s->opts->width - 2 * FLAME_SVG_PAD) * TENTHS;

	return s->l->total ? llround((double)x / (double)s->l->total * width) : 0;
}

static int64_t width_of(const struct still *s, const struct flame_rect *r)
{
	return tenths(s, r->x1) - tenths(s, r->x0);
}

static int row_y(const struct still *s, uint32_t row)
{
	return s->top + (int)(s->opts->inverted ? row : nr_lines(s->l) - 1 - row) * FLAME_SVG_ROW;
}

/* What is drawn: so many rows, and of those what is wide enough for the number to have a bound. */
static void choose(struct still *s)
{
	uint32_t nr_of[WIDE + 1] = { 0 }, nr = 0;

	while (s->nr_rects < s->l->rects.nr && s->l->rects.v[s->nr_rects].row < nr_drawn_rows(s->l)) {
		int64_t width = width_of(s, &s->l->rects.v[s->nr_rects++]);

		nr_of[width < WIDE ? width : WIDE]++;
	}
	for (s->least = WIDE; s->least > 1; s->least--) {
		nr += nr_of[s->least];
		if (nr + nr_of[s->least - 1] > FLAME_STILL_RECTS)
			break;
	}
}

/* Paths */

struct painted {
	uint32_t colour;
	uint32_t rect;
};

static int cmp_painted(const void *va, const void *vb)
{
	const struct painted *a = va, *b = vb;

	return COMPARE(a->colour, b->colour) ?: COMPARE(a->rect, b->rect);
}

static uint32_t colour_of(const struct still *s, uint32_t node)
{
	const struct flame_svg_options *opts = s->opts;

	return opts->colour_of ? opts->colour_of(s->f, node, opts->ctx)
			       : flame_palette_colour(opts->palette, s->f, flame_frame_of(s->f, node));
}

static void put_box(struct still *s, const struct flame_rect *r, int y, int height)
{
	int64_t x = tenths(s, r->x0), width = tenths(s, r->x1) - x;

	/* a thin gap to the right neighbour */
	if (width > 40)
		width -= 5;
	out_printf(s->o, "M%lld %dh%lldv%dh-%lldz", (long long)(x + FLAME_SVG_PAD * TENTHS), y * TENTHS, (long long)width, height,
		   (long long)width);
}

static void put_paths(struct still *s)
{
	struct painted *all = mem_alloc((s->nr_rects + 1ul) * sizeof(*all));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->nr_rects; i++) {
		const struct flame_rect *r = &s->l->rects.v[i];

		if (width_of(s, r) >= s->least && flame_frame_of(s->f, r->node)->kind != FLAME_CUT)
			all[nr++] = (struct painted){ colour_of(s, r->node), i };
	}
	qsort(all, nr, sizeof(*all), cmp_painted);
	for (uint32_t i = 0; i < nr; i++) {
		if (!i || all[i].colour != all[i - 1].colour)
			out_printf(s->o, "%s<path fill=\"#%06x\"%s d=\"", i ? "\"/>\n" : "", all[i].colour & 0xffffff,
				   all[i].colour & FLAME_SVG_FADED ? " opacity=\".3\"" : "");
		put_box(s, &s->l->rects.v[all[i].rect], row_y(s, s->l->rects.v[all[i].rect].row), (FLAME_SVG_ROW - 1) * TENTHS);
	}
	if (nr)
		out_str(s->o, "\"/>\n");
	free(all);
}

/* The frames of one kind, whole or their lower edge. */
static void put_kind(struct still *s, enum flame_kind kind, const char *paint, int from_top, int height)
{
	bool any = false;

	for (uint32_t i = 0; i < s->nr_rects; i++) {
		const struct flame_rect *r = &s->l->rects.v[i];

		if (flame_frame_of(s->f, r->node)->kind != kind || width_of(s, r) < s->least)
			continue;
		if (!any)
			out_printf(s->o, "<path %s d=\"", paint);
		any = true;
		put_box(s, r, row_y(s, r->row) + from_top, height);
	}
	if (any)
		out_str(s->o, "\"/>\n");
}

/* Text */

static void put_labels(struct still *s)
{
	for (uint32_t i = 0; i < s->nr_rects; i++) {
		const struct flame_rect *r = &s->l->rects.v[i];
		int64_t x = tenths(s, r->x0);
		double width = (double)(tenths(s, r->x1) - x) / TENTHS;
		int chars = (int)((width - 6) / FLAME_SVG_CHAR);
		const struct flame_frame *fr = flame_frame_of(s->f, r->node);
		const char *name = strtab_get(&s->f->strings, fr->name);

		if (chars < LEAST_CHARS || width_of(s, r) < s->least)
			continue;
		out_printf(s->o, "<text x=\"%.1f\" y=\"%d\"%s>", (double)x / TENTHS + FLAME_SVG_PAD + 3, row_y(s, r->row) + 12,
			   fr->marks & FLAME_INLINED ? " class=\"in\"" : "");
		svg_text_short(s->o, name, strtab_len(&s->f->strings, fr->name), (size_t)chars);
		out_str(s->o, "</text>\n");
	}
}

static void put_rest(struct still *s)
{
	if (s->l->nr_rows <= FLAME_STILL_ROWS)
		return;
	out_printf(s->o, "<text class=\"note\" x=\"%d\" y=\"%d\">… ", FLAME_SVG_PAD, row_y(s, FLAME_STILL_ROWS) + 12);
	svg_text_count(s->o, s->l->nr_rows - FLAME_STILL_ROWS);
	out_str(s->o, " more rows: a browser that opens the file itself shows them</text>\n");
}

static void put_still(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts, int top,
		      bool edges)
{
	struct still s = { .o = o, .f = f, .l = l, .opts = opts, .top = top };

	choose(&s);
	out_str(o, "<g class=\"still\"><g transform=\"scale(.1)\">\n");
	put_paths(&s);
	put_kind(&s, FLAME_CUT, "fill=\"url(#cut10)\"", 0, (FLAME_SVG_ROW - 1) * TENTHS);
	if (edges) {
		put_kind(&s, FLAME_KERNEL, "class=\"ek\"", FLAME_SVG_ROW - 3, 2 * TENTHS);
		put_kind(&s, FLAME_JIT, "class=\"ej\"", FLAME_SVG_ROW - 3, 2 * TENTHS);
	}
	out_str(o, "</g>\n<g class=\"labels\">\n");
	put_labels(&s);
	out_str(o, "</g>\n");
	put_rest(&s);
	out_str(o, "</g>\n");
}

/* The page */

struct picture {
	struct page page;
	const struct flame *f;
	const struct flame_layout *l;
	const struct flame_svg_options *opts;
	int top; /* of the frames' area */
	bool has_kind[FLAME_CUT + 1], has_inlined, has_unresolved;
	bool edges; /* kernel and JIT frames are marked at their lower edge: the colours do not tell */
};

static bool tells_kinds(enum flame_palette p)
{
	return p == FLAME_PALETTE_JAVA || p == FLAME_PALETTE_JS || p == FLAME_PALETTE_KERNEL;
}

static void look_around(struct picture *p)
{
	for (uint32_t i = 0; i < p->l->rects.nr; i++) {
		const struct flame_frame *fr = flame_frame_of(p->f, p->l->rects.v[i].node);

		p->has_kind[fr->kind] = true;
		p->has_inlined |= (fr->marks & FLAME_INLINED) != 0;
		p->has_unresolved |= (fr->marks & FLAME_UNRESOLVED) != 0;
	}
	p->edges = !tells_kinds(p->opts->palette) && !p->opts->colour_of;
}

static void put_key(struct picture *p, const char *label, uint32_t colour)
{
	char paint[32];

	snprintf(paint, sizeof(paint), "fill=\"#%06x\"", colour & 0xffffff);
	page_key(&p->page, paint, NULL, label, NULL);
}

/* What is said by other means than the colours of a palette or of a diff. */
static void put_marks(struct picture *p)
{
	const struct flame_svg_options *opts = p->opts;
	uint32_t colour;

	if (p->edges && p->has_kind[FLAME_KERNEL])
		page_key(&p->page, "class=\"sample\"", "ek", "kernel", NULL);
	if (p->edges && p->has_kind[FLAME_JIT])
		page_key(&p->page, "class=\"sample\"", "ej", "JIT", NULL);
	if (p->has_inlined)
		page_key(&p->page, opts->colour_of || tells_kinds(opts->palette) ? "class=\"plain\"" : "class=\"sample light\"", NULL,
			 "inlined: in italics", "in");
	if (p->has_unresolved && !opts->colour_of && flame_palette_unresolved(opts->palette, &colour))
		put_key(p, "no symbol", colour);
	if (p->has_kind[FLAME_CUT])
		page_key(&p->page, "fill=\"url(#cut)\"", NULL, "[truncated]: stacks whose outer callers are missing", NULL);
}

static void put_legend(struct picture *p)
{
	const struct flame_svg_options *opts = p->opts;
	const char *label;
	uint32_t colour;

	page_legend(&p->page);
	for (uint32_t i = 0; i < opts->nr_keys; i++)
		put_key(p, opts->keys[i].label, opts->keys[i].colour);
	for (uint32_t i = 0; !opts->nr_keys && (label = flame_palette_legend(opts->palette, i, &colour)); i++)
		put_key(p, label, colour);
	put_marks(p);
	page_legend_end(&p->page);
}

static void put_pattern(struct out *o, const char *id, int scale)
{
	out_printf(o,
		   "<pattern id=\"%s\" width=\"%d\" height=\"%d\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		   "<rect width=\"%d\" height=\"%d\" fill=\"#cfc9bf\"/><rect width=\"%d\" height=\"%d\" fill=\"#b1a99c\"/></pattern>",
		   id, 6 * scale, 6 * scale, 6 * scale, 6 * scale, 3 * scale, 6 * scale);
}

static void put_body(struct picture *p)
{
	struct page *page = &p->page;

	page_begin(page);
	out_str(&page->body, "<defs>");
	put_pattern(&page->body, "cut", 1);
	put_pattern(&page->body, "cut10", TENTHS);
	out_str(&page->body, "</defs>\n");
	put_legend(p);
	p->top = page->y;
	put_still(&page->body, p->f, p->l, p->opts, p->top, p->edges);
	page->y += still_height(p->l) + 20;
	out_printf(&page->body, "<text class=\"details\" x=\"%d\" y=\"%d\"> </text>\n", FLAME_SVG_PAD, page->y);
	page->y += 18;
	page_notes(page, p->opts->notes, p->opts->nr_notes);
}

void flame_svg(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts)
{
	static const char *const scripts[] = {
		"flame_data.js", "flame_collapse.js", "flame_label.js", "flame_draw.js", "flame_search.js", "flame_page.js", NULL
	};
	struct picture p = {
		.page = { .kind = "flame",
			  .title = opts->title,
			  .subtitle = opts->subtitle,
			  .width = (int)opts->width,
			  .pad = FLAME_SVG_PAD,
			  .nonce = opts->nonce },
		.f = f,
		.l = l,
		.opts = opts,
	};

	look_around(&p);
	put_body(&p);
	page_put(&p.page, o);
	out_str(o, "<script type=\"application/json\"><![CDATA[\n");
	flame_svg_data(o, f, l, opts, p.top, p.edges);
	out_str(o, "]]></script>\n");
	page_script(&p.page, o, scripts);
}

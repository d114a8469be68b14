/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page: heading, legend, the frames as a still picture, notes at the foot, then the data and the script. The still picture is one
 * path for each colour, in tenths of a pixel; the script takes it out and draws what is looked at. It must not know where stacks come from.
 */
#include "view/flame_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/flame_svg_data.h"
#include "view/svg_text.h"
#include "view/web_assets.h"

#define TENTHS 10
#define MAX_LINE 500 /* characters of a heading: the script cuts it to the page */
#define LEAST_CHARS 3 /* a shorter piece of a name tells nothing */

struct page {
	struct out *o;
	const struct flame *f;
	const struct flame_layout *l;
	const struct flame_svg_options *opts;
	int top, height; /* of the frames' area; of the whole */
	bool has_kind[FLAME_CUT + 1], has_inlined;
	bool edges; /* kernel and JIT frames are marked at their lower edge: the colours do not tell */
};

static void put(const struct page *p, const char *s)
{
	svg_text(p->o, s, strlen(s));
}

static bool tells_kinds(enum flame_palette p)
{
	return p == FLAME_PALETTE_JAVA || p == FLAME_PALETTE_JS || p == FLAME_PALETTE_KERNEL;
}

static void look_around(struct page *p)
{
	for (uint32_t i = 0; i < p->l->rects.nr; i++) {
		const struct flame_frame *fr = flame_frame_of(p->f, p->l->rects.v[i].node);

		p->has_kind[fr->kind] = true;
		p->has_inlined |= (fr->marks & FLAME_INLINED) != 0;
	}
	p->edges = !tells_kinds(p->opts->palette) && !p->opts->colour_of;
}

/* Heading */

static void put_swatch(struct page *p, int *x, int y, const char *paint, const char *edge, const char *label)
{
	out_printf(p->o, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"12\" %s/>", *x, y - 10, paint);
	if (edge)
		out_printf(p->o, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"2.5\" class=\"%s\"/>", *x, y - 1, edge);
	out_printf(p->o, "<text x=\"%d\" y=\"%d\">", *x + 19, y);
	put(p, label);
	out_str(p->o, "</text>\n");
	*x += 19 + (int)(6.3 * (double)strlen(label)) + 14;
}

static void put_key(struct page *p, int *x, int y, const char *label, uint32_t colour)
{
	char paint[32];

	snprintf(paint, sizeof(paint), "fill=\"#%06x\"", colour & 0xffffff);
	put_swatch(p, x, y, paint, NULL, label);
}

static void put_legend(struct page *p, int y)
{
	const struct flame_svg_options *opts = p->opts;
	int x = FLAME_SVG_PAD;
	const char *label;
	uint32_t colour;

	out_str(p->o, "<g class=\"legend\">");
	for (uint32_t i = 0; i < opts->nr_keys; i++)
		put_key(p, &x, y, opts->keys[i].label, opts->keys[i].colour);
	for (uint32_t i = 0; !opts->nr_keys && (label = flame_palette_legend(opts->palette, i, &colour)); i++)
		put_key(p, &x, y, label, colour);
	if (p->edges && p->has_kind[FLAME_KERNEL])
		put_swatch(p, &x, y, "class=\"sample\"", "ek", "kernel");
	if (p->edges && p->has_kind[FLAME_JIT])
		put_swatch(p, &x, y, "class=\"sample\"", "ej", "JIT");
	if (p->has_inlined && !opts->colour_of)
		put_swatch(p, &x, y, "class=\"sample light\"", NULL, "inlined");
	if (p->has_kind[FLAME_CUT])
		put_swatch(p, &x, y, "fill=\"url(#cut)\"", NULL, "[truncated]: stacks whose outer callers are missing");
	out_str(p->o, "</g>\n");
}

static void put_heading(struct page *p)
{
	int y = 26;

	out_printf(p->o, "<text class=\"title\" x=\"%d\" y=\"%d\">", FLAME_SVG_PAD, y);
	put(p, p->opts->title);
	out_str(p->o, "</text>\n");
	y += 20;
	if (p->opts->subtitle) {
		out_printf(p->o, "<text class=\"subtitle\" x=\"%d\" y=\"%d\">", FLAME_SVG_PAD, y);
		svg_text_cut(p->o, p->opts->subtitle, strlen(p->opts->subtitle), MAX_LINE);
		out_str(p->o, "</text>\n");
	}
	put_legend(p, y + 22);
}

/* The still picture */

struct painted {
	uint32_t colour;
	uint32_t rect;
};

static int cmp_painted(const void *va, const void *vb)
{
	const struct painted *a = va, *b = vb;

	if (a->colour != b->colour)
		return a->colour < b->colour ? -1 : 1;
	return a->rect < b->rect ? -1 : a->rect > b->rect;
}

static uint32_t colour_of(const struct page *p, uint32_t node)
{
	const struct flame_svg_options *opts = p->opts;

	return opts->colour_of ? opts->colour_of(p->f, node, opts->ctx) : flame_palette_colour(opts->palette, p->f, flame_frame_of(p->f, node));
}

/* Tenths of a pixel from the left of the area. */
static int64_t tenths(const struct page *p, uint64_t x)
{
	double width = (p->opts->width - 2 * FLAME_SVG_PAD) * TENTHS;

	return p->l->total ? llround((double)x / (double)p->l->total * width) : 0;
}

static int row_y(const struct page *p, uint32_t row)
{
	return p->top + (int)(p->opts->inverted ? row : p->l->nr_rows - 1 - row) * FLAME_SVG_ROW;
}

static void put_box(struct page *p, const struct flame_rect *r, int y, int height)
{
	int64_t x = tenths(p, r->x0), width = tenths(p, r->x1) - x;

	/* a thin gap to the right neighbour */
	if (width > 40)
		width -= 5;
	out_printf(p->o, "M%lld %dh%lldv%dh-%lldz", (long long)(x + FLAME_SVG_PAD * TENTHS), y * TENTHS, (long long)width, height,
		   (long long)width);
}

static void put_paths(struct page *p)
{
	struct painted *all = mem_alloc((p->l->rects.nr + 1ul) * sizeof(*all));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < p->l->rects.nr; i++) {
		const struct flame_rect *r = &p->l->rects.v[i];

		if (tenths(p, r->x1) > tenths(p, r->x0) && flame_frame_of(p->f, r->node)->kind != FLAME_CUT)
			all[nr++] = (struct painted){ colour_of(p, r->node), i };
	}
	qsort(all, nr, sizeof(*all), cmp_painted);
	for (uint32_t i = 0; i < nr; i++) {
		if (!i || all[i].colour != all[i - 1].colour)
			out_printf(p->o, "%s<path fill=\"#%06x\"%s d=\"", i ? "\"/>\n" : "", all[i].colour & 0xffffff,
				   all[i].colour & FLAME_SVG_FADED ? " opacity=\".3\"" : "");
		put_box(p, &p->l->rects.v[all[i].rect], row_y(p, p->l->rects.v[all[i].rect].row), (FLAME_SVG_ROW - 1) * TENTHS);
	}
	if (nr)
		out_str(p->o, "\"/>\n");
	free(all);
}

/* The frames of one kind, whole or their lower edge. */
static void put_kind(struct page *p, enum flame_kind kind, const char *paint, int from_top, int height)
{
	if (!p->has_kind[kind])
		return;
	out_printf(p->o, "<path %s d=\"", paint);
	for (uint32_t i = 0; i < p->l->rects.nr; i++) {
		const struct flame_rect *r = &p->l->rects.v[i];

		if (flame_frame_of(p->f, r->node)->kind == kind && tenths(p, r->x1) > tenths(p, r->x0))
			put_box(p, r, row_y(p, r->row) + from_top, height);
	}
	out_str(p->o, "\"/>\n");
}

static void put_labels(struct page *p)
{
	for (uint32_t i = 0; i < p->l->rects.nr; i++) {
		const struct flame_rect *r = &p->l->rects.v[i];
		int64_t x = tenths(p, r->x0);
		double width = (double)(tenths(p, r->x1) - x) / TENTHS;
		int chars = (int)((width - 6) / FLAME_SVG_CHAR);
		const struct flame_frame *fr = flame_frame_of(p->f, r->node);
		const char *name = strtab_get(&p->f->strings, fr->name);

		if (chars < LEAST_CHARS)
			continue;
		out_printf(p->o, "<text x=\"%.1f\" y=\"%d\"%s>", (double)x / TENTHS + FLAME_SVG_PAD + 3, row_y(p, r->row) + 12,
			   fr->marks & FLAME_INLINED ? " class=\"in\"" : "");
		svg_text_cut(p->o, name, strtab_len(&p->f->strings, fr->name), (size_t)chars);
		out_str(p->o, "</text>\n");
	}
}

static void put_still(struct page *p)
{
	out_str(p->o, "<g class=\"still\"><g transform=\"scale(.1)\">\n");
	put_paths(p);
	put_kind(p, FLAME_CUT, "fill=\"url(#cut10)\"", 0, (FLAME_SVG_ROW - 1) * TENTHS);
	if (p->edges) {
		put_kind(p, FLAME_KERNEL, "class=\"ek\"", FLAME_SVG_ROW - 3, 2 * TENTHS);
		put_kind(p, FLAME_JIT, "class=\"ej\"", FLAME_SVG_ROW - 3, 2 * TENTHS);
	}
	out_str(p->o, "</g>\n<g class=\"labels\">\n");
	put_labels(p);
	out_str(p->o, "</g></g>\n");
}

static void put_notes(struct page *p)
{
	int y = p->top + (int)p->l->nr_rows * FLAME_SVG_ROW + 20;

	out_printf(p->o, "<text class=\"details\" x=\"%d\" y=\"%d\"> </text>\n", FLAME_SVG_PAD, y);
	for (uint32_t i = 0; i < p->opts->nr_notes; i++) {
		y += 18;
		out_printf(p->o, "<text class=\"note\" x=\"%d\" y=\"%d\">", FLAME_SVG_PAD, y);
		put(p, p->opts->notes[i]);
		out_str(p->o, "</text>\n");
	}
}

static void put_asset(struct page *p, const char *tag, const char *name)
{
	const struct web_asset *a = web_asset_get(name);

	out_printf(p->o, "<%s><![CDATA[\n", tag);
	out_mem(p->o, a->text, a->len);
	out_printf(p->o, "]]></%s>\n", tag);
}

static void put_pattern(struct page *p, const char *id, int scale)
{
	out_printf(p->o,
		   "<pattern id=\"%s\" width=\"%d\" height=\"%d\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		   "<rect width=\"%d\" height=\"%d\" fill=\"#cfc9bf\"/><rect width=\"%d\" height=\"%d\" fill=\"#b1a99c\"/></pattern>",
		   id, 6 * scale, 6 * scale, 6 * scale, 6 * scale, 3 * scale, 6 * scale);
}

void flame_svg(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts)
{
	struct page p = { .o = o, .f = f, .l = l, .opts = opts, .top = 80 };

	p.height = p.top + (int)l->nr_rows * FLAME_SVG_ROW + 20 + 18 * (int)opts->nr_notes + 12;
	look_around(&p);
	out_printf(o,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"assay-flame\" width=\"%u\" height=\"%d\" "
		   "viewBox=\"0 0 %u %d\">\n<title>",
		   opts->width, p.height, opts->width, p.height);
	put(&p, opts->title);
	out_str(o, "</title>\n");
	put_asset(&p, "style", "flame.css");
	out_str(o, "<defs>");
	put_pattern(&p, "cut", 1);
	put_pattern(&p, "cut10", TENTHS);
	out_str(o, "</defs>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
	put_heading(&p);
	put_still(&p);
	put_notes(&p);
	out_str(o, "<script type=\"application/json\"><![CDATA[\n");
	flame_svg_data(o, f, l, opts, p.top, p.edges);
	out_str(o, "]]></script>\n");
	put_asset(&p, "script", "flame.js");
	out_str(o, "</svg>\n");
}

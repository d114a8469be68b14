/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page: legend, the frames as a still picture (flame_svg_still.h), then the data and the script, which takes the still picture out and
 * draws what is looked at. It must not know where stacks come from.
 */
#include "view/flame_svg.h"

#include <stdio.h>

#include "view/flame_svg_data.h"
#include "view/flame_svg_still.h"
#include "view/page.h"

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
	put_pattern(&page->body, "cut10", FLAME_STILL_TENTHS);
	out_str(&page->body, "</defs>\n");
	put_legend(p);
	p->top = page->y;
	flame_svg_still(&page->body, p->f, p->l, p->opts, p->top, p->edges);
	page->y += flame_svg_still_height(p->l) + 20;
	out_printf(&page->body, "<text class=\"details\" x=\"%d\" y=\"%d\"> </text>\n", FLAME_SVG_PAD, page->y);
	page->y += 18;
	page_notes(page, p->opts->notes, p->opts->nr_notes);
}

void flame_svg(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts)
{
	static const char *const scripts[] = { "flame_data.js", "flame_collapse.js", "flame_label.js", "flame_draw.js", "flame_search.js",
					       "flame_page.js", NULL };
	struct picture p = {
		.page = { .kind = "flame", .title = opts->title, .subtitle = opts->subtitle, .width = (int)opts->width, .pad = FLAME_SVG_PAD },
		.f = f, .l = l, .opts = opts,
	};

	look_around(&p);
	put_body(&p);
	page_put(&p.page, o);
	out_str(o, "<script type=\"application/json\"><![CDATA[\n");
	flame_svg_data(o, f, l, opts, p.top, p.edges);
	out_str(o, "]]></script>\n");
	page_script(o, scripts);
}

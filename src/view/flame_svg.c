/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page: heading, legend, the frames as a still picture (flame_svg_still.h), notes at the foot, then the data and the script, which takes
 * the still picture out and draws what is looked at. It must not know where stacks come from.
 */
#include "view/flame_svg.h"

#include <stdio.h>
#include <string.h>

#include "view/flame_svg_data.h"
#include "view/flame_svg_still.h"
#include "view/svg_text.h"
#include "view/web_assets.h"

#define MAX_LINE 500 /* characters of a subtitle */
#define LINE 17 /* px from line to line */
#define TEXT_CHAR 6.1 /* px of a character of headings and notes, about: the script measures them */

struct page {
	struct out *o;
	const struct flame *f;
	const struct flame_layout *l;
	const struct flame_svg_options *opts;
	int top, height; /* of the frames' area; of the whole */
	bool has_kind[FLAME_CUT + 1], has_inlined, has_unresolved;
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
		p->has_unresolved |= (fr->marks & FLAME_UNRESOLVED) != 0;
	}
	p->edges = !tells_kinds(p->opts->palette) && !p->opts->colour_of;
}

/* Lines of text */

/* Where the line ends that begins at `s`: before a space, or behind a word that is too long. */
static size_t line_end(const char *s, size_t len, size_t max)
{
	size_t end = 0, nr = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == ' ')
			end = i;
		nr += ((uint8_t)s[i] & 0xc0) != 0x80;
		if (nr > max && end)
			return end;
	}
	return len;
}

/* A text of the page in as many lines as it takes; returns where the one after the last would stand. A script that reads it back finds the
 * spaces between the lines. */
static int put_text(struct page *p, const char *class, const char *text, size_t len, int y)
{
	size_t max = (size_t)((p->opts->width - 2 * FLAME_SVG_PAD) / TEXT_CHAR), end = line_end(text, len, max);

	out_printf(p->o, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, FLAME_SVG_PAD, y);
	svg_text(p->o, text, end);
	while (end < len) {
		size_t from = end + 1;

		end = from + line_end(text + from, len - from, max);
		y += LINE;
		out_printf(p->o, " <tspan x=\"%d\" y=\"%d\">", FLAME_SVG_PAD, y);
		svg_text(p->o, text + from, end - from);
		out_str(p->o, "</tspan>");
	}
	out_str(p->o, "</text>\n");
	return y + LINE;
}

/* Heading */

struct legend {
	int x, y; /* of the next entry */
};

static void put_swatch(struct page *p, struct legend *at, const char *paint, const char *edge, const char *label, const char *class)
{
	int size = 19 + (int)(6.3 * (double)strlen(label));

	if (at->x > FLAME_SVG_PAD && at->x + size > (int)p->opts->width - FLAME_SVG_PAD) {
		at->x = FLAME_SVG_PAD;
		at->y += LINE + 1;
	}
	out_printf(p->o, "<g class=\"key\" transform=\"translate(%d %d)\"><rect y=\"-10\" width=\"14\" height=\"12\" %s/>", at->x, at->y, paint);
	if (edge)
		out_printf(p->o, "<rect y=\"-1\" width=\"14\" height=\"2.5\" class=\"%s\"/>", edge);
	out_printf(p->o, "<text x=\"19\"%s>", class);
	put(p, label);
	out_str(p->o, "</text></g>\n");
	at->x += size + 14;
}

static void put_key(struct page *p, struct legend *at, const char *label, uint32_t colour)
{
	char paint[32];

	snprintf(paint, sizeof(paint), "fill=\"#%06x\"", colour & 0xffffff);
	put_swatch(p, at, paint, NULL, label, "");
}

/* What is said by other means than the colours of a palette or of a diff. */
static void put_marks(struct page *p, struct legend *at)
{
	const struct flame_svg_options *opts = p->opts;
	uint32_t colour;

	if (p->edges && p->has_kind[FLAME_KERNEL])
		put_swatch(p, at, "class=\"sample\"", "ek", "kernel", "");
	if (p->edges && p->has_kind[FLAME_JIT])
		put_swatch(p, at, "class=\"sample\"", "ej", "JIT", "");
	if (p->has_inlined)
		put_swatch(p, at, opts->colour_of || tells_kinds(opts->palette) ? "class=\"plain\"" : "class=\"sample light\"", NULL,
			   "inlined: in italics", " class=\"in\"");
	if (p->has_unresolved && !opts->colour_of && flame_palette_unresolved(opts->palette, &colour))
		put_key(p, at, "no symbol", colour);
	if (p->has_kind[FLAME_CUT])
		put_swatch(p, at, "fill=\"url(#cut)\"", NULL, "[truncated]: stacks whose outer callers are missing", "");
}

/* Returns where the frames may begin. */
static int put_legend(struct page *p, int y)
{
	const struct flame_svg_options *opts = p->opts;
	struct legend at = { FLAME_SVG_PAD, y };
	const char *label;
	uint32_t colour;

	out_str(p->o, "<g class=\"legend\">");
	for (uint32_t i = 0; i < opts->nr_keys; i++)
		put_key(p, &at, opts->keys[i].label, opts->keys[i].colour);
	for (uint32_t i = 0; !opts->nr_keys && (label = flame_palette_legend(opts->palette, i, &colour)); i++)
		put_key(p, &at, label, colour);
	put_marks(p, &at);
	out_str(p->o, "</g>\n");
	return at.y + 12;
}

static void put_heading(struct page *p)
{
	int y = 26;

	out_printf(p->o, "<text class=\"title\" x=\"%d\" y=\"%d\">", FLAME_SVG_PAD, y);
	put(p, p->opts->title);
	out_str(p->o, "</text>\n");
	y += 20;
	if (p->opts->subtitle)
		y = put_text(p, "subtitle", p->opts->subtitle, strnlen(p->opts->subtitle, MAX_LINE), y) - LINE;
	p->top = put_legend(p, y + 22);
}

static void put_notes(struct page *p)
{
	int y = p->top + flame_svg_still_height(p->l) + 20;

	out_printf(p->o, "<text class=\"details\" x=\"%d\" y=\"%d\"> </text>\n", FLAME_SVG_PAD, y);
	y += 18;
	for (uint32_t i = 0; i < p->opts->nr_notes; i++)
		y = put_text(p, "note", p->opts->notes[i], strlen(p->opts->notes[i]), y) + 1;
	p->height = y - 6;
}

static void put_asset(struct page *p, const char *name)
{
	const struct web_asset *a = web_asset_get(name);

	out_mem(p->o, a->text, a->len);
}

/* The parts of the script are one function. */
static void put_script(struct page *p)
{
	static const char *const parts[] = { "flame_data.js", "flame_collapse.js", "flame_label.js", "flame_draw.js", "flame_search.js", "flame_page.js" };

	out_str(p->o, "<script><![CDATA[\n(() => {\n\"use strict\";\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		put_asset(p, parts[i]);
	out_str(p->o, "})();\n]]></script>\n");
}

static void put_pattern(struct page *p, const char *id, int scale)
{
	out_printf(p->o,
		   "<pattern id=\"%s\" width=\"%d\" height=\"%d\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		   "<rect width=\"%d\" height=\"%d\" fill=\"#cfc9bf\"/><rect width=\"%d\" height=\"%d\" fill=\"#b1a99c\"/></pattern>",
		   id, 6 * scale, 6 * scale, 6 * scale, 6 * scale, 3 * scale, 6 * scale);
}

static void put_defs(struct page *p)
{
	out_str(p->o, "<style><![CDATA[\n");
	put_asset(p, "flame.css");
	out_str(p->o, "]]></style>\n<defs>");
	put_pattern(p, "cut", 1);
	put_pattern(p, "cut10", FLAME_STILL_TENTHS);
	out_str(p->o, "</defs>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
}

void flame_svg(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts)
{
	struct page p = { .o = o, .f = f, .l = l, .opts = opts };
	struct out body;

	/* The height, which is said first, is known last. */
	out_init(&body, -1);
	p.o = &body;
	look_around(&p);
	put_defs(&p);
	put_heading(&p);
	flame_svg_still(&body, f, l, opts, p.top, p.edges);
	put_notes(&p);
	p.o = o;
	out_printf(o,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"assay-flame\" width=\"%u\" height=\"%d\" "
		   "viewBox=\"0 0 %u %d\">\n<title>",
		   opts->width, p.height, opts->width, p.height);
	put(&p, opts->title);
	out_str(o, "</title>\n");
	out_mem(o, body.buf, body.len);
	out_fini(&body);
	out_str(o, "<script type=\"application/json\"><![CDATA[\n");
	flame_svg_data(o, f, l, opts, p.top, p.edges);
	out_str(o, "]]></script>\n");
	put_script(&p);
	out_str(o, "</svg>\n");
}

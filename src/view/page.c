/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of a page in order. The body is buffered, because its height comes first in the file.
 */
#include "view/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

#define MAX_HEADING 500 /* bytes */
#define LINE 17		/* px from line to line */
#define TITLE_LINE 22
#define LETTER 7 /* px of a character, about: the script measures them */
#define TITLE_LETTER 11

void page_asset(struct out *o, const char *name)
{
	for (const struct web_asset *a = web_assets; a->name; a++) {
		if (!strcmp(a->name, name)) {
			out_mem(o, a->text, a->len);
			return;
		}
	}
	log_error("this build has no %s in it", name);
	abort();
}

/* Where the line ends that begins at `s`: before a space, or within a word that is too long. */
static size_t line_end(const char *s, size_t len, size_t max)
{
	size_t end = 0, nr = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == ' ')
			end = i;
		if (((uint8_t)s[i] & 0xc0) != 0x80 && nr++ == max)
			return end ? end : i;
	}
	return len;
}

/* A script that reads it back finds the spaces between the lines. */
static void put_lines(struct page *p, const char *class, const char *text, size_t len, int letter, int line)
{
	size_t max = (size_t)((p->width - 2 * p->pad) / letter), end = line_end(text, len, max);

	out_printf(&p->body, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, p->pad, p->y);
	svg_text(&p->body, text, end);
	while (end < len) {
		size_t from = end + (text[end] == ' ');

		p->y += line;
		out_printf(&p->body, "%s<tspan x=\"%d\" y=\"%d\">", from > end ? " " : "", p->pad, p->y);
		end = from + line_end(text + from, len - from, max);
		svg_text(&p->body, text + from, end - from);
		out_str(&p->body, "</tspan>");
	}
	out_str(&p->body, "</text>\n");
	p->y += line;
}

/* In an HTML document CDATA is still CDATA within the picture. */
static void put_opening(const struct page *p, struct out *o, const char *tag)
{
	out_printf(o, "<%s", tag);
	if (p->nonce)
		out_printf(o, " nonce=\"%s\"", p->nonce);
	out_str(o, "><![CDATA[\n");
}

void page_begin(struct page *p)
{
	char *style = mem_printf("%s.css", p->kind);

	out_init(&p->body, -1);
	put_opening(p, &p->body, "style");
	page_asset(&p->body, "page.css");
	page_asset(&p->body, style);
	out_str(&p->body, "]]></style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n");
	free(style);
	p->y = 26;
	put_lines(p, "title", p->title, strnlen(p->title, MAX_HEADING), TITLE_LETTER, TITLE_LINE);
	p->y -= 2;
	if (p->subtitle)
		put_lines(p, "subtitle", p->subtitle, strnlen(p->subtitle, MAX_HEADING), LETTER, LINE);
}

void page_legend(struct page *p)
{
	p->y += 5;
	p->key_x = p->pad;
	out_str(&p->body, "<g class=\"legend\">");
}

void page_key(struct page *p, const char *paint, const char *edge, const char *label, const char *class)
{
	int size = 19 + (int)(6.3 * (double)strlen(label));

	if (p->key_x > p->pad && p->key_x + size > p->width - p->pad) {
		p->key_x = p->pad;
		p->y += LINE + 1;
	}
	out_printf(&p->body, "<g class=\"key\" transform=\"translate(%d %d)\"><rect y=\"-10\" width=\"14\" height=\"12\" %s/>", p->key_x,
		   p->y, paint);
	if (edge)
		out_printf(&p->body, "<rect y=\"-1\" width=\"14\" height=\"2.5\" class=\"%s\"/>", edge);
	out_printf(&p->body, "<text x=\"19\"%s%s%s>", class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
	svg_text(&p->body, label, strlen(label));
	out_str(&p->body, "</text></g>\n");
	p->key_x += size + 14;
}

void page_legend_end(struct page *p)
{
	out_str(&p->body, "</g>\n");
	p->y += 12;
}

void page_notes(struct page *p, const char *const *notes, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		put_lines(p, "note", notes[i], strlen(notes[i]), LETTER, LINE);
		p->y++;
	}
}

void page_put(struct page *p, struct out *o)
{
	int height = p->y - 6;

	out_str(o, p->nonce ? "" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	out_printf(o,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"assay-page assay-%s\" width=\"%d\" height=\"%d\" "
		   "viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"",
		   p->kind, p->width, height, p->width, height);
	svg_text(o, p->title, strlen(p->title));
	out_str(o, "\">\n<title>");
	svg_text(o, p->title, strlen(p->title));
	out_str(o, "</title>\n");
	out_mem(o, p->body.buf, p->body.len);
	out_fini(&p->body);
}

void page_script(const struct page *p, struct out *o, const char *const *files)
{
	put_opening(p, o, "script");
	out_str(o, "(() => {\n\"use strict\";\n");
	page_asset(o, "page_dom.js");
	page_asset(o, "page.js");
	for (; *files; files++)
		page_asset(o, *files);
	out_str(o, "})();\n]]></script>\n</svg>\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page kit of pictures that are one SVG file: heading, legend, notes, the shared style (web/page.css) and script (web/page.js:
 * tooltip, lines of text, keys). A page of kind "x" adds web/x.css, its scripts and what is between heading and notes. It needs no other
 * file and no network, and is a picture without its script.
 */
#ifndef ASSAY_VIEW_PAGE_H
#define ASSAY_VIEW_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

struct page {
	const char *kind;	      /* "flame": its class is assay-flame, its style web/flame.css */
	const char *title, *subtitle; /* hostile; subtitle may be NULL */
	const char *nonce;	      /* of the HTML document that it becomes a part of; NULL: a file of its own */
	int width, pad;		      /* px; pad: from the left edge to texts */
	struct out body;
	int y;	   /* where the next line of text stands */
	int key_x; /* of the next entry of the legend */
};

/* Begins the body: style, ground, heading. The caller has set kind to pad. */
void page_begin(struct page *p);
/* The legend: entries in rows. `paint`: attributes of the swatch; `edge`: class of a mark at its lower edge, or NULL; `class`: of the label. */
void page_legend(struct page *p);
void page_key(struct page *p, const char *paint, const char *edge, const char *label, const char *class);
void page_legend_end(struct page *p);
void page_notes(struct page *p, const char *const *notes, uint32_t nr);

/* Writes head and body, which ends where the notes do. */
void page_put(struct page *p, struct out *o);
/* Ends the page with its script: web/page.js and these, NULL at their end, as one function. */
void page_script(const struct page *p, struct out *o, const char *const *files);

/* ---- page_html.c: the same kit as an HTML document, for pages that are no still picture. Style: web/page.css and that of the kind; scripts:
 * web/page_dom.js and these, as one function ---- */
#define PAGE_NONCE_SIZE 33
struct page_html {
	char nonce[PAGE_NONCE_SIZE];
	char style[32];
};
/* Up to the open body; `title` is hostile. */
void page_html_begin(struct page_html *p, struct out *o, const char *kind, const char *title);
void page_html_end(struct page_html *p, struct out *o, const char *const *files);

/* Writes a file of web/. */
void page_asset(struct out *o, const char *name);

/* A file of web/, embedded by scripts/embed-files without comment lines and indentation. None holds "]]>". */
struct web_asset {
	const char *name, *text;
	size_t len;
};
extern const struct web_asset web_assets[]; /* ends with a NULL name */

/* ---- text in pictures: names are hostile. They may be markup, script, no UTF-8, characters that XML forbids, or marks that turn the direction
 * of what follows. Each sink of an SVG has its function ---- */

/* Replaces what cannot be seen by what can: control characters and marks of direction become \x1b, \u202e; bytes that are no UTF-8 become
 * U+FFFD. All below does that first. */
void svg_text_clean(struct out *o, const char *s, size_t len);

/* Text between tags, or in an attribute. */
void svg_text(struct out *o, const char *s, size_t len);
/* The same, at most `max` characters: a longer one ends in "…". */
void svg_text_cut(struct out *o, const char *s, size_t len, size_t max);
/* The same of a function's name: a longer one is shortened by label_shorten(). */
void svg_text_short(struct out *o, const char *s, size_t len, size_t max);
/* A JSON string with its quotes, for a <script> whose contents are a CDATA section: no < > & in it. */
void svg_text_json(struct out *o, const char *s, size_t len);
/* 1234567 → 1,234,567 */
void svg_text_count(struct out *o, uint64_t v);
/* 1234.5 → 1,235; below 1000 with four digits: 1.234 */
void svg_text_number(struct out *o, double v);
/* A count; where there is a factor (above 0), as a number times that. */
void svg_text_scaled(struct out *o, uint64_t v, double factor);

/* ---- a function's name in as many letters as there is room for. Parameters, the type in front, contents of template arguments and leading
 * namespaces go first, the function's own name last:
 *
 * 	void acme::Tree<int, acme::Less<int>>::insert(int)  →  acme::Tree<int…<int>>::insert  →  …::insert  →  ins…rt
 *
 * Names are hostile: brackets may be unbalanced, and nothing here recurses. web/flame_label.js does the same in a page ---- */
#define LABEL_MOST_PARSED 4096u /* letters: a longer name is cut in the middle as it is */

/* `name` is UTF-8 that svg_text_clean() has made; at most `max` letters come out, at least 1. */
void label_shorten(struct out *o, const char *name, size_t len, size_t max);
/* For a terminal, where a screen has few names and containers of containers in C++ longer ones: parses more letters. */
#define LABEL_MOST_PARSED_TEXT 16384u
/* `ascii`: ".." in place of an ellipsis, for locales without UTF-8; it counts as two letters. */
void label_shorten_text(struct out *o, const char *name, size_t len, size_t max, bool ascii);

#endif

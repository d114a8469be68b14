/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page kit: what every picture that is one SVG file has. Heading, legend, notes, the shared look (web/page.css) and the shared part of the
 * script (web/page.js: tooltip, lines of text, keys). A page of kind "x" adds web/x.css, its scripts and what is between heading and notes. It
 * needs no other file and no network, and without its script it is still a picture.
 */
#ifndef ASSAY_VIEW_PAGE_H
#define ASSAY_VIEW_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

struct page {
	const char *kind;	      /* "flame": its class is assay-flame, its style web/flame.css */
	const char *title, *subtitle; /* hostile; subtitle may be NULL */
	int width, pad;		      /* px; pad: from the left edge to texts */
	struct out body;
	int y;	   /* where the next line of text stands */
	int key_x; /* of the next entry of the legend */
};

/* Begins the body: style, ground, heading. The caller has set kind to pad. */
void page_begin(struct page *p);
/* A text of hostile bytes in as many lines as it takes; p->y is where the one after the last would stand. */
void page_text(struct page *p, const char *class, const char *text);
/* The legend: entries in rows. `paint`: attributes of the swatch; `edge`: class of a mark at its lower edge, or NULL; `class`: of the label. */
void page_legend(struct page *p);
void page_key(struct page *p, const char *paint, const char *edge, const char *label, const char *class);
void page_legend_end(struct page *p);
void page_notes(struct page *p, const char *const *notes, uint32_t nr);

/* Writes head and body, which ends where the notes do. */
void page_put(struct page *p, struct out *o);
/* Ends the page with its script: web/page.js and these, NULL at their end, as one function. */
void page_script(struct out *o, const char *const *files);

/* A file of web/, embedded by scripts/embed-files without comment lines and indentation. None holds "]]>". */
struct web_asset {
	const char *name, *text;
	size_t len;
};
extern const struct web_asset web_assets[]; /* ends with a NULL name */

#endif

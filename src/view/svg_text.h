/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Text in pictures. Names of functions, tasks and files are hostile: they may be markup, script, bytes that are no UTF-8, characters that
 * XML forbids, or marks that turn the direction of what follows. Each sink of an SVG has its function here.
 */
#ifndef ASSAY_VIEW_SVG_TEXT_H
#define ASSAY_VIEW_SVG_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

/* Replaces what cannot be seen by what can: control characters and marks of direction become \x1b, \u202e; bytes that are no UTF-8 become
 * U+FFFD. All below does that first. */
void svg_text_clean(struct out *o, const char *s, size_t len);

/* Text between tags, or in an attribute. */
void svg_text(struct out *o, const char *s, size_t len);
/* The same, at most `max` characters: a longer one ends in "…". */
void svg_text_cut(struct out *o, const char *s, size_t len, size_t max);
/* The same of a function's name: a longer one is shortened as view/label.h does it. */
void svg_text_short(struct out *o, const char *s, size_t len, size_t max);
/* A JSON string with its quotes, for a <script> whose contents are a CDATA section: no < > & in it. */
void svg_text_json(struct out *o, const char *s, size_t len);
/* 1234567 → 1,234,567 */
void svg_text_count(struct out *o, uint64_t v);
/* 1234.5 → 1,235; below 1000 with four digits: 1.234 */
void svg_text_number(struct out *o, double v);
/* A count; where there is a factor (above 0), as a number times that. */
void svg_text_scaled(struct out *o, uint64_t v, double factor);

#endif

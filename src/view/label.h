/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A function's name in as many letters as there is room for. What goes first is what many names have in common: parameters and the type in front of a
 * name, contents of template arguments, leading namespaces (packages, directories); what goes last is the function's own name:
 *
 * 	void acme::Tree<int, acme::Less<int>>::insert(int)  →  acme::Tree<int…<int>>::insert  →  …::insert  →  ins…rt
 *
 * Names are hostile: brackets may be unbalanced, and nothing here recurses. Pure; web/flame_label.js does the same in a page.
 */
#ifndef ASSAY_VIEW_LABEL_H
#define ASSAY_VIEW_LABEL_H

#include <stddef.h>

#include "base/out.h"

#define LABEL_MOST_PARSED 4096u /* letters: a longer name is cut in the middle as it is */

/* `name` is UTF-8 that svg_text_clean() has made; at most `max` letters come out, at least 1. */
void label_shorten(struct out *o, const char *name, size_t len, size_t max);

#endif

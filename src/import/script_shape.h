/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which fields the first lines of a text's samples have where they have no time. One line can often be read in several ways ("worker 1234"
 * is a name, or a name and a thread); the fields that most lines agree on are those that were printed. Looks at the beginning of a text.
 */
#ifndef ASSAY_IMPORT_SCRIPT_SHAPE_H
#define ASSAY_IMPORT_SCRIPT_SHAPE_H

#include "import/script_head.h"

#define SCRIPT_MAX_SHAPES 2 /* tracepoints have other fields than other events do */

struct script_shape {
	bool is_chained; /* frames follow in lines of their own */
	uint32_t fields[SCRIPT_MAX_SHAPES];
	uint32_t nr;
	uint32_t nr_lines;  /* that were looked at */
	uint32_t nr_sure;   /* of them in columns that no other text has */
};

void script_shape_find(struct script_shape *shape, const char *text, size_t size);
/* By the first of the shapes that fits. */
bool script_shape_parse(const struct script_shape *shape, const char *s, size_t len, struct script_head *h);

#endif

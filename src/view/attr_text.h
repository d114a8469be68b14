/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An event's attr in words: the list of its non-zero fields, as `evlist -v`, the header's event
 * lines and debug output show it. One table of fields; a style says what stands between name and
 * value.
 */
#ifndef ASSAY_VIEW_ATTR_TEXT_H
#define ASSAY_VIEW_ATTR_TEXT_H

#include "abi/attr.h"
#include "base/out.h"

struct attr_style {
	const char *first;  /* before the first field: ": ", ", " */
	const char *next;   /* before each other: ", " */
	const char *assign; /* between name and value: ": ", " = " */
};
extern const struct attr_style attr_style_list;	  /* evlist: "name: type: 1, size: 128" */
extern const struct attr_style attr_style_header; /* header: ", type = 1, size = 128" */

/* Appends the fields that are not zero, each with its separator; nothing before the first
 * separator, no line end. */
void attr_text(struct out *o, const struct attr *attr, const struct attr_style *style);

/* sample_type, read_format and branch_sample_type as "IP|TID|TIME"; nothing for 0. */
void attr_text_sample_type(struct out *o, uint64_t sample_type);
void attr_text_read_format(struct out *o, uint64_t read_format);
void attr_text_branch_type(struct out *o, uint64_t branch_sample_type);

#endif

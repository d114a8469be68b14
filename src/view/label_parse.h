/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the parts of a function's name are, for view/label.h: parameters, what stands in front of the name, components, and brackets whose contents may
 * go. By what C++, Rust, Java and Go write; of other names it is right about the brackets at least. Positions are letters, not bytes.
 */
#ifndef ASSAY_VIEW_LABEL_PARSE_H
#define ASSAY_VIEW_LABEL_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct label_span {
	uint32_t open, close; /* where the brackets stand */
};

struct label_name {
	const char *text;
	size_t nr;	      /* letters */
	VEC(uint32_t) at;     /* where each begins in the text; one more: its end */
	/* after label_name_parse() */
	bool has_params, is_scoped; /* is_scoped: components have "::" between them */
	struct label_span params;
	uint32_t start, end;  /* without a type in front and without parameters */
	VEC(uint32_t) parts;  /* where components begin; the first is `start` */
	uint32_t base, ident; /* where the last one begins, and where its arguments do (or its end) */
	VEC(struct label_span) elidable; /* template arguments, and parameters of functions around it */
};

/* `text` is borrowed. */
void label_name_init(struct label_name *n, const char *text, size_t len);
void label_name_parse(struct label_name *n);
void label_name_fini(struct label_name *n);

#endif

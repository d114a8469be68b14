/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What stands behind the fields of a sample's first line: addresses in columns of 16, the sampled one among them, and what other fields
 * were asked for. Columns are told by their width, so a span begins where the field in front ended. Pure functions of a line.
 */
#ifndef ASSAY_IMPORT_SCRIPT_REST_H
#define ASSAY_IMPORT_SCRIPT_REST_H

#include "import/script_span.h"

/* "DATA-ADDRESS SYMBOL … ADDRESS SYMBOL (DSO) more", each of which may be missing. */
struct script_rest {
	struct script_span frame; /* from the address to the module; empty: none */
	uint64_t addr;		  /* of data */
	bool has_addr;
	bool has_other; /* weights, registers, branches: what is not read */
};

/* Whether a word that ends `width` characters behind the field in front of it (and its blank) can be an address in its column. */
bool script_is_column(struct script_span word, size_t width);
/* The first word of a field that stands behind addresses: registers, instructions, branches. */
bool script_is_extra(struct script_span word);

/* is_bare: nothing stands in front, not even a blank. */
void script_rest_parse(struct script_span rest, bool is_bare, struct script_rest *r);

#endif

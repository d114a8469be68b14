/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names of functions: from an entry over those it refers to (abstract instance, declaration), in its own unit, in another one of the
 * file, or in the file that several share.
 */
#ifndef ASSAY_SYMBOLS_DWARF_NAMES_H
#define ASSAY_SYMBOLS_DWARF_NAMES_H

#include "symbols/dwarf_scopes.h"
#include "symbols/dwarf_unit.h"
#include "symbols/source_builder.h"

/* Another unit that names came from. */
struct dwarf_foreign;

struct dwarf_known_name {
	uint64_t entry; /* twice its offset in .debug_info; odd: of the shared file */
	uint32_t name;
};

/* One a thread; keeps other units' tables between units. Zeroed, it is empty. */
struct dwarf_names {
	VEC(struct dwarf_foreign *) foreign;
	struct hindex foreign_index;
	uint64_t foreign_bytes;
	/* Of the unit being read: */
	const struct dwarf_unit *unit;
	const struct dwarf_abbrevs *abbrevs;
	const struct dwarf_slice *dies; /* all bytes of the unit */
	struct source_builder *to;
	struct hindex known; /* entries whose name is known already */
	VEC(struct dwarf_known_name) names;
	struct dwarf_scopes scopes; /* read when first needed */
	char *tmp;
};

/* What an entry says of its name. */
struct dwarf_naming {
	struct dwarf_value name, linkage, origin;
	uint64_t off; /* of the entry in .debug_info */
};

void dwarf_names_begin(struct dwarf_names *n, const struct dwarf_unit *u, const struct dwarf_abbrevs *abbrevs,
		       const struct dwarf_slice *dies, struct source_builder *to);
void dwarf_names_fini(struct dwarf_names *n);
/* Takes note of an attribute that is about the name. */
void dwarf_naming_take(struct dwarf_naming *g, uint16_t attr, const struct dwarf_value *v);
/* The linkage name, or else the plain one behind those of the namespaces and classes around it, as a string of the builder; 0: none. */
uint32_t dwarf_names_get(struct dwarf_names *n, const struct dwarf_naming *g);

#endif

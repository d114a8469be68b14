/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct dwarf_scopes: which namespaces, classes and functions (of local classes) of a unit are around which entries. For the names of functions that have no linkage
 * name: their own says nothing of where they belong.
 */
#ifndef ASSAY_SYMBOLS_DWARF_SCOPES_H
#define ASSAY_SYMBOLS_DWARF_SCOPES_H

#include "symbols/dwarf_unit.h"

struct dwarf_scope {
	uint64_t start, end; /* offsets in .debug_info: of its entry, and behind the last one in it */
	uint32_t parent;     /* SCOPE_NONE */
	uint16_t tag;
};
#define SCOPE_NONE UINT32_MAX

struct dwarf_scopes {
	VEC(struct dwarf_scope) v; /* by start */
	bool is_built;
};

/* Reads the entries of a unit; what comes before the first that makes no sense is kept. */
void dwarf_scopes_build(struct dwarf_scopes *s, const struct dwarf_unit *u, const struct dwarf_abbrevs *abbrevs,
			const struct dwarf_slice *dies);
void dwarf_scopes_fini(struct dwarf_scopes *s);
/* The innermost one around the entry at an offset; NULL: none. */
const struct dwarf_scope *dwarf_scopes_find(const struct dwarf_scopes *s, uint64_t off);

/* Whether functions of that language (DW_LANG_*) belong to namespaces or classes, and names are put together with "::". */
bool dwarf_language_has_scopes(uint64_t language);

#endif

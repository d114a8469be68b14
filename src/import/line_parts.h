/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Inlined functions and lines of a module's locations as source units (symbols/source_unit.h), for embedded_names.h.
 */
#ifndef ASSAY_IMPORT_LINE_PARTS_H
#define ASSAY_IMPORT_LINE_PARTS_H

#include "import/builder.h"

/* Fills d->sources from these locations of it, which have their addresses. */
void import_line_parts(const struct import_builder *b, struct import_dso *d, const uint32_t *locations, uint32_t nr);

#endif

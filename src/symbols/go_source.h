/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines and inlined calls of a Go program, from the table that it carries itself: as source units (source_unit.h) of some functions
 * each, like those that are made from DWARF.
 */
#ifndef ASSAY_SYMBOLS_GO_SOURCE_H
#define ASSAY_SYMBOLS_GO_SOURCE_H

#include "symbols/go_module.h"

/* Which unit covers which addresses, as a flat source map (source_map.h), malloc'd. A unit is named by its first function's number. */
void *go_source_map(const struct go_module *m, size_t *size);
/* A unit, malloc'd; NULL where there is none of that name. Safe from several threads. */
void *go_source_read(const struct go_module *m, uint64_t unit, size_t *size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The compiled code of a Java virtual machine as it was at several moments: the maps that it writes (perf-PID.map), one after the other, with
 * the compiler of each function from its list of compiled methods (Compiler.codelist). Code that was freed keeps its name until something else is found
 * at its place.
 */
#ifndef ASSAY_SYMBOLS_HOTSPOT_MAP_H
#define ASSAY_SYMBOLS_HOTSPOT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "symbols/symtab.h"

/* Follows the names of methods that the first, quick compiler made. Those of the optimising one have nothing. */
#define HOTSPOT_C1_MARK " [C1]"

/* Where the code of a method that C1 compiled begins. */
struct hotspot_levels {
	VEC(uint64_t) c1; /* sorted */
};

/* Takes the lines "ID LEVEL STATE METHOD [HEADER, CODE - END]"; others are skipped. */
void hotspot_levels_parse(struct hotspot_levels *l, const char *text, size_t size);
void hotspot_levels_fini(struct hotspot_levels *l);

/* Lines of a perf map, the latest last. A zeroed struct is empty. */
struct hotspot_map {
	char *text;
	size_t size;
};

/* Adds what a map says; `levels` may be empty. False: it would be too large, and stays as it was. */
bool hotspot_map_add(struct hotspot_map *m, const char *text, size_t size, const struct hotspot_levels *levels);
/* A finished table, which the caller frees. */
struct symtab *hotspot_map_symbols(const struct hotspot_map *m);
void hotspot_map_fini(struct hotspot_map *m);

#endif

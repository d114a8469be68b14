/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * /tmp/perf-PID.map: the functions that a just-in-time compiler made, written down by the process
 * itself.
 */
#ifndef ASSAY_SYMBOLS_PERF_MAP_H
#define ASSAY_SYMBOLS_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "symbols/symtab.h"

/* Who may have written the file besides root and ourselves. */
struct perf_map_owner {
	uint32_t uid;
	bool known;
};

/* Adds the map's functions and finishes the table. Anyone can write to /tmp: only a regular file of
 * an owner to be trusted is believed, otherwise -EPERM and a sentence. */
int perf_map_load(struct symtab *t, const char *path, struct perf_map_owner owner,
		  struct errbuf *eb);
/* Same from text in memory, which may be changed. Lines of another form are skipped. */
void perf_map_parse(struct symtab *t, char *text, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct source_info: functions inlined at a module's addresses (file offsets) and file:line. Only units that are needed are read
 * (dwarf_module.h), and kept in the symbol index (source_unit.h). One thread at a time.
 */
#ifndef ASSAY_SYMBOLS_SOURCE_INFO_H
#define ASSAY_SYMBOLS_SOURCE_INFO_H

#include "base/errbuf.h"
#include "symbols/symbolizer.h"

/* One function at an address. Strings live until source_info_close(). */
#define SOURCE_MAX_DEPTH 64 /* functions at one address; deeper ones are cut at the outer end */

struct source_frame {
	const char *function; /* linkage name where there is one (mangled), else the plain name; NULL: not known */
	const char *file;     /* path as the compiler had it, joined with its directory; NULL: not known */
	uint32_t line;	      /* 0: not known. Innermost: of the address; others: of the call */
	uint32_t column;
	bool is_inlined; /* false for the last one only: the function that was really called */
};

struct source_info;

/* With a cache, paths of one file share one: it is the cache's, and only one thread at a time may use it, whichever path it was opened for.
 * Never NULL on success: where there is no debug information, lookups find nothing and `eb` says why and how to fix it. */
int source_info_open(struct source_info **si, const struct symbolizer_options *opts, const struct module_ref *ref, struct errbuf *eb);
/* Reads the units of all these addresses, in parallel; lookups of them are quick afterwards. */
void source_info_prefetch(struct source_info *si, const uint64_t *addrs, uint32_t nr);
/* Frames of an address, innermost first; 0: nothing is known. Valid until source_info_close(). */
uint32_t source_info_find(struct source_info *si, uint64_t addr, const struct source_frame **frames);
/* The same of one of many addresses that are asked for once: nothing is kept of them. */
uint32_t source_info_find_once(struct source_info *si, uint64_t addr, struct source_frame frames[SOURCE_MAX_DEPTH]);
/* True where there is debug information at all. */
bool source_info_exists(const struct source_info *si);
/* Writes what was learnt into the index (failures are silent: it is a cache), and frees; one that is shared when the cache is freed. */
void source_info_close(struct source_info *si);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From names to addresses: gives every location of a builder an address in its module and in memory, such that looking the address up
 * gives the name, offset and lines that the location came with. Addresses that the source told are kept wherever that is possible; where
 * none was told, or two things claim the same one, one is made up.
 *
 * What comes out are the flat parts of embedded_names.h. It knows nothing of records.
 */
#ifndef ASSAY_IMPORT_LAYOUT_H
#define ASSAY_IMPORT_LAYOUT_H

#include "base/errbuf.h"
#include "import/builder.h"

/* Addresses that were made up begin here, one range of 2^56 bytes each for user space and the kernel, of those that nothing else is in. */
struct import_ranges {
	uint64_t user, kernel;
};

/* Afterwards all locations have `addr` and `ip` but those of user space that no module is known of and whose ip was not told either (0). */
int import_layout(struct import_builder *b, struct errbuf *eb);

/* The byte that the lines of a location go with. Where a function begins no call stands in front. */
static inline uint64_t import_line_addr(const struct import_location *l)
{
	if (l->symbol && !l->off)
		return l->addr;
	return (l->is_caller || l->is_any) && l->addr ? l->addr - 1 : l->addr;
}

/* What stands in a module's MMAP records: a name that perf takes for memory without a file, so that it looks for none. */
#define IMPORT_MAPPED_AS "[stack]"

#endif

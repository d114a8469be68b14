/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the importers of the single formats have in common. For this room alone.
 */
#ifndef ASSAY_IMPORT_READING_H
#define ASSAY_IMPORT_READING_H

#include "import/builder.h"
#include "import/import.h"
#include "import/lines.h"

/* Each fills the builder; counts what it leaves out in `result`. Negative where the input cannot be read on. */
int import_folded(struct import_builder *b, struct import_lines *lines, const struct import_options *o, struct import_result *result,
		  struct errbuf *eb);
int import_script(struct import_builder *b, struct import_lines *lines, struct import_result *result, struct errbuf *eb);
int import_pprof(struct import_builder *b, const void *data, size_t size, struct import_result *result, struct errbuf *eb);

/* Whether a line has a stack and a count. */
bool import_is_folded_line(const char *line, size_t len);

static inline void import_skip(struct import_result *result, uint64_t where)
{
	if (!result->nr_skipped++)
		result->first_skipped = where;
}

#endif

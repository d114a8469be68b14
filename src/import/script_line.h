/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines that `perf script` prints behind the first one of a sample, taken apart: a frame of its call chain, a place in the source. Pure
 * functions of a line.
 */
#ifndef ASSAY_IMPORT_SCRIPT_LINE_H
#define ASSAY_IMPORT_SCRIPT_LINE_H

#include "import/script_span.h"

/* "ADDRESS SYMBOL+0xOFF (DSO)" */
struct script_frame {
	uint64_t addr, off; /* off UINT64_MAX: not told */
	struct script_span symbol, dso; /* empty: not told, or "[unknown]" */
	bool is_inlined;
	bool has_dso; /* a DSO was printed, even "[unknown]" */
};

/* False where the line is none. */
bool script_frame_parse(const char *s, size_t len, struct script_frame *f);
/* "  FILE:LINE", of an inlined function with " (inlined)" behind it; or "  [DSO][ADDRESS]". `addr` UINT64_MAX: not told. */
bool script_source_parse(const char *s, size_t len, struct script_span *file, uint32_t *line, uint64_t *addr, bool *is_inlined);

#endif

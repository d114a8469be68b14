/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How to find callers in the stubs of a procedure linkage table. Of the linkers only GNU's write call frame information for them. A stub
 * has no frame: the return address is where the call left it, below what the stub itself has pushed.
 */
#ifndef ASSAY_SYMBOLS_PLT_UNWIND_H
#define ASSAY_SYMBOLS_PLT_UNWIND_H

#include "symbols/cfi.h"

struct plt_section {
	const uint8_t *code;
	size_t size;
	uint64_t vaddr;
};

/* Rows of the stubs that are understood; others (retpolines, which call) have none. */
void plt_unwind_rows(const struct plt_section *s, const struct arch_ops *arch, const struct cfi_sink *sink);

#endif

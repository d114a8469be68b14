/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How to find callers in a Go program by the table that it carries for its own stack traces (go_pclntab.h): how far the stack pointer is
 * below the frame at each address, and which functions leave the stack for another one. Gives the same rows as .debug_frame, which
 * stripped programs do not have, and better ones around changes of the stack.
 */
#ifndef ASSAY_SYMBOLS_GO_UNWIND_H
#define ASSAY_SYMBOLS_GO_UNWIND_H

#include "symbols/cfi.h"
#include "symbols/go_pclntab.h"

struct go_unwind {
	const struct go_pclntab *table;
	const struct arch_ops *arch;
	/* Reads code: fewer bytes than asked for where there are no more. */
	size_t (*read)(const void *ctx, uint64_t vaddr, void *buf, size_t size);
	const void *ctx;
};

/* All functions. No more rows than a multiple of the table's bytes. */
void go_unwind_rows(const struct go_unwind *u, const struct cfi_sink *sink);
/* Code that runs on another stack than its caller's, and functions without a caller: no call frame information is right there. */
void go_unwind_switches(const struct go_unwind *u, const struct cfi_sink *sink);

#endif

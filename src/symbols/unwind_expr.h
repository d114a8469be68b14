/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * DWARF expressions of call frame information: the CFA of PLT stubs and of realigned frames, the registers in a signal's frame.
 * The bytes are hostile: steps and depth are bounded, every read is checked. Registers and memory are asked for, so that it
 * knows nothing of stacks and processes.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_EXPR_H
#define ASSAY_SYMBOLS_UNWIND_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_expr_env {
	void *ctx;
	bool (*reg)(void *ctx, uint64_t dwarf_nr, uint64_t *value);
	bool (*read)(void *ctx, uint64_t addr, uint64_t *value); /* word_bytes of them */
	uint32_t word_bytes; /* of an address: 4 or 8 */
};

/* Evaluates; `initial` is pushed first where it is not NULL (the CFA, for a register's expression). 0; -EBADMSG: the expression is
 * broken or uses what cannot be in call frame information; -ENODATA: a register is not known; -EFAULT: memory is not. */
int unwind_expr_eval(const uint8_t *expr, size_t size, const struct unwind_expr_env *env, const uint64_t *initial,
		     uint64_t *result);

#endif

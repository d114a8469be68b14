/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The state of one walk, shared by the steps: by a rule of a table (unwind.c), by guess where there is none (unwind_guess.c). A step
 * turns the registers of a frame into its caller's.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_WALK_H
#define ASSAY_SYMBOLS_UNWIND_WALK_H

#include <string.h>

#include "symbols/unwind.h"
#include "symbols/unwind_rule.h"

/* DWARF expressions of call frame information. The bytes are hostile: steps and depth are bounded, every read is checked. */
struct unwind_expr_env {
	void *ctx;
	bool (*reg)(void *ctx, uint64_t dwarf_nr, uint64_t *value);
	bool (*read)(void *ctx, uint64_t addr, uint64_t *value); /* word_bytes of them */
	uint32_t word_bytes;					 /* of an address: 4 or 8 */
};

/* Evaluates; `initial` is pushed first where it is not NULL (the CFA, for a register's expression). 0; -EBADMSG: the expression is broken
 * or uses what cannot be in call frame information; -ENODATA: a register is not known; -EFAULT: memory is not. */
int unwind_expr_eval(const uint8_t *expr, size_t size, const struct unwind_expr_env *env, const uint64_t *initial, uint64_t *result);

#define UNWIND_NR_MODULES 4 /* a stack goes to and fro between few files */

struct unwind_walk {
	const struct arch_ops *arch;
	struct unwind_regs *regs;
	const struct unwind_access *access;
	struct unwind_module modules[UNWIND_NR_MODULES]; /* found last */
	uint32_t nr_modules;
	uint64_t word_mask;   /* of what is read: all bits of a word */
	uint64_t failed_addr; /* of the read that failed last */
	uint32_t nr_signals;
	bool is_exact;	   /* pc is where the thread is, not where a call returns to */
	bool sp_is_guess;  /* sp is no more than a lower bound */
	bool guessed;	   /* any step was without a rule */
	bool is_elsewhere; /* on another stack than the dumped one: a signal's handler had one of its own */
};

/* Returns UNWIND_NOT_DONE where the walk goes on. */
enum unwind_end unwind_step_guess(struct unwind_walk *w, const struct unwind_module *m);

const struct unwind_module *unwind_find_module(struct unwind_walk *w, uint64_t ip);
/* The address that a stored return address stands for, without the bits of a signature. */
uint64_t unwind_return_address(struct unwind_walk *w, uint64_t stored);
/* What it means that w->failed_addr could not be read. */
enum unwind_end unwind_read_end(const struct unwind_walk *w);

/* What is not in the buffer, or at its very end. */
bool unwind_read_elsewhere(struct unwind_walk *w, uint64_t addr, uint64_t *value);

static inline bool unwind_read(struct unwind_walk *w, uint64_t addr, uint64_t *value)
{
	const struct unwind_access *a = w->access;
	uint64_t off = addr - a->stack_start;

	if (a->stack && off < a->stack_size && a->stack_size - off >= 8) {
		memcpy(value, a->stack + off, 8);
		*value &= w->word_mask;
		return true;
	}
	return unwind_read_elsewhere(w, addr, value);
}

static inline bool unwind_has_reg(const struct unwind_walk *w, uint32_t reg)
{
	return w->regs->valid >> reg & 1;
}

static inline void unwind_set_reg(struct unwind_walk *w, uint32_t reg, uint64_t value)
{
	w->regs->v[reg] = value;
	w->regs->valid |= UINT64_C(1) << reg;
}

#endif

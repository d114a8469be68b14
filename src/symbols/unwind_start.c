/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Is this frame where the process begins? The code there often has no call frame information (the dynamic loader's entry, musl's start),
 * but the stack above it is known: the kernel leaves the number of arguments, their addresses and a zero there. A walk that got as
 * far is at its end; addresses of code that were passed may be frames that are missing.
 */
#include "symbols/unwind_walk.h"

/* What the start-up code itself may have on the stack below the arguments. */
#define MAX_START_WORDS 32
#define MAX_ARGUMENTS (UINT64_C(1) << 20)
#define NR_CHECKED 64 /* of the arguments; those of a long command line may lie above the dump */
#define ARGUMENTS_MAX_BYTES (UINT64_C(16) << 20)

static bool is_argument_block(struct unwind_walk *w, uint64_t at)
{
	uint64_t word = w->arch->word_bytes, nr, v;

	if (!unwind_read(w, at, &nr) || !nr || nr > MAX_ARGUMENTS)
		return false;
	for (uint64_t i = 1; i <= nr && i <= NR_CHECKED; i++)
		if (!unwind_read(w, at + i * word, &v) || v - at - 1 >= ARGUMENTS_MAX_BYTES)
			return false;
	/* The zero behind them, and behind that the environment's, or its zero. */
	if (!unwind_read(w, at + (nr + 1) * word, &v))
		return nr > NR_CHECKED;
	return !v && unwind_read(w, at + (nr + 2) * word, &v) && (!v || v - at - 1 < ARGUMENTS_MAX_BYTES);
}

bool unwind_is_process_start(struct unwind_walk *w)
{
	uint64_t word = w->arch->word_bytes, sp = w->regs->v[w->arch->sp], v;
	bool has_code = false;

	if (!unwind_has_reg(w, w->arch->sp) || sp % word || w->sp_is_guess)
		return false;
	for (uint32_t i = 0; i < MAX_START_WORDS; i++) {
		uint64_t at = sp + i * word, ip;

		/* Only the entry itself has nothing below the arguments when it is interrupted; other code may have been called. */
		if (is_argument_block(w, at)) {
			w->guessed |= has_code;
			return !i || !w->is_exact;
		}
		if (!unwind_read(w, at, &v))
			return false;
		ip = unwind_return_address(w, v) - 1;
		/* A caller that a table knows: the walk has lost its way further in. */
		if (v && unwind_is_covered(w, ip))
			return false;
		/* The start-up code's own call, or a caller without a table. */
		has_code |= v && unwind_find_module(w, ip);
	}
	return false;
}

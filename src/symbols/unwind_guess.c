/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One step where no table knows the frame: JIT code, assembly without call frame information, an address that is no code at all. The frame
 * pointer is followed if it leads up the stack to a return address in executable memory; a word that does not is a number. That is no guess
 * where nothing else on the way there could be a return address.
 */
#include "symbols/unwind_walk.h"

/* How far from the pc a link register is taken for one that the function itself has set by a call: functions are not larger. */
#define OWN_CODE_BYTES 4096

#define MAX_CHECKED_BYTES 2048 /* of a frame; larger ones are rare in generated code */
#define LOWEST_CODE 4096       /* nothing is mapped below */

/* Reads a word as a return address. */
static bool read_return(struct unwind_walk *w, uint64_t addr, uint64_t *ra)
{
	if (!unwind_read(w, addr, ra))
		return false;
	*ra = unwind_return_address(w, *ra);
	return true;
}

static bool is_code(struct unwind_walk *w, uint64_t ra)
{
	return ra && unwind_find_module(w, ra - 1);
}

/* Code that a table covers is a caller, however near: an uncovered function is not called by covered code of its own. */
static bool is_covered(struct unwind_walk *w, uint64_t ip)
{
	const struct unwind_module *m = unwind_find_module(w, ip);

	return m && m->table && unwind_table_cover(m->table, ip - m->start + m->addr_of_start) != UNWIND_UNCOVERED;
}

static enum unwind_end go_to(struct unwind_walk *w, uint64_t ra, bool is_certain)
{
	w->regs->valid &= w->arch->callee_saved;
	w->regs->pc = ra;
	w->is_exact = false;
	w->guessed |= !is_certain;
	return UNWIND_NOT_DONE;
}

static bool is_in_dump(const struct unwind_walk *w, uint64_t addr)
{
	return addr - w->access->stack_start < w->access->stack_size;
}

/* Addresses of code that HotSpot has in frames beside return addresses. Where interpreted code calls compiled code, an adapter aligns the stack
 * and pushes the return address once more. The stub by which C++ calls Java keeps what it calls next to its arguments' address. */
static bool is_known_copy(struct unwind_walk *w, uint64_t at, uint64_t v, uint64_t fp)
{
	uint64_t sp = w->regs->v[w->arch->sp], word = w->arch->word_bytes, below, ra;

	if (w->is_exact)
		return false;
	if (at == sp && v == w->regs->pc)
		return true;
	return at == fp - 2 * word && unwind_read(w, fp - word, &below) && below > fp && is_in_dump(w, below) &&
	       read_return(w, fp + word, &ra) && ra && is_covered(w, ra - 1);
}

/* Whether no frame can be missing between the stack pointer and a frame at `fp`: its return address would be on the stack, so that one of the
 * words there would be an address of code. Data, or what earlier calls have left, may be that, too: then nothing is known. */
static bool is_next_frame(struct unwind_walk *w, uint64_t fp)
{
	uint64_t at = w->regs->v[w->arch->sp], word = w->arch->word_bytes, v, page = 0;

	/* A leaf has its return address in a register. */
	if (w->arch->lr != ARCH_NO_REG || !unwind_has_reg(w, w->arch->sp) || w->sp_is_guess || at % word || fp - at > MAX_CHECKED_BYTES)
		return false;
	for (; at < fp; at += word) {
		if (!unwind_read(w, at, &v))
			return false;
		/* Numbers, the stack itself, neighbours of what was no code. */
		if (v < LOWEST_CODE || is_in_dump(w, v) || (v - 1) >> 12 == page)
			continue;
		if (!is_code(w, v))
			page = (v - 1) >> 12;
		else if (!is_known_copy(w, at, v, fp))
			return false;
	}
	return true;
}

/* The frame pointer leads to {the caller's frame pointer, return address}. */
static enum unwind_end step_fp(struct unwind_walk *w)
{
	const struct arch_ops *arch = w->arch;
	uint64_t fp = w->regs->v[arch->fp], sp = w->regs->v[arch->sp], word = arch->word_bytes, next, ra;
	bool is_certain;

	if (!unwind_has_reg(w, arch->fp))
		return UNWIND_NO_RULE;
	if (!fp || fp % word || (unwind_has_reg(w, arch->sp) && fp < sp) || fp > UINT64_MAX - 2 * word)
		return UNWIND_NO_RULE;
	if (!unwind_read(w, fp, &next) || !read_return(w, fp + word, &ra))
		return unwind_read_end(w) == UNWIND_TRUNCATED ? UNWIND_TRUNCATED : UNWIND_NO_RULE;
	/* The outermost frame, or a register that points to cleared memory. */
	if (!ra && !next) {
		w->guessed = true;
		return UNWIND_COMPLETE;
	}
	if (!is_code(w, ra))
		return UNWIND_NO_RULE;
	is_certain = !w->guessed && is_next_frame(w, fp);
	unwind_set_reg(w, arch->fp, next);
	unwind_set_reg(w, arch->sp, fp + 2 * word);
	/* On x86_64 the caller's stack goes on right there; elsewhere registers may lie above. */
	w->sp_is_guess = arch->lr != ARCH_NO_REG;
	return go_to(w, ra, is_certain);
}

/* A leaf has its return address in the link register. After calls it has an address of the function's own, or that of the frame. */
static bool step_lr(struct unwind_walk *w, bool is_mapped)
{
	const struct arch_ops *arch = w->arch;
	uint64_t lr, saved, pc = w->regs->pc;

	if (arch->lr == ARCH_NO_REG || !w->is_exact || !unwind_has_reg(w, arch->lr))
		return false;
	lr = unwind_return_address(w, w->regs->v[arch->lr]);
	if (!is_code(w, lr))
		return false;
	if (is_mapped && (lr > pc ? lr - pc : pc - lr) < OWN_CODE_BYTES && !is_covered(w, lr - 1))
		return false;
	if (unwind_has_reg(w, arch->fp) && read_return(w, w->regs->v[arch->fp] + arch->word_bytes, &saved) && saved == lr)
		return false;
	go_to(w, lr, false);
	return true;
}

/* Called into nowhere, or just entered: the return address is on top of the stack. In code that is there it may be a saved register as
 * well, with the address of a function for a value: only an address within a function that a table covers is used. */
static bool step_top(struct unwind_walk *w, bool is_mapped)
{
	const struct arch_ops *arch = w->arch;
	uint64_t sp = w->regs->v[arch->sp], ra;

	if (arch->lr != ARCH_NO_REG || !w->is_exact || !unwind_has_reg(w, arch->sp))
		return false;
	if (!read_return(w, sp, &ra) || !is_code(w, ra) || (is_mapped && !is_covered(w, ra - 1)))
		return false;
	unwind_set_reg(w, arch->sp, sp + arch->word_bytes);
	go_to(w, ra, false);
	return true;
}

/* CPython's trampoline (-X perf, -X perf_jit), of which each Python function has a copy, calls the interpreter with nothing but a word of
 * padding on the stack: "sub $8,%rsp; call *%rcx; add $8,%rsp; ret", perhaps behind an "endbr64". So calls return to known places of the
 * memory it is copied to: copies are in 64 kB each, back to back (3.12) or at multiples of 16. The stack is aligned there, and the caller is
 * the interpreter's compiled code, which has a table. All of that together is hardly met elsewhere. */
#define TRAMPOLINE_BYTES 11u
#define TRAMPOLINE_RETURN 6u
#define ENDBR_BYTES 4u
#define TRAMPOLINE_ALIGN 16u
#define TRAMPOLINE_ARENA 65536u

static bool is_trampoline_return(uint64_t off)
{
	uint64_t at = off % TRAMPOLINE_ALIGN;

	return at == TRAMPOLINE_RETURN || at == TRAMPOLINE_RETURN + ENDBR_BYTES ||
	       off % TRAMPOLINE_ARENA % TRAMPOLINE_BYTES == TRAMPOLINE_RETURN ||
	       off % TRAMPOLINE_ARENA % (TRAMPOLINE_BYTES + ENDBR_BYTES) == TRAMPOLINE_RETURN + ENDBR_BYTES;
}

static bool step_trampoline(struct unwind_walk *w, const struct unwind_module *m)
{
	const struct arch_ops *arch = w->arch;
	uint64_t sp = w->regs->v[arch->sp], word = arch->word_bytes, ra;

	if (arch->lr != ARCH_NO_REG || word != 8 || m->table || w->is_exact || w->sp_is_guess || !unwind_has_reg(w, arch->sp))
		return false;
	if (!is_trampoline_return(w->regs->pc - m->start) || sp % TRAMPOLINE_ALIGN)
		return false;
	if (!read_return(w, sp + word, &ra) || !ra || !is_covered(w, ra - 1))
		return false;
	unwind_set_reg(w, arch->sp, sp + 2 * word);
	w->regs->pc = ra;
	return true;
}

/* Whether the process begins with this frame. The code there may have no call frame information (the dynamic loader, musl), but above it on
 * the stack are the number of arguments, their addresses and a zero. Code addresses below that may be missing frames. */

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

static bool is_process_start(struct unwind_walk *w)
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
		/* A caller that a table knows: frames before it are missing. */
		if (v && is_covered(w, ip))
			return false;
		/* The start-up code's own call, or a caller without a table. */
		has_code |= v && unwind_find_module(w, ip);
	}
	return false;
}

enum unwind_end unwind_step_guess(struct unwind_walk *w, const struct unwind_module *m)
{
	enum unwind_end end;

	if (!m && step_top(w, false))
		return UNWIND_NOT_DONE;
	if (m && step_trampoline(w, m))
		return UNWIND_NOT_DONE;
	if (step_lr(w, m != NULL))
		return UNWIND_NOT_DONE;
	end = step_fp(w);
	if (end == UNWIND_NO_RULE && m && step_top(w, true))
		return UNWIND_NOT_DONE;
	if (end != UNWIND_NO_RULE)
		return end;
	if (is_process_start(w))
		return UNWIND_COMPLETE;
	/* The ABI's mark of the outermost frame; in code that uses the register for something else, a number. */
	if (!w->is_exact && unwind_has_reg(w, w->arch->fp) && !w->regs->v[w->arch->fp]) {
		w->guessed = true;
		return UNWIND_COMPLETE;
	}
	return end;
}

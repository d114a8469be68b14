/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One step by a rule of a table. Tables may be hostile: unwind_table_view() has checked what indexes and places there are in them,
 * everything else (values, memory) is checked here.
 */
#include <errno.h>

#include "symbols/unwind_walk.h"

/* What lies between a handler's frames and the interrupted ones on the same stack: the registers, of which vectors and matrices are the
 * most. */
#define SIGNAL_FRAME_MAX_BYTES (UINT64_C(128) << 10)
/* As much as a function pushes. */
#define POPPED_MAX_BYTES (ARCH_MAX_REGS * 8)
#define MAX_SIGNALS 64 /* nested handlers, and changes of the stack; each may lead down, so that only their count bounds them */
/* A frame that is further away is on another stack: functions that change it have small ones. */
#define SWITCH_SAME_BYTES 4096

static bool env_reg(void *ctx, uint64_t nr, uint64_t *value)
{
	struct unwind_walk *w = ctx;

	if (nr >= ARCH_MAX_REGS || !unwind_has_reg(w, (uint32_t)nr))
		return false;
	*value = w->regs->v[nr];
	return true;
}

static bool env_read(void *ctx, uint64_t addr, uint64_t *value)
{
	return unwind_read(ctx, addr, value);
}

static int eval(struct unwind_walk *w, const struct unwind_table *t, int32_t at, const uint64_t *initial, uint64_t *value)
{
	struct unwind_expr_env env = { .ctx = w, .reg = env_reg, .read = env_read, .word_bytes = w->arch->word_bytes };
	const uint8_t *e = t->exprs + at;

	return unwind_expr_eval(e + 2, (size_t)(e[0] | e[1] << 8), &env, initial, value);
}

static int find_cfa(struct unwind_walk *w, const struct unwind_table *t, const struct unwind_rule *rule, uint64_t *cfa)
{
	if (rule->flags & RULE_CFA_EXPR)
		return eval(w, t, rule->cfa_value, NULL, cfa);
	/* Came here by a frame pointer that says nothing of the stack pointer: the frame begins where the frame pointer was saved, and it
	 * points there. */
	if (w->sp_is_guess && rule->cfa_reg == w->arch->sp && unwind_has_reg(w, w->arch->fp)) {
		for (uint32_t i = 0; i < rule->nr_regs; i++) {
			if (rule->regs[i].reg == w->arch->fp && rule->regs[i].how == HOW_OFFSET) {
				*cfa = w->regs->v[w->arch->fp] - (uint64_t)(int64_t)rule->regs[i].value;
				return 0;
			}
		}
	}
	if (!unwind_has_reg(w, rule->cfa_reg))
		return -ENODATA;
	*cfa = w->regs->v[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_value;
	return 0;
}

/* In an epilogue, where a register has its value back and the table still names the slot: that is below the stack pointer now, where
 * nothing was dumped. */
static bool is_popped(const struct unwind_walk *w, uint32_t reg, uint64_t slot)
{
	uint64_t sp = w->regs->v[w->arch->sp];

	return w->is_exact && unwind_has_reg(w, reg) && unwind_has_reg(w, w->arch->sp) && reg != w->arch->ra && slot < sp &&
	       sp - slot <= POPPED_MAX_BYTES;
}

/* The value of a register in the caller. */
static int find_reg(struct unwind_walk *w, const struct unwind_table *t, const struct unwind_reg_rule *r, uint64_t cfa, uint64_t *value)
{
	uint64_t offset = cfa + (uint64_t)(int64_t)r->value;
	uint32_t from = r->how == HOW_REGISTER ? (uint32_t)r->value : r->reg;
	int err;

	switch ((enum unwind_how)r->how) {
	case HOW_OFFSET:
		if (unwind_read(w, offset, value))
			return 0;
		*value = w->regs->v[from];
		return is_popped(w, from, offset) ? 0 : -EFAULT;
	case HOW_VAL_OFFSET:
		*value = offset;
		return 0;
	case HOW_REGISTER:
	case HOW_SAME:
		*value = w->regs->v[from];
		return unwind_has_reg(w, from) ? 0 : -ENODATA;
	case HOW_EXPR:
		err = eval(w, t, r->value, &cfa, &offset);
		return err ? err : unwind_read(w, offset, value) ? 0 : -EFAULT;
	case HOW_VAL_EXPR:
		return eval(w, t, r->value, &cfa, value);
	case HOW_UNDEFINED:
	case NR_HOWS:
		break;
	}
	return -ENODATA;
}

static enum unwind_end end_of(const struct unwind_walk *w, int err)
{
	return err == -EFAULT ? unwind_read_end(w) : UNWIND_NO_RULE;
}

/* The stack pointer moves up from frame to frame. Where the thread itself is, the frame may be empty yet; a signal handler may have had a
 * stack of its own. */
static bool is_progress(struct unwind_walk *w, const struct unwind_rule *rule, uint64_t sp, bool had_sp)
{
	uint64_t now = w->regs->v[w->arch->sp];

	if (rule->flags & (RULE_SIGNAL | RULE_SWITCH))
		return ++w->nr_signals <= MAX_SIGNALS;
	return !had_sp || now > sp || (now == sp && w->is_exact);
}

static void note_stack(struct unwind_walk *w, uint64_t sp)
{
	uint64_t now = w->regs->v[w->arch->sp];

	if (now - w->access->stack_start < w->access->stack_size)
		w->is_elsewhere = false;
	else if (now - sp > SIGNAL_FRAME_MAX_BYTES) /* or below it */
		w->is_elsewhere = true;
}

enum unwind_end unwind_step_rule(struct unwind_walk *w, const struct unwind_table *t, const struct unwind_rule *rule)
{
	struct unwind_regs *regs = w->regs;
	const struct arch_ops *arch = w->arch;
	uint64_t values[ARCH_MAX_REGS], cfa, sp = regs->v[arch->sp], set = 0, lost = 0, ra;
	bool is_signal = rule->flags & RULE_SIGNAL, had_sp = unwind_has_reg(w, arch->sp);
	uint64_t pushed = 0;
	int err = find_cfa(w, t, rule, &cfa), ra_err = 0;

	if (err)
		return end_of(w, err);
	/* Without a rule of its own, the link register holds it. On x86_64 the column is the pc itself. */
	ra = regs->v[rule->ra];
	if (rule->ra != arch->lr || !unwind_has_reg(w, rule->ra))
		ra_err = -ENODATA;
	for (uint32_t i = 0; i < rule->nr_regs; i++) {
		const struct unwind_reg_rule *r = &rule->regs[i];

		err = find_reg(w, t, r, cfa, &values[r->reg]);
		*(err ? &lost : &set) |= UINT64_C(1) << r->reg;
		if (r->reg == rule->ra) {
			ra = values[r->reg];
			ra_err = err;
			/* Saved above the frame by whom it was entered through: glibc's resolver on arm64 after the first stub of a PLT.
			 * The caller's stack begins above that. */
			if (r->how == HOW_OFFSET && r->value >= 0)
				pushed = (uint64_t)r->value + arch->word_bytes;
			if (err)
				break;
		}
	}
	/* Of the other stack nothing was dumped: this one is done. */
	if (ra_err && rule->flags & RULE_SWITCH && cfa - sp > SWITCH_SAME_BYTES)
		return UNWIND_COMPLETE;
	if (ra_err)
		return end_of(w, ra_err);
	/* In the caller the link register is what the call left there. Only a signal gives it back. */
	if (arch->lr != ARCH_NO_REG && !is_signal)
		set &= ~(UINT64_C(1) << arch->lr);
	regs->valid &= arch->callee_saved & ~lost;
	unwind_set_reg(w, arch->sp, cfa + pushed);
	for (uint64_t left = set; left; left &= left - 1) {
		uint32_t reg = (uint32_t)__builtin_ctzll(left);

		unwind_set_reg(w, reg, values[reg]);
	}
	if (!is_progress(w, rule, sp, had_sp))
		return UNWIND_NO_PROGRESS;
	if (rule->flags & (RULE_SIGNAL | RULE_SWITCH))
		note_stack(w, sp);
	regs->pc = unwind_return_address(w, ra);
	w->is_exact = is_signal;
	w->sp_is_guess = false;
	return regs->pc ? UNWIND_NOT_DONE : UNWIND_COMPLETE;
}

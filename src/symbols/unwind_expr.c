/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stack machine of DWARF expressions, as far as call frame information uses it: constants, registers plus offset, memory, arithmetic,
 * comparison and branches. What describes variables (pieces, entry values, types) is refused.
 */
#include "symbols/unwind_walk.h"

#include <dwarf.h>
#include <errno.h>

#include "base/bytes.h"

/* Real ones take ten steps and hold three values. A branch backwards is allowed, so that steps are what bounds the time. */
#define MAX_STEPS 512
#define MAX_DEPTH 32

struct machine {
	const struct unwind_expr_env *env;
	struct bytes code;
	const uint8_t *start;
	uint64_t stack[MAX_DEPTH];
	uint32_t depth;
	int err;
};

static void fail(struct machine *m, int err)
{
	if (!m->err)
		m->err = err;
}

static void push(struct machine *m, uint64_t v)
{
	if (m->depth == MAX_DEPTH)
		fail(m, -EBADMSG);
	else
		m->stack[m->depth++] = v;
}

static uint64_t pop(struct machine *m)
{
	if (!m->depth) {
		fail(m, -EBADMSG);
		return 0;
	}
	return m->stack[--m->depth];
}

static void push_from_top(struct machine *m, uint32_t index)
{
	if (index >= m->depth)
		fail(m, -EBADMSG);
	else
		push(m, m->stack[m->depth - 1 - index]);
}

static void push_reg(struct machine *m, uint64_t nr)
{
	int64_t off = bytes_sleb(&m->code);
	uint64_t v = 0;

	if (!m->env->reg(m->env->ctx, nr, &v))
		fail(m, -ENODATA);
	push(m, v + (uint64_t)off);
}

static void deref(struct machine *m, uint32_t size)
{
	uint64_t addr = pop(m), v = 0, word = m->env->word_bytes, aligned = addr & ~(word - 1);
	bool ok;

	if (m->err)
		return;
	if (size == 0 || size > word) {
		fail(m, -EBADMSG);
		return;
	}
	ok = m->env->read(m->env->ctx, addr, &v);
	/* The last bytes of memory: ask for the word they end. */
	if (!ok && addr - aligned + size <= word) {
		ok = m->env->read(m->env->ctx, aligned, &v);
		v >>= (addr - aligned) * 8;
	}
	if (!ok)
		fail(m, -EFAULT);
	push(m, size == 8 ? v : v & ((UINT64_C(1) << size * 8) - 1));
}

static void branch(struct machine *m, bool taken)
{
	int16_t off = (int16_t)bytes_u16(&m->code);
	int64_t to = m->code.pos - m->start + off;

	if (!taken)
		return;
	if (to < 0 || to > m->code.end - m->start)
		fail(m, -EBADMSG);
	else
		m->code.pos = m->start + to;
}

static bool do_constant(struct machine *m, uint8_t op)
{
	/* const1u, const1s, const2u, … const8s follow each other. */
	unsigned int nr = (unsigned int)op - DW_OP_const1u;

	if (op >= DW_OP_const1u && op <= DW_OP_const8s)
		push(m, nr % 2 ? (uint64_t)bytes_int(&m->code, 1u << nr / 2) : bytes_uint(&m->code, 1u << nr / 2));
	else if (op == DW_OP_constu)
		push(m, bytes_uleb(&m->code));
	else if (op == DW_OP_consts)
		push(m, (uint64_t)bytes_sleb(&m->code));
	else
		return false;
	return true;
}

/* The stack, memory, branches, and operations on one value. */
static bool do_stack(struct machine *m, uint8_t op)
{
	uint64_t a, b, c;

	switch (op) {
	case DW_OP_dup:
		push_from_top(m, 0);
		break;
	case DW_OP_drop:
		pop(m);
		break;
	case DW_OP_over:
		push_from_top(m, 1);
		break;
	case DW_OP_pick:
		push_from_top(m, bytes_u8(&m->code));
		break;
	case DW_OP_swap:
		a = pop(m);
		b = pop(m);
		push(m, a);
		push(m, b);
		break;
	case DW_OP_rot: /* the top goes below the next two */
		a = pop(m);
		b = pop(m);
		c = pop(m);
		push(m, a);
		push(m, c);
		push(m, b);
		break;
	case DW_OP_deref:
		deref(m, m->env->word_bytes);
		break;
	case DW_OP_deref_size:
		deref(m, bytes_u8(&m->code));
		break;
	case DW_OP_skip:
		branch(m, true);
		break;
	case DW_OP_bra:
		branch(m, pop(m) != 0);
		break;
	case DW_OP_abs:
		a = pop(m);
		push(m, (int64_t)a < 0 ? -a : a);
		break;
	case DW_OP_neg:
		push(m, -pop(m));
		break;
	case DW_OP_not:
		push(m, ~pop(m));
		break;
	case DW_OP_plus_uconst:
		a = pop(m);
		push(m, a + bytes_uleb(&m->code));
		break;
	case DW_OP_nop:
		break;
	default:
		return false;
	}
	return true;
}

static uint64_t divide(uint64_t a, uint64_t b)
{
	/* The one quotient that does not fit. */
	return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

/* `a` was pushed before `b`. */
static uint64_t binary(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	if ((op == DW_OP_div || op == DW_OP_mod) && !b)
		fail(m, -EBADMSG);
	switch (op) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_div:
		return b ? divide(a, b) : 0;
	case DW_OP_mod:
		return b ? a % b : 0;
	case DW_OP_shl:
		return b > 63 ? 0 : a << b;
	case DW_OP_shr:
		return b > 63 ? 0 : a >> b;
	case DW_OP_shra:
		return (uint64_t)(sa >> (b > 63 ? 63 : b));
	case DW_OP_eq:
		return sa == sb;
	case DW_OP_ne:
		return sa != sb;
	case DW_OP_lt:
		return sa < sb;
	case DW_OP_le:
		return sa <= sb;
	case DW_OP_gt:
		return sa > sb;
	case DW_OP_ge:
		return sa >= sb;
	}
	fail(m, -EBADMSG);
	return 0;
}

static void step(struct machine *m)
{
	uint8_t op = bytes_u8(&m->code);
	uint64_t a, b;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(m, op - DW_OP_lit0);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_reg(m, op - DW_OP_breg0);
	} else if (op == DW_OP_bregx) {
		push_reg(m, bytes_uleb(&m->code));
	} else if (!do_constant(m, op) && !do_stack(m, op)) {
		b = pop(m);
		a = pop(m);
		push(m, binary(m, op, a, b));
	}
	if (m->code.failed)
		fail(m, -EBADMSG);
}

int unwind_expr_eval(const uint8_t *expr, size_t size, const struct unwind_expr_env *env, const uint64_t *initial, uint64_t *result)
{
	struct machine m = { .env = env, .code = bytes_of(expr, size, false), .start = expr };

	*result = 0;
	if (initial)
		push(&m, *initial);
	for (uint32_t steps = 0; m.code.pos < m.code.end && !m.err; steps++) {
		if (steps == MAX_STEPS)
			return -EBADMSG;
		step(&m);
	}
	if (!m.err)
		*result = pop(&m);
	return m.err;
}

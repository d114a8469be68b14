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

/* Constants; false: another kind of operation. */
static bool do_constant(struct machine *m, uint8_t op)
{
	switch (op) {
	case DW_OP_const1u:
		push(m, bytes_u8(&m->code));
		break;
	case DW_OP_const1s:
		push(m, (uint64_t)(int8_t)bytes_u8(&m->code));
		break;
	case DW_OP_const2u:
		push(m, bytes_u16(&m->code));
		break;
	case DW_OP_const2s:
		push(m, (uint64_t)(int16_t)bytes_u16(&m->code));
		break;
	case DW_OP_const4u:
		push(m, bytes_u32(&m->code));
		break;
	case DW_OP_const4s:
		push(m, (uint64_t)(int32_t)bytes_u32(&m->code));
		break;
	case DW_OP_const8u:
	case DW_OP_const8s:
		push(m, bytes_u64(&m->code));
		break;
	case DW_OP_constu:
		push(m, bytes_uleb(&m->code));
		break;
	case DW_OP_consts:
		push(m, (uint64_t)bytes_sleb(&m->code));
		break;
	default:
		return false;
	}
	return true;
}

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
	case DW_OP_nop:
		break;
	default:
		return false;
	}
	return true;
}

static bool do_unary(struct machine *m, uint8_t op)
{
	uint64_t a;

	switch (op) {
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
	default:
		return false;
	}
	return true;
}

static uint64_t divide(struct machine *m, uint64_t a, uint64_t b)
{
	if (b == 0) {
		fail(m, -EBADMSG);
		return 0;
	}
	/* The one quotient that does not fit. */
	return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift_right_signed(uint64_t a, uint64_t by)
{
	return (uint64_t)((int64_t)a >> (by > 63 ? 63 : by));
}

/* `a` was pushed before `b`. */
static bool binary(struct machine *m, uint8_t op, uint64_t a, uint64_t b, uint64_t *v)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (op) {
	case DW_OP_and:
		*v = a & b;
		break;
	case DW_OP_or:
		*v = a | b;
		break;
	case DW_OP_xor:
		*v = a ^ b;
		break;
	case DW_OP_plus:
		*v = a + b;
		break;
	case DW_OP_minus:
		*v = a - b;
		break;
	case DW_OP_mul:
		*v = a * b;
		break;
	case DW_OP_div:
		*v = divide(m, a, b);
		break;
	case DW_OP_mod:
		if (b)
			*v = a % b;
		else
			fail(m, -EBADMSG);
		break;
	case DW_OP_shl:
		*v = b > 63 ? 0 : a << b;
		break;
	case DW_OP_shr:
		*v = b > 63 ? 0 : a >> b;
		break;
	case DW_OP_shra:
		*v = shift_right_signed(a, b);
		break;
	case DW_OP_eq:
		*v = sa == sb;
		break;
	case DW_OP_ne:
		*v = sa != sb;
		break;
	case DW_OP_lt:
		*v = sa < sb;
		break;
	case DW_OP_le:
		*v = sa <= sb;
		break;
	case DW_OP_gt:
		*v = sa > sb;
		break;
	case DW_OP_ge:
		*v = sa >= sb;
		break;
	default:
		return false;
	}
	return true;
}

static void step(struct machine *m)
{
	uint8_t op = bytes_u8(&m->code);
	uint64_t a, b, v = 0;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(m, op - DW_OP_lit0);
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_reg(m, op - DW_OP_breg0);
	} else if (op == DW_OP_bregx) {
		push_reg(m, bytes_uleb(&m->code));
	} else if (!do_constant(m, op) && !do_stack(m, op) && !do_unary(m, op)) {
		b = pop(m);
		a = pop(m);
		if (m->err || !binary(m, op, a, b, &v))
			fail(m, -EBADMSG);
		push(m, v);
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

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Location expressions with symbols for numbers: registers and memory are not known, but which ones are meant is. The kernel can add constants
 * to addresses and follow pointers; what needs more arithmetic than that is refused by name.
 */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "symbols/dwarf_location.h"

#define MAX_STACK 32U
#define MAX_EXPR_BYTES 65536U

struct machine {
	const struct dwarf_die *die;
	const struct location_at *at;
	struct errbuf *eb;
	struct bytes b;
	struct fetch stack[MAX_STACK];
	uint32_t nr;
	bool is_value, is_register; /* of the piece being described */
	struct fetch frame_base;
	bool has_frame_base;
	int frame_err;
};

static int refuse(struct machine *m, const char *what)
{
	return errbuf_set(m->eb, -ENOTSUP, "%s", what);
}

static int push(struct machine *m, struct fetch f)
{
	if (m->nr == MAX_STACK)
		return refuse(m, "its location expression is too deep");
	m->stack[m->nr++] = f;
	return 0;
}

static struct fetch *top(struct machine *m)
{
	return m->nr ? &m->stack[m->nr - 1] : NULL;
}

static int push_number(struct machine *m, uint64_t n)
{
	return push(m, (struct fetch){ .base = FETCH_CONST, .number = n });
}

static int push_reg(struct machine *m, uint64_t reg, int64_t off)
{
	if (reg > UINT16_MAX)
		return refuse(m, "it is in a register that is not known");
	return push(m, (struct fetch){ .base = FETCH_REG, .reg = (uint16_t)reg, .add = off });
}

static bool is_number(const struct fetch *f)
{
	return f->base == FETCH_CONST && !f->nr;
}

static uint64_t number_of(const struct fetch *f)
{
	return f->number + (uint64_t)f->add;
}

/* The frame base was worked out before. */
static int push_frame_base(struct machine *m, int64_t off)
{
	struct fetch f = m->frame_base;

	if (!m->has_frame_base)
		return m->frame_err ? m->frame_err : refuse(m, "the function has no frame base");
	f.add += off;
	return push(m, f);
}

static int push_cfa(struct machine *m)
{
	struct fetch f;

	if (!m->at->cfa || !m->at->cfa(m->at->ctx, m->at->vaddr, &f))
		return refuse(m, "the call frame at this address is not known (no call frame information covers it)");
	return push(m, f);
}

static int push_address(struct machine *m, uint64_t vaddr)
{
	return push(m, (struct fetch){ .base = FETCH_DATA, .number = vaddr });
}

static int push_index(struct machine *m, uint64_t index, bool is_constant)
{
	struct dwarf_value v = { .form = DW_FORM_addrx, .u = index };
	uint64_t addr;

	if (!dwarf_unit_address(m->die->tree->unit, &v, &addr))
		return refuse(m, "its address is missing in .debug_addr");
	return is_constant ? push_number(m, addr) : push_address(m, addr);
}

static int deref(struct machine *m, uint64_t size)
{
	struct fetch *f = top(m);

	if (!f || !fetch_deref(f, 0, false))
		return refuse(m, "it is behind too many pointers");
	/* Fewer bytes than an address: the rest is not known to be zero. */
	f->is_narrow = size < m->at->word_bytes;
	return 0;
}

/* The content of a register at the entry of the function is the register, at the entry. */
static int entry_value(struct machine *m, uint64_t size)
{
	const uint8_t *p = bytes_take(&m->b, size);

	if (p && size && m->at->vaddr == m->at->entry && p[0] >= DW_OP_reg0 && p[0] <= DW_OP_reg31)
		return push_reg(m, p[0] - DW_OP_reg0, 0);
	return refuse(
		m,
		"only its value at the entry of the function is known (DW_OP_entry_value), which the kernel cannot fetch here: probe the "
		"entry of the function");
}

static int add_sub(struct machine *m, bool is_minus)
{
	struct fetch *a = m->nr >= 2 ? &m->stack[m->nr - 2] : NULL, *b = top(m);

	if (!a)
		return refuse(m, "its location expression is damaged");
	if (is_number(b)) {
		a->add += is_minus ? -(int64_t)number_of(b) : (int64_t)number_of(b);
	} else if (is_number(a) && !is_minus) {
		b->add += (int64_t)number_of(a);
		*a = *b;
	} else {
		return refuse(
			m, "its address is the sum of two values that only the program knows (a variable index), which the kernel cannot "
			   "compute");
	}
	m->nr--;
	return 0;
}

static int binary(struct machine *m, uint8_t op)
{
	struct fetch *a = m->nr >= 2 ? &m->stack[m->nr - 2] : NULL, *b = top(m);
	uint64_t x, y, r;

	if (op == DW_OP_plus || op == DW_OP_minus)
		return add_sub(m, op == DW_OP_minus);
	if (!a)
		return refuse(m, "its location expression is damaged");
	/* -1 as a mask, and a shift by nothing, change nothing. */
	if (!is_number(a) || !is_number(b)) {
		if (is_number(b) && ((op == DW_OP_and && number_of(b) >= UINT32_MAX) || (op == DW_OP_mul && number_of(b) == 1))) {
			a->is_narrow |= op == DW_OP_and && number_of(b) != UINT64_MAX;
			m->nr--;
			return 0;
		}
		return refuse(m, "its value is computed from others (arithmetic), which the kernel cannot do");
	}
	x = number_of(a);
	y = number_of(b);
	switch (op) {
	case DW_OP_and:
		r = x & y;
		break;
	case DW_OP_or:
		r = x | y;
		break;
	case DW_OP_xor:
		r = x ^ y;
		break;
	case DW_OP_mul:
		r = x * y;
		break;
	case DW_OP_shl:
		r = y < 64 ? x << y : 0;
		break;
	case DW_OP_shr:
		r = y < 64 ? x >> y : 0;
		break;
	case DW_OP_shra:
		r = (uint64_t)((int64_t)x >> (y < 63 ? y : 63));
		break;
	default:
		return refuse(m, "its value is computed from others (arithmetic), which the kernel cannot do");
	}
	m->nr--;
	*a = (struct fetch){ .base = FETCH_CONST, .number = r };
	return 0;
}

static int unary(struct machine *m, uint8_t op)
{
	struct fetch *f = top(m);

	if (!f || !is_number(f))
		return refuse(m, "its value is computed from others (arithmetic), which the kernel cannot do");
	*f = (struct fetch){ .base = FETCH_CONST, .number = op == DW_OP_neg ? -number_of(f) : ~number_of(f) };
	return 0;
}

/* dup, drop, over, pick, swap, rot. */
static int shuffle(struct machine *m, uint8_t op)
{
	uint32_t pick = op == DW_OP_pick ? bytes_u8(&m->b) : op == DW_OP_over ? 1 : 0;
	struct fetch t;

	if (op == DW_OP_drop)
		return m->nr ? (m->nr--, 0) : refuse(m, "its location expression is damaged");
	if (op == DW_OP_swap || op == DW_OP_rot) {
		uint32_t need = op == DW_OP_swap ? 2 : 3;

		if (m->nr < need)
			return refuse(m, "its location expression is damaged");
		t = m->stack[m->nr - 1];
		for (uint32_t i = m->nr - 1; i > m->nr - need; i--)
			m->stack[i] = m->stack[i - 1];
		m->stack[m->nr - need] = t;
		return 0;
	}
	if (pick >= m->nr)
		return refuse(m, "its location expression is damaged");
	return push(m, m->stack[m->nr - 1 - pick]);
}

static int run_constant(struct machine *m, uint8_t op)
{
	switch (op) {
	case DW_OP_const1u:
		return push_number(m, bytes_u8(&m->b));
	case DW_OP_const2u:
		return push_number(m, bytes_u16(&m->b));
	case DW_OP_const4u:
		return push_number(m, bytes_u32(&m->b));
	case DW_OP_const8u:
	case DW_OP_const8s:
		return push_number(m, bytes_u64(&m->b));
	case DW_OP_const1s:
		return push_number(m, (uint64_t)bytes_int(&m->b, 1));
	case DW_OP_const2s:
		return push_number(m, (uint64_t)bytes_int(&m->b, 2));
	case DW_OP_const4s:
		return push_number(m, (uint64_t)bytes_int(&m->b, 4));
	case DW_OP_constu:
		return push_number(m, bytes_uleb(&m->b));
	}
	return push_number(m, (uint64_t)bytes_sleb(&m->b));
}

/* What the kernel has no way to. */
static int run_refused(struct machine *m, uint8_t op)
{
	switch (op) {
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return refuse(m, "it is thread-local (TLS), whose address the kernel cannot compute");
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return refuse(m, "the pointer was optimised out; what it points to is a variable of its own");
	case DW_OP_bra:
	case DW_OP_skip:
	case DW_OP_call2:
	case DW_OP_call4:
	case DW_OP_call_ref:
		return refuse(m, "its location depends on values of the running program (branches)");
	case DW_OP_GNU_parameter_ref:
		return refuse(m, "it is a parameter that the caller left out, which the kernel cannot fetch");
	case DW_OP_GNU_variable_value:
		return refuse(m, "its place depends on the value of another variable, which the kernel cannot compute");
	}
	return errbuf_set(m->eb, -ENOTSUP, "its location expression has an operation (0x%x) that the kernel cannot do", op);
}

static int run_typed(struct machine *m, uint8_t op)
{
	uint64_t reg, size;

	switch (op) {
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		reg = bytes_uleb(&m->b);
		bytes_uleb(&m->b);
		return push_reg(m, reg, 0);
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		size = bytes_u8(&m->b);
		bytes_uleb(&m->b);
		return deref(m, size);
	default: /* convert, reinterpret: the low bits stay */
		bytes_uleb(&m->b);
		if (!top(m))
			return refuse(m, "its location expression is damaged");
		top(m)->is_narrow = true;
		return 0;
	}
}

static int run_one(struct machine *m, uint8_t op)
{
	uint64_t reg;

	if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
		return push_number(m, op - DW_OP_lit0);
	if ((op >= DW_OP_reg0 && op <= DW_OP_reg31) || op == DW_OP_regx) {
		m->is_register = true;
		return push_reg(m, op == DW_OP_regx ? bytes_uleb(&m->b) : (uint64_t)(op - DW_OP_reg0), 0);
	}
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
		return push_reg(m, op - DW_OP_breg0, bytes_sleb(&m->b));
	if (op >= DW_OP_const1u && op <= DW_OP_consts)
		return run_constant(m, op);
	switch (op) {
	case DW_OP_addr:
		return push_address(m, bytes_uint(&m->b, m->die->tree->unit->head.enc.addr_size));
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return push_index(m, bytes_uleb(&m->b), false);
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		return push_index(m, bytes_uleb(&m->b), true);
	case DW_OP_bregx:
		reg = bytes_uleb(&m->b);
		return push_reg(m, reg, bytes_sleb(&m->b));
	case DW_OP_fbreg:
		return push_frame_base(m, bytes_sleb(&m->b));
	case DW_OP_call_frame_cfa:
		return push_cfa(m);
	case DW_OP_deref:
		return deref(m, m->at->word_bytes);
	case DW_OP_deref_size:
		return deref(m, bytes_u8(&m->b));
	case DW_OP_plus_uconst:
		if (!top(m))
			return refuse(m, "its location expression is damaged");
		top(m)->add += (int64_t)bytes_uleb(&m->b);
		return 0;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return entry_value(m, bytes_uleb(&m->b));
	case DW_OP_stack_value:
		m->is_value = true;
		return 0;
	case DW_OP_neg:
	case DW_OP_not:
		return unary(m, op);
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_over:
	case DW_OP_pick:
	case DW_OP_swap:
	case DW_OP_rot:
		return shuffle(m, op);
	case DW_OP_nop:
	case DW_OP_GNU_uninit:
		return 0;
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		return run_typed(m, op);
	}
	if (op >= DW_OP_abs && op <= DW_OP_xor)
		return binary(m, op);
	return run_refused(m, op);
}

static int run(struct machine *m)
{
	int err = 0;

	while (!err && bytes_left(&m->b) && !m->b.failed && *m->b.pos != DW_OP_piece && *m->b.pos != DW_OP_bit_piece &&
	       *m->b.pos != DW_OP_implicit_value)
		err = run_one(m, bytes_u8(&m->b));
	if (!err && m->b.failed)
		err = refuse(m, "its location expression is damaged");
	return err;
}

/* The bytes of the value themselves. */
static int implicit_value(struct machine *m)
{
	uint64_t size;
	struct bytes v;
	const uint8_t *p;

	bytes_u8(&m->b);
	size = bytes_uleb(&m->b);
	p = bytes_take(&m->b, size);
	if (!p || !size || size > 8 || (size & (size - 1)))
		return refuse(m, "it is a constant that is no number");
	v = bytes_of(p, size, m->b.swap);
	m->is_value = true;
	return push_number(m, (uint64_t)bytes_int(&v, (unsigned int)size));
}

/* Ends a piece: what is on top of the stack describes it; nothing there: it is lost. */
static int add_piece(struct machine *m, struct location *loc, uint64_t start, uint64_t size)
{
	struct location_piece *p;

	if (loc->nr == LOCATION_MAX_PIECES)
		return refuse(m, "it is in too many places");
	p = &loc->pieces[loc->nr++];
	*p = (struct location_piece){ .start = start, .size_bytes = size, .is_lost = !m->nr, .is_value = m->is_value || m->is_register };
	if (m->nr)
		p->f = m->stack[m->nr - 1];
	m->nr = 0;
	m->is_value = m->is_register = false;
	return 0;
}

/* DW_AT_frame_base of the function: an expression, or a register whose content it is. */
static void find_frame_base(struct machine *m)
{
	struct machine inner = { .at = m->at, .eb = m->eb };
	struct dwarf_die from;
	struct dwarf_value v;

	if (!m->at->function || !dwarf_die_find(m->at->function, DW_AT_frame_base, &v, &from))
		return;
	if (!v.bytes) {
		m->frame_err = refuse(m, "the frame base is a list of locations");
		return;
	}
	inner.die = &from;
	inner.b = bytes_of(v.bytes, v.u, m->b.swap);
	m->frame_err = run(&inner);
	m->has_frame_base = !m->frame_err && inner.nr;
	if (m->has_frame_base && inner.is_register && m->at->vaddr >= m->at->entry && m->at->body &&
	    m->at->vaddr < m->at->body(m->at->ctx)) {
		m->has_frame_base = false;
		m->frame_err = refuse(m, "it is in the stack frame, which the prologue of the function has not set up here");
	}
	if (m->has_frame_base)
		m->frame_base = inner.stack[inner.nr - 1];
}

int dwarf_expr_run(const struct dwarf_die *die, const uint8_t *bytes, size_t size, const struct location_at *at, struct location *loc,
		   struct errbuf *eb)
{
	struct machine m = { .die = die, .at = at, .eb = eb };
	uint64_t start = 0;
	int err = 0;

	*loc = (struct location){ 0 };
	if (size > MAX_EXPR_BYTES || !dwarf_work_take(die->tree->unit->file->work, size))
		return refuse(&m, "its location expression is too large");
	m.b = bytes_of(bytes, size, die->tree->unit->file->swap);
	/* It may stand anywhere among the operands, too: then it is worked out for nothing. */
	if (memchr(bytes, DW_OP_fbreg, size))
		find_frame_base(&m);
	while (!err && bytes_left(&m.b)) {
		err = run(&m);
		if (!err && bytes_left(&m.b) && *m.b.pos == DW_OP_implicit_value)
			err = implicit_value(&m);
		if (err || !bytes_left(&m.b) || *m.b.pos == DW_OP_implicit_value)
			break;
		if (*m.b.pos == DW_OP_bit_piece)
			return refuse(&m, "its bits are in several places");
		bytes_u8(&m.b);
		size = bytes_uleb(&m.b);
		err = add_piece(&m, loc, start, size);
		start += size;
	}
	if (!err && m.nr)
		err = add_piece(&m, loc, start, UINT64_MAX - start);
	return err;
}

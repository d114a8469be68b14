/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Running the instructions of call frame information. Registers beyond those that unwinding follows are parsed and forgotten. An
 * instruction costs constant time; the address only moves up.
 */
#include "symbols/unwind_build.h"

#include <dwarf.h>
#include <errno.h>

#include "base/bytes.h"

/* Newer than some headers. */
#define CFA_MIPS_ADVANCE_LOC8 0x1d
#define CFA_AARCH64_NEGATE_RA_STATE_WITH_PC 0x2c
#define CFA_NEGATE_RA_STATE 0x2d /* on other machines: GNU_window_save */

static bool fits(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX;
}

static bool factored(int64_t factor, int64_t n, int32_t *value)
{
	int64_t v;

	if (__builtin_mul_overflow(factor, n, &v) || !fits(v))
		return false;
	*value = (int32_t)v;
	return true;
}

static bool set_reg(struct cfi_program *p, uint64_t reg, uint8_t how, int32_t value)
{
	if (reg < p->arch->nr_regs) {
		p->state.regs[reg] = (struct cfi_reg){ how, value };
		p->state.set |= UINT64_C(1) << reg;
	}
	return true;
}

/* A rule whose value is a count of the CIE's data alignment. */
static bool set_factored(struct cfi_program *p, uint64_t reg, uint8_t how, int64_t n)
{
	int32_t value;

	return factored(p->cie->data_align, n, &value) ? set_reg(p, reg, how, value) : false;
}

static bool restore_reg(struct cfi_program *p, uint64_t reg)
{
	/* There is nothing to go back to inside a CIE. */
	if (p->is_initial)
		return false;
	if (reg < p->arch->nr_regs) {
		uint64_t bit = UINT64_C(1) << reg;

		p->state.set = (p->state.set & ~bit) | (p->cie->state.set & bit);
		p->state.regs[reg] = p->cie->state.regs[reg];
	}
	return true;
}

static int32_t take_expr(struct cfi_program *p, struct bytes *b)
{
	uint64_t size = bytes_uleb(b);
	const uint8_t *expr;

	if (!bytes_has(b, size, 1) || size > UINT16_MAX)
		return -1;
	expr = bytes_take(b, size);
	p->has_exprs = true;
	return p->sink ? p->sink->intern_expr(p->sink->ctx, expr, size) : 0;
}

static bool advance_to(struct cfi_program *p, uint64_t loc)
{
	if (p->is_initial)
		return true;
	if (loc < p->loc)
		return false;
	if (loc > p->loc && p->loc < p->end)
		p->sink->row(p->sink->ctx, p->loc, &p->state, p->cie->ra, p->cie->is_signal);
	p->loc = loc;
	return true;
}

static bool advance(struct cfi_program *p, uint64_t n)
{
	uint64_t by, loc;

	if (__builtin_mul_overflow(n, p->cie->code_align, &by) || __builtin_add_overflow(p->loc, by, &loc))
		return false;
	return advance_to(p, loc);
}

static bool def_cfa(struct cfi_program *p, uint64_t reg, int64_t off)
{
	if (!fits(off))
		return false;
	p->state.cfa = reg < p->arch->nr_regs ? CFI_CFA_REG : CFI_CFA_NONE;
	p->state.cfa_reg = (uint8_t)reg;
	p->state.cfa_value = (int32_t)off;
	return true;
}

/* Changes one half of a CFA; there must be the other one. */
static bool change_cfa(struct cfi_program *p, uint64_t reg, int64_t off)
{
	return p->state.cfa != CFI_CFA_EXPR && def_cfa(p, reg, off);
}

static bool def_cfa_expr(struct cfi_program *p, struct bytes *b)
{
	p->state.cfa_value = take_expr(p, b);
	p->state.cfa = CFI_CFA_EXPR;
	return p->state.cfa_value >= 0;
}

static bool set_loc(struct cfi_program *p, struct bytes *b)
{
	uint64_t loc;

	return cfi_pointer(p->section, b, p->cie->fde_encoding, p->cie->address_size, &loc) && !b->failed && advance_to(p, loc);
}

static bool set_expr(struct cfi_program *p, uint64_t reg, uint8_t how, struct bytes *b)
{
	int32_t expr = take_expr(p, b);

	return expr >= 0 && set_reg(p, reg, how, expr);
}

static bool set_register(struct cfi_program *p, uint64_t reg, uint64_t in)
{
	return in < p->arch->nr_regs ? set_reg(p, reg, HOW_REGISTER, (int32_t)in) : set_reg(p, reg, HOW_UNDEFINED, 0);
}

static bool remember_state(struct cfi_program *p)
{
	if (p->nr_remembered == CFI_MAX_REMEMBERED)
		return false;
	p->remembered[p->nr_remembered++] = p->state;
	return true;
}

static bool restore_state(struct cfi_program *p)
{
	if (!p->nr_remembered)
		return false;
	p->state = p->remembered[--p->nr_remembered];
	return true;
}

#define OP(op) (UINT64_C(1) << (op))
/* Instructions whose first operand is a register. */
#define OPS_OF_REGISTERS                                                                                                                   \
	(OP(DW_CFA_def_cfa) | OP(DW_CFA_def_cfa_sf) | OP(DW_CFA_def_cfa_register) | OP(DW_CFA_offset_extended) |                           \
	 OP(DW_CFA_offset_extended_sf) | OP(DW_CFA_GNU_negative_offset_extended) | OP(DW_CFA_val_offset) | OP(DW_CFA_val_offset_sf) |      \
	 OP(DW_CFA_restore_extended) | OP(DW_CFA_undefined) | OP(DW_CFA_same_value) | OP(DW_CFA_register) | OP(DW_CFA_expression) |        \
	 OP(DW_CFA_val_expression))

/* Those with an opcode of six bits. */
static bool run_extended(struct cfi_program *p, uint8_t op, struct bytes *b)
{
	uint64_t reg = OP(op) & OPS_OF_REGISTERS ? bytes_uleb(b) : 0;
	int32_t off;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		return set_loc(p, b);
	case DW_CFA_advance_loc1:
		return advance(p, bytes_u8(b));
	case DW_CFA_advance_loc2:
		return advance(p, bytes_u16(b));
	case DW_CFA_advance_loc4:
		return advance(p, bytes_u32(b));
	case CFA_MIPS_ADVANCE_LOC8:
		return advance(p, bytes_u64(b));
	case DW_CFA_def_cfa:
		return def_cfa(p, reg, (int64_t)bytes_uleb(b));
	case DW_CFA_def_cfa_sf:
		return factored(p->cie->data_align, bytes_sleb(b), &off) && def_cfa(p, reg, off);
	case DW_CFA_def_cfa_register:
		return change_cfa(p, reg, p->state.cfa_value);
	case DW_CFA_def_cfa_offset:
		return change_cfa(p, p->state.cfa_reg, (int64_t)bytes_uleb(b));
	case DW_CFA_def_cfa_offset_sf:
		return factored(p->cie->data_align, bytes_sleb(b), &off) && change_cfa(p, p->state.cfa_reg, off);
	case DW_CFA_def_cfa_expression:
		return def_cfa_expr(p, b);
	case DW_CFA_offset_extended:
		return set_factored(p, reg, HOW_OFFSET, (int64_t)bytes_uleb(b));
	case DW_CFA_offset_extended_sf:
		return set_factored(p, reg, HOW_OFFSET, bytes_sleb(b));
	case DW_CFA_GNU_negative_offset_extended:
		return set_factored(p, reg, HOW_OFFSET, (int64_t)-bytes_uleb(b));
	case DW_CFA_val_offset:
		return set_factored(p, reg, HOW_VAL_OFFSET, (int64_t)bytes_uleb(b));
	case DW_CFA_val_offset_sf:
		return set_factored(p, reg, HOW_VAL_OFFSET, bytes_sleb(b));
	case DW_CFA_restore_extended:
		return restore_reg(p, reg);
	case DW_CFA_undefined:
		return set_reg(p, reg, HOW_UNDEFINED, 0);
	case DW_CFA_same_value:
		return set_reg(p, reg, HOW_SAME, 0);
	case DW_CFA_register:
		return set_register(p, reg, bytes_uleb(b));
	case DW_CFA_expression:
		return set_expr(p, reg, HOW_EXPR, b);
	case DW_CFA_val_expression:
		return set_expr(p, reg, HOW_VAL_EXPR, b);
	case DW_CFA_remember_state:
		return remember_state(p);
	case DW_CFA_restore_state:
		return restore_state(p);
	case DW_CFA_GNU_args_size:
		bytes_uleb(b);
		return true;
	/* Whether return addresses are signed; the bits of a signature are masked out wherever they are. */
	case CFA_NEGATE_RA_STATE:
	case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
		return p->arch->pc_mask != 0;
	}
	return false;
}

static bool run_one(struct cfi_program *p, struct bytes *b)
{
	uint8_t op = bytes_u8(b), low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(p, low);
	case DW_CFA_offset:
		return set_factored(p, low, HOW_OFFSET, (int64_t)bytes_uleb(b));
	case DW_CFA_restore:
		return restore_reg(p, low);
	}
	return run_extended(p, op, b);
}

int cfi_program_run(struct cfi_program *p, struct bytes code)
{
	while (code.pos < code.end) {
		if (!run_one(p, &code) || code.failed) {
			if (!p->is_initial && p->loc < p->end)
				p->sink->row(p->sink->ctx, p->loc, NULL, p->cie->ra, false);
			return -EBADMSG;
		}
		/* Rows behind the end of the function are not used. */
		if (!p->is_initial && p->loc >= p->end)
			return 0;
	}
	if (!p->is_initial && p->loc < p->end)
		p->sink->row(p->sink->ctx, p->loc, &p->state, p->cie->ra, p->cie->is_signal);
	return 0;
}

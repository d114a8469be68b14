/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Do two tables of the same sections say the same of an address? For one that is compiled as a whole and one that is compiled in pieces.
 */
#ifndef ASSAY_TESTS_UNWIND_SAME_H
#define ASSAY_TESTS_UNWIND_SAME_H

#include <string.h>

#include "symbols/unwind_rule.h"
#include "symbols/unwind_table.h"

static inline bool unwind_same_expr(const struct unwind_table *a, int32_t x, const struct unwind_table *b, int32_t y)
{
	size_t size = (size_t)(a->exprs[x] | a->exprs[x + 1] << 8);

	return !memcmp(a->exprs + x, b->exprs + y, size + 2);
}

static inline bool unwind_same_rule(const struct unwind_table *a, const struct unwind_rule *r, const struct unwind_table *b,
				    const struct unwind_rule *s)
{
	if (r->flags != s->flags || r->ra != s->ra || r->nr_regs != s->nr_regs || r->cfa_reg != s->cfa_reg)
		return false;
	if (r->flags & RULE_CFA_EXPR ? !unwind_same_expr(a, r->cfa_value, b, s->cfa_value) : r->cfa_value != s->cfa_value)
		return false;
	for (uint32_t i = 0; i < r->nr_regs; i++) {
		const struct unwind_reg_rule *x = &r->regs[i], *y = &s->regs[i];
		bool is_expr = x->how == HOW_EXPR || x->how == HOW_VAL_EXPR;

		if (x->reg != y->reg || x->how != y->how || (is_expr ? !unwind_same_expr(a, x->value, b, y->value) : x->value != y->value))
			return false;
	}
	return true;
}

static inline bool unwind_same_at(const struct unwind_table *whole, const struct unwind_table *pieces, uint64_t file_off)
{
	uint32_t r = unwind_table_find(whole, file_off), s = unwind_table_resolve(&pieces, file_off);

	if (r == UNWIND_GAP || s == UNWIND_GAP)
		return r == s;
	return unwind_same_rule(whole, unwind_table_rule(whole, r), pieces, unwind_table_rule(pieces, s));
}

/* At and around each row of the whole. */
static inline bool unwind_same(const struct unwind_table *whole, const struct unwind_table *pieces)
{
	for (uint32_t i = 0; i < whole->head->nr_rows; i++) {
		uint64_t at = whole->head->base + whole->rows[i].addr;

		if (!unwind_same_at(whole, pieces, at) || !unwind_same_at(whole, pieces, at - 1) || !unwind_same_at(whole, pieces, at + 1))
			return false;
	}
	return true;
}

#endif

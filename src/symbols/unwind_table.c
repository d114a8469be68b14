/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct unwind_table over flat bytes: the check that makes any bytes safe to look up and to step by, and the small questions. The bytes
 * come from unwind_build.c or from the symbol index on disk, which anybody may have written.
 */
#include "symbols/unwind_table.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_rule.h"

bool unwind_table_set_parts(struct unwind_table *t, const void *bytes, size_t size)
{
	const struct unwind_head *h = bytes;
	uint64_t need;

	if (size < sizeof(*h) || (uintptr_t)bytes % 8 || h->magic != UNWIND_TABLE_MAGIC || h->size_bytes != size || h->zero)
		return false;
	/* None of the products overflows: 32-bit counts of at most 8 bytes. */
	need = sizeof(*h) + (uint64_t)h->nr_rows * sizeof(struct unwind_row) + (uint64_t)h->nr_rule_units * 8 +
	       (uint64_t)h->nr_blocks * sizeof(uint32_t) + h->expr_bytes;
	if (need != size)
		return false;
	t->head = h;
	t->rows = (const struct unwind_row *)(h + 1);
	t->rules = (const uint64_t *)(t->rows + h->nr_rows);
	t->blocks = (const uint32_t *)(t->rules + h->nr_rule_units);
	t->exprs = (const uint8_t *)(t->blocks + h->nr_blocks);
	return true;
}

static bool expr_is_inside(const struct unwind_table *t, int32_t off)
{
	uint32_t at = (uint32_t)off, bytes = t->head->expr_bytes;

	if (off < 0 || bytes < 2 || at > bytes - 2)
		return false;
	return (uint32_t)(t->exprs[at] | t->exprs[at + 1] << 8) <= bytes - 2 - at;
}

static bool rule_is_sound(const struct unwind_table *t, const struct unwind_rule *r)
{
	if (r->flags & RULE_CFA_EXPR ? !expr_is_inside(t, r->cfa_value) : r->cfa_reg >= ARCH_MAX_REGS)
		return false;
	if (r->ra >= ARCH_MAX_REGS)
		return false;
	for (uint32_t i = 0; i < r->nr_regs; i++) {
		const struct unwind_reg_rule *reg = &r->regs[i];

		/* Ascending: no register twice, so that there are never more than ARCH_MAX_REGS. */
		if (reg->reg >= ARCH_MAX_REGS || reg->how >= NR_HOWS || (i && reg->reg <= r->regs[i - 1].reg))
			return false;
		if ((reg->how == HOW_EXPR || reg->how == HOW_VAL_EXPR) && !expr_is_inside(t, reg->value))
			return false;
		if (reg->how == HOW_REGISTER && (reg->value < 0 || reg->value >= ARCH_MAX_REGS))
			return false;
	}
	return true;
}

/* Rules lie one behind the other from unit 1 on; `is_start` gets a mark for each. */
static bool rules_are_sound(const struct unwind_table *t, uint8_t *is_start)
{
	uint32_t nr = t->head->nr_rule_units;

	for (uint32_t at = 1; at < nr;) {
		const struct unwind_rule *r = unwind_table_rule(t, at);

		if (r->nr_regs > nr - at - 1 || !rule_is_sound(t, r))
			return false;
		is_start[at] = 1;
		at += 1U + r->nr_regs;
	}
	return true;
}

static bool rows_are_sound(const struct unwind_table *t, const uint8_t *is_start)
{
	const struct unwind_head *h = t->head;

	for (uint32_t i = 0; i < h->nr_rows; i++) {
		const struct unwind_row *r = &t->rows[i];

		if (i && r->addr <= r[-1].addr)
			return false;
		if (r->rule != UNWIND_GAP && (r->rule >= h->nr_rule_units || !is_start[r->rule]))
			return false;
	}
	return !h->nr_rows || t->rows[h->nr_rows - 1].rule == UNWIND_GAP;
}

static bool blocks_are_sound(const struct unwind_table *t)
{
	const struct unwind_head *h = t->head;
	uint32_t row = 0;

	if (!h->nr_rows)
		return h->nr_blocks == 0;
	if (h->block_shift > 31 || h->nr_blocks != (t->rows[h->nr_rows - 1].addr >> h->block_shift) + UINT64_C(2))
		return false;
	for (uint32_t i = 0; i < h->nr_blocks; i++) {
		row = unwind_table_block_start(t->rows, h->nr_rows, h->block_shift, i, row);
		if (t->blocks[i] != row)
			return false;
	}
	return true;
}

int unwind_table_view(struct unwind_table **table, const void *bytes, size_t size)
{
	struct unwind_table t = { 0 };
	uint8_t *is_start;
	bool sound;

	*table = NULL;
	if (!unwind_table_set_parts(&t, bytes, size))
		return -EBADMSG;
	is_start = mem_zalloc((size_t)t.head->nr_rule_units + 1);
	sound = rules_are_sound(&t, is_start) && rows_are_sound(&t, is_start) && blocks_are_sound(&t);
	free(is_start);
	if (!sound)
		return -EBADMSG;
	*table = mem_alloc(sizeof(t));
	**table = t;
	return 0;
}

const void *unwind_table_bytes(const struct unwind_table *t, size_t *size)
{
	*size = t->lazy ? 0 : t->head->size_bytes;
	return t->lazy ? NULL : t->head;
}

void unwind_table_free(struct unwind_table *t)
{
	if (t && !t->part.is_borrowed) {
		symbol_index_close(t->part.index);
		unwind_lazy_free(t->lazy);
		free(t->owned);
	}
	free(t);
}

uint32_t unwind_table_nr_rows(const struct unwind_table *t)
{
	return t->lazy ? unwind_lazy_nr_functions(t->lazy) : t->head->nr_rows;
}

uint32_t unwind_table_nr_damaged(const struct unwind_table *t)
{
	return t->head->nr_damaged;
}

enum unwind_cover unwind_table_cover(const struct unwind_table *t, uint64_t addr)
{
	uint32_t rule = unwind_table_resolve(&t, addr);

	if (rule == UNWIND_GAP)
		return UNWIND_UNCOVERED;
	return unwind_table_rule(t, rule)->flags & RULE_OUTERMOST ? UNWIND_OUTERMOST : UNWIND_COVERED;
}

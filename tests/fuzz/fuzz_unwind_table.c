/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/unwind_table: any bytes as a table from the index. What passes the check is walked with hostile registers and memory, and
 * lookups must find what a search through all rows finds. The input: a table, its own size in the head, behind it the stack. Magic and
 * size are put right first, so that mutations get further.
 */
#include <stdint.h>

#include "unwind_hostile.h"

static uint32_t find_slowly(const struct unwind_table *t, uint64_t addr)
{
	uint32_t rule = UNWIND_GAP;

	for (uint32_t i = 0; i < t->head->nr_rows && t->head->base + t->rows[i].addr <= addr; i++)
		rule = t->rows[i].rule;
	return rule;
}

static void check_lookups(const struct unwind_table *t)
{
	uint32_t step = t->head->nr_rows / 64 + 1;

	/* An address that wraps around is of no file. */
	if (t->head->base > UINT64_MAX / 2)
		return;
	for (uint32_t i = 0; i < t->head->nr_rows; i += step) {
		uint64_t addr = t->head->base + t->rows[i].addr;

		if (unwind_table_find(t, addr) != find_slowly(t, addr) || unwind_table_find(t, addr + 1) != find_slowly(t, addr + 1))
			abort();
		unwind_table_cover(t, addr);
	}
	unwind_table_cover(t, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_head h;
	struct unwind_table *t;
	uint64_t need;
	uint8_t *copy, *stack;

	if (size < sizeof(h))
		return 0;
	memcpy(&h, data, sizeof(h));
	h.magic = UNWIND_TABLE_MAGIC;
	need = sizeof(h) + h.nr_rows * UINT64_C(8) + h.nr_rule_units * UINT64_C(8) + h.nr_blocks * UINT64_C(4) + h.expr_bytes;
	if (need > size)
		need = size;
	h.size_bytes = need;
	copy = malloc(need);
	memcpy(copy, data, need);
	memcpy(copy, &h, sizeof(h));
	stack = malloc(size - need + 1);
	memcpy(stack, data + need, size - need);
	if (unwind_table_view(&t, copy, need) == 0) {
		check_lookups(t);
		hostile_walks(t, stack, size - need);
		unwind_table_free(t);
	}
	free(copy);
	free(stack);
	return 0;
}

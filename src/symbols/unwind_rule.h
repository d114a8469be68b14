/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The flat bytes of an unwind table, and how an address is looked up in them: what unwind_table.c checks, unwind_build.c writes and
 * unwind.c steps by. Private to src/symbols.
 *
 *	head │ rows, 8 bytes each │ rules, in units of 8 bytes │ blocks, u32 each │ expressions
 *
 * A row holds from its address to the next one's. The last row is a gap. Rules are shared between rows. The blocks say for each 2^shift
 * bytes of addresses where their rows begin, so that a lookup compares a handful of rows.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_RULE_H
#define ASSAY_SYMBOLS_UNWIND_RULE_H

#include "symbols/symbol_index.h"
#include "symbols/unwind_table.h"

#define UNWIND_TABLE_MAGIC UINT64_C(0x34646e7779617373) /* "ssaywnd4" in our byte order: one of the other does not fit */

struct unwind_head {
	uint64_t magic;
	uint64_t size_bytes; /* all */
	uint64_t base;	     /* file offset that addresses of rows count from */
	uint32_t nr_rows;
	uint32_t nr_rule_units;
	uint32_t nr_blocks; /* 0: no rows; otherwise one more than there are blocks, the last is nr_rows */
	uint32_t expr_bytes;
	uint32_t nr_damaged;
	uint16_t machine;
	uint8_t block_shift;
	uint8_t zero;
};

#define UNWIND_GAP 0 /* the rule of a row that covers nothing; unit 0 is never a rule */

struct unwind_row {
	uint32_t addr; /* from head.base */
	uint32_t rule; /* its first unit, or UNWIND_GAP */
};

enum unwind_how {
	HOW_OFFSET,	/* saved at CFA + value */
	HOW_VAL_OFFSET, /* is CFA + value */
	HOW_REGISTER,	/* is in register `value` */
	HOW_EXPR,	/* saved where the expression at `value` says */
	HOW_VAL_EXPR,	/* is what it says */
	HOW_UNDEFINED,
	HOW_SAME,
	NR_HOWS,
};

/* A register without a rule keeps its value if it is callee-saved, and is lost otherwise. */
struct unwind_reg_rule {
	uint8_t reg;
	uint8_t how;
	uint16_t zero;
	int32_t value;
};

enum unwind_rule_flag {
	RULE_SIGNAL = 1,    /* a trampoline that the kernel returns a signal handler to */
	RULE_OUTERMOST = 2, /* has no caller; the rest of the rule means nothing */
	RULE_CFA_EXPR = 4,  /* cfa_value is the place of an expression */
	RULE_SWITCH = 8,    /* the caller's frame may be on another stack */
};

struct unwind_rule {
	int32_t cfa_value; /* the CFA is cfa_reg + this */
	uint8_t cfa_reg;
	uint8_t flags;
	uint8_t ra; /* the register whose rule gives the return address */
	uint8_t nr_regs;
	struct unwind_reg_rule regs[]; /* by register, ascending */
};

struct unwind_lazy;
const struct unwind_table *unwind_lazy_find(struct unwind_lazy *l, uint64_t file_off);

struct unwind_table {
	struct module_part part;
	const struct unwind_head *head;
	const struct unwind_row *rows;
	const uint64_t *rules;
	const uint32_t *blocks;
	const uint8_t *exprs;	  /* each: u16 size, bytes */
	void *owned;		  /* the bytes, where they are ours */
	struct unwind_lazy *lazy; /* or NULL: functions that are compiled on demand; this has the rest */
};

_Static_assert(sizeof(struct unwind_head) == 48, "written to disk");
_Static_assert(sizeof(struct unwind_row) == 8 && sizeof(struct unwind_reg_rule) == 8 && sizeof(struct unwind_rule) == 8, "written to disk");

/* Sets what points into the flat bytes; false where the parts do not fill them exactly. */
bool unwind_table_set_parts(struct unwind_table *t, const void *bytes, size_t size);
/* The first of the sorted rows, from `row` on, that is in a block or behind it. */
static inline uint32_t unwind_table_block_start(const struct unwind_row *rows, uint32_t nr, uint8_t shift, uint32_t block, uint32_t row)
{
	while (row < nr && rows[row].addr >> shift < block)
		row++;
	return row;
}

static inline const struct unwind_rule *unwind_table_rule(const struct unwind_table *t, uint32_t unit)
{
	return (const struct unwind_rule *)(t->rules + unit);
}

/* The rule's first unit, or UNWIND_GAP; in what is compiled. */
static inline uint32_t unwind_table_find(const struct unwind_table *t, uint64_t file_off)
{
	const struct unwind_head *h = t->head;
	uint64_t rel = file_off - h->base;
	uint32_t block, lo, nr;

	if (file_off < h->base || rel > UINT32_MAX || !h->nr_rows)
		return UNWIND_GAP;
	block = (uint32_t)rel >> h->block_shift;
	if (block >= h->nr_blocks - 1) /* above the last row, which is a gap */
		return UNWIND_GAP;
	lo = t->blocks[block];
	nr = t->blocks[block + 1] - lo;
	/* How many of the block's rows begin at or below it. */
	while (nr) {
		uint32_t half = nr / 2;

		if (t->rows[lo + half].addr <= rel) {
			lo += half + 1;
			nr -= half + 1;
		} else {
			nr = half;
		}
	}
	return lo ? t->rows[lo - 1].rule : UNWIND_GAP;
}

/* The rule's first unit, or UNWIND_GAP. `*t` becomes the table that has it. */
static inline uint32_t unwind_table_resolve(const struct unwind_table **t, uint64_t file_off)
{
	const struct unwind_table *piece = (*t)->lazy ? unwind_lazy_find((*t)->lazy, file_off) : NULL;
	uint32_t rule = piece ? unwind_table_find(piece, file_off) : UNWIND_GAP;

	if (rule == UNWIND_GAP)
		return unwind_table_find(*t, file_off);
	*t = piece;
	return rule;
}

#endif

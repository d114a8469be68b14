/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The rules and expressions of a table that is being built: each once. Used by unwind_build.c.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_RULES_H
#define ASSAY_SYMBOLS_UNWIND_RULES_H

#include "base/hash.h"
#include "base/vec.h"
#include "symbols/cfi.h"

struct unwind_rules {
	VEC(uint64_t) units; /* unit 0 is no rule */
	VEC(uint8_t) exprs;
	struct hindex rule_index, expr_index;
	size_t max_bytes; /* hostile input makes large rules of few bytes: of both together */
};

void unwind_rules_init(struct unwind_rules *r, size_t max_bytes);
void unwind_rules_fini(struct unwind_rules *r);

/* The rule's first unit; UNWIND_GAP where it cannot be followed (no CFA) or there is no room. */
uint32_t unwind_rules_intern(struct unwind_rules *r, const struct cfi_state *state, uint8_t ra, bool is_signal);
/* The place of an expression, or -1 where there is no room. */
int32_t unwind_rules_intern_expr(struct unwind_rules *r, const uint8_t *bytes, size_t size);

#endif

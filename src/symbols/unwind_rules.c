/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Interning rules and expressions: a file of 25,000 rows has some hundred different ones.
 */
#include "symbols/unwind_build.h"

#include <string.h>

#include "symbols/unwind_rule.h"

void unwind_rules_init(struct unwind_rules *r, size_t max_bytes)
{
	*r = (struct unwind_rules){ .max_bytes = max_bytes };
	vec_push(&r->units, UINT64_C(0));
}

void unwind_rules_fini(struct unwind_rules *r)
{
	vec_fini(&r->units);
	vec_fini(&r->exprs);
	hindex_fini(&r->rule_index);
	hindex_fini(&r->expr_index);
}

static bool has_room(const struct unwind_rules *r, size_t size)
{
	size_t used = (size_t)r->units.nr * 8 + r->exprs.nr;

	return used <= r->max_bytes && size <= r->max_bytes - used && r->exprs.nr <= INT32_MAX - size;
}

/* In the units of a rule; `units` has room for one with all registers. */
static uint32_t pack_rule(const struct cfi_state *s, uint8_t ra, bool is_signal, uint64_t *units)
{
	struct unwind_rule head = { .cfa_value = s->cfa_value, .cfa_reg = s->cfa_reg, .ra = ra };
	uint32_t nr = 0;

	if ((s->set >> ra & 1) && s->regs[ra].how == HOW_UNDEFINED) {
		head = (struct unwind_rule){ .flags = RULE_OUTERMOST };
		memcpy(units, &head, sizeof(head));
		return 1;
	}
	if (s->cfa == CFI_CFA_NONE)
		return 0;
	if (s->cfa == CFI_CFA_EXPR) {
		head.flags |= RULE_CFA_EXPR;
		head.cfa_reg = 0;
	}
	if (is_signal)
		head.flags |= RULE_SIGNAL;
	if (s->is_switch)
		head.flags |= RULE_SWITCH;
	for (uint64_t left = s->set; left; left &= left - 1) {
		uint8_t reg = (uint8_t)__builtin_ctzll(left);
		struct unwind_reg_rule rule = { .reg = reg, .how = s->regs[reg].how, .value = s->regs[reg].value };

		memcpy(&units[1 + nr++], &rule, sizeof(rule));
	}
	head.nr_regs = (uint8_t)nr;
	memcpy(units, &head, sizeof(head));
	return 1 + nr;
}

uint32_t unwind_rules_intern(struct unwind_rules *r, const struct cfi_state *state, uint8_t ra, bool is_signal)
{
	uint64_t units[1 + ARCH_MAX_REGS], hash;
	uint32_t nr = pack_rule(state, ra, is_signal, units), at;

	if (!nr)
		return UNWIND_GAP;
	hash = hash_bytes(units, (size_t)nr * 8, 0);
	/* The count of registers is in the first unit, so that a rule is never equal to the beginning of another. */
	at = HINDEX_FIND(&r->rule_index, hash, id, r->units.nr - id >= nr && memcmp(&r->units.v[id], units, (size_t)nr * 8) == 0);
	if (at != HINDEX_NONE)
		return at;
	if (!has_room(r, (size_t)nr * 8))
		return UNWIND_GAP;
	at = r->units.nr;
	for (uint32_t i = 0; i < nr; i++)
		vec_push(&r->units, units[i]);
	hindex_add(&r->rule_index, hash, at);
	return at;
}

int32_t unwind_rules_intern_expr(struct unwind_rules *r, const uint8_t *bytes, size_t size)
{
	uint64_t hash = hash_bytes(bytes, size, 0);
	const uint8_t *v = r->exprs.v;
	uint32_t at =
		HINDEX_FIND(&r->expr_index, hash, id, (size_t)(v[id] | v[id + 1] << 8) == size && memcmp(v + id + 2, bytes, size) == 0);

	if (at != HINDEX_NONE)
		return (int32_t)at;
	if (size > UINT16_MAX || !has_room(r, size + 2))
		return -1;
	at = r->exprs.nr;
	vec_reserve(&r->exprs, (uint64_t)at + 2 + size);
	r->exprs.v[at] = (uint8_t)size;
	r->exprs.v[at + 1] = (uint8_t)(size >> 8);
	memcpy(&r->exprs.v[at + 2], bytes, size);
	r->exprs.nr = at + 2 + (uint32_t)size;
	hindex_add(&r->expr_index, hash, at);
	return (int32_t)at;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The shape is checked first, because it is cheap and rare; then the code, once per cycle.
 */
#include "session/unwinder.h"

#include <stdlib.h>
#include <string.h>

#include "abi/sample.h"
#include "arch/arch.h"
#include "base/mem.h"

#define MAX_CALL_BYTES 8u
#define MAX_FUNCTION_BYTES (64u << 10)

void chain_cycles_fini(struct chain_cycles *c)
{
	vec_fini(&c->known);
}

uint32_t chain_cycle_period(const uint64_t *ips, uint64_t nr, uint64_t *start)
{
	for (uint32_t period = 1; period <= CYCLE_MAX_PERIOD; period++) {
		uint64_t first = nr;

		while (first > period && ips[first - 1] == ips[first - 1 - period] && ips[first - 1] < CHAIN_MARK_MIN)
			first--;
		/* [first - period, nr) repeats itself. */
		if (first < nr && nr - first + period >= CYCLE_MIN_WORDS && nr - first >= (uint64_t)period * (CYCLE_MIN_TURNS - 1)) {
			*start = first - period;
			return period;
		}
	}
	return 0;
}

struct site {
	struct machine *machine;
	const struct arch_ops *arch;
	struct location callee, ra; /* a place in the function that was called; where it returns to */
};

static const struct symbol *function_at(const struct site *x, uint32_t dso, uint64_t addr)
{
	return symtab_find(dso_table_symbols(&x->machine->dsos, dso), addr);
}

/* Whether the function at `target` of the caller's file is the one that was called, or may have jumped there. */
static bool may_lead(const struct site *x, uint64_t target)
{
	const struct symbol *entered = function_at(x, x->ra.dso, target), *called;
	uint64_t size, start;
	int64_t distance;
	uint8_t *code;
	bool may;

	if (!entered || entered->end - entered->start > MAX_FUNCTION_BYTES || entered->kind == SYMBOL_PLT)
		return true;
	if (x->callee.dso == x->ra.dso && x->callee.addr >= entered->start && x->callee.addr < entered->end)
		return true;
	start = entered->start;
	size = entered->end - start;
	called = function_at(x, x->callee.dso, x->callee.addr);
	/* "work.cold" is a part of work(), which jumps into the middle of it. */
	if (!called || (strncmp(called->name, entered->name, strlen(entered->name)) == 0 && called->name[strlen(entered->name)] == '.'))
		return true;
	code = mem_alloc(size);
	/* Jumps to another function go to where it begins; into another file only an indirect one leads. */
	distance = (int64_t)(called->start - start);
	may = dso_table_code(&x->machine->dsos, x->ra.dso, start, code, size) < size ||
	      x->arch->may_jump(code, size, distance, distance + (x->callee.dso == x->ra.dso));
	free(code);
	return may;
}

static bool may_be_call(const struct site *x)
{
	const struct dso *d = dso_table_get(&x->machine->dsos, x->ra.dso);
	uint8_t code[MAX_CALL_BYTES];
	struct arch_call call;

	if (x->ra.dso == DSO_NONE || d->kind == MODULE_NONE)
		return false;
	if (d->kind != MODULE_ELF || !x->arch->call_before || x->ra.addr < sizeof(code))
		return true;
	if (dso_table_code(&x->machine->dsos, x->ra.dso, x->ra.addr - sizeof(code), code, sizeof(code)) < sizeof(code))
		return true;
	if (!x->arch->call_before(code, sizeof(code), &call))
		return false;
	return !call.is_direct || may_lead(x, x->ra.addr + (uint64_t)call.distance);
}

/* One address that no call can have left is enough. */
static bool is_cycle(struct machine *m, const char *arch, const struct task *task, const uint64_t *ips, uint32_t period)
{
	struct site x = { .machine = m, .arch = arch ? arch_find(arch) : arch_native() };

	for (uint32_t i = 0; x.arch && i < period; i++) {
		/* All are return addresses: the call lies before them. */
		x.callee = machine_locate(m, task, ips[i] - 1, MISC_USER);
		x.ra = machine_locate(m, task, ips[(i + 1) % period], MISC_USER);
		if (!may_be_call(&x))
			return true;
	}
	return false;
}

/* Circles that begin at another of their places are other ones here: there are few. */
static bool find_verdict(struct chain_cycles *c, struct machine *m, const char *arch, const struct task *task, const uint64_t *ips,
			 uint32_t period)
{
	struct chain_cycle new = { .map_key = machine_map_key(m, task), .period = period };

	for (uint32_t i = 0; i < c->known.nr; i++) {
		const struct chain_cycle *k = &c->known.v[i];

		if (k->map_key == new.map_key && k->period == period && !memcmp(k->ips, ips, period * sizeof(*ips)))
			return k->is_cycle;
	}
	if (c->known.nr == CYCLE_MAX_KNOWN)
		return false;
	memcpy(new.ips, ips, period * sizeof(*ips));
	new.is_cycle = is_cycle(m, arch, task, ips, period);
	vec_push(&c->known, new);
	return new.is_cycle;
}

uint64_t chain_cycle_cut(struct chain_cycles *c, struct machine *m, const char *arch, const struct task *task, const uint64_t *ips,
			 uint64_t nr)
{
	uint64_t start = 0;
	uint32_t period = chain_cycle_period(ips, nr, &start);
	uint64_t mark = start;

	/* The kernel knows its own stacks. */
	while (period && mark && ips[mark] < CHAIN_MARK_MIN)
		mark--;
	if (!period || ips[mark] != CHAIN_USER)
		return nr;
	return find_verdict(c, m, arch, task, ips + start, period) ? start + period : nr;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of named metrics, and its calculator. A new metric is one line here.
 */
#include "model/metrics.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

/* Intel since Ice Lake: the PMU's own fractions of all slots. */
#define X86_TMA_EVENTS "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}"
#define X86_TMA_NEEDS "slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound"
/* Intel before that: slots counted one kind at a time; their scales are in sysfs. */
#define OLD_TMA_EVENTS                                                                                                                     \
	"{topdown-total-slots,topdown-slots-issued,topdown-slots-retired,topdown-fetch-bubbles,"                                           \
	"topdown-recovery-bubbles}"
#define OLD_TMA_NEEDS                                                                                                                      \
	"topdown-total-slots,topdown-slots-issued,topdown-slots-retired,topdown-fetch-bubbles,"                                            \
	"topdown-recovery-bubbles"
/* Arm since v8.4: stalled slots, and the share of operations that were of use. */
#define ARM_TMA_EVENTS "{cpu_cycles,stall_slot,stall_slot_frontend,stall_slot_backend,op_retired,op_spec}"
#define ARM_TMA_NEEDS "cpu_cycles,stall_slot,stall_slot_frontend,stall_slot_backend,op_retired,op_spec"

#define RATIO "%8.3f "
#define PERCENT "%7.2f%%"

static const struct metric_def defs[] = {
	{ "ipc", "CPU", "instructions per cycle", "{instructions,cycles}", 0, "a / b", RATIO, "insn per cycle", NULL },
	{ "cpi", "CPU", "cycles per instruction", "{instructions,cycles}", 0, "b / a", RATIO, "cycles per insn", NULL },
	{ "ghz", "CPU", "clock rate while running", "cycles,task-clock", 0, "a / b / 1000000", RATIO, "GHz", NULL },
	{ "stalled-frontend", "CPU", "cycles that waited for instructions", "{stalled-cycles-frontend,cycles}", 0, "100 * a / b", PERCENT,
	  "frontend cycles idle", NULL },
	{ "stalled-backend", "CPU", "cycles that waited for data or units", "{stalled-cycles-backend,cycles}", 0, "100 * a / b", PERCENT,
	  "backend cycles idle", NULL },
	{ "branch-miss-rate", "Branch", "branches that were guessed wrong", "{branch-misses,branches}", 0, "100 * a / b", PERCENT,
	  "of all branches", NULL },
	{ "branch-mpki", "Branch", "wrong guesses per 1000 instructions", "{branch-misses,instructions}", 0, "1000 * a / b", RATIO,
	  "branch misses per K insn", NULL },
	{ "cache-miss-rate", "Cache", "references to the last cache that missed", "{cache-misses,cache-references}", 0, "100 * a / b",
	  PERCENT, "of all cache refs", NULL },
	{ "cache-mpki", "Cache", "misses of the last cache per 1000 instructions", "{cache-misses,instructions}", 0, "1000 * a / b", RATIO,
	  "cache misses per K insn", NULL },
	{ "l1d-miss-rate", "Cache", "loads that missed the first data cache", "{L1-dcache-load-misses,L1-dcache-loads}", 0, "100 * a / b",
	  PERCENT, "of all L1-dcache accesses", NULL },
	{ "llc-miss-rate", "Cache", "loads from the last cache that missed", "{LLC-load-misses,LLC-loads}", 0, "100 * a / b", PERCENT,
	  "of all LL-cache accesses", NULL },
	{ "dtlb-miss-rate", "Cache", "loads whose page was not in the data TLB", "{dTLB-load-misses,dTLB-loads}", 0, "100 * a / b", PERCENT,
	  "of all dTLB cache accesses", NULL },
	{ "itlb-miss-rate", "Cache", "fetches whose page was not in the instruction TLB", "{iTLB-load-misses,iTLB-loads}", 0, "100 * a / b",
	  PERCENT, "of all iTLB cache accesses", NULL },
	{ "fault-rate", "OS", "page faults per second of CPU time", "page-faults,task-clock", 0, "1000 * a / b", "%10.1f ",
	  "faults per CPU second", "" },
	{ "switch-rate", "OS", "context switches per second of CPU time", "context-switches,task-clock", 0, "1000 * a / b", "%10.1f ",
	  "switches per CPU second", "" },
	{ "migration-rate", "OS", "moves to another CPU per second of CPU time", "cpu-migrations,task-clock", 0, "1000 * a / b", "%10.1f ",
	  "moves per CPU second", "" },

	{ "tma_retiring", "TopdownL1", "slots that did useful work", X86_TMA_EVENTS, 1, "100 * b / (b + c + d + e)", PERCENT, "retiring",
	  X86_TMA_NEEDS },
	{ "tma_bad_speculation", "TopdownL1", "slots lost to wrong guesses", X86_TMA_EVENTS, 2, "100 * c / (b + c + d + e)", PERCENT,
	  "bad speculation", X86_TMA_NEEDS },
	{ "tma_frontend_bound", "TopdownL1", "slots that waited for instructions", X86_TMA_EVENTS, 3, "100 * d / (b + c + d + e)", PERCENT,
	  "frontend bound", X86_TMA_NEEDS },
	{ "tma_backend_bound", "TopdownL1", "slots that waited for data or units", X86_TMA_EVENTS, 4, "100 * e / (b + c + d + e)", PERCENT,
	  "backend bound", X86_TMA_NEEDS },
	{ "tma_retiring", "TopdownL1", "slots that did useful work", OLD_TMA_EVENTS, 2, "100 * c / a", PERCENT, "retiring", OLD_TMA_NEEDS },
	{ "tma_bad_speculation", "TopdownL1", "slots lost to wrong guesses", OLD_TMA_EVENTS, 1, "100 * (b - c + e) / a", PERCENT,
	  "bad speculation", OLD_TMA_NEEDS },
	{ "tma_frontend_bound", "TopdownL1", "slots that waited for instructions", OLD_TMA_EVENTS, 3, "100 * d / a", PERCENT,
	  "frontend bound", OLD_TMA_NEEDS },
	{ "tma_backend_bound", "TopdownL1", "slots that waited for data or units", OLD_TMA_EVENTS, 0, "100 - 100 * (b + d + e) / a",
	  PERCENT, "backend bound", OLD_TMA_NEEDS },
	{ "tma_retiring", "TopdownL1", "slots that did useful work", ARM_TMA_EVENTS, 4, "100 * (e / f) * (1 - b / (S * a))", PERCENT,
	  "retiring", ARM_TMA_NEEDS },
	{ "tma_bad_speculation", "TopdownL1", "slots lost to wrong guesses", ARM_TMA_EVENTS, 5, "100 * (1 - e / f) * (1 - b / (S * a))",
	  PERCENT, "bad speculation", ARM_TMA_NEEDS },
	{ "tma_frontend_bound", "TopdownL1", "slots that waited for instructions", ARM_TMA_EVENTS, 2, "100 * c / (S * a)", PERCENT,
	  "frontend bound", ARM_TMA_NEEDS },
	{ "tma_backend_bound", "TopdownL1", "slots that waited for data or units", ARM_TMA_EVENTS, 3, "100 * d / (S * a)", PERCENT,
	  "backend bound", ARM_TMA_NEEDS },
	{ 0 },
};

const struct metric_def *metric_defs(void)
{
	return defs;
}

struct calc {
	const char *start, *pos;
	const double *values;
	uint32_t nr;
	double slots;
	bool failed;
};

static double calc_sum(struct calc *k);

static char calc_peek(struct calc *k)
{
	while (*k->pos == ' ')
		k->pos++;
	return *k->pos;
}

static double calc_factor(struct calc *k)
{
	char c = calc_peek(k);
	double v = 0;

	if (isdigit((unsigned char)c)) {
		char *end;

		v = strtod(k->pos, &end);
		k->pos = end;
	} else if (c == '(') {
		k->pos++;
		v = calc_sum(k);
		if (calc_peek(k) == ')')
			k->pos++;
		else
			k->failed = true;
	} else if (c == 'S') {
		k->pos++;
		v = k->slots;
	} else if (c >= 'a' && (uint32_t)(c - 'a') < k->nr) {
		k->pos++;
		v = k->values[c - 'a'];
	} else {
		k->failed = true;
	}
	return v;
}

static double calc_product(struct calc *k)
{
	double v = calc_factor(k);

	for (char c; !k->failed && ((c = calc_peek(k)) == '*' || c == '/');) {
		double by;

		k->pos++;
		by = calc_factor(k);
		if (c == '*')
			v *= by;
		else
			v = by == 0 ? NAN : v / by;
	}
	return v;
}

static double calc_sum(struct calc *k)
{
	double v = calc_product(k);

	for (char c; !k->failed && ((c = calc_peek(k)) == '+' || c == '-');) {
		double by;

		k->pos++;
		by = calc_product(k);
		v += c == '+' ? by : -by;
	}
	return v;
}

bool metric_formula(const char *formula, const double *values, uint32_t nr, double slots, double *result, uint32_t *at)
{
	struct calc k = { formula, formula, values, nr, slots, false };

	*result = calc_sum(&k);
	if (!k.failed && calc_peek(&k))
		k.failed = true;
	if (at)
		*at = (uint32_t)(k.pos - k.start);
	return !k.failed && isfinite(*result);
}

static uint32_t count_events(const char *events)
{
	uint32_t nr = 1;

	for (const char *p = strchr(events, ','); p; p = strchr(p + 1, ','))
		nr++;
	return nr;
}

static void use_get(const struct counts *c, const struct metric_use *u, uint32_t place, struct metric *m)
{
	double values[26];
	uint32_t nr = count_events(u->def->events);

	*m = (struct metric){ .format = u->def->format, .empty = true };
	snprintf(m->label, sizeof(m->label), "%s", u->def->label);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t event = u->first_event + i;
		const struct counts_row *row;

		if (event >= c->events.nr)
			return;
		row = counts_row_get(c, event, place);
		if (row->state != COUNTS_OK)
			return;
		values[i] = row->value * c->events.v[event].scale;
	}
	m->empty = !metric_formula(u->def->formula, values, nr, u->slots, &m->value, NULL);
}

uint32_t metric_uses_get(const struct counts *c, const struct metric_use *uses, uint32_t nr_uses, uint32_t event, uint32_t place,
			 struct metric out[METRICS_MAX])
{
	uint32_t nr = 0;
	bool is_part = false;

	for (uint32_t i = 0; i < nr_uses && nr < METRICS_MAX; i++) {
		uint32_t first = uses[i].first_event;

		is_part |= event >= first && event - first < count_events(uses[i].def->events);
		if (first + uses[i].def->shown_at == event)
			use_get(c, &uses[i], place, &out[nr++]);
	}
	if (!nr && is_part)
		out[nr++] = (struct metric){ .empty = true };
	return nr;
}

bool metric_def_is(const struct metric_def *d, const char *name)
{
	return !strcasecmp(d->name, name) || !strcasecmp(d->group, name);
}

int metric_unknown(const char *name, struct errbuf *eb)
{
	struct suggest s;

	suggest_init(&s, name);
	for (const struct metric_def *d = defs; d->name; d++) {
		suggest_offer(&s, d->name);
		suggest_offer(&s, d->group);
	}
	if (s.best)
		return errbuf_set(eb, -EINVAL, "there is no metric '%s'; did you mean '%s'?", name, s.best);
	return errbuf_set(eb, -EINVAL, "there is no metric '%s'; `assay list metric` shows those there are", name);
}

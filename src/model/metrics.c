/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of events and their metrics. Words, formats and colour limits are perf's. An event that is not in the table has a rate, where
 * task-clock or cpu-clock was counted too.
 */
#include "model/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "abi/attr.h"

/* Generic hardware events, as the kernel numbers them. */
enum {
	HW_CYCLES = 0,
	HW_INSTRUCTIONS = 1,
	HW_CACHE_REFERENCES = 2,
	HW_CACHE_MISSES = 3,
	HW_BRANCHES = 4,
	HW_BRANCH_MISSES = 5,
	HW_STALLED_FRONTEND = 7,
	HW_STALLED_BACKEND = 8,
};
enum { SW_CPU_CLOCK = 0, SW_TASK_CLOCK = 1 };
enum { CACHE_L1D = 0, CACHE_L1I = 1, CACHE_LL = 2, CACHE_DTLB = 3, CACHE_ITLB = 4 };

#define CACHE_READ_MISSES(which) ((uint64_t)(which) | 1u << 16)
#define CACHE_READS(which) ((uint64_t)(which))

/* Above these a value is fair, poor, bad. */
struct limits {
	double fair, poor, bad;
};
static const struct limits limits_frontend = { 10, 30, 50 };
static const struct limits limits_backend = { 20, 50, 75 };
static const struct limits limits_misses = { 5, 10, 20 };

/* Event → what it is divided by, times `factor`. */
static const struct metric_rule {
	uint32_t type;
	uint64_t config;
	uint32_t by_type;
	uint64_t by_config;
	double factor;
	const char *format, *label;
	const struct limits *limits;
} rules[] = {
	{ ATTR_TYPE_HARDWARE, HW_INSTRUCTIONS, ATTR_TYPE_HARDWARE, HW_CYCLES, 1, "%7.2f ", "insn per cycle", NULL },
	{ ATTR_TYPE_HARDWARE, HW_BRANCH_MISSES, ATTR_TYPE_HARDWARE, HW_BRANCHES, 100, "%7.2f%%", "of all branches", &limits_misses },
	{ ATTR_TYPE_HARDWARE, HW_CACHE_MISSES, ATTR_TYPE_HARDWARE, HW_CACHE_REFERENCES, 100, "%8.3f %%", "of all cache refs", NULL },
	{ ATTR_TYPE_HARDWARE, HW_STALLED_FRONTEND, ATTR_TYPE_HARDWARE, HW_CYCLES, 100, "%7.2f%%", "frontend cycles idle",
	  &limits_frontend },
	{ ATTR_TYPE_HARDWARE, HW_STALLED_BACKEND, ATTR_TYPE_HARDWARE, HW_CYCLES, 100, "%7.2f%%", "backend cycles idle", &limits_backend },
	{ ATTR_TYPE_HW_CACHE, CACHE_READ_MISSES(CACHE_L1D), ATTR_TYPE_HW_CACHE, CACHE_READS(CACHE_L1D), 100, "%7.2f%%",
	  "of all L1-dcache accesses", &limits_misses },
	{ ATTR_TYPE_HW_CACHE, CACHE_READ_MISSES(CACHE_L1I), ATTR_TYPE_HW_CACHE, CACHE_READS(CACHE_L1I), 100, "%7.2f%%",
	  "of all L1-icache accesses", &limits_misses },
	{ ATTR_TYPE_HW_CACHE, CACHE_READ_MISSES(CACHE_DTLB), ATTR_TYPE_HW_CACHE, CACHE_READS(CACHE_DTLB), 100, "%7.2f%%",
	  "of all dTLB cache accesses", &limits_misses },
	{ ATTR_TYPE_HW_CACHE, CACHE_READ_MISSES(CACHE_ITLB), ATTR_TYPE_HW_CACHE, CACHE_READS(CACHE_ITLB), 100, "%7.2f%%",
	  "of all iTLB cache accesses", &limits_misses },
	{ ATTR_TYPE_HW_CACHE, CACHE_READ_MISSES(CACHE_LL), ATTR_TYPE_HW_CACHE, CACHE_READS(CACHE_LL), 100, "%7.2f%%",
	  "of all LL-cache accesses", &limits_misses },
};

/* A generic event may say in the upper half of its config which of several PMUs it means. */
#define CONFIG_PMU_MASK 0xffffffff00000000ull

static bool has_pmu_in_config(uint32_t type)
{
	return type == ATTR_TYPE_HARDWARE || type == ATTR_TYPE_HW_CACHE;
}

static bool event_is(const struct counts_event *e, uint32_t type, uint64_t config)
{
	uint64_t own = has_pmu_in_config(type) ? e->config & ~CONFIG_PMU_MASK : e->config;

	return !e->tool && e->type == type && own == config;
}

/* A generic event of the PMU that event `like` is of. */
static bool find_beside(const struct counts *c, uint32_t place, uint32_t like, uint32_t type, uint64_t config, double *value)
{
	const struct counts_event *e = &c->events.v[like];

	if (has_pmu_in_config(type) && has_pmu_in_config(e->type))
		config |= e->config & CONFIG_PMU_MASK;
	return counts_find_value(c, place, like, type, config, value);
}

/* CPU time of the place, in ns. */
static bool find_clock(const struct counts *c, uint32_t place, uint32_t like, double *ns)
{
	return (find_beside(c, place, like, ATTR_TYPE_SOFTWARE, SW_TASK_CLOCK, ns) ||
		find_beside(c, place, like, ATTR_TYPE_SOFTWARE, SW_CPU_CLOCK, ns)) &&
	       *ns > 0;
}

static enum metric_grade grade_of(const struct limits *l, double value)
{
	if (!l || value <= l->fair)
		return METRIC_PLAIN;
	return value > l->bad ? METRIC_BAD : value > l->poor ? METRIC_POOR : METRIC_FAIR;
}

static struct metric metric_make(const char *format, const char *label, double value)
{
	struct metric m = { .value = value, .format = format };

	snprintf(m.label, sizeof(m.label), "%s", label);
	return m;
}

static struct metric metric_make_empty(const char *label)
{
	struct metric m = metric_make("%8.3f", label, 0);

	m.empty = true;
	return m;
}

static struct metric apply_rule(const struct counts *c, uint32_t event, uint32_t place, const struct metric_rule *r, double value)
{
	struct metric m;
	double by;

	if (!find_beside(c, place, event, r->by_type, r->by_config, &by) || by == 0)
		return metric_make_empty(r->label);
	m = metric_make(r->format, r->label, value * r->factor / by);
	m.grade = grade_of(r->limits, m.value);
	return m;
}

/* How many cycles an instruction waited: the worse of the two ends of the pipeline. */
static bool make_stalled_per_insn(const struct counts *c, uint32_t event, uint32_t place, double value, struct metric *m)
{
	double front = 0, back = 0;

	find_beside(c, place, event, ATTR_TYPE_HARDWARE, HW_STALLED_FRONTEND, &front);
	find_beside(c, place, event, ATTR_TYPE_HARDWARE, HW_STALLED_BACKEND, &back);
	if (fmax(front, back) <= 0 || value == 0)
		return false;
	*m = metric_make("%7.2f ", "stalled cycles per insn", fmax(front, back) / value);
	return true;
}

static struct metric make_rate(double per_second)
{
	struct metric m;
	const char *unit = "/sec";

	if (per_second > 1e9) {
		per_second /= 1e9;
		unit = "G/sec";
	} else if (per_second > 1e6) {
		per_second /= 1e6;
		unit = "M/sec";
	} else if (per_second > 1e3) {
		per_second /= 1e3;
		unit = "K/sec";
	}
	m = metric_make("%8.3f", unit, per_second);
	m.is_rate = true;
	return m;
}

static struct metric make_other(const struct counts *c, uint32_t event, uint32_t place, const struct counts_row *row)
{
	const struct counts_event *e = &c->events.v[event];
	double ns;

	if (event_is(e, ATTR_TYPE_HARDWARE, HW_CYCLES)) {
		if (!find_clock(c, place, event, &ns))
			return metric_make_empty("GHz");
		return metric_make("%8.3f", "GHz", row->value / ns);
	}
	if (event_is(e, ATTR_TYPE_SOFTWARE, SW_TASK_CLOCK) || event_is(e, ATTR_TYPE_SOFTWARE, SW_CPU_CLOCK)) {
		if (c->span_ns <= 0)
			return metric_make_empty("CPUs utilized");
		return metric_make("%8.3f", "CPUs utilized", row->value / c->span_ns);
	}
	if (find_clock(c, place, event, &ns))
		return make_rate(row->value * e->scale * 1e9 / ns);
	return metric_make_empty("");
}

/* What its metric would be called: --metric-only has a column for it all the same. */
static const char *label_of(const struct counts_event *e)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (event_is(e, rules[i].type, rules[i].config))
			return rules[i].label;
	return event_is(e, ATTR_TYPE_HARDWARE, HW_CYCLES) ? "GHz" : "";
}

uint32_t metrics_get(const struct counts *c, uint32_t event, uint32_t place, struct metric out[METRICS_MAX])
{
	const struct counts_event *e = &c->events.v[event];
	const struct counts_row *row = counts_row_get(c, event, place);
	uint32_t nr;

	if (c->nr_uses && (nr = metric_uses_get(c, c->uses, c->nr_uses, event, place, out)))
		return nr;
	nr = 1;
	if (row->state != COUNTS_OK) {
		out[0] = metric_make_empty(label_of(e));
		return 1;
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (!event_is(e, rules[i].type, rules[i].config))
			continue;
		out[0] = apply_rule(c, event, place, &rules[i], row->value);
		if (rules[i].config == HW_INSTRUCTIONS && rules[i].type == ATTR_TYPE_HARDWARE)
			nr += make_stalled_per_insn(c, event, place, row->value, &out[1]);
		return nr;
	}
	out[0] = make_other(c, event, place, row);
	return nr;
}

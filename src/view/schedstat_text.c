/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tables of names, and lines. What is derived has a star: perf prints a count of successes below 0 as a number near 2^32, here it is
 * negative.
 */
#include "view/schedstat_text.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define RULE_WIDTH 100

struct name {
	const char *name, *text;
	enum { PLAIN, SHARE, AVERAGE } kind; /* SHARE: of `base`; AVERAGE: jiffies between two */
	uint32_t base;
};

static const struct name cpu_names[SCHEDSTAT_NR_CPU] = {
	{ "yld_count", "sched_yield() count", PLAIN, 0 },
	{ "array_exp", "Legacy counter can be ignored", PLAIN, 0 },
	{ "sched_count", "schedule() called", PLAIN, 0 },
	{ "sched_goidle", "schedule() left the processor idle", SHARE, 2 },
	{ "ttwu_count", "try_to_wake_up() was called", PLAIN, 0 },
	{ "ttwu_local", "try_to_wake_up() was called to wake up the local cpu", SHARE, 4 },
	{ "rq_cpu_time", "total runtime by tasks on this processor (in jiffies)", PLAIN, 0 },
	{ "run_delay", "total waittime by tasks on this processor (in jiffies)", SHARE, 6 },
	{ "pcount", "total timeslices run on this cpu", PLAIN, 0 },
};

enum { LB_COUNT, LB_BALANCED, LB_FAILED };

/* Of a category: "busy" before the name, "busy" behind the sentence. */
static const struct name balance_names_16[] = {
	{ "lb_count", "load_balance() count on cpu", AVERAGE, 0 },
	{ "lb_balanced", "load_balance() found balanced on cpu", AVERAGE, 0 },
	{ "lb_failed", "load_balance() move task failed on cpu", AVERAGE, 0 },
	{ "lb_imbalance", "imbalance sum on cpu", PLAIN, 0 },
	{ "lb_gained", "pull_task() count on cpu", PLAIN, 0 },
	{ "lb_hot_gained", "pull_task() when target task was cache-hot on cpu", PLAIN, 0 },
	{ "lb_nobusyq", "load_balance() failed to find busier queue on cpu", AVERAGE, 0 },
	{ "lb_nobusyg", "load_balance() failed to find busier group on cpu", AVERAGE, 0 },
};
static const struct name balance_names_17[] = {
	{ "lb_count", "load_balance() count on cpu", AVERAGE, 0 },
	{ "lb_balanced", "load_balance() found balanced on cpu", AVERAGE, 0 },
	{ "lb_failed", "load_balance() move task failed on cpu", AVERAGE, 0 },
	{ "lb_imbalance_load", "imbalance in load on cpu", PLAIN, 0 },
	{ "lb_imbalance_util", "imbalance in utilization on cpu", PLAIN, 0 },
	{ "lb_imbalance_task", "imbalance in number of tasks on cpu", PLAIN, 0 },
	{ "lb_imbalance_misfit", "imbalance in misfit tasks on cpu", PLAIN, 0 },
	{ "lb_gained", "pull_task() count on cpu", PLAIN, 0 },
	{ "lb_hot_gained", "pull_task() when target task was cache-hot on cpu", PLAIN, 0 },
	{ "lb_nobusyq", "load_balance() failed to find busier queue on cpu", AVERAGE, 0 },
	{ "lb_nobusyg", "load_balance() failed to find busier group on cpu", AVERAGE, 0 },
};

static const struct name other_names[SCHEDSTAT_NR_OTHERS] = {
	{ "alb_count", "active_load_balance() count", PLAIN, 0 },
	{ "alb_failed", "active_load_balance() move task failed", PLAIN, 0 },
	{ "alb_pushed", "active_load_balance() successfully moved a task", PLAIN, 0 },
	{ "sbe_count", "sbe_count is not used", PLAIN, 0 },
	{ "sbe_balanced", "sbe_balanced is not used", PLAIN, 0 },
	{ "sbe_pushed", "sbe_pushed is not used", PLAIN, 0 },
	{ "sbf_count", "sbf_count is not used", PLAIN, 0 },
	{ "sbf_balanced", "sbf_balanced is not used", PLAIN, 0 },
	{ "sbf_pushed", "sbf_pushed is not used", PLAIN, 0 },
	{ "ttwu_wake_remote", "try_to_wake_up() awoke a task that last ran on a diff cpu", PLAIN, 0 },
	{ "ttwu_move_affine", "try_to_wake_up() moved task because cache-cold on own cpu", PLAIN, 0 },
	{ "ttwu_move_balance", "try_to_wake_up() started passive balancing", PLAIN, 0 },
};

static const char *const other_heads[] = { "<Category active_load_balance()>", "<Category sched_balance_exec()>",
					   "<Category sched_balance_fork()>", "<Wakeup Info>" };

/* One recording, or two. */
struct columns {
	const struct schedstat_text *t;
	struct out *o;
	uint32_t version;
	const struct schedstat_row *a, *b; /* b: NULL where there is one */
	uint64_t jiffies_a, jiffies_b;
};

static void put_dashes(struct out *o, size_t nr)
{
	while (nr-- > 0)
		out_char(o, '-');
}

static void put_rule(struct out *o)
{
	put_dashes(o, RULE_WIDTH);
	out_char(o, '\n');
}

static void put_category(struct out *o, const char *text)
{
	size_t len = strlen(text) + 2;

	put_dashes(o, (RULE_WIDTH - len) / 2);
	out_printf(o, " %s ", text);
	put_dashes(o, RULE_WIDTH - len - (RULE_WIDTH - len) / 2);
	out_char(o, '\n');
}

static double share(double part, double whole)
{
	return whole ? part / whole : 0;
}

static double change(double a, double b)
{
	return a ? (b - a) / a * 100 : 0;
}

static void put_value(const struct columns *c, const struct name *n, const char *name, uint32_t field)
{
	uint64_t a = c->a->values[field], b = c->b ? c->b->values[field] : 0;
	struct out *o = c->o;

	out_printf(o, "%-65s:%12llu", name, (unsigned long long)a);
	if (c->b)
		out_printf(o, ",%11llu  |%9.2f%% |", (unsigned long long)b, change((double)a, (double)b));
	if (n->kind == SHARE) {
		out_printf(o, "  (%9.2f%%", 100 * share((double)a, (double)c->a->values[n->base]));
		if (c->b)
			out_printf(o, ",%10.2f%%", 100 * share((double)b, (double)c->b->values[n->base]));
		out_str(o, " )");
	} else if (n->kind == AVERAGE) {
		out_printf(o, "  $%12.2f", share((double)c->jiffies_a, (double)a));
		if (c->b)
			out_printf(o, ",%12.2f", share((double)c->jiffies_b, (double)b));
		out_str(o, " $");
	}
	out_char(o, '\n');
}

static int64_t successes(const struct schedstat_row *r, uint32_t first)
{
	return (int64_t)(r->values[first + LB_COUNT] - r->values[first + LB_BALANCED] - r->values[first + LB_FAILED]);
}

/* How often tasks were moved, and how many at a time. */
static void put_derived(const struct columns *c, const char *category, const char *where, uint32_t first, uint32_t gained)
{
	int64_t a = successes(c->a, first), b = c->b ? successes(c->b, first) : 0;
	double pulled_a = share((double)c->a->values[gained], (double)a),
	       pulled_b = c->b ? share((double)c->b->values[gained], (double)b) : 0;
	char name[96];

	snprintf(name, sizeof(name), c->t->explains ? "*load_balance() success count on cpu %s" : "*%s_lb_success_count",
		 c->t->explains ? where : category);
	out_printf(c->o, "%-65s:%12lld", name, (long long)a);
	if (c->b)
		out_printf(c->o, ",%11lld  |%9.2f%% |", (long long)b, change((double)a, (double)b));
	snprintf(name, sizeof(name), c->t->explains ? "*avg task pulled per successful lb attempt (cpu %s)" : "*%s_lb_avg_pulled",
		 c->t->explains ? where : category);
	out_printf(c->o, "\n%-65s:%12.2f", name, pulled_a);
	if (c->b)
		out_printf(c->o, ",%11.2f  |%9.2f%% |", pulled_b, change(pulled_a, pulled_b));
	out_char(c->o, '\n');
}

static void put_balance(const struct columns *c, const char *category, const char *where, uint32_t first)
{
	uint32_t nr = schedstat_per_category(c->version), gained = first + (nr == 8 ? 4 : 7);
	const struct name *names = nr == 8 ? balance_names_16 : balance_names_17;
	char text[96];

	snprintf(text, sizeof(text), "<Category %s>", category);
	put_category(c->o, text);
	for (uint32_t i = 0; i < nr; i++) {
		if (c->t->explains)
			snprintf(text, sizeof(text), "%s %s", names[i].text, where);
		else
			snprintf(text, sizeof(text), "%s_%s", category, names[i].name);
		put_value(c, &names[i], text, first + i);
	}
	put_derived(c, category, where, first, gained);
}

static void put_domain_rows(const struct columns *c)
{
	uint32_t nr = schedstat_per_category(c->version);
	bool idle_first = c->version == 15;

	put_balance(c, idle_first ? "idle" : "busy", idle_first ? "idle" : "busy", 0);
	put_balance(c, idle_first ? "busy" : "idle", idle_first ? "busy" : "idle", nr);
	put_balance(c, "newidle", "newly idle", 2 * nr);
	for (uint32_t i = 0; i < SCHEDSTAT_NR_OTHERS; i++) {
		if (i % 3 == 0)
			put_category(c->o, other_heads[i / 3]);
		put_value(c, &other_names[i], c->t->explains ? other_names[i].text : other_names[i].name, 3 * nr + i);
	}
}

static const struct schedstat_domain *find_domain(const struct columns *c, bool is_mean, uint32_t cpu)
{
	const struct schedstat *s = c->t->names;

	for (uint32_t i = 0; i < s->domains.nr; i++)
		if (s->domains.v[i].domain == c->a->domain && (is_mean || s->domains.v[i].cpu == cpu))
			return &s->domains.v[i];
	return NULL;
}

/* "CPU: 0 | DOMAIN: MC | DOMAIN_CPUS: 0-1" */
static void put_section(const struct columns *c, bool is_mean)
{
	const struct schedstat_domain *d = c->a->is_domain ? find_domain(c, is_mean, c->a->cpu) : NULL;
	struct out *o = c->o;

	if (!c->a->is_domain)
		put_rule(o);
	if (is_mean)
		out_str(o, "CPU: <ALL CPUS SUMMARY>");
	else
		out_printf(o, "CPU: %u", c->a->cpu);
	if (c->a->is_domain) {
		out_str(o, " | DOMAIN: ");
		if (d && d->name[0])
			escape_terminal_str(o, d->name);
		else
			out_u64(o, c->a->domain, 0);
	}
	if (d && d->cpus[0] && !is_mean) {
		out_str(o, " | DOMAIN_CPUS: ");
		escape_terminal_str(o, d->cpus);
	}
	out_char(o, '\n');
	put_rule(o);
	if (c->b)
		out_printf(o, "%-72s%6s      %s   %s\n", "DESC", "COUNT1", "COUNT2",
			   c->a->is_domain ? "PCT_CHANGE     AVG_JIFFIES1 AVG_JIFFIES2" : "PCT_CHANGE    PCT_CHANGE1 PCT_CHANGE2");
	else
		out_printf(o, "%-73s%5s%s\n", "DESC", "COUNT", c->a->is_domain ? "    AVG_JIFFIES" : "   PCT_CHANGE");
	if (c->a->is_domain) {
		put_domain_rows(c);
	} else {
		put_rule(o);
		for (uint32_t i = 0; i < SCHEDSTAT_NR_CPU; i++)
			put_value(c, &cpu_names[i], c->t->explains ? cpu_names[i].text : cpu_names[i].name, i);
	}
	put_rule(o);
}

static void put_head(struct out *o)
{
	out_str(o, "Description\n");
	put_rule(o);
	out_str(o, "DESC                          -> Description of the field\n"
		   "COUNT                         -> Value of the field\n"
		   "PCT_CHANGE                    -> Percent change with corresponding base value\n"
		   "AVG_JIFFIES                   -> Avg time in jiffies between two consecutive occurrence of event\n");
	put_rule(o);
}

static bool is_shown(const struct schedstat_text *t, uint32_t cpu)
{
	for (uint32_t i = 0; i < t->nr_cpus; i++)
		if (t->cpus[i] == cpu)
			return true;
	return !t->nr_cpus;
}

void schedstat_text_report(const struct schedstat_text *t, const struct schedstat_sums *s)
{
	struct columns c = { .t = t, .o = t->o, .version = s->version, .jiffies_a = s->jiffies };

	put_head(t->o);
	out_printf(t->o, "\n%-65s:%12llu\n", "Time elapsed (in jiffies)", (unsigned long long)s->jiffies);
	for (uint32_t i = 0; i < s->means.nr; i++) {
		c.a = &s->means.v[i];
		put_section(&c, true);
	}
	for (uint32_t i = 0; i < s->rows.nr; i++) {
		c.a = &s->rows.v[i];
		if (is_shown(t, c.a->cpu))
			put_section(&c, false);
	}
}

void schedstat_text_diff(const struct schedstat_text *t, const struct schedstat_sums *a, const struct schedstat_sums *b)
{
	struct columns c = { .t = t, .o = t->o, .version = a->version, .jiffies_a = a->jiffies, .jiffies_b = b->jiffies };

	put_head(t->o);
	out_printf(t->o, "\n%-65s:%12llu,%11llu\n", "Time elapsed (in jiffies)", (unsigned long long)a->jiffies,
		   (unsigned long long)b->jiffies);
	for (uint32_t i = 0; i < a->means.nr; i++) {
		c.a = &a->means.v[i];
		c.b = &b->means.v[i];
		put_section(&c, true);
	}
}

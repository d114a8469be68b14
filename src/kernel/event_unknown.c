/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sentences about names that nothing here knows: the nearest ones that exist, and for those that
 * exist elsewhere, which part this machine lacks.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "abi/event_names.h"
#include "base/suggest.h"
#include "kernel/event_parser.h"

/* Names of PMUs and of their events that people meet in manuals, and what brings them. Patterns. */
static const struct {
	const char *name, *what;
} known_pmus[] = {
	{ "cpu", "the CPU's hardware counters; virtual machines often have none" },
	{ "cpu_core", "the performance cores of a hybrid CPU" },
	{ "cpu_atom", "the efficiency cores of a hybrid CPU" },
	{ "armv[78]_*", "an ARM CPU's hardware counters" },
	{ "power",
	  "energy counters (RAPL): a physical machine with CONFIG_PERF_EVENTS_INTEL_RAPL" },
	{ "msr", "counters in model specific registers: CONFIG_PERF_EVENTS on x86" },
	{ "cstate_*", "residency counters: a physical Intel machine, module intel_cstate" },
	{ "uncore_*", "counters outside the cores: a physical machine with its uncore driver" },
	{ "imc*", "a memory controller's counters: a physical machine with its uncore driver" },
	{ "amd_*", "counters outside the cores of a physical AMD machine" },
	{ "ibs_*", "instruction based sampling: a physical AMD machine" },
	{ "intel_pt", "processor trace: a physical Intel machine" },
	{ "intel_bts", "branch trace store: a physical Intel machine" },
	{ "cs_etm", "CoreSight trace: an ARM machine with it" },
	{ "arm_spe*", "statistical profiling: an ARM machine with it" },
	{ "kprobe", "kernel probes: CONFIG_KPROBE_EVENTS" },
	{ "uprobe", "user probes: CONFIG_UPROBE_EVENTS" },
	{ "i915", "an Intel graphics driver" },
};
static const struct {
	const char *name, *pmu;
} known_events[] = {
	{ "energy-*", "power" },
	{ "tsc", "msr" },
	{ "aperf", "msr" },
	{ "mperf", "msr" },
	{ "pperf", "msr" },
	{ "smi", "msr" },
	{ "slots", "cpu" },
	{ "topdown-*", "cpu" },
	{ "mem-loads", "cpu" },
	{ "mem-stores", "cpu" },
	{ "el-*", "cpu" },
	{ "cycles-ct", "cpu" },
	{ "cycles-t", "cpu" },
	{ "tx-*", "cpu" },
	{ "cpu_cycles", "armv8_pmuv3" },
	{ "inst_retired", "armv8_pmuv3" },
	{ "br_mis_pred", "armv8_pmuv3" },
	{ "l1d_cache*", "armv8_pmuv3" },
	{ "c[1-9]-residency", "cstate_core" },
};
#define NR(a) (sizeof(a) / sizeof((a)[0]))

/* What a known PMU is; NULL for one that nobody has heard of. */
static const char *known_pmu(const char *name)
{
	for (size_t i = 0; i < NR(known_pmus); i++)
		if (!fnmatch(known_pmus[i].name, name, 0))
			return known_pmus[i].what;
	return NULL;
}

static const char *known_event(const char *name)
{
	for (size_t i = 0; i < NR(known_events); i++)
		if (!fnmatch(known_events[i].name, name, 0))
			return known_events[i].pmu;
	return NULL;
}

struct offers {
	struct suggest hint;
	struct arena arena;
	char typed[128];
};

static void offers_init(struct offers *o, struct span typed)
{
	*o = (struct offers){ 0 };
	snprintf(o->typed, sizeof(o->typed), SPAN_FMT, SPAN_ARG(typed));
	suggest_init(&o->hint, o->typed);
}

static void offer_copy(struct offers *o, const char *s)
{
	suggest_offer(&o->hint, arena_str(&o->arena, s, strlen(s)));
}

static void offer_generic(struct offers *o)
{
	static const char *const tools[] = { "duration_time", "user_time", "system_time" };
	const struct event_name *known;
	char cache[EVENT_NAME_MAX];
	uint64_t config;

	for (uint32_t i = 0; (known = event_names_get(i)); i++) {
		suggest_offer(&o->hint, known->name);
		if (known->alias)
			suggest_offer(&o->hint, known->alias);
	}
	for (uint32_t i = 0; event_names_get_cache(i, &config, cache, sizeof(cache)); i++)
		offer_copy(o, cache);
	for (size_t i = 0; i < NR(tools); i++)
		suggest_offer(&o->hint, tools[i]);
}

static void offer_aliases(struct offers *o, struct pmu_set *s)
{
	for (uint32_t i = 0; i < s->pmus.nr; i++) {
		pmu_load(s, &s->pmus.v[i]);
		for (uint32_t k = 0; k < s->pmus.v[i].events.nr; k++)
			suggest_offer(&o->hint, s->pmus.v[i].events.v[k].name);
	}
}

/* "sched_switch" alone: the tracepoint of that name or the nearest, with its system. */
struct tracepoint_hint {
	struct offers *o;
	char text[128];
};

static void take_hint(void *ctx, const char *system, const char *name, uint64_t id)
{
	struct tracepoint_hint *h = ctx;
	const char *before = h->o->hint.best;

	(void)id;
	offer_copy(h->o, name);
	if (h->o->hint.best != before)
		snprintf(h->text, sizeof(h->text), "%s:%s", system, name);
}

static void offer_tracepoints(struct event_parser *p, struct tracepoint_hint *h)
{
	const char *typed = h->o->typed;

	h->text[0] = 0;
	/* Looking costs a mount at times: only for names like those of tracepoints. */
	if (!p->sources->tracepoints || !strchr(typed, '_') || strpbrk(typed, "*?["))
		return;
	if (p->sources->tracepoints("*", typed, take_hint, h, NULL))
		p->sources->tracepoints("*", "*", take_hint, h, NULL);
}

static bool has_pmu(const struct pmu_set *s, const char *name)
{
	for (uint32_t i = 0; i < s->pmus.nr; i++)
		if (pmu_is_meant(&s->pmus.v[i], name, strlen(name)))
			return true;
	return false;
}

/* Vendors write their names in capitals: what to say about libpfm4, which knows those. */
static const char *about_pfm(struct span name)
{
	if (name.len < 3 || strspn(name.s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") < name.len)
		return "";
	return event_pfm_is_built() ? " (nor does libpfm4 know it for this CPU)"
				    : " (this build has no libpfm4, which knows vendors' names)";
}

int event_unknown_tracepoint(struct event_parser *p, struct span system, int err,
			     const char *reason)
{
	return parser_fail(p, system.s, err, "%s%s", reason, about_pfm(system));
}

int event_unknown(struct event_parser *p, struct span name)
{
	const char *pfm = about_pfm(name);
	struct tracepoint_hint tracepoint = { 0 };
	const char *pmu;
	struct offers o;
	int err;

	offers_init(&o, name);
	offer_generic(&o);
	offer_aliases(&o, parser_pmus(p));
	tracepoint.o = &o;
	offer_tracepoints(p, &tracepoint);
	pmu = known_event(o.typed);
	if (tracepoint.text[0])
		err = parser_fail(p, name.s, -EINVAL,
				  "there is no event '%s'; did you mean the tracepoint '%s'?",
				  o.typed, tracepoint.text);
	else if (pmu && !has_pmu(parser_pmus(p), pmu))
		err = parser_fail(p, name.s, -ENOENT,
				  "this machine lacks '%s': it is an event of PMU '%s' (%s)",
				  o.typed, pmu, known_pmu(pmu));
	else if (pmu)
		err = parser_fail(p, name.s, -ENOENT,
				  "PMU '%s' of this machine has no event '%s', which others have",
				  pmu, o.typed);
	else if (pmu_set_find(parser_pmus(p), name.s, name.len))
		err = parser_fail(p, name.s, -EINVAL,
				  "'%s' is a PMU: its events are written %s/…/, and 'assay list "
				  "pmu' shows them",
				  o.typed, o.typed);
	else if (o.hint.best)
		err = parser_fail(
			p, name.s, -EINVAL,
			"there is no event '%s'%s; did you mean '%s'? 'assay list' shows all events",
			o.typed, pfm, o.hint.best);
	else
		err = parser_fail(p, name.s, -EINVAL,
				  "there is no event '%s'%s; 'assay list' shows all events",
				  o.typed, pfm);
	arena_fini(&o.arena);
	return err;
}

int event_unknown_pmu(struct event_parser *p, struct span name)
{
	struct pmu_set *s = parser_pmus(p);
	const char *what;
	struct offers o;
	int err;

	offers_init(&o, name);
	what = known_pmu(o.typed);
	for (uint32_t i = 0; i < s->pmus.nr; i++)
		suggest_offer(&o.hint, s->pmus.v[i].name);
	if (!o.hint.best)
		offer_generic(&o);
	if (what)
		err = parser_fail(p, name.s, -ENOENT, "this machine lacks PMU '%s': %s", o.typed,
				  what);
	else if (o.hint.best)
		err = parser_fail(
			p, name.s, -EINVAL,
			"there is no PMU or event '%s' here; did you mean '%s'? 'assay list' "
			"shows all",
			o.typed, o.hint.best);
	else
		err = parser_fail(p, name.s, -EINVAL,
				  "there is no PMU or event '%s' here; 'assay list' shows all",
				  o.typed);
	arena_fini(&o.arena);
	return err;
}

int event_unknown_term(struct event_parser *p, const struct pmu *pmu, struct span name)
{
	struct offers o;
	const char *known;
	int err;

	offers_init(&o, name);
	for (uint32_t i = 0; (known = term_name_get(i)); i++)
		suggest_offer(&o.hint, known);
	for (uint32_t i = 0; pmu && i < pmu->formats.nr; i++)
		suggest_offer(&o.hint, pmu->formats.v[i].name);
	for (uint32_t i = 0; pmu && i < pmu->events.nr; i++)
		suggest_offer(&o.hint, pmu->events.v[i].name);
	if (pmu && pmu->is_core)
		offer_generic(&o);
	if (!pmu && o.hint.best)
		err = parser_fail(p, name.s, -EINVAL, "there is no term '%s'; did you mean '%s'?",
				  o.typed, o.hint.best);
	else if (!pmu)
		err = parser_fail(
			p, name.s, -EINVAL,
			"there is no term '%s'; there are period, freq, name, call-graph, "
			"time, config, …",
			o.typed);
	else if (o.hint.best)
		err = parser_fail(
			p, name.s, -EINVAL,
			"PMU '%s' has neither an event nor a term '%s'; did you mean '%s'?",
			pmu->name, o.typed, o.hint.best);
	else
		err = parser_fail(p, name.s, -EINVAL,
				  "PMU '%s' has neither an event nor a term '%s'; 'assay list %s' "
				  "shows its events",
				  pmu->name, o.typed, pmu->name);
	arena_fini(&o.arena);
	return err;
}

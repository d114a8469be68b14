/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Messages about unknown names: the nearest ones that exist, and for names that exist elsewhere, what this machine lacks.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "abi/event_names.h"
#include "base/log.h"
#include "base/suggest.h"
#include "kernel/event_parser.h"

/* PMUs and events that manuals mention, and what they need. Patterns. */
static const struct {
	const char *name, *what;
} known_pmus[] = {
	{ "cpu", "the CPU's hardware counters; virtual machines often have none" },
	{ "cpu_core", "the performance cores of a hybrid CPU" },
	{ "cpu_atom", "the efficiency cores of a hybrid CPU" },
	{ "armv[78]_*", "an ARM CPU's hardware counters" },
	{ "power", "energy counters (RAPL): a physical machine with CONFIG_PERF_EVENTS_INTEL_RAPL" },
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
/* clang-format off */
static const struct {
	const char *name, *pmu;
} known_events[] = {
	{ "energy-*", "power" }, { "tsc", "msr" }, { "aperf", "msr" }, { "mperf", "msr" }, { "pperf", "msr" }, { "smi", "msr" },
	{ "slots", "cpu" }, { "topdown-*", "cpu" }, { "mem-loads", "cpu" }, { "mem-stores", "cpu" }, { "el-*", "cpu" },
	{ "cycles-ct", "cpu" }, { "cycles-t", "cpu" }, { "tx-*", "cpu" }, { "cpu_cycles", "armv8_pmuv3" },
	{ "inst_retired", "armv8_pmuv3" }, { "br_mis_pred", "armv8_pmuv3" }, { "l1d_cache*", "armv8_pmuv3" },
	{ "c[1-9]-residency", "cstate_core" },
};
/* clang-format on */
#define NR(a) (sizeof(a) / sizeof((a)[0]))

/* What a known PMU is; NULL for an unknown one. */
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
	size_t family_len; /* "LLC-" of "LLC-foo"; 0: none */
	unsigned nr_family;
	char family[160]; /* the first names that begin so */
};

#define FAMILY_MIN 3 /* letters before the dash */
#define FAMILY_SHOWN 4

static void offers_init(struct offers *o, struct span typed)
{
	*o = (struct offers){ 0 };
	snprintf(o->typed, sizeof(o->typed), SPAN_FMT, SPAN_ARG(typed));
	suggest_init(&o->hint, o->typed);
	o->family_len = strcspn(o->typed, "-") + 1;
	if (o->family_len <= FAMILY_MIN || o->family_len > strlen(o->typed))
		o->family_len = 0;
}

static void offer(struct offers *o, const char *s)
{
	size_t len = strlen(o->family);

	suggest_offer(&o->hint, s);
	if (!o->family_len || strncmp(o->typed, s, o->family_len) != 0 || o->nr_family >= FAMILY_SHOWN ||
	    len + strlen(s) + 4 >= sizeof(o->family))
		return;
	snprintf(o->family + len, sizeof(o->family) - len, "%s'%s'", len ? ", " : "", s);
	o->nr_family++;
}

static void offer_copy(struct offers *o, const char *s)
{
	offer(o, arena_str(&o->arena, s, strlen(s)));
}

static void offer_generic(struct offers *o)
{
	const struct event_name *known;
	char cache[EVENT_NAME_MAX];
	const char *tool;
	uint64_t config;

	for (uint32_t i = 0; (known = event_names_get(i)); i++) {
		offer(o, known->name);
		if (known->alias)
			offer(o, known->alias);
	}
	for (uint32_t i = 0; event_names_get_cache(i, &config, cache, sizeof(cache)); i++)
		offer_copy(o, cache);
	for (uint32_t i = 0; (tool = event_tool_name(i)); i++)
		offer(o, tool);
}

static void offer_aliases(struct offers *o, struct pmu_set *s)
{
	for (uint32_t i = 0; i < s->pmus.nr; i++) {
		pmu_load(s, &s->pmus.v[i]);
		for (uint32_t k = 0; k < s->pmus.v[i].events.nr; k++)
			offer(o, s->pmus.v[i].events.v[k].name);
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
	return event_pfm_is_usable() ? " (nor does libpfm4 know it for this CPU)"
				     : " (vendors' names need libpfm4, which this build or machine lacks)";
}

int event_unknown_tracepoint(struct event_parser *p, struct span system, int err, const char *reason)
{
	return parser_fail(p, system.s, err, "%s%s", reason, about_pfm(system));
}

/* "rZZ" and codes of more than 64 bits were meant to be raw ones. `sure`: nothing else is near. */
static int unknown_raw(struct event_parser *p, struct span name, bool sure)
{
	struct span code = { name.s + 1, name.len - 1 };
	const char *bad = code.s;

	if (*name.s != 'r' || !code.len || (!sure && islower((unsigned char)*code.s)))
		return 0;
	if (span_is_digits(code, true))
		return parser_fail(p, code.s, -EINVAL, "raw code '" SPAN_FMT "' has more than 64 bits", SPAN_ARG(name));
	for (size_t i = 0; i < code.len; i++)
		if (!isalnum((unsigned char)code.s[i]))
			return 0;
	while (isxdigit((unsigned char)*bad))
		bad++;
	return parser_fail(p, bad, -EINVAL, "there is no event '" SPAN_FMT "', and as a raw code (r1a8) it is not hexadecimal",
			   SPAN_ARG(name));
}

/* A known event of a PMU that is not here, or of which this machine's has not that event. */
static int absent_event(struct event_parser *p, struct span name, const char *typed, const char *pmu)
{
	struct event_spec spec = event_spec_of(ATTR_TYPE_SOFTWARE, CONFIG_DUMMY, NULL);
	char why[400];

	spec.is_absent = true;
	if (has_pmu(parser_pmus(p), pmu))
		snprintf(why, sizeof(why), "PMU '%s' of this machine has no event '%s', which others have", pmu, typed);
	else
		snprintf(why, sizeof(why), "this machine lacks '%s': it is an event of PMU '%s' (%s)", typed, pmu, known_pmu(pmu));
	if (!p->list->allow_absent)
		return parser_fail(p, name.s, -ENOENT, "%s", why);
	log_warn("%s", why);
	return parser_add(p, spec, name.s);
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
		err = parser_fail(p, name.s, -EINVAL, "there is no event '%s'; did you mean the tracepoint '%s'?", o.typed,
				  tracepoint.text);
	else if (pmu)
		err = absent_event(p, name, o.typed, pmu);
	else if (pmu_set_find(parser_pmus(p), name.s, name.len))
		err = parser_fail(p, name.s, -EINVAL, "'%s' is a PMU: its events are written %s/…/, and 'assay list pmu' shows them",
				  o.typed, o.typed);
	else if ((err = unknown_raw(p, name, !o.hint.best)))
		;
	else if (o.hint.best)
		err = parser_fail(p, name.s, -EINVAL, "there is no event '%s'%s; did you mean '%s'? 'assay list' shows all events", o.typed,
				  pfm, o.hint.best);
	else if (o.nr_family)
		err = parser_fail(p, name.s, -EINVAL, "there is no event '%s'%s; near it are %s: 'assay list' shows all", o.typed, pfm,
				  o.family);
	else
		err = parser_fail(p, name.s, -EINVAL, "there is no event '%s'%s; 'assay list' shows all events", o.typed, pfm);
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
		offer(&o, s->pmus.v[i].name);
	if (!o.hint.best)
		offer_generic(&o);
	if (what)
		err = parser_fail(p, name.s, -ENOENT, "this machine lacks PMU '%s': %s", o.typed, what);
	else if (o.hint.best)
		err = parser_fail(p, name.s, -EINVAL, "there is no PMU or event '%s' here; did you mean '%s'? 'assay list' shows all",
				  o.typed, o.hint.best);
	else
		err = parser_fail(p, name.s, -EINVAL, "there is no PMU or event '%s' here; 'assay list' shows all", o.typed);
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
		offer(&o, known);
	for (uint32_t i = 0; pmu && i < pmu->formats.nr; i++)
		offer(&o, pmu->formats.v[i].name);
	for (uint32_t i = 0; pmu && i < pmu->events.nr; i++)
		offer(&o, pmu->events.v[i].name);
	if (pmu && pmu->is_core)
		offer_generic(&o);
	if (!pmu && o.hint.best)
		err = parser_fail(p, name.s, -EINVAL, "there is no term '%s'; did you mean '%s'?", o.typed, o.hint.best);
	else if (!pmu)
		err = parser_fail(p, name.s, -EINVAL, "there is no term '%s'; there are period, freq, name, call-graph, time, config, …",
				  o.typed);
	else if (o.hint.best)
		err = parser_fail(p, name.s, -EINVAL, "PMU '%s' has neither an event nor a term '%s'; did you mean '%s'?", pmu->name,
				  o.typed, o.hint.best);
	else
		err = parser_fail(p, name.s, -EINVAL, "PMU '%s' has neither an event nor a term '%s'; 'assay list %s' shows its events",
				  pmu->name, o.typed, pmu->name);
	arena_fini(&o.arena);
	return err;
}

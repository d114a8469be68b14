/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events of sysfs PMUs: which PMUs a text means, and what its terms put into their config words. A text that means several PMUs (uncore
 * units, kinds of cores) becomes one event in each.
 */
#include <errno.h>
#include <string.h>

#include "abi/event_names.h"
#include "kernel/event_parser.h"

/* The kernel's way to say which kind of core a generic event is for. */
#define EXTENDED_TYPE_SHIFT 32

struct pmu_job {
	struct event_parser *p;
	const struct pmu *pmu;
	const struct event_term_list *terms; /* as given */
	struct event_spec spec;
};

static uint64_t *config_words(struct attr *a, uint64_t words[PMU_NR_CONFIG])
{
	words[0] = a->config;
	words[1] = a->config1;
	words[2] = a->config2;
	words[3] = a->config3;
	return words;
}

/* `driver`: the alias whose text this comes from, NULL: the command line. */
static int put_format(struct pmu_job *j, const struct pmu_format *f, const struct event_term *t, const char *driver)
{
	uint64_t words[PMU_NR_CONFIG], value = 1;
	struct attr *a = &j->spec.attr;

	if (t->has_value && !span_number(t->value, false, &value) && span_is_digits(t->value, false))
		return parser_fail(j->p, driver ? j->p->base.s : t->value.s, -EINVAL,
				   SPAN_FMT " is too large for '%s' of PMU '%s': it takes up to %#llx", SPAN_ARG(t->value), f->name,
				   j->pmu->name, (unsigned long long)pmu_format_max(f));
	if (t->has_value && !span_number(t->value, false, &value))
		return parser_fail(j->p, driver ? j->p->base.s : t->value.s, -EINVAL,
				   "'" SPAN_FMT "' is no number: '%s' of PMU '%s' takes one (decimal, or hexadecimal with 0x)",
				   SPAN_ARG(t->value), f->name, j->pmu->name);
	if (!t->has_value && pmu_format_max(f) > 1)
		return parser_fail(j->p, driver ? j->p->base.s : t->name.s, -EINVAL,
				   "'%s' of PMU '%s' needs a value: %s=NUMBER, up to %#llx", f->name, j->pmu->name, f->name,
				   (unsigned long long)pmu_format_max(f));
	if (pmu_format_put(f, value, config_words(a, words)))
		return parser_fail(j->p, driver ? j->p->base.s : t->value.s, -EINVAL,
				   "%#llx is too large for '%s' of PMU '%s': it takes up to %#llx", (unsigned long long)value, f->name,
				   j->pmu->name, (unsigned long long)pmu_format_max(f));
	a->config = words[0];
	a->config1 = words[1];
	a->config2 = words[2];
	a->config3 = words[3];
	return 0;
}

/* "param=?" in a driver's text: the command line must give the value. */
static const struct event_term *find_parameter(const struct pmu_job *j, struct span name)
{
	for (uint32_t i = 0; i < j->terms->terms.nr; i++) {
		const struct event_term *t = &j->terms->terms.v[i];

		if (t->has_value && t->name.len == name.len && !memcmp(t->name.s, name.s, name.len))
			return t;
	}
	return NULL;
}

static int put_alias_term(struct pmu_job *j, const struct pmu_event *e, const struct event_term *t, const char *where)
{
	const struct pmu_format *f = pmu_find_format(j->pmu, t->name.s, t->name.len);
	struct event_term filled = *t;
	int ret;

	if (t->has_value && span_is(t->value, "?")) {
		const struct event_term *given = find_parameter(j, t->name);

		if (!given)
			return parser_fail(j->p, where, -EINVAL, "event '%s' of PMU '%s' needs '" SPAN_FMT "': add " SPAN_FMT "=NUMBER",
					   e->name, j->pmu->name, SPAN_ARG(t->name), SPAN_ARG(t->name));
		filled = *given;
	}
	if (f)
		return put_format(j, f, &filled, e->name);
	ret = term_apply(j->p, &filled, &j->spec);
	if (ret)
		return ret < 0 ? ret : 0;
	return parser_fail(j->p, where, -EINVAL, "the driver of PMU '%s' says that event '%s' is '%s', but has no format '" SPAN_FMT "'",
			   j->pmu->name, e->name, e->terms, SPAN_ARG(t->name));
}

static int put_alias(struct pmu_job *j, const struct pmu_event *e, const char *where)
{
	struct event_term_list l = { 0 };
	int err = 0;

	if (!terms_split(e->terms, &l))
		err = parser_fail(j->p, where, -EINVAL, "what the driver of PMU '%s' says about event '%s' cannot be understood: '%s'",
				  j->pmu->name, e->name, e->terms);
	for (uint32_t i = 0; i < l.terms.nr && !err; i++)
		err = put_alias_term(j, e, &l.terms.v[i], where);
	vec_fini(&l.terms);
	if (e->unit) {
		free(j->spec.unit);
		j->spec.unit = mem_strdup(e->unit);
	}
	if (e->scale != 1.0)
		j->spec.scale = e->scale;
	j->spec.is_snapshot |= e->is_snapshot;
	return err;
}

static bool is_hybrid_core(const struct pmu *pmu)
{
	return !strncmp(pmu->name, "cpu_", 4);
}

/* cpu/cycles/, cpu_core/L1-dcache-loads/: generic names inside a PMU that counts them. */
static bool put_generic(struct pmu_job *j, struct span name)
{
	uint32_t type;
	uint64_t config;
	bool is_software = !strcmp(j->pmu->name, "software");

	if (!is_software && !j->pmu->is_core)
		return false;
	if (event_names_find(name.s, name.len, &type, &config) || (type == ATTR_TYPE_SOFTWARE) != is_software)
		return false;
	j->spec.attr.type = type;
	j->spec.attr.config = config;
	if (is_hybrid_core(j->pmu))
		j->spec.attr.config |= (uint64_t)j->pmu->type << EXTENDED_TYPE_SHIFT;
	return true;
}

static int put_term(struct pmu_job *j, const struct event_term *t)
{
	const struct pmu_event *e;
	const struct pmu_format *f;
	int ret = term_apply(j->p, t, &j->spec);

	if (ret)
		return ret < 0 ? ret : 0;
	e = t->has_value ? NULL : pmu_find_event(j->pmu, t->name.s, t->name.len);
	if (e)
		return put_alias(j, e, t->name.s);
	f = pmu_find_format(j->pmu, t->name.s, t->name.len);
	if (f)
		return put_format(j, f, t, NULL);
	if (!t->has_value && (span_raw(t->name, &j->spec.attr.config) || put_generic(j, t->name)))
		return 0;
	return event_unknown_term(j->p, j->pmu, t->name);
}

static struct event_spec spec_of_pmu(const struct pmu *pmu)
{
	struct event_spec spec = event_spec_of(pmu->type, 0, NULL);

	spec.pmu = mem_strdup(pmu->name);
	spec.is_uncore = pmu->is_uncore;
	for (uint32_t i = 0; i < pmu->cpus.cpus.nr; i++)
		vec_push(&spec.cpus.cpus, pmu->cpus.cpus.v[i]);
	return spec;
}

/* The event in one PMU, appended. */
static int add_in_pmu(struct event_parser *p, const struct pmu *pmu, const struct event_term_list *terms, const char *where, bool is_merged)
{
	struct pmu_job j = { .p = p, .pmu = pmu, .terms = terms, .spec = spec_of_pmu(pmu) };
	int err = 0;

	j.spec.is_merged = is_merged;
	for (uint32_t i = 0; i < terms->terms.nr && !err; i++)
		err = put_term(&j, &terms->terms.v[i]);
	if (j.spec.attr.config3)
		j.spec.attr.size = offsetof(struct attr, config4);
	if (!err)
		return parser_add(p, j.spec, where);
	event_spec_fini(&j.spec);
	return err;
}

/* In all PMUs that the text means. Those that do not know the terms are passed over, unless none does: units of one kind may differ. */
static int add_in_many(struct event_parser *p, struct span name, const struct event_term_list *terms)
{
	struct pmu_set *s = parser_pmus(p);
	struct errbuf *eb = p->eb, first = { 0 };
	uint32_t nr_meant = 0, nr_cores = 0, before = p->list->events.nr;
	int err = 0, first_err = 0;

	for (uint32_t i = 0; i < s->pmus.nr; i++) {
		if (!pmu_is_meant(&s->pmus.v[i], name.s, name.len))
			continue;
		pmu_load(s, &s->pmus.v[i]);
		nr_meant++;
		nr_cores += s->pmus.v[i].is_core;
	}
	/* Units of a device are shown as one; kinds of cores are not. */
	p->is_hybrid = nr_meant > 1 && nr_cores == nr_meant;
	for (uint32_t i = 0; i < s->pmus.nr; i++) {
		struct errbuf one = { 0 };

		if (!pmu_is_meant(&s->pmus.v[i], name.s, name.len))
			continue;
		p->eb = &one;
		err = add_in_pmu(p, &s->pmus.v[i], terms, name.s, nr_meant > 1 && !p->is_hybrid);
		p->eb = eb;
		if (err && !first_err) {
			first_err = err;
			first = one;
		}
	}
	if (p->list->events.nr > before)
		return 0;
	return errbuf_set(eb, first_err, "%s", first.text);
}

static bool is_any_meant(const struct pmu_set *s, struct span name)
{
	for (uint32_t i = 0; i < s->pmus.nr; i++)
		if (pmu_is_meant(&s->pmus.v[i], name.s, name.len))
			return true;
	return false;
}

int event_pmu_parse(struct event_parser *p, struct span name)
{
	struct event_term_list terms = { 0 };
	const struct pmu *exact = pmu_set_find(parser_pmus(p), name.s, name.len);
	int err;

	if (!exact && !is_any_meant(parser_pmus(p), name)) {
		err = event_pmu_alias(p, name); /* alias/period=1000/ */
		return err > 0 ? terms_parse_plain(p) : err ? err : event_unknown_pmu(p, name);
	}
	p->pos++;
	err = terms_parse(p, &terms);
	p->needs_no_colon = p->has_pmu = true;
	if (!err)
		err = exact ? add_in_pmu(p, exact, &terms, name.s, false) : add_in_many(p, name, &terms);
	vec_fini(&terms.terms);
	return err;
}

int event_pmu_alias(struct event_parser *p, struct span name)
{
	struct pmu_set *s = parser_pmus(p);
	struct event_term_list terms = { 0 };
	uint32_t nr = 0, nr_cores = 0;
	int err = 0;

	vec_push(&terms.terms, ((struct event_term){ .name = name }));
	for (uint32_t i = 0; i < s->pmus.nr; i++) {
		pmu_load(s, &s->pmus.v[i]);
		if (!pmu_find_event(&s->pmus.v[i], name.s, name.len))
			continue;
		nr++;
		nr_cores += s->pmus.v[i].is_core;
	}
	p->is_hybrid = nr > 1 && nr_cores == nr;
	for (uint32_t i = 0; i < s->pmus.nr && nr && !err; i++)
		if (pmu_find_event(&s->pmus.v[i], name.s, name.len))
			err = add_in_pmu(p, &s->pmus.v[i], &terms, name.s, nr > 1 && !p->is_hybrid);
	vec_fini(&terms.terms);
	return err ? err : nr != 0;
}

int event_pmu_hybrid(struct event_parser *p, uint32_t type, uint64_t config, const char *where)
{
	struct pmu_set *s = parser_pmus(p);
	uint32_t nr = 0;
	int err = 0;

	for (uint32_t i = 0; i < s->pmus.nr; i++)
		nr += is_hybrid_core(&s->pmus.v[i]);
	if (nr < 2)
		return 0;
	for (uint32_t i = 0; i < s->pmus.nr && !err; i++) {
		struct event_spec spec;

		if (!is_hybrid_core(&s->pmus.v[i]))
			continue;
		pmu_load(s, &s->pmus.v[i]);
		spec = spec_of_pmu(&s->pmus.v[i]);
		spec.attr.config = config;
		if (type != ATTR_TYPE_RAW) {
			spec.attr.type = type;
			spec.attr.config |= (uint64_t)s->pmus.v[i].type << EXTENDED_TYPE_SHIFT;
		}
		err = parser_add(p, spec, where);
	}
	p->is_hybrid = true;
	return err ? err : 1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chooses, of the definitions of a metric, the one whose events a CPU's PMU has. Metrics that need
 * the same events share them.
 */
#include "capture/counting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "kernel/pmu.h"

/* The first PMU of CPUs, loaded; NULL: there is none. */
static const struct pmu *find_core_pmu(struct pmu_set *set)
{
	for (uint32_t i = 0; i < set->pmus.nr; i++) {
		pmu_load(set, &set->pmus.v[i]);
		if (set->pmus.v[i].is_core)
			return &set->pmus.v[i];
	}
	return NULL;
}

/* The first word of `needs` that the PMU has no event for; NULL: it has all. *len: of the word. */
static const char *find_missing(const struct pmu *pmu, const char *needs, size_t *len)
{
	for (const char *p = needs; *p;) {
		*len = strcspn(p, ",");
		if (!pmu_find_event(pmu, p, *len))
			return p;
		p += *len;
		p += *p == ',';
	}
	return NULL;
}

/* Slots of a cycle, as Arm's PMUs tell: for S in formulas. 0: it does not say. */
static double read_slots(const char *sysfs, const struct pmu *pmu)
{
	char text[32] = "";
	char *path = mem_printf("%s/bus/event_source/devices/%s/caps/slots", sysfs, pmu->name);

	io_read_line(path, text, sizeof(text));
	free(path);
	return (double)strtoull(text, NULL, 0);
}

static int lacks_pmu(const struct metric_def *d, const char *sysfs, struct errbuf *eb)
{
	return errbuf_set(eb, -ENOENT,
			  "metric '%s' needs hardware counters (%s), and this machine shows no PMU of its "
			  "CPUs "
			  "in %s/bus/event_source/devices; virtual machines often have none",
			  d->name, d->needs ? d->needs : d->events, sysfs);
}

/* The definition to take for `d->name`: `d` or a later one of that name. */
static int choose(const struct metric_def **found, const struct metric_def *d, const struct pmu *pmu, const char *sysfs, struct errbuf *eb)
{
	const char *name = d->name, *missing = NULL;
	size_t len = 0;

	*found = d;
	if (d->needs && !*d->needs)
		return 0;
	if (!pmu)
		return lacks_pmu(d, sysfs, eb);
	if (!d->needs)
		return 0;
	for (; d->name; d++) {
		size_t this_len;
		const char *this;

		if (strcmp(d->name, name))
			continue;
		this = find_missing(pmu, d->needs, &this_len);
		*found = d;
		if (!this)
			return 0;
		if (!missing) {
			missing = this;
			len = this_len;
		}
	}
	return errbuf_set(eb, -ENOENT,
			  "metric '%s' cannot be had here: the PMU %s has no event '%.*s' in %s/bus/"
			  "event_source/devices/%s/events, nor those of its other definitions",
			  name, pmu->name, (int)len, missing, sysfs, pmu->name);
}

static uint32_t count_words(const char *text)
{
	uint32_t nr = 1;

	for (; *text; text++)
		nr += *text == ',';
	return nr;
}

static int add_use(struct counting_metrics *m, struct event_list *list, const struct metric_def *d, double slots, const char *sysfs,
		   struct errbuf *eb)
{
	struct metric_use u = { .def = d, .first_event = list->events.nr, .slots = slots };
	struct event_sources sources = event_sources_live;
	int err;

	sources.sysfs = sysfs;

	for (uint32_t i = 0; i < m->uses.nr; i++) {
		if (m->uses.v[i].def == d)
			return 0; /* named twice */
		if (!strcmp(m->uses.v[i].def->events, d->events)) {
			u.first_event = m->uses.v[i].first_event;
			vec_push(&m->uses, u);
			return 0;
		}
	}
	err = event_list_parse_from(list, d->events, &sources, eb);
	if (err)
		return err;
	if (list->events.nr - u.first_event != count_words(d->events))
		return errbuf_set(eb, -ENOTSUP,
				  "metric '%s' cannot be computed on a machine with several kinds of CPUs: "
				  "count "
				  "%s with -e",
				  d->name, d->events);
	vec_push(&m->uses, u);
	return 0;
}

static bool is_first_of_name(const struct metric_def *d)
{
	for (const struct metric_def *p = metric_defs(); p != d; p++)
		if (!strcmp(p->name, d->name))
			return false;
	return true;
}

static int add_name(struct counting_metrics *m, struct event_list *list, const char *name, const struct pmu *pmu, const char *sysfs,
		    struct errbuf *eb)
{
	double slots = pmu ? read_slots(sysfs, pmu) : 0;
	bool any = false;
	int err = 0;

	for (const struct metric_def *d = metric_defs(); d->name && !err; d++) {
		const struct metric_def *chosen;

		if (!metric_def_is(d, name) || !is_first_of_name(d))
			continue;
		any = true;
		err = choose(&chosen, d, pmu, sysfs, eb);
		if (!err)
			err = add_use(m, list, chosen, slots, sysfs, eb);
	}
	return any ? err : metric_unknown(name, eb);
}

int counting_metrics_add(struct counting_metrics *m, struct event_list *list, const char *text, const char *sysfs, struct errbuf *eb)
{
	char *words = mem_strdup(text), *save = NULL;
	struct pmu_set set = { 0 };
	const struct pmu *pmu;
	int err = 0;

	pmu_set_init(&set, sysfs);
	pmu = find_core_pmu(&set);
	for (char *w = strtok_r(words, ", ", &save); w && !err; w = strtok_r(NULL, ", ", &save))
		err = add_name(m, list, w, pmu, sysfs, eb);
	if (!err && !m->uses.nr)
		err = errbuf_set(eb, -EINVAL, "-M needs the name of a metric; `assay list metric` shows them");
	pmu_set_fini(&set);
	free(words);
	return err;
}

void counting_metrics_fini(struct counting_metrics *m)
{
	vec_fini(&m->uses);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Vendors' event names for the catalogue, out of libpfm4 where the build has it. libpfm4 goes by
 * the CPU's model: a virtual machine without a PMU has the model, too, so sysfs is asked first.
 */
#include <string.h>

#include "kernel/event_catalog.h"

#ifdef HAVE_LIBPFM

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

static bool has_core_pmu(struct event_catalog *c)
{
	struct pmu_set *set = catalog_pmus(c);

	for (uint32_t i = 0; i < set->pmus.nr; i++) {
		pmu_load(set, &set->pmus.v[i]);
		if (set->pmus.v[i].is_core)
			return true;
	}
	return false;
}

static void add_name(struct event_catalog *c, const struct catalog_filter *f, const char *name, const char *desc)
{
	/* libpfm4 itself takes either case. */
	const struct catalog_filter any_case = { .name = f->name, .ignore_case = true };

	if (catalog_filter_fits(&any_case, name))
		catalog_new_event(c, CATALOG_PFM, name)->desc = desc;
}

static void add_event(struct event_catalog *c, const struct catalog_filter *f, const char *prefix, const pfm_event_info_t *info)
{
	pfm_event_attr_info_t attr;
	bool has_umask = false;
	int i;

	pfm_for_each_event_attr(i, info)
	{
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS || attr.type != PFM_ATTR_UMASK)
			continue;
		has_umask = true;
		add_name(c, f, catalog_printf(c, "%s%s:%s", prefix, info->name, attr.name), attr.desc);
	}
	if (!has_umask)
		add_name(c, f, catalog_printf(c, "%s%s", prefix, info->name), info->desc);
}

int catalog_add_pfm(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	int pmu;

	(void)kind, (void)eb;
	if (f->system || !has_core_pmu(c) || pfm_initialize() != PFM_SUCCESS)
		return 0;
	pfm_for_all_pmus(pmu)
	{
		pfm_pmu_info_t info = { .size = sizeof(info) };
		const char *prefix = "";

		/* the first two are the kernel's own names, listed above */
		if (pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW || pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS ||
		    !info.is_present)
			continue;
		if (info.type != PFM_PMU_TYPE_CORE)
			prefix = catalog_printf(c, "%s::", info.name);
		for (int i = info.first_event; i != -1; i = pfm_get_event_next(i)) {
			pfm_event_info_t event = { .size = sizeof(event) };

			if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
				add_event(c, f, prefix, &event);
		}
	}
	return 0;
}

#else

int catalog_add_pfm(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	(void)c, (void)kind, (void)f, (void)eb;
	return 0;
}

#endif

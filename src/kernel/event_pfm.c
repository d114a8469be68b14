/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Vendors' event names (INST_RETIRED:ANY_P, snb::UNHALTED_CORE_CYCLES:u=1) by libpfm4, where the build has it: for events, and for the
 * catalogue. It fills a perf_event_attr in the kernel's layout, which is ours.
 */
#include <errno.h>
#include <string.h>

#include "kernel/event_catalog.h"
#include "kernel/event_parser.h"

#ifdef HAVE_LIBPFM

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

bool event_pfm_is_usable(void)
{
	return pfm_initialize() == PFM_SUCCESS;
}

/* "pmu::event" of a PMU that is in libpfm4's tables, but not in this machine. */
static bool is_absent_pmu(const char *text, const char **desc)
{
	const char *end = strstr(text, "::");

	for (int i = 0; end && i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && strlen(info.name) == (size_t)(end - text) &&
		    !strncmp(info.name, text, (size_t)(end - text))) {
			*desc = info.desc;
			return !info.is_present;
		}
	}
	return false;
}

static int pfm_error(int ret, const char *text, struct errbuf *eb)
{
	const char *desc;

	if (is_absent_pmu(text, &desc))
		return errbuf_set(eb, -ENODEV, "libpfm4 knows PMU '%.*s' (%s), but this machine lacks it", (int)(strstr(text, "::") - text),
				  text, desc);
	switch (ret) {
	case PFM_ERR_ATTR:
	case PFM_ERR_ATTR_VAL:
	case PFM_ERR_ATTR_SET:
	case PFM_ERR_UMASK:
		return errbuf_set(eb, -EINVAL, "libpfm4 knows the event of '%s', but: %s", text, pfm_strerror(ret));
	default:
		return -ENOENT;
	}
}

int event_pfm_find(const char *text, struct attr *attr, struct errbuf *eb)
{
	struct perf_event_attr os = { 0 };
	pfm_perf_encode_arg_t arg = { .attr = &os, .size = sizeof(arg) };
	int ret;

	if (!*text || pfm_initialize() != PFM_SUCCESS)
		return -ENOENT;
	os.size = sizeof(os);
	ret = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (ret != PFM_SUCCESS)
		return pfm_error(ret, text, eb);
	attr->type = os.type;
	attr->config = os.config;
	attr->config1 = os.config1;
	attr->config2 = os.config2;
	attr->bp_type = os.bp_type;
	attr->flags = (os.exclude_user ? ATTR_EXCLUDE_USER : 0) | (os.exclude_kernel ? ATTR_EXCLUDE_KERNEL : 0) |
		      (os.exclude_hv ? ATTR_EXCLUDE_HV : 0) | (os.exclude_guest ? ATTR_EXCLUDE_GUEST : 0) |
		      (os.exclude_host ? ATTR_EXCLUDE_HOST : 0) | (os.pinned ? ATTR_PINNED : 0) |
		      (uint64_t)os.precise_ip << ATTR_PRECISE_IP_SHIFT;
	return 0;
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
	/* libpfm4 goes by the model of the CPU, which a virtual machine without a PMU has too. */
	if (f->system || !pmu_set_find_core(catalog_pmus(c), NULL) || pfm_initialize() != PFM_SUCCESS)
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

bool event_pfm_is_usable(void)
{
	return false;
}

int event_pfm_find(const char *text, struct attr *attr, struct errbuf *eb)
{
	(void)text, (void)attr, (void)eb;
	return -ENOENT;
}

int catalog_add_pfm(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	(void)c, (void)kind, (void)f, (void)eb;
	return 0;
}

#endif

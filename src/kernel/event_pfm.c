/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Vendors' event names (INST_RETIRED:ANY_P, snb::UNHALTED_CORE_CYCLES:u=1) by libpfm4, where the
 * build has it. It fills a perf_event_attr in the kernel's layout, which is ours.
 */
#include <errno.h>
#include <string.h>

#include "kernel/event_parser.h"

#ifdef HAVE_LIBPFM

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

bool event_pfm_is_built(void)
{
	return true;
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

#else

bool event_pfm_is_built(void)
{
	return false;
}

int event_pfm_find(const char *text, struct attr *attr, struct errbuf *eb)
{
	(void)text, (void)attr, (void)eb;
	return -ENOENT;
}

#endif

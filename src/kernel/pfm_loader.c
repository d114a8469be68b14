/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions of libpfm4 that event_pfm.c calls, from the shared library, which is loaded when the first of them is called: its tables have
 * 40,000 relocations on 270 pages, which would be the largest part of each start of assay. The statically linked program has the library's own
 * functions instead of this file.
 */
#include <perfmon/pfmlib.h>

#include "base/lazy_library.h"

#define LIBRARY "libpfm.so.4"

#define FUNCTIONS(X)                                                                                                                       \
	X(pfm_initialize)                                                                                                                  \
	X(pfm_strerror)                                                                                                                    \
	X(pfm_get_pmu_info)                                                                                                                \
	X(pfm_get_event_next)                                                                                                              \
	X(pfm_get_event_info)                                                                                                              \
	X(pfm_get_event_attr_info)                                                                                                         \
	X(pfm_get_os_event_encoding)

LAZY_LIBRARY(FUNCTIONS)

/* Called before any other function. */
int pfm_initialize(void)
{
	static int result = 1; /* not tried; results are 0 and negative */

	if (result > 0)
		result = LAZY_LOAD(LIBRARY, "no vendors' event names") ? library.pfm_initialize() : PFM_ERR_NOTSUPP;
	return result;
}

const char *pfm_strerror(int code)
{
	return library.pfm_strerror(code);
}

int pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	return library.pfm_get_pmu_info(pmu, info);
}

int pfm_get_event_next(int idx)
{
	return library.pfm_get_event_next(idx);
}

int pfm_get_event_info(int idx, pfm_os_t os, pfm_event_info_t *info)
{
	return library.pfm_get_event_info(idx, os, info);
}

int pfm_get_event_attr_info(int idx, int attr, pfm_os_t os, pfm_event_attr_info_t *info)
{
	return library.pfm_get_event_attr_info(idx, attr, os, info);
}

int pfm_get_os_event_encoding(const char *name, int plm, pfm_os_t os, void *args)
{
	return library.pfm_get_os_event_encoding(name, plm, os, args);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Clocks and cycles run with the program, other events happen or do not.
 */
#include "abi/no_samples.h"

#include <stddef.h>

#define CONFIG_CYCLES 0 /* of PERF_TYPE_HARDWARE */
#define CONFIG_DUMMY 9	/* of PERF_TYPE_SOFTWARE */

static bool runs_with_the_program(const struct attr *a)
{
	if (a->type == ATTR_TYPE_SOFTWARE)
		return a->config <= 1; /* cpu-clock, task-clock */
	return a->type == ATTR_TYPE_HARDWARE && a->config == CONFIG_CYCLES;
}

const char *no_samples_hint(const struct attr *a)
{
	if (!a->sample_period || (a->type == ATTR_TYPE_SOFTWARE && a->config == CONFIG_DUMMY))
		return NULL;
	if (!runs_with_the_program(a) && a->sample_period == 1 && !(a->flags & ATTR_FREQ))
		return "the event did not happen in what was recorded, or --filter left it out: -a records all processes";
	if (!runs_with_the_program(a))
		return "the event did not happen often enough: 'assay stat' counts how often it does, -c 1 samples each time";
	if (a->flags & ATTR_EXCLUDE_KERNEL)
		return "the program slept, was in the kernel (which is not recorded) or ended before the first sample was due: record longer, "
		       "or sample more often with -F max";
	if (a->flags & ATTR_EXCLUDE_USER)
		return "the program slept, was in user code (which is not recorded) or ended before the first sample was due: record longer, "
		       "or sample more often with -F max";
	return "the program slept or ended before the first sample was due: record longer, or sample more often with -F max; 'assay stat' counts "
	       "what is too short to sample";
}

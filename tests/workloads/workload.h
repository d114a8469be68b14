/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the programs of known truth share.
 */
#ifndef ASSAY_TESTS_WORKLOAD_H
#define ASSAY_TESTS_WORKLOAD_H

#include <time.h>

/* A function that stays one, called as it is written. */
#define KEPT __attribute__((noinline, noclone, noipa))

static inline double seconds_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static inline double now(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

/* CPU time of the thread: the number of samples does not depend on what else runs. A system call each, so only for long rounds. */
static inline double cpu_time(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the programs of known truth share.
 */
#ifndef ASSAY_TESTS_WORKLOAD_H
#define ASSAY_TESTS_WORKLOAD_H

#include <time.h>

/* A function that stays one, called as it is written. */
#define KEPT __attribute__((noinline, noclone, noipa))

/* Seconds of a clock that never jumps. */
static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#endif

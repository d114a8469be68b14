/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct wake_pace: how often map records may wake the thread that opens mapped files. Each record and each wake cost the program that maps a
 * file, and programs that are started again and again map files that are known already: wakes are worth their cost
 * only as long as they bring something new. Pure: numbers in, a decision out.
 */
#ifndef ASSAY_CAPTURE_WAKE_PACE_H
#define ASSAY_CAPTURE_WAKE_PACE_H

#include <stdint.h>

#define WAKE_PERIOD_MS 10
#define WAKE_MAX_PER_PERIOD 20
#define WAKE_MAX_STALE 20 /* a program that is started again maps about five files: four such starts */
#define WAKE_PAUSE_MS 100

/* After a wake. */
enum wake_next {
	WAKE_AT_ONCE,
	WAKE_LATER,	  /* in WAKE_PERIOD_MS */
	WAKE_AFTER_PAUSE, /* in WAKE_PAUSE_MS: records need not even be made until then */
};

/* A zeroed struct is at the beginning. */
struct wake_pace {
	uint64_t since_ns; /* when this period began */
	uint64_t nr_news;  /* up to the last wake */
	uint32_t nr_wakes; /* in this period */
	uint32_t nr_stale; /* the last wakes, which brought nothing new */
};

/* When the next wake may be. `nr_news`: how many new things came, ever. Two limits: of wakes in a period, and of wakes in a row
 * without news. Something new lifts the second at once. */
static inline enum wake_next wake_pace_next(struct wake_pace *pace, uint64_t now_ns, uint64_t nr_news)
{
	pace->nr_stale = nr_news == pace->nr_news ? pace->nr_stale + 1 : 0;
	pace->nr_news = nr_news;
	if (now_ns - pace->since_ns > WAKE_PERIOD_MS * UINT64_C(1000000)) {
		pace->since_ns = now_ns;
		pace->nr_wakes = 0;
	}
	if (pace->nr_stale > WAKE_MAX_STALE)
		return WAKE_AFTER_PAUSE;
	return ++pace->nr_wakes > WAKE_MAX_PER_PERIOD ? WAKE_LATER : WAKE_AT_ONCE;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two limits: of wakes in a period, and of wakes in a row without news. Something new lifts the second at once.
 */
#include "capture/wake_pace.h"

enum wake_next wake_pace_next(struct wake_pace *pace, uint64_t now_ns, uint64_t nr_news)
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

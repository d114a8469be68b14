/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The line is drawn at most ten times a second, first after half a second. A message in between overwrites it.
 */
#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/log.h"

#define PROGRESS_DELAY_NS 500000000ull
#define PROGRESS_PERIOD_NS 100000000ull

void progress_init(struct progress *p, const char *what, uint64_t total)
{
	*p = (struct progress){ .what = what, .total = total };
	p->enabled = log_level > LOG_QUIET && isatty(STDERR_FILENO);
	if (p->enabled) {
		p->start_ns = clock_now_ns();
		p->next_ns = p->start_ns + PROGRESS_DELAY_NS;
	}
}

void progress_update(struct progress *p, uint64_t done)
{
	char text[160];
	uint64_t now_ns;
	double seconds;
	int len;

	if (!p->enabled)
		return;
	now_ns = clock_now_ns();
	if (now_ns < p->next_ns)
		return;
	p->next_ns = now_ns + PROGRESS_PERIOD_NS;
	p->shown = true;
	seconds = (double)(now_ns - p->start_ns) / 1e9;
	if (p->total) {
		double share = (double)done / (double)p->total;

		len = snprintf(text, sizeof(text), "\r%.100s %d%% %.1f s\033[K\r", p->what, share < 1 ? (int)(share * 100) : 100, seconds);
	} else {
		len = snprintf(text, sizeof(text), "\r%.100s %.1f s\033[K\r", p->what, seconds);
	}
	/* A terminal that went away is no reason to stop the work. */
	io_write(STDERR_FILENO, text, (size_t)len, NULL);
}

void progress_fini(struct progress *p)
{
	if (p->shown)
		io_write(STDERR_FILENO, "\r\033[K", 4, NULL);
	p->enabled = p->shown = false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A progress line on a terminal's stderr for work that takes longer than half a second; silent in a pipe and under -q.
 */
#ifndef ASSAY_BASE_PROGRESS_H
#define ASSAY_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what;
	uint64_t total; /* 0: unknown */
	uint64_t start_ns;
	uint64_t next_ns;
	bool enabled;
	bool shown;
};

void progress_init(struct progress *p, const char *what, uint64_t total);
/* Cheap enough for every few thousand items. */
void progress_update(struct progress *p, uint64_t done);
void progress_fini(struct progress *p); /* wipes the line */

#endif

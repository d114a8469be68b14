/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Text of a tracer (trace_pipe of tracefs) → lines, and what was lost in between. Names of tasks in it are hostile, it comes in pieces of any
 * size, and what one line takes of memory is bounded.
 */
#ifndef ASSAY_MODEL_TRACE_LINES_H
#define ASSAY_MODEL_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_LINE_MAX 4096 /* what is behind is dropped */

struct trace_lines {
	/* Gets each line without its line break; `is_loss`: it says that events are missing. A negative errno ends it. */
	int (*each)(void *ctx, const char *line, size_t len, bool is_loss);
	void *ctx;
	uint64_t nr_lines, nr_cut;
	uint64_t nr_lost;   /* events, by lines "CPU:1 [LOST 12 EVENTS]" */
	uint64_t nr_losses; /* such lines; some have no number */
	uint32_t len;
	bool is_long;
	char line[TRACE_LINE_MAX];
};

void trace_lines_init(struct trace_lines *l, int (*each)(void *ctx, const char *line, size_t len, bool is_loss), void *ctx);
/* 0, or what `each` returned. */
int trace_lines_feed(struct trace_lines *l, const char *text, size_t size);
/* The last line may lack its line break. */
int trace_lines_end(struct trace_lines *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines that `perf script` prints, taken apart: the first line of a sample, a frame of its call chain, a place in the source. Which
 * fields there are was decided by who printed them (-F); they are told by what they look like. Pure functions of a line.
 */
#ifndef ASSAY_IMPORT_SCRIPT_LINE_H
#define ASSAY_IMPORT_SCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct script_span { /* a part of the line */
	const char *s;
	size_t len;
};

/* "COMM PID/TID [CPU] TIME: PERIOD EVENT: rest"; what is not there has is_… false, or an empty span. */
struct script_head {
	struct script_span comm, event, rest;
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t time_ns, period;
	bool has_tid, has_pid, has_cpu, has_time, has_period;
	bool is_record; /* of a record that is no sample: PERF_RECORD_… */
};

/* "ADDRESS SYMBOL+0xOFF (DSO)" */
struct script_frame {
	uint64_t addr, off; /* off UINT64_MAX: not told */
	struct script_span symbol, dso; /* empty: not told, or "[unknown]" */
	bool is_inlined;
	bool has_dso; /* a DSO was printed, even "[unknown]" */
};

/* False where the line is none. */
bool script_head_parse(const char *s, size_t len, struct script_head *h);
bool script_frame_parse(const char *s, size_t len, struct script_frame *f);
/* "  FILE:LINE", of an inlined function with " (inlined)" behind it. */
bool script_source_parse(const char *s, size_t len, struct script_span *file, uint32_t *line, bool *is_inlined);

#endif

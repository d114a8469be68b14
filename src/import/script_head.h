/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first line of a sample, as `perf script` prints it, taken apart. Which fields there are was decided by who printed it (-F). Where the
 * time is among them, they are told by what they look like; without it they have to be known (script_shape.h). Pure functions of a line.
 */
#ifndef ASSAY_IMPORT_SCRIPT_HEAD_H
#define ASSAY_IMPORT_SCRIPT_HEAD_H

#include "import/script_span.h"

/* "COMM PID/TID [CPU] TIME: PERIOD EVENT: rest"; what is not there has is_… false, or an empty span. */
struct script_head {
	struct script_span comm, event;
	struct script_span rest; /* begins where the last field ended (script_rest.h) */
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t time_ns, period;
	bool has_tid, has_pid, has_cpu, has_time, has_period;
	bool is_bare;	/* no field at all */
	bool has_other; /* a time of day, which is not read */
	bool is_record; /* of a record that is no sample: PERF_RECORD_… */
};

/* Fields in the order they come. A CPU and a time of day cannot be mistaken, and may be there or not. */
enum script_fields {
	SCRIPT_COMM = 1,
	SCRIPT_TID = 2, /* or a process id that stands alone */
	SCRIPT_PID = 4, /* "PID/TID": with the one before */
	SCRIPT_MISC = 8,
	SCRIPT_PERIOD = 16,
	SCRIPT_EVENT = 32,
	SCRIPT_FIELDS_ALL = 63,
};

/* By its time; without one by its CPU or event, in front of which the task must stand. False where the line is none. */
bool script_head_parse(const char *s, size_t len, struct script_head *h);
/* Without a time, these fields, in columns as wide as perf prints them. is_chained: in front of a call chain, where names are not padded. */
bool script_head_parse_as(const char *s, size_t len, uint32_t fields, bool is_chained, struct script_head *h);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How long the things took whose end a sample marks: system calls (records of `trace`, raw_syscalls:sys_exit, syscalls:sys_exit_…), and events
 * with a field that says it (sched:sched_stat_…). Weights of flame graphs, and the points of a heat map of system calls.
 */
#ifndef ASSAY_MODEL_DURATIONS_H
#define ASSAY_MODEL_DURATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/syscall_set.h"
#include "base/vec.h"
#include "model/latency.h"
#include "model/syscall_log.h"
#include "session/recording.h"

enum duration_kind { DURATION_NONE, DURATION_CALL, DURATION_BEGIN, DURATION_END, DURATION_FIELD };

struct duration_event { /* of an event of the recording */
	enum duration_kind kind;
	const struct trace_field *field; /* DURATION_FIELD; DURATION_END: its result, or NULL */
	uint32_t nr;			 /* DURATION_BEGIN and _END: of the system call; UINT32_MAX: of a name that is not known */
};

struct durations {
	const struct recording *recording;
	struct syscall_log log;
	struct pairing pairing; /* of syscalls:sys_enter_… and sys_exit_…, by thread and call */
	VEC(struct duration_event) events;
	enum syscall_abi main_abi; /* of the recording's machine; known from the first sample on */
	uint64_t nr;		   /* that were found */
	/* of the last one */
	bool is_call;
	enum syscall_abi abi;
	uint32_t call_nr; /* UINT32_MAX: not known */
	bool has_result;  /* of a call */
	int64_t result;
};

void durations_init(struct durations *d, const struct recording *r);
void durations_fini(struct durations *d);

/* True: the sample is the end of something that took so long. Every sample, in order of time. */
bool durations_take(struct durations *d, const struct session_record *sr, uint64_t *took_ns);

#endif

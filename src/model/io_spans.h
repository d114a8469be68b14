/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls that read, write, sync, send, receive or poll, as spans of tasks (SPAN_OF_IO), from the begin of a call to its end. From events
 * syscalls:sys_enter_… and sys_exit_…, raw_syscalls, and recordings of `trace` (model/durations.h).
 */
#ifndef ASSAY_MODEL_IO_SPANS_H
#define ASSAY_MODEL_IO_SPANS_H

#include "model/durations.h"
#include "model/span_store.h"

struct io_spans {
	struct durations durations;
	struct span_store *store;
	struct timeline *timeline;
	uint64_t merge_ns; /* calls of a kind that are not farther apart are one span */
	bool skips_again;  /* calls that returned EAGAIN are left out */
	uint64_t nr_calls, nr_merged, nr_skipped;
};

/* The store and the time line, borrowed, have the tracks of tasks. */
void io_spans_init(struct io_spans *io, const struct recording *r, struct span_store *s, struct timeline *t);
void io_spans_fini(struct io_spans *io);
/* Whether an event of the recording is about system calls. */
bool io_spans_wants(const struct io_spans *io, int32_t event);
void io_spans_take(struct io_spans *io, const struct session_record *sr);

/* The calls, for those who record them; ends with a NULL name. */
struct io_call {
	const char *name;
	enum span_state state;
};
extern const struct io_call io_calls[];

#endif

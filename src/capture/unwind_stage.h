/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unwinding while recording: between the rings and the file. Raw samples go in as the drain takes
 * them from the rings, records for the file come out, in the same order: samples with the
 * addresses of their callers instead of registers and stack, everything else as it was.
 *
 * A thread of its own keeps a machine (tasks and maps) up to date in order of time, with the
 * guarantee of session/order.h: a round is unwound when the next one is in. A sample is therefore
 * unwound with the maps that a reader of the raw file would have found at that moment, and with
 * the same addresses.
 */
#ifndef ASSAY_CAPTURE_UNWIND_STAGE_H
#define ASSAY_CAPTURE_UNWIND_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "capture/unwind_queue.h"
#include "capture/unwind_stream.h"

struct unwind_stage;

struct unwind_stage_options {
	const char *spool_dir;	     /* borrowed */
	uint64_t memory_limit;	     /* of what waits; 0: default */
	uint32_t max_workers;	     /* 0: by CPUs */
	int wake_fd;		     /* eventfd, told when something is done; -1: none */
	struct stack_growth *growth; /* NULL: dumps stay as they are */
};

struct unwind_stage *unwind_stage_new(const struct unwind_stage_options *o);
/* Before the start, and after the end: for its events, and for what it counted. */
struct unwind_stream *unwind_stage_stream(struct unwind_stage *s);
int unwind_stage_start(struct unwind_stage *s, struct errbuf *eb);

/* Records that tell of what was there before; nothing of them comes back. */
void unwind_stage_put_opening(struct unwind_stage *s, const void *records, size_t size);
/* Whole records, in two parts as the ring of a CPU (by its index) has them. `use`: adds what stacks were among them; or NULL. */
void unwind_stage_put(struct unwind_stage *s, uint32_t cpu, const void *a, size_t a_size, const void *b, size_t b_size,
		      struct dump_use *use);
/* All rings were emptied. `then_switch`: the next file begins here. */
void unwind_stage_end_round(struct unwind_stage *s, bool then_switch);
bool unwind_stage_is_full(struct unwind_stage *s);
/* See unwind_queue_empty_spool(). */
bool unwind_stage_empty_spool(struct unwind_stage *s);
/* Nothing more comes. */
void unwind_stage_end(struct unwind_stage *s);
/* The next bytes for the file: the caller's chunk (unwind_chunk_free). NULL: none yet; *finished:
 * and none will come. */
struct unwind_chunk *unwind_stage_take(struct unwind_stage *s, bool *finished);
uint64_t unwind_stage_backlog(struct unwind_stage *s);

/* Final after unwind_stage_take() said so, or the stage was stopped. */
const struct unwind_stats *unwind_stage_stats(const struct unwind_stage *s);
const struct unwind_queue *unwind_stage_queue(const struct unwind_stage *s);
/* After a failure, or a second order to stop: ends the thread as soon as it can, throws away what did not come out, and says
 * how many samples that were. */
uint64_t unwind_stage_stop(struct unwind_stage *s);
void unwind_stage_free(struct unwind_stage *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unwinding while recording, between the rings and the file: a thread that takes raw samples from a queue, as the drain puts them there,
 * and gives back records for the file, in the same order: samples with the addresses of their callers instead of registers and stack, all
 * else as it was. A sample is unwound with the maps that a reader of the raw file would have at that moment, and with the same result.
 */
#ifndef ASSAY_CAPTURE_UNWIND_STAGE_H
#define ASSAY_CAPTURE_UNWIND_STAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "capture/dump_policy.h"
#include "capture/unwind_queue.h"
#include "capture/unwind_stream.h"
#include "kernel/ring.h"

struct unwind_stage_options {
	const char *spool_dir;	     /* borrowed */
	uint64_t memory_limit;	     /* of what waits; 0: default */
	uint32_t max_workers;	     /* 0: by CPUs */
	int wake_fd;		     /* eventfd, written to when something is done; -1: none */
	struct stack_growth *growth; /* NULL: dumps stay as they are */
};

struct unwind_stage {
	struct unwind_queue queue;   /* the drain asks it directly; what it counted is final when all was taken, or the stage was stopped */
	struct unwind_stream stream; /* the stage's own while it runs */
	unsigned round_owed;	     /* the drain's: 2: records since the last round; 1: in that one */
	pthread_t thread;
	bool is_running;
	atomic_bool is_stopped;
};

struct unwind_stage *unwind_stage_new(const struct unwind_stage_options *o);
int unwind_stage_start(struct unwind_stage *s, struct errbuf *eb);

/* Records about what was there before; nothing of them comes back. */
void unwind_stage_put_opening(struct unwind_stage *s, const void *records, size_t size);
/* Records of the ring of a CPU (by its index). `use`: adds what stacks were among them; or NULL. */
void unwind_stage_put(struct unwind_stage *s, uint32_t cpu, const struct ring_span *span, struct dump_use *use);
/* All rings were emptied. `then_switch`: the next file begins here. */
void unwind_stage_end_round(struct unwind_stage *s, bool then_switch);
/* After a failure, or a second request to stop: ends the thread as soon as it can, drops what did not come out, and returns how many
 * samples that were. */
uint64_t unwind_stage_stop(struct unwind_stage *s);
void unwind_stage_free(struct unwind_stage *s);

/* Copies records from *off on to `to`, as many as fit into `cap` bytes (at least one does), and adds to `use`. Returns how many bytes it
 * wrote, with *off behind the last record. Of what is no record, the header is copied, and the rest of the span left out.
 *
 * The kernel reserves room for the largest dump with each sample and fills it up to the end of the stack. Only what was filled is copied; a
 * dump that ended before its room did still says so (dyn_size < size). */
size_t dump_copy(const struct unwind_stream *s, const struct ring_span *p, size_t *off, uint8_t *to, size_t cap, struct dump_use *use);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From raw samples to unwound ones: chunks of records as the rings have them go in, the same chunks come out, in the same order, with their
 * samples rewritten.
 *
 * A session over these records has tasks and maps in order of time, with the guarantee of struct order: a round is unwound when the next
 * one is in. No thread, ring or file is known here.
 */
#ifndef ASSAY_CAPTURE_UNWIND_STREAM_H
#define ASSAY_CAPTURE_UNWIND_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/record.h"
#include "abi/walked.h"
#include "base/vec.h"
#include "capture/stack_growth.h"
#include "capture/unwind_queue.h"
#include "perfdata/record_source.h"
#include "session/session.h"
#include "session/unwinder.h"
#include "symbols/unwind.h"

/* An event as the rings have it and as the file will. */
struct unwind_event {
	struct sample_layout in, out;
	bool unwinds;	  /* its samples carry stacks */
	bool is_switched; /* the file says that dumps are large, but some are small */
};

struct unwind_item {
	struct unwind_chunk *chunk;
	uint32_t piece;
	const struct unwind_event *event;
	const struct task *task;
	uint64_t id; /* of the event that is written; 0: as it is */
	/* results */
	int err;
	struct unwind_result walk;
	bool has_user;	 /* user space was there to be unwound */
	uint32_t dumped; /* bytes of the stack that there was room for */
	uint64_t reach;	 /* of them, bytes that the walk went over */
};

struct unwind_worker {
	struct unwinder *unwinder;
	uint64_t *chain;
	uint8_t *record;
};

struct unwind_batch {
	struct machine *machine;
	VEC(struct unwind_item) items;
	VEC(struct unwind_worker) workers;
	uint32_t max_workers;
	VEC(uint32_t) prepared; /* generations of maps whose tables are loaded */
	VEC(int32_t) pids;	/* of the items; as many as are distinguished */
};

/* unwind_batch.c: samples between two changes of the maps, unwound in any order, on as many CPUs as is worth it. Each result goes to the
 * place of its sample in the chunk. */
void unwind_batch_init(struct unwind_batch *b, struct machine *m, uint32_t max_workers);
void unwind_batch_fini(struct unwind_batch *b);
void unwind_batch_add(struct unwind_batch *b, const struct unwind_item *item);
/* May an item be of that process? */
bool unwind_batch_has(const struct unwind_batch *b, int32_t pid);
/* Unwinds all items. They stay until the owner clears it. */
void unwind_batch_run(struct unwind_batch *b);
void unwind_batch_clear(struct unwind_batch *b);

/* An event that the file does not name (stack_growth.h). */
struct unwind_twin {
	uint64_t id;
	uint64_t in_file; /* the id that is written */
};

struct unwind_stream {
	struct stack_growth *growth; /* NULL: dumps stay as they are */
	atomic_bool *is_stopped;     /* NULL, or: true: nothing is unwound any more, chunks stay held */
	VEC(struct unwind_event) events;
	VEC(struct unwind_twin) twins;
	struct hindex twin_index;
	struct perfdata_info info; /* the events, as the rings have them */
	struct block_source source;
	struct session *session;
	struct {
		_Alignas(8) struct record_header header;
		struct record_block block;
	} round;		   /* what is put at the end of one */
	uint64_t nr_undecoded;	   /* samples that no worker could read */
	struct unwind_chunks held; /* that wait for records in them */
	struct unwind_batch batch;
};

void unwind_stream_init(struct unwind_stream *s, uint32_t max_workers, struct stack_growth *growth);
void unwind_stream_fini(struct unwind_stream *s);
/* The recording's events, in order: as they were opened, and as the file has them. At least one. */
void unwind_stream_add_event(struct unwind_stream *s, const struct attr *opened, const struct attr *in_file);
/* `in_file`: the id that is written, another one for a twin. */
void unwind_stream_add_id(struct unwind_stream *s, uint64_t id, uint64_t in_file, uint32_t event);

/* How a sample is laid out that carries a stack to be unwound; NULL: it does not. For any thread, once all ids are known. */
const struct sample_layout *unwind_stream_find_stacks(const struct unwind_stream *s, const struct record_header *h);

/* Takes over the chunk. */
void unwind_stream_put(struct unwind_stream *s, struct unwind_chunk *c);
/* Nothing more comes: everything is ready. */
void unwind_stream_finish(struct unwind_stream *s);
/* The next chunk that is done, the caller's; NULL: none yet. */
struct unwind_chunk *unwind_stream_next(struct unwind_stream *s);
/* Records that could not be read, or samples of no event, left out. Spans whose end was no record are source.nr_damaged, records that came
 * too late for their place in time session->intake.order.nr_late. */
uint64_t unwind_stream_count_malformed(const struct unwind_stream *s);
/* Samples in chunks that are not done. */
uint64_t unwind_stream_count_held(const struct unwind_stream *s);

/* How an event and its samples are written once their stacks are unwound: like those of frame pointers. Registers and stack are gone, the
 * user part of the call chain has the callers. By the rule of abi/walked.h the attr still has the size of the dump, and marks behind a
 * chain say how its walk ended. */

/* Addresses of one chain at most: what fits into a record. */
#define UNWOUND_CHAIN_MAX (UINT16_MAX / 8)
#define UNWOUND_MARKS_MAX (WALKED_NR_ENDS - 1)
#define UNWOUND_RECORD_MAX (UINT16_MAX & ~7u)

/* Does a sample of this event carry all that unwinding needs? */
bool unwound_is_possible(const struct attr *a);
/* What a file says of such an event. */
void unwound_attr(struct attr *a);

/* Copies the part of a recorded chain that is before user space (or all of it) and the mark that user space follows; returns how many words
 * that is. `chain` has room for UNWOUND_CHAIN_MAX. */
uint32_t unwound_chain_begin(const struct sample *s, uint64_t *chain);

/* The record with `chain` in place of stack and registers; `out` is the layout of the event as the file has it. Behind its `nr` words the
 * chain has room for UNWOUND_MARKS_MAX. A chain too long for a record is cut at its outer end, and its *walk ends in UNWIND_RECORD_LIMIT.
 * Returns the size, or a negative errno (-EBADMSG, -ENOSPC). */
int64_t unwound_encode(const struct sample_layout *out, const struct record_header *h, const struct sample *s, uint64_t *chain, uint32_t nr,
		       struct unwind_result *walk, void *buf, size_t cap);

/* A record about an event that the file does not name (a twin, stack_growth.h), in the name of the one that it does: sets the id of a LOST,
 * LOST_SAMPLES, THROTTLE or UNTHROTTLE, and that of its trailer. */
void unwound_rename(const struct sample_layout *l, struct record_header *h, uint64_t id);

#endif

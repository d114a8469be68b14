/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From raw samples to unwound ones: chunks of records as the rings gave them go in, the same
 * chunks come out, in the same order, with their samples rewritten.
 *
 * Inside, a session over these records has tasks and maps in order of time, with the guarantee of session/order.h: a round is unwound
 * when the next one is in. No thread, ring or file is known here.
 */
#ifndef ASSAY_CAPTURE_UNWIND_STREAM_H
#define ASSAY_CAPTURE_UNWIND_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/stack_growth.h"
#include "capture/unwind_batch.h"
#include "perfdata/block_source.h"
#include "session/session.h"

struct unwind_stats {
	uint64_t nr_ends[UNWIND_NR_ENDS]; /* samples with a user part, by how their walk ended */
	uint64_t nr_malformed;		  /* records that could not be read, or samples of no event, left out */
	uint64_t nr_damaged;		  /* spans whose end was no record */
	uint64_t nr_late;		  /* records that came too late for their place in time */
};

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
	struct unwind_stats stats;
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
/* Samples in chunks that are not done. */
uint64_t unwind_stream_count_held(const struct unwind_stream *s);

#endif

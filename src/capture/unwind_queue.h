/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The queue between the drain and the unwinding stage: chunks, each a span of one ring, in order. The drain never waits for the stage: what
 * exceeds the memory for waiting chunks is spooled to disk. Where no disk takes it, four times as much waits in memory; then the queue is
 * full, and the rings wait. What they lose then, the kernel counts.
 *
 * One thread puts and takes (the drain), one works (the stage).
 */
#ifndef ASSAY_CAPTURE_UNWIND_QUEUE_H
#define ASSAY_CAPTURE_UNWIND_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "perfdata/record_source.h"
#include "symbols/unwind.h"

/* Samples with a user part, by how their walk ended. */
struct unwind_counts {
	uint64_t nr_ends[UNWIND_NR_ENDS];
	uint64_t nr_guessed;	/* of the complete: with a guessed step */
	uint64_t nr_cut_by_bpf; /* of the truncated: dumped by BPF programs (waits, system calls), whose dumps have a size of their own */
};
void unwind_counts_add(struct unwind_counts *c, const struct unwind_counts *more);

/* Buffers of one size that are used again: fresh memory costs a page fault every 4 kB, more than copying a stack into it. */
#define UNWIND_BUFFER_SIZE (1u << 20)
struct buffer_pool {
	pthread_mutex_t lock;
	VEC(uint8_t *) spare;
};

/* A file without a name, for stacks that wait to be unwound and do not fit into memory. It leaves room on its file system, for the output
 * and for others. One thread writes, one reads. */
struct unwind_spool {
	const char *dir;     /* where to make it; borrowed */
	int fd;		     /* -1: not made yet */
	uint64_t end;	     /* where the next bytes go */
	uint64_t total;	     /* bytes written to it so far */
	uint64_t keep_bytes; /* stay free on its file system; 0: a tenth of it, 64 MB at least */
};

/* A record of a chunk, and what became of it. */
struct unwind_piece {
	uint32_t off, size; /* in the chunk's bytes; size 0: left out */
	uint32_t raw_size;  /* as the ring had it; 0: its turn has not come */
	uint8_t *larger;    /* where it does not fit there any more; owned */
};

#define UNWIND_NO_CPU UINT32_MAX

struct unwind_chunk {
	struct record_block block; /* the bytes; nr_held: records that wait for their turn */
	struct unwind_chunk *next;
	struct buffer_pool *pool; /* where the bytes go back to; NULL: freed */
	uint32_t cpu;		  /* whose ring it is from, as an index; UNWIND_NO_CPU: from none */
	bool is_opening;	  /* for the stage alone: nothing of it comes back */
	bool ends_round;	  /* all rings were emptied by then */
	bool has_records;	  /* of one that ends a round: the round has some */
	bool then_switch;	  /* a new file begins behind it */
	bool is_spooled;
	uint8_t spool; /* which one it is in */
	uint64_t spool_off;
	uint32_t nr_samples;	     /* of a spooled one */
	struct unwind_counts counts; /* of what is in it, once it is done */
	VEC(struct unwind_piece) pieces;
};

struct unwind_chunk *unwind_chunk_new(size_t size);
/* An empty one with room for UNWIND_BUFFER_SIZE bytes. */
struct unwind_chunk *unwind_chunk_new_pooled(struct buffer_pool *pool);
/* Gives it other bytes, malloc()ed ones (NULL: none), in place of those that it has. */
void unwind_chunk_set_data(struct unwind_chunk *c, uint8_t *data, size_t size);
void unwind_chunk_free(struct unwind_chunk *c);
/* Samples in it, wherever it is. */
uint32_t unwind_chunk_count_samples(const struct unwind_chunk *c);

struct unwind_chunks {
	struct unwind_chunk *first, *last;
};
void unwind_chunks_add(struct unwind_chunks *l, struct unwind_chunk *c);
struct unwind_chunk *unwind_chunks_take(struct unwind_chunks *l); /* NULL: empty */

#define UNWIND_NR_SPOOLS 2

struct unwind_queue {
	uint64_t limit;		 /* bytes of waiting chunks in memory */
	int wake_fd;		 /* an eventfd: something is done. -1: none */
	struct buffer_pool pool; /* of the chunks; it has a lock of its own */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct unwind_chunks waiting, done;
	uint64_t memory;  /* of waiting chunks, without the spooled ones */
	uint64_t backlog; /* bytes of all waiting chunks */
	uint32_t nr_spooled;
	bool is_ended;				      /* nothing more will be put */
	bool is_finished;			      /* the stage is through: what is done is all there will be */
	struct unwind_spool spools[UNWIND_NR_SPOOLS]; /* beside the output, and in /var/tmp */
	bool is_spool_closed;			      /* it is being emptied, and takes nothing */
	int spool_err;				      /* of the last chunk that none of them took */
	uint64_t spooled_bytes;			      /* in all */
	uint64_t nr_unreadable;			      /* samples that the spool did not give back */
	int unreadable_err;
};

void unwind_queue_init(struct unwind_queue *q, uint64_t limit, const char *spool_dir, int wake_fd);
void unwind_queue_fini(struct unwind_queue *q);

/* The drain's side. Takes over the chunk. */
void unwind_queue_put(struct unwind_queue *q, struct unwind_chunk *c);
/* Spools nothing more until everything has been read and its room is free again. True: that is so now; otherwise ask again when a chunk is
 * done. */
bool unwind_queue_empty_spool(struct unwind_queue *q);
/* Must the rings wait? */
bool unwind_queue_is_full(struct unwind_queue *q);
/* Nothing more will be put. */
void unwind_queue_end(struct unwind_queue *q);
/* The same, and what waits is thrown away: returns how many samples that were. */
uint64_t unwind_queue_abandon(struct unwind_queue *q);
/* A chunk for the file, the caller's; NULL: none yet (*finished: none ever). */
struct unwind_chunk *unwind_queue_take(struct unwind_queue *q, bool *finished);
/* Bytes that wait to be unwound. */
uint64_t unwind_queue_backlog(struct unwind_queue *q);

/* The stage's side. Waits for the next chunk; NULL: that was all. */
struct unwind_chunk *unwind_queue_next(struct unwind_queue *q);
void unwind_queue_give(struct unwind_queue *q, struct unwind_chunk *c);
void unwind_queue_finish(struct unwind_queue *q);

#endif

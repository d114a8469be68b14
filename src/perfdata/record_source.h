/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A recording from anywhere: a file, a pipe or a directory (reader.h), rings and memory (struct block_source).
 *
 * Records are in blocks of memory. A block is kept while a record in it is held (record_hold and record_release, once per queued record);
 * then the source reuses it: memory is bounded by what is held. A record that is not held is valid until the next call. A source fills a
 * batch of records at a time: a record costs no indirect call.
 */
#ifndef ASSAY_PERFDATA_RECORD_SOURCE_H
#define ASSAY_PERFDATA_RECORD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/errbuf.h"
#include "perfdata/info.h"

#define SOURCE_BATCH 64

struct record_block {
	uint8_t *data; /* 8-byte aligned */
	uint32_t size;
	uint32_t cap;
	uint32_t nr_held;
	struct record_block *next;
};

struct source_record {
	struct record_header *header; /* native order; header->size bytes follow it inside the block */
	struct record_block *block;
	uint64_t at; /* where the source has it. In a file: its offset, or that of the COMPRESSED record it was in */
};

/* Damage ends a stream early, it does not fail it; or it concerns what describes the recording, and the records go on. */
struct source_damage {
	int err; /* 0: there is none. -ENODATA: cut short; -EBADMSG: malformed; -EFBIG: reading it costs too much */
	uint64_t file_off;
	char text[256]; /* a sentence with file and offset */
};

struct record_source;

struct record_source_ops {
	/* Fills `batch`: 1. 0: the end, or damage. -EAGAIN: nothing for now (live sources only). Other negatives: failure, sentence in eb. */
	int (*fill)(struct record_source *s, struct errbuf *eb);
	/* The user of the records has no more memory for what they say: sets the damage. `limit_bytes` is what there was, `nr_left_out` how many
	 * records that were read it does not look at. NULL: cannot be. */
	void (*stop)(struct record_source *s, uint64_t limit_bytes, uint64_t nr_left_out);
	void (*close)(struct record_source *s);
};

struct record_source {
	const struct record_source_ops *ops;
	const struct perfdata_info *info;   /* of a pipe it fills up while records are read */
	const struct source_damage *damage; /* never NULL, never another */
	const char *name;		    /* in sentences */
	_Atomic uint64_t done_bytes;	    /* for progress, also of other threads than that which reads */
	uint64_t total_bytes;		    /* 0: unknown */
	uint64_t present_bytes;		    /* that are really there, without holes; of a pipe those that were read */
	uint64_t nr_compressed;		    /* COMPRESSED records so far: they are not yielded themselves */
	void (*before_change)(void *ctx);   /* called before a record changes `info`; may be NULL */
	void *before_change_ctx;
	bool has_thread;   /* its user takes records in a thread: another one that reads ahead would be the third */
	bool is_live;	   /* recorded on this machine, just now: nothing about it is forged, and nothing limits how much there is */
	uint32_t next, nr; /* of the batch: read so far, and all */
	struct source_record batch[SOURCE_BATCH];
};

/* 1: a record, in place until the next call. Otherwise as record_source_ops.fill says. */
static inline int record_source_next_ref(struct record_source *s, const struct source_record **rec, struct errbuf *eb)
{
	if (s->next == s->nr) {
		s->next = s->nr = 0;

		int ret = s->ops->fill(s, eb);

		if (ret <= 0)
			return ret;
	}
	*rec = &s->batch[s->next++];
	return 1;
}

static inline int record_source_next(struct record_source *s, struct source_record *rec, struct errbuf *eb)
{
	const struct source_record *ref;
	int ret = record_source_next_ref(s, &ref, eb);

	if (ret > 0)
		*rec = *ref;
	return ret;
}

static inline void record_source_close(struct record_source *s)
{
	if (s)
		s->ops->close(s);
}

static inline void record_hold(struct record_block *b)
{
	b->nr_held++;
}

static inline void record_release(struct record_block *b)
{
	b->nr_held--;
}

/* The record at `off` of `size` bytes of records; NULL where there is no whole one. */
static inline struct record_header *record_frame(uint8_t *data, uint32_t size, uint32_t off)
{
	struct record_header *h = size - off < sizeof(*h) ? NULL : (struct record_header *)(void *)(data + off);

	return h && h->size >= sizeof(*h) && h->size <= size - off ? h : NULL;
}

/* Records in memory: the owner puts blocks (spans of rings, or others), which are framed here; source_record.at is the index in the
 * block. A block is done when all its records were yielded and nr_held is 0. */
struct block_source {
	struct record_source source; /* first: what others see of it */
	struct source_damage damage; /* always none */
	struct record_block *first, *last;
	uint32_t off, index; /* in the first: of the next record */
	uint64_t nr_damaged; /* blocks with something that is no record; what follows in them is left out */
	bool is_ended;
};

/* Both are borrowed; the source is closed by its user, and needs no more. */
void block_source_init(struct block_source *b, const struct perfdata_info *info, const char *name);
void block_source_put(struct block_source *b, struct record_block *block);
/* Nothing more will be put. */
void block_source_end(struct block_source *b);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads a perf.data: a file, a pipe (fd 0 or a file of pipe-mode records) or a directory; of either byte order;
 * compressed or not. Yields whole records in native byte order, in the order they stand in the file.
 *
 * Records live in blocks of heap memory. A block is kept as long as somebody holds it (reader_hold, once for each
 * record that is queued; reader_release when that record is done with), then used again: memory is bounded by what
 * is held. A record that nobody holds is valid until the next call.
 *
 * Damage ends the stream early, it does not fail it: reader_next() returns 0 and `damage` says what and where. Damaged
 * features are left out, and told in the same way.
 */
#ifndef ASSAY_PERFDATA_READER_H
#define ASSAY_PERFDATA_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/errbuf.h"
#include "perfdata/info.h"

struct reader;

/* A recording names files for root to open, and text for a terminal to show. So one that another user wrote is read only when that is
 * asked for (-f), as in perf; root's may be read. */
enum reader_owner { READER_OWN_FILES, READER_ANY_OWNER };

/* 0, or -EPERM with a sentence where the file belongs neither to the user nor to root. */
int reader_check_owner(int fd, const char *path, struct errbuf *eb);

struct reader_block {
	uint8_t *data; /* 8-byte aligned */
	uint32_t size;
	uint32_t cap;
	uint32_t nr_held;
	struct reader_block *next;
};

struct reader_record {
	struct record_header *header; /* native order; header->size bytes follow it inside the block */
	struct reader_block *block;
	uint64_t file_off; /* of a record out of a COMPRESSED one: the offset of that one */
	const void *tail;  /* AUXTRACE, HEADER_TRACING_DATA: NULL, its payload was skipped or read by the reader */
};

struct reader_damage {
	int err;	/* 0: the stream is whole. -ENODATA: cut short; -EBADMSG: malformed; -EFBIG: reading it costs too much */
	uint64_t file_off;
	char text[256]; /* a sentence with file and offset */
};

/* Opens "-" (stdin), a file or a directory. Reads header, attrs and features of a file at once; in pipe mode
 * info fills up while records are read (reader_next() consumes HEADER_ATTR, EVENT_UPDATE, HEADER_FEATURE,
 * TRACING_DATA and BUILD_ID, but yields them too, for -D). A file whose recorder was killed (data size 0 or past the end)
 * is read up to its last whole record. Fails with a sentence: no such file, no permission, empty, not a perf.data
 * (says what it looks like where that is cheap), cut before the first record, or a file of another user where those are refused.
 * Standard input is read, whatever its owner. */
int reader_open(struct reader **r, const char *path, enum reader_owner owner, struct errbuf *eb);
void reader_close(struct reader *r);

/* 1: a record. 0: the end, or damage (see reader_damage()). Negative: I/O or memory failure, sentence in eb. */
int reader_next(struct reader *r, struct reader_record *rec, struct errbuf *eb);

static inline void reader_hold(struct reader_block *b)
{
	b->nr_held++;
}
static inline void reader_release(struct reader_block *b)
{
	b->nr_held--;
}

const struct perfdata_info *reader_info(const struct reader *r);
const struct reader_damage *reader_damage(const struct reader *r);
/* COMPRESSED and COMPRESSED2 records so far: they are not yielded themselves. */
uint64_t reader_nr_compressed(const struct reader *r);
/* Bytes read so far and in all (0: unknown), for progress. */
uint64_t reader_done_bytes(const struct reader *r);
uint64_t reader_total_bytes(const struct reader *r);

/* Bytes that are really there, without holes: of files those that were opened, of a pipe those that were read. */
uint64_t reader_present_bytes(const struct reader *r);
/* Whoever uses the records has no more memory for what they say: ends the stream. `limit_bytes` is what there was. */
void reader_stop(struct reader *r, uint64_t limit_bytes);

/* Event of a record: index into info->events or -ENOENT; `id` from SAMPLE_IDENTIFIER / SAMPLE_ID / the trailer. */
int reader_find_event(const struct reader *r, uint64_t id);

#endif

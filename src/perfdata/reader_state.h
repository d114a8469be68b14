/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct reader, for the files it is made of: reader.c (the stream of records), reader_open.c
 * (files, directories, pipes), reader_meta.c (records that describe the recording). Nobody else
 * includes this.
 */
#ifndef ASSAY_PERFDATA_READER_STATE_H
#define ASSAY_PERFDATA_READER_STATE_H

#include "base/budget.h"
#include "base/hash.h"
#include "base/vec.h"
#include "perfdata/decompress.h"
#include "perfdata/header.h"
#include "perfdata/reader.h"
#include "perfdata/source.h"

#define READER_BLOCK_SIZE (1u << 20)
#define READER_BLOCK_SMALL (128u << 10) /* for small files; still more than the largest record */

/* What COMPRESSED records may unpack to, for each byte of them, in units of about a byte (reader.c). Repeated records pack a thousand
 * times; those of real recordings differ in their times at least: 5 to 35 units a byte were seen. */
#define READER_UNPACK_FLOOR (64u << 20)
#define READER_UNPACK_FACTOR 64u

/* The unread part of a block. */
struct reader_window {
	struct reader_block *block;
	uint32_t pos, end;
	uint64_t off; /* file offset of the block's first byte */
};

struct reader_id {
	uint64_t id;
	uint32_t event;
};

struct reader {
	char *path; /* of the file being read, for sentences */
	struct source src;
	bool close_fd;
	enum reader_owner owner; /* whose files are opened */
	struct perfdata_info info;
	struct reader_damage damage;	      /* of the stream of records */
	struct reader_damage feature_damage; /* of what describes the recording; records go on */

	struct reader_window raw;      /* bytes of the file */
	struct reader_window unpacked; /* bytes out of COMPRESSED records */
	struct decompress decompress;
	struct budget unpack; /* what records out of COMPRESSED ones may come to */
	uint64_t compressed_off;     /* of the COMPRESSED record at work */
	struct reader_block *side;   /* records that did not stand at a multiple of 8 */
	struct reader_block *blocks; /* all of them */
	uint32_t block_size;

	uint64_t nr_records, nr_compressed;
	uint64_t done_before, total_bytes; /* files before this one; all files */
	uint64_t present_bytes; /* that the files which were opened so far really have: no holes */
	uint64_t promised_end;		   /* where the header says that the data ends */
	bool unclosed;			   /* the header counts no data: the recorder was killed */

	VEC(char *) files; /* of a directory, those still to come; next_file is the first of them */
	uint32_t next_file;

	struct hindex id_index;
	VEC(struct reader_id) ids;
	/* Where foreign records carry their event's id, in words: of a sample from the start of
	 * the body, of others from the end; -1 where the events do not agree. Set anew when
	 * events come. */
	int id_pos, trailer_id_pos;
};

/* reader_open.c: 1 where another file of the directory was opened, 0 where there is none. */
int reader_next_file(struct reader *r, struct errbuf *eb);

/* reader_meta.c */
/* Names events that have no name, and finds out where ids are. */
void reader_settle_events(struct reader *r, uint32_t first);
/* The layout of a foreign record, whose header alone is native by now. */
const struct sample_layout *reader_foreign_layout(const struct reader *r,
						  const struct record_header *h);
/* Takes over what a record (native order) says about the recording. -EBADMSG where it is
 * malformed. */
int reader_take_meta(struct reader *r, const struct reader_record *rec);
/* The same for the payload behind HEADER_TRACING_DATA. */
void reader_take_tracing_data(struct reader *r, const void *data, size_t size);

/* reader.c: keeps the first damage. */
void reader_set_damage(struct reader *r, int err, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif

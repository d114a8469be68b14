/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct reader, for the files it is made of: reader.c (the stream of records), reader_open.c (files, directories, pipes), reader_meta.c
 * (records that describe the recording).
 */
#ifndef ASSAY_PERFDATA_READER_STATE_H
#define ASSAY_PERFDATA_READER_STATE_H

#include "base/budget.h"
#include "base/vec.h"
#include "perfdata/header.h"
#include "perfdata/read_ahead.h"
#include "perfdata/reader.h"

#define READER_BLOCK_SIZE (1u << 20)
#define READER_BLOCK_SMALL (128u << 10) /* for small files; still more than the largest record */

/* What COMPRESSED records may unpack to, for each byte of them, in units of about a byte (reader.c). Repeated records pack a thousand
 * times; those of real recordings differ in their times at least: 5 to 35 units a byte were seen. */
#define READER_UNPACK_FLOOR (64u << 20)
#define READER_UNPACK_FACTOR 64u

/* A file with fewer bytes to come is not worth a thread that reads ahead. */
#define READER_AHEAD_MIN (16u << 20)

/* The unread part of a block. */
struct reader_window {
	struct record_block *block;
	uint32_t pos, end;
	uint64_t off; /* file offset of the block's first byte */
};

/* Where bytes come from: a range of a file, or a pipe. */
struct reader_input {
	int fd;
	struct record_pipe *pipe;  /* NULL: the fd has them */
	struct record_block *rest; /* out of it, not read yet from rest_pos on; NULL: none */
	uint32_t rest_pos;
	bool seekable;
	uint64_t off; /* of the next byte */
	uint64_t end; /* UINT64_MAX: a pipe, where it is not known */
};

struct reader {
	struct record_source source; /* first: what others see of it */
	char *path;		     /* of the file being read, for sentences */
	struct reader_input src;
	bool close_fd;
	struct read_ahead *ahead; /* NULL: bytes are read when they are needed */
	bool is_ahead_over;	  /* or was never possible */
	enum reader_owner owner;  /* whose files are opened */
	struct perfdata_info info;
	struct source_damage damage;	   /* of the stream of records */
	struct source_damage shown_damage; /* what users see, always here: of the description, then of the records */

	struct reader_window raw;      /* bytes of the file */
	struct reader_window unpacked; /* bytes out of COMPRESSED records */
	struct decompress decompress;
	struct budget unpack;	     /* what records out of COMPRESSED ones may come to */
	uint64_t compressed_off;     /* of the COMPRESSED record at work */
	struct record_block *side;   /* records that did not stand at a multiple of 8 */
	struct record_block *blocks; /* all of them */
	uint32_t block_size;

	uint64_t nr_records;
	uint64_t done_before;	/* bytes of files before this one */
	uint64_t present_bytes; /* that the files which were opened so far really have: no holes */
	uint64_t promised_end;	/* where the header says that the data ends */
	bool unclosed;		/* the header counts no data: the recorder was killed */

	VEC(char *) files; /* of a directory, those still to come; next_file is the first of them */
	uint32_t next_file;

	/* Where foreign records carry their event's id, in words: of a sample from the start of the body, of others from the end; -1 where
	 * the events do not agree. Set anew when events come. */
	int id_pos, trailer_id_pos;
};

/* reader.c */
extern const struct record_source_ops reader_ops;
/* After records were read, or a file was opened: what the source says of its bytes. */
void reader_count_bytes(struct reader *r);
/* Bytes out of a pipe of this process, copied: of the beginning, and behind a record that was cut. 0: the end. */
ssize_t reader_pipe_read(struct reader_input *in, void *buf, size_t size);

/* reader_open.c */
void reader_close(struct record_source *s);
/* 1 where another file of the directory was opened, 0 where there is none. */
int reader_next_file(struct reader *r, struct errbuf *eb);

/* reader_meta.c */
/* Names events that have no name, and finds out where ids are. */
void reader_settle_events(struct reader *r, uint32_t first);
/* The layout of a foreign record, whose header alone is native by now. */
const struct sample_layout *reader_foreign_layout(const struct reader *r, const struct record_header *h);
/* Takes over what a record (native order) says about the recording. -EBADMSG where it is malformed. */
int reader_take_meta(struct reader *r, const struct source_record *rec);
/* The same for the payload behind HEADER_TRACING_DATA. */
void reader_take_tracing_data(struct reader *r, const void *data, size_t size);

/* reader.c: keeps the first damage. */
void reader_set_damage(struct reader *r, int err, uint64_t off, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif

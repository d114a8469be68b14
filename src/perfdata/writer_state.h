/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct writer, for the files it is made of: writer.c (data), writer_head.c (header and features of a file), writer_pipe.c (what goes
 * first through a pipe).
 *
 * A file at any moment of the recording:
 *
 * 	header | ids | events | features known at the start | data (committed) | table | data to
 * come …
 *
 * Readers look for the table of features right behind the data, so it has to move when the data grows. Data behind the committed end is
 * written past the place of the table; the few bytes that belong where the table is are kept in `held`. A commit writes a table behind the
 * new end, then a header that names no features, then the held bytes over the old table, then the header with the new size and the features
 * again. At every moment a reader, also after SIGKILL, finds a whole file; for some microseconds one without features.
 */
#ifndef ASSAY_PERFDATA_WRITER_STATE_H
#define ASSAY_PERFDATA_WRITER_STATE_H

#include "base/out.h"
#include "perfdata/header.h"
#include "perfdata/writer.h"

#define WRITER_NR_FEATURES (HEADER_FEATURE_WORDS * 64u)
#define WRITER_BUFFER_SIZE (64u << 10)
#define WRITER_RESERVE (256u << 10) /* for the features that come last, should the disk fill up */

struct writer_section {
	uint64_t off, size;
	uint64_t hash; /* of its bytes: at the end it need not be written again where they are the
			  same */
};

struct writer {
	int fd;
	bool pipe;
	struct record_pipe *record_pipe; /* NULL: the fd is the pipe */
	int (*wait)(void *ctx, int fd);	 /* see struct writer_options */
	void *wait_ctx;
	const struct perfdata_info *info; /* borrowed */
	int error;			  /* sticky */

	uint64_t data_off;
	uint64_t committed; /* bytes of data as the header has it */
	uint64_t written;   /* bytes of data in the file, or in `held` */
	uint64_t flushed;   /* with compression: the end of what can be unpacked without what follows
			   */
	uint64_t limit;	    /* of data_off + written; UINT64_MAX: none */
	bool has_reserve;

	uint64_t features[HEADER_FEATURE_WORDS];
	uint32_t own_size; /* bytes at the end of the table for the features that have no bit (header.h) */
	struct writer_section sections[WRITER_NR_FEATURES];
	uint8_t *table, *held;
	uint32_t table_size;

	uint8_t *buffer; /* small appends */
	uint32_t buffered;

	struct compress compress;
	int compress_level; /* 0: off */
	uint64_t raw_size, packed_raw, packed_size;
};

/* writer.c: writes at a place of the file. */
int writer_put(struct writer *w, const void *data, size_t size, uint64_t off);

/* The info to encode features from: `info`, and what the writer knows better (compression). A shallow copy. */
struct perfdata_info writer_info(const struct writer *w, const struct perfdata_info *info);

/* writer_head.c */
int writer_head_start(struct writer *w);
int writer_head_finish(struct writer *w, const struct perfdata_info *info);
/* The whole header, with the committed size and the present features, or none of them. */
int writer_head_write(struct writer *w, bool with_features);

/* writer_pipe.c */
int writer_pipe_start(struct writer *w);
int writer_pipe_finish(struct writer *w, const struct perfdata_info *info);

#endif

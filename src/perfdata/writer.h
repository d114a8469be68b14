/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes a perf.data that is readable at every moment: the header comes first, data is appended, and writer_sync(), called at least twice
 * a second, updates the data size in the header. After a kill the file has everything up to the last sync and the features known at the
 * start (host, command line, event names, tracepoint formats); build-ids and others come with writer_finish().
 *
 * Pipe mode (an fd that cannot seek, or asked for): attrs and features go first as records, then the data.
 */
#ifndef ASSAY_PERFDATA_WRITER_H
#define ASSAY_PERFDATA_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "perfdata/info.h"
#include "perfdata/record_pipe.h"

struct writer;

struct writer_options {
	bool pipe_mode;
	struct record_pipe *pipe; /* to a reader in this process, instead of an fd; with pipe_mode. NULL: none */
	int compress_level;	  /* 0: none; 1–22 zstd */
	/* Pipe mode: called before each write; 0 when the reader can take data, or a negative errno to give up. NULL: wait. */
	int (*wait)(void *ctx, int fd);
	void *ctx;
};

/* `fd` stays the caller's; the file is emptied. `info` (events with ids, and what is known at the start; only features whose bit is set in
 * info->features are written) is borrowed until finish; its events must not change. FEAT_COMPRESSED is set by the writer. Ignore SIGXFSZ.
 * Sync once soon: before that perf calls the file empty. */
int writer_open(struct writer **w, int fd, const struct writer_options *opts, const struct perfdata_info *info, struct errbuf *eb);
/* Appends whole records as they are (native order). `compress`: may be packed into COMPRESSED records where the writer was opened with a
 * level; records that must stay plain (ID_INDEX, FINISHED_ROUND …) say false. On a full disk or a file-size limit: -ENOSPC / -EFBIG /
 * -EDQUOT; what fitted whole stays, later calls return the same error. The file never ends in half a record as far as the header tells. */
int writer_append(struct writer *w, const void *records, size_t size, bool compress);
/* The same for a ring's two-part span (wrapped data), so that the drain need not copy. */
int writer_append2(struct writer *w, const void *a, size_t a_size, const void *b, size_t b_size, bool compress);
/* Small records that must not be lost (losses): after a failed append they use the room reserved at the end. */
int writer_append_last(struct writer *w, const void *records, size_t size);
int writer_sync(struct writer *w);
bool writer_is_flushed(const struct writer *w); /* nothing that was appended waits in memory, and nothing failed */
/* Bytes that the file system has left for the file, as far as it tells; UINT64_MAX: no limit is known (pipes, too). */
uint64_t writer_room(const struct writer *w);
uint64_t writer_data_size(const struct writer *w); /* bytes of data in the file */
uint64_t writer_raw_size(const struct writer *w);  /* before compression */
/* Writes the features of `info` and the final header. Works (as far as possible) after a failed append too. */
int writer_finish(struct writer *w, const struct perfdata_info *info, struct errbuf *eb);
void writer_free(struct writer *w);

#endif

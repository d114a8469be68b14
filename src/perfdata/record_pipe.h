/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A pipe inside the process: the bytes of a recording in pipe mode, from a thread that records to one that reads. Blocks of memory change
 * hands: what was put is not copied again. What waits in it is bounded; a writer that finds it full waits, and the kernel counts what its
 * rings lose meanwhile.
 */
#ifndef ASSAY_PERFDATA_RECORD_PIPE_H
#define ASSAY_PERFDATA_RECORD_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "perfdata/record_source.h"

#define RECORD_PIPE_BLOCK_BYTES (1u << 20)

struct record_pipe;

struct record_pipe *record_pipe_new(uint32_t max_blocks);
/* Both sides have ended. */
void record_pipe_free(struct record_pipe *p);

/* Appends as much as there is room for. Returns how much that was, 0 where it is full, or -EPIPE: the reader has gone. Records that fit into
 * a block are not cut by its end. */
ssize_t record_pipe_put(struct record_pipe *p, const void *data, size_t size);
/* False: it is still full after that time. */
bool record_pipe_await_room(struct record_pipe *p, int timeout_ms);
bool record_pipe_is_closed(struct record_pipe *p);
/* Nothing more will be put. */
void record_pipe_end(struct record_pipe *p);

/* The next bytes, in a block that is the reader's now; waits for them. NULL: the end. `done` is a block that is not needed any more, or
 * NULL. */
struct record_block *record_pipe_take(struct record_pipe *p, struct record_block *done);
/* The same for a reader that has more to wait for: 1, 0 at the end, or, with a notice, -EAGAIN where there is nothing for now. */
int record_pipe_next(struct record_pipe *p, struct record_block *done, struct record_block **block);
/* From here on record_pipe_next() does not wait, and this eventfd (the caller's, until the writer has ended) tells when there is more. For the
 * reader, who calls it where no record is half read. */
void record_pipe_set_notice(struct record_pipe *p, int eventfd);
/* The reader needs no more. */
void record_pipe_close(struct record_pipe *p);

#endif

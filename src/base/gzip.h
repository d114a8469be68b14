/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compressed output: what is written into `in_fd` comes out of another descriptor as gzip, by a thread that reads the other end of the
 * pipe. The same bytes in give the same bytes out: the header has no time and no name.
 */
#ifndef ASSAY_BASE_GZIP_H
#define ASSAY_BASE_GZIP_H

#include <stddef.h>

#include "base/errbuf.h"
#include "base/out.h"

struct gzip_pipe {
	int in_fd; /* to be written to; gzip_pipe_close() closes it */
	struct gzip_thread *thread;
};

#define GZIP_FAST 1
#define GZIP_USUAL 6

/* `out_fd` stays the caller's and open. */
int gzip_pipe_open(struct gzip_pipe *g, int out_fd, int level, struct errbuf *eb);
/* Ends the stream and waits until all of it is written. Returns the first error of writing. Takes a zeroed one, too. */
int gzip_pipe_close(struct gzip_pipe *g);

/* Bytes that are in memory, as one stream behind what the output has. */
void gzip_put(struct out *o, const void *bytes, size_t size, int level);

#endif

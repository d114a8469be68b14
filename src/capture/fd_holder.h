/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A thread with a table of file descriptors of its own. The limit of open files counts per table,
 * so that a recorder of hundreds of threads holds its events in several of them where one is too
 * small. It runs what it is told to, one job at a time; what those do with their fds is not its
 * business.
 */
#ifndef ASSAY_CAPTURE_FD_HOLDER_H
#define ASSAY_CAPTURE_FD_HOLDER_H

#include <stdint.h>

#include "base/errbuf.h"

struct fd_holder;

/* Starts the thread. Its table begins with copies of the `nr` fds in `keep` (ascending), under the
 * same numbers. */
int fd_holder_new(struct fd_holder **h, const int *keep, uint32_t nr, struct errbuf *eb);
/* Runs job(ctx) in the thread and waits for it: fds that it opens live there, and only jobs can use
 * them. May be called from several threads. */
void fd_holder_run(struct fd_holder *h, void (*job)(void *ctx), void *ctx);
/* Ends the thread; its fds are closed. */
void fd_holder_free(struct fd_holder *h);

#endif

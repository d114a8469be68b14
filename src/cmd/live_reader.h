/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Recording into a pipe that a thread of this process reads: for commands that show what they record, and keep no file.
 */
#ifndef ASSAY_CMD_LIVE_READER_H
#define ASSAY_CMD_LIVE_READER_H

#include "base/errbuf.h"
#include "capture/capture.h"
#include "session/session.h"

/* Reads all of the session; 0 or a negative errno with its message. Runs in a thread of its own. */
typedef int live_read_fn(void *ctx, struct session *s, struct errbuf *eb);

/* capture_run(), with what it records read by `read`. Where recording went well, and reading did not, returns what `read` did. */
int live_reader_run(struct capture_options *o, const struct session_options *options, live_read_fn *read, void *ctx, struct errbuf *eb);

#endif

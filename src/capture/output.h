/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file that is recorded into: its name, its birth, what becomes of the one that was there
 * before.
 *
 * It is born under a temporary name beside its own and takes its place with output_commit(), when
 * nothing can go wrong any more: a recording that does not come about leaves an older perf.data as
 * it was. Symbolic links are never written through. It knows nothing of what is written.
 */
#ifndef ASSAY_CAPTURE_OUTPUT_H
#define ASSAY_CAPTURE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"

/* A zeroed struct is closed. */
struct output {
	const char *path; /* as named; borrowed */
	int fd;
	bool is_open;
	bool is_pipe;	/* stdout or a FIFO: pipe mode */
	bool is_own;	/* a regular file that we made (not a device) */
	char *tmp_path; /* until commit; NULL otherwise */
};

/* Opens "-" (stdout; refused where it is a terminal), a device, a FIFO, or a new file under a
 * temporary name. */
int output_open(struct output *o, const char *path, struct errbuf *eb);
/* Gives it its name; an older file of some size is kept as NAME.old. */
int output_commit(struct output *o, struct errbuf *eb);
/* Renames the committed file to NAME.TIMESTAMP (NAME.2026111503345328, as perf writes it). *name is
 * the caller's. */
int output_stamp(struct output *o, char **name, struct errbuf *eb);
/* Size in bytes; 0 where it is no file. */
uint64_t output_size(const struct output *o);
/* Closes; what was not committed is removed. */
void output_close(struct output *o);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The file that is recorded into. It is created under a temporary name beside its own and takes its place with output_commit(), when
 * nothing can fail any more: a recording that does not start leaves an older perf.data as it was. Symbolic links are never written through.
 */
#ifndef ASSAY_CAPTURE_OUTPUT_H
#define ASSAY_CAPTURE_OUTPUT_H

#include <stdbool.h>

#include "base/errbuf.h"

/* A zeroed struct is closed. */
struct output {
	const char *path; /* as named; borrowed. Where that name could not be had: own_path */
	char *own_path;	  /* NULL: as named */
	int fd;
	bool is_open;
	bool is_pipe;	 /* stdout or a FIFO: pipe mode */
	bool may_block;	 /* a reader decides how fast it takes what we write */
	bool is_own;	 /* a regular file that we made (not a device) */
	bool is_unnamed; /* until commit: it has no name at all */
	char *tmp_path;	 /* until commit; NULL otherwise */
};

/* Opens "-" (stdout; refused where it is a terminal), a device, a FIFO, or a new file under a temporary name. Links of the system to open
 * files (/dev/fd/3) are refused. -ENXIO: a FIFO without a reader yet; try again later. `is_unnamed`, for a file that is written in one
 * go: where the file system can do so it has no name until output_commit_unnamed(), and nothing is left behind where we are killed. */
int output_open(struct output *o, const char *path, bool is_unnamed, struct errbuf *eb);
/* A pipe to a reader in this process: there is nothing to open. */
int output_use_pipe(struct output *o);
/* Another name of stdout (/dev/stdout)? */
bool output_is_stdout(const char *path);
/* Gives it its name; an older file of some size is kept as NAME.old. Where that is impossible, the file keeps its temporary name, with a
 * warning: what is recorded is not thrown away for a name. */
void output_commit(struct output *o);
/* The same of one that may have no name yet; that it cannot have its own is an error, and then it is gone and the older file is as it
 * was. */
int output_commit_unnamed(struct output *o, struct errbuf *eb);
/* Renames the committed file to NAME.TIMESTAMP (NAME.2026111503345328, as perf writes it). *name is the caller's. */
int output_stamp(struct output *o, char **name, struct errbuf *eb);
/* Closes; what was not committed is removed. */
void output_close(struct output *o);

#endif

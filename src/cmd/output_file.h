/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The output of pictures and exports (recordings have capture/output.h): standard output, a pipe or device as it is, or a file that takes
 * the place of an older one when it is whole. A failed write leaves the older file as it was, and an input is never overwritten.
 */
#ifndef ASSAY_CMD_OUTPUT_FILE_H
#define ASSAY_CMD_OUTPUT_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/errbuf.h"

struct output_file {
	const char *path; /* as named, borrowed; NULL: standard output */
	int fd;
	char *target;	/* what the new file is renamed to, over links; NULL: written in place */
	char *tmp_path; /* until then; NULL: the new file has no name yet */
	bool is_copied; /* into the older file, when it is whole: that has other names, or an owner that a new file could not have */
	bool has_old;	/* `old` is that file */
	struct stat old;
};

/* Whether `path` is standard output: NULL, "-", or another name of it. */
bool output_file_is_stdout(const char *path);

/* Before anything is read: refuses, with a sentence, a directory, a place that cannot be written, and an output that is
 * `input` ("-": standard input; NULL: none is read), or a part of it where that is a directory. */
int output_file_check(const char *path, const char *input, struct errbuf *eb);

/* The name of `seen` behind all links of `path`, the caller's to free. -ESTALE: another file is there by now: others may make links in a
 * shared directory. */
int output_file_resolve(const char *path, const struct stat *seen, char **name);
int output_file_open(struct output_file *o, const char *path, struct errbuf *eb);
/* To be called when all was written, with what came of that: 0 gives the file its name, an error throws it away. Returns `err`, or
 * what went wrong here; the sentence names the file (none of -EPIPE, which is no failure of ours). */
int output_file_close(struct output_file *o, int err, struct errbuf *eb);

#endif

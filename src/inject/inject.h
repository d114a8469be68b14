/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Copies a recording and adds to it: files and maps of generated code, build-ids. Records go through one by one, in the order of the file;
 * what is kept of them is what a session knows of tasks and maps.
 */
#ifndef ASSAY_INJECT_INJECT_H
#define ASSAY_INJECT_INJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "perfdata/record_source.h"
#include "perfdata/writer.h"

struct inject_options {
	bool jit;	    /* jitdumps become images and maps of these */
	bool build_ids;	    /* of files that samples were in */
	bool all_build_ids; /* of all files whose code was mapped */
	struct writer_options writer;
};

struct inject_result {
	uint64_t nr_records;   /* copied */
	uint64_t nr_left_out;  /* that make no sense */
	uint32_t nr_dumps;     /* jitdumps */
	uint32_t nr_bad_dumps; /* that could not be read: warnings said why */
	uint32_t nr_images;
	uint64_t nr_unnamed; /* functions for which there was no image left */
	uint32_t nr_build_ids;
	uint32_t nr_unknown_files; /* that have none, or are not there */
	char unknown_file[256];	   /* one of them */
};

/* Takes over the source, also where it fails. Writes to `fd`. Damage of the input is an error, too, with what could be read written. */
int inject_run(struct record_source *source, int fd, const struct inject_options *opts, struct inject_result *result, struct errbuf *eb);

#endif

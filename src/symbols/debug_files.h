/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the symbols of a file are: in the file, or in a separate debug file that a distribution or
 * perf has put somewhere.
 */
#ifndef ASSAY_SYMBOLS_DEBUG_FILES_H
#define ASSAY_SYMBOLS_DEBUG_FILES_H

#include "symbols/build_id.h"
#include "symbols/elf_file.h"

struct debug_files {
	struct elf_file runtime; /* what was mapped; not open (elf NULL) where only the debug file
				    is there */
	struct elf_file debug;	 /* not open where `runtime` is the best there is */
	char *source;		 /* path of the one with the symbols */
};

/* Finds and opens the files for a recorded path. `id` (size 0: unknown) is the recorded build-id: a
 * file with another one is never taken. -errno and a sentence where there is nothing to take
 * symbols from. */
int debug_files_open(struct debug_files *d, const char *symfs, const char *path,
		     const struct build_id *id, struct errbuf *eb);
void debug_files_close(struct debug_files *d);

/* A file of perf's own cache, ~/.debug/.build-id/ab/cdef…/NAME; malloc'd, or NULL without a home or
 * an id. */
char *debug_files_perf_cache(const struct build_id *id, const char *name);
/* /usr/lib/debug/.build-id/ab/cdef….debug below `root` ("" for /). */
char *debug_files_by_build_id(const char *root, const struct build_id *id);

#endif

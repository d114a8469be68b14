/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A perf.data as a source of records: a file, a pipe (fd 0 or a file of pipe-mode records) or a directory, of either byte order,
 * compressed or not. Yields whole records in native byte order, in file order.
 */
#ifndef ASSAY_PERFDATA_READER_H
#define ASSAY_PERFDATA_READER_H

#include "base/errbuf.h"
#include "perfdata/record_pipe.h"
#include "perfdata/record_source.h"

/* A recording names files for root to open, and text for a terminal. Files of other users are read only with -f, as in perf. */
enum reader_owner { READER_OWN_FILES, READER_ANY_OWNER };

/* 0, or -EPERM with a sentence where the file belongs neither to the user nor to root. */
int reader_check_owner(int fd, const char *path, struct errbuf *eb);

/* Opens "-" (stdin), a file or a directory. Reads header, attrs and features of a file at once; in pipe mode info fills up while records
 * are read (HEADER_ATTR, EVENT_UPDATE, HEADER_FEATURE, TRACING_DATA and BUILD_ID are consumed, but yielded too, for -D). A file whose
 * recorder was killed (data size 0 or past the end) is read up to its last whole record. Fails with a sentence: no such file, no
 * permission, empty, not a perf.data (says what it looks like where that is cheap), cut before the first record, or a file of another user
 * where those are refused. Standard input is read, whatever its owner. */
int reader_open(struct record_source **s, const char *path, enum reader_owner owner, struct errbuf *eb);
/* The same of a file that is open already. Takes over `fd`, also where it fails; `name` is what it is called in sentences. */
int reader_open_fd(struct record_source **s, int fd, const char *name, struct errbuf *eb);
/* The same of what another thread of this process records. The pipe stays the caller's, and is closed with the source, or where this fails. */
int reader_open_pipe(struct record_source **s, struct record_pipe *pipe, const char *name, struct errbuf *eb);

#endif

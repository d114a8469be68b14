/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A file without a name, for stacks that wait to be unwound and do not fit into memory. Whatever
 * ends us, it is gone. It leaves room on its file system, for the output and for everybody else.
 * One thread writes, one reads.
 */
#ifndef ASSAY_CAPTURE_UNWIND_SPOOL_H
#define ASSAY_CAPTURE_UNWIND_SPOOL_H

#include <stddef.h>
#include <stdint.h>

struct unwind_spool {
	const char *dir;     /* where to make it; borrowed */
	int fd;		     /* -1: not made yet */
	uint64_t end;	     /* where the next bytes go */
	uint64_t total;	     /* bytes that it took, ever */
	uint64_t keep_bytes; /* stay free on its file system; 0: a tenth of it, 64 MB at least */
};

void unwind_spool_init(struct unwind_spool *s, const char *dir);
void unwind_spool_fini(struct unwind_spool *s);

/* Appends and tells where. A negative errno: nothing was kept (-ENOSPC: what must stay free would
 * not). */
int unwind_spool_add(struct unwind_spool *s, const void *data, size_t size, uint64_t *off);
/* Reads back what stands at `off`, once: its room is free then. -ENODATA: less than that. */
int unwind_spool_read(const struct unwind_spool *s, uint64_t off, void *data, size_t size);
/* Everything was read: the disk has its room again. */
void unwind_spool_reset(struct unwind_spool *s);

#endif

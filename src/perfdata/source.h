/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the reader's bytes come from: a range of a file, or a pipe.
 */
#ifndef ASSAY_PERFDATA_SOURCE_H
#define ASSAY_PERFDATA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct source {
	int fd;
	bool seekable;
	uint64_t off; /* of the next byte */
	uint64_t end; /* UINT64_MAX: a pipe, nobody knows */
};

/* Some bytes, as soon as there are any; 0 at the end; negative errno. */
ssize_t source_read(struct source *s, void *buf, size_t size);
/* Moves on without reading; returns how many bytes were there to skip, or negative errno. */
int64_t source_skip(struct source *s, uint64_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The importers of the single formats, and the lines they read. Private to this module.
 */
#ifndef ASSAY_IMPORT_READING_H
#define ASSAY_IMPORT_READING_H

#include "import/builder.h"
#include "import/import.h"

/* An input line by line, from a file descriptor as far as it is read, or from memory. Packed input is unpacked whole, up to a limit that no
 * honest profile reaches. */
struct import_lines {
	int fd; /* -1: all is in memory */
	char *buf;
	size_t pos, len, cap;
	uint64_t nr;	      /* lines that were taken */
	uint64_t bytes_read;  /* of the input as it came */
	bool is_too_long;     /* the last one was cut */
	bool is_packed;	      /* it was, by gzip, xz or zstd */
	const char *unpacker; /* the program for it, then */
	int error;
};

/* Reads the beginning; `fd` stays the caller's. What is packed may become half of the memory that a profile of its size is allowed. */
int import_lines_open(struct import_lines *l, int fd, const char *name, struct import_builder *b, struct errbuf *eb);
/* What was given, for tests and for what was unpacked elsewhere: a copy is made. */
void import_lines_init(struct import_lines *l, const void *data, size_t size);
void import_lines_fini(struct import_lines *l);
/* "; it can come unpacked: …" for what is too small a file for what is in it, or "" where it was not packed. The caller frees. */
char *import_lines_remedy(const struct import_lines *l, const char *name);
/* What is left, all of it in memory. */
int import_lines_read_all(struct import_lines *l, const char **data, size_t *size);

/* The next line without its line break; valid until the next call. Of a line beyond 64 MB only the beginning is given. */
bool import_lines_next(struct import_lines *l, const char **line, size_t *len);

/* Each fills the builder; counts what it leaves out in `result`. Negative where the input cannot be read on. */
int import_folded(struct import_builder *b, struct import_lines *lines, const struct import_options *o, struct import_result *result,
		  struct errbuf *eb);
int import_script(struct import_builder *b, struct import_lines *lines, struct import_result *result, struct errbuf *eb);
int import_pprof(struct import_builder *b, const void *data, size_t size, struct import_result *result, struct errbuf *eb);

/* Whether a line has a stack and a count. */
bool import_is_folded_line(const char *line, size_t len);

static inline void import_skip(struct import_result *result, uint64_t where)
{
	if (!result->nr_skipped++)
		result->first_skipped = where;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct source_text: the lines of a source file that debug information names, where it can be the one that was compiled: a regular file, below
 * a limit of size, that was not changed after the program was made. Its bytes are hostile: they are escaped where they are printed.
 */
#ifndef ASSAY_SYMBOLS_SOURCE_TEXT_H
#define ASSAY_SYMBOLS_SOURCE_TEXT_H

#include <stdint.h>

#include "base/vec.h"

struct source_text_options {
	const char *prefix;   /* put in front of absolute paths, once `nr_stripped` of their parts are gone; NULL: nothing */
	uint64_t nr_stripped; /* only with a prefix */
};

struct source_text {
	char *data; /* NULL: it cannot be used, and `why` says so */
	size_t size;
	int64_t mtime_s;      /* when the file was changed last, seconds since the epoch */
	VEC(uint32_t) starts; /* of lines, in `data` */
	char *why;	      /* NULL where there simply is no such file */
};

/* Where the file of that name is looked for, by the options; the caller frees. NULL: it is a path that is relative to an unknown directory. */
char *source_text_path(const struct source_text_options *o, const char *file);
/* `made_s`: when the program was changed last, seconds since the epoch; 0: not known. */
struct source_text *source_text_open(const struct source_text_options *o, const char *file, int64_t made_s);
/* The file at a path, whatever its age; where it cannot be used, `why` is always set. */
struct source_text *source_text_read(const char *path);
void source_text_free(struct source_text *t);

/* Line `nr`, from 1 on, without its end; NULL past the last. */
const char *source_text_line(const struct source_text *t, uint32_t nr, size_t *len);

#endif

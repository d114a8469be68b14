/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of columns that rows of samples have: what --sort and -F call them, what makes two rows one, their order, their text and their
 * JSON value. A column is one entry, here and in hist_columns.c. `report` and `diff` print by it: text and JSON are in the model so that the
 * parts of an entry stay together; how cells are laid out on lines is view/table.h.
 */
#ifndef ASSAY_MODEL_HIST_COLUMNS_H
#define ASSAY_MODEL_HIST_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/out.h"

struct hist;
struct hist_entry;

/* Sort keys first, then figures; in JSON, keys stand in this order. */
enum hist_column {
	HIST_COMM,
	HIST_PID,
	HIST_TID,
	HIST_CPU,
	HIST_PARALLELISM,
	HIST_DSO,
	HIST_SYM,
	HIST_KIND,
	HIST_SRCLINE,
	HIST_SRCFILE,
	/* of branches */
	HIST_DSO_FROM,
	HIST_SYM_FROM,
	HIST_SRCLINE_FROM,
	HIST_DSO_TO,
	HIST_SYM_TO,
	HIST_SRCLINE_TO,
	HIST_MISPREDICT,
	HIST_IN_TX,
	HIST_ABORT,
	HIST_CYCLES,
	HIST_NR_KEYS,
	HIST_CHILDREN = HIST_NR_KEYS,
	HIST_LATENCY_CHILDREN,
	HIST_SELF, /* "Overhead" without children */
	HIST_LATENCY,
	HIST_SYS,
	HIST_USER,
	HIST_SAMPLES,
	HIST_PERIOD,
	HIST_NR_COLUMNS,
	/* From here on: columns of an event's own, hist_options.fields[column - HIST_FIELDS]. */
	HIST_FIELDS = HIST_NR_COLUMNS,
};

#define HIST_MAX_COLUMNS (HIST_NR_COLUMNS + 200)

/* What a cell shows, apart from its row: made by a report as it prints, kept by a diff. Strings are borrowed. */
struct column_value {
	const char *text;  /* "" where there is no name */
	const char *other; /* of a file its path or NULL, of a process the name that it had then */
	uint64_t number;   /* id, address, flag, figure */
	uint64_t extra;	   /* of a symbol that is data the offset in it, of a thread its process, of a share the whole */
	char level;	   /* 'k' or '.' before a symbol */
	bool is_known;	   /* there is a name, or a figure */
	bool has_symbol;   /* of a file: the place in it has one */
	bool is_object, is_inlined, is_nameless; /* of symbols, as in struct profile_frame */
};

enum column_flags {
	COLUMN_IN_DIFF = 1 << 0,     /* `diff` has it, too */
	COLUMN_OF_BRANCHES = 1 << 1, /* needs rows of branches */
	COLUMN_OF_SOURCE = 1 << 2,   /* shows where a branch came from */
	COLUMN_OF_CPUS = 1 << 3,     /* samples of several CPUs must not be added up before */
	COLUMN_NEEDS_LINES = 1 << 4, /* of source files */
	COLUMN_IS_OPEN = 1 << 5,     /* no blanks behind it where it is the last one */
	COLUMN_IS_NUMBER = 1 << 6,   /* of other recordings, the one with the same number; otherwise with the same text */
	COLUMN_IS_RIGHT = 1 << 7,    /* aligned to the right, as figures are */
	COLUMN_OF_SWITCHES = 1 << 8, /* needs context switches beside the samples */
};

enum column_order { COLUMN_BY_NAME, COLUMN_BY_NUMBER, COLUMN_BY_SIGNED, COLUMN_BY_SIZE };

struct column;

/* How a kind of value is shown. */
struct column_kind {
	struct column_value (*value)(const struct column *c, struct hist *h, const struct hist_entry *e);
	/* `width`: of the column; 0: cells are separated, not aligned. */
	void (*text)(const struct column *c, struct out *o, const struct column_value *v, int width);
	/* How wide the column must be for this value; NULL: as its heading, or min_width. `pads_address`: a place without a symbol is as wide as an
	 * address in the column of files, too. */
	int (*width)(struct out *scratch, const struct column_value *v, bool pads_address);
	/* `is_merged`: of several recordings, so that paths, processes and levels are not those of all. NULL: figures, which all rows have. */
	void (*json)(const struct column *c, struct json *j, const struct column_value *v, bool is_merged);
};

struct column {
	const char *name, *alias; /* words of --sort and -F */
	const char *heading;
	const char *member; /* of JSON objects */
	const char *object; /* the JSON object that it is in; NULL: the row's own */
	const struct column_kind *kind;
	/* Rows with equal keys are one row. Where `same` is set, it decides, and the key is a hash. NULL: a figure. */
	uint64_t (*key)(const struct column *c, struct hist *h, const struct hist_entry *e);
	bool (*same)(const struct column *c, struct hist *h, const struct hist_entry *a, const struct hist_entry *b);
	/* Order of rows; `cmp` where the value alone does not say it. */
	enum column_order order;
	int (*cmp)(struct hist *h, const struct hist_entry *a, const struct hist_entry *b);
	uint16_t flags;
	uint16_t min_width;
	uint16_t figure;     /* its place in struct hist_entry */
	uint16_t bit;	     /* in the flags of a branch */
	uint16_t slot;	     /* of a field: its place in hist_options.fields */
	const char *letters; /* of a flag that is not set, and that is */
};

/* Fields of tracepoints, whose columns are made as they are asked for: model/field_keys.h. */
extern const struct column_kind column_field_kind;
uint64_t column_field_key(const struct column *c, struct hist *h, const struct hist_entry *e);

extern const struct column columns[HIST_NR_COLUMNS];

/* A column by its name or alias; HIST_NR_COLUMNS: there is none. */
enum hist_column column_find(const char *word, size_t len);
/* Names and aliases of the columns before `end` that have all of `flags`, with `separator` between them; the caller frees. */
char *column_words(char separator, enum hist_column end, unsigned flags);

/* Of a histogram, its event's own too. */
const struct column *hist_column(const struct hist *h, uint32_t col);
struct column_value column_value(const struct column *c, struct hist *h, const struct hist_entry *e);
/* Names from a to z, unknown ones last; ids up; sizes down. */
int column_cmp_values(const struct column *c, const struct column_value *a, const struct column_value *b);
int column_cmp_rows(const struct column *c, struct hist *h, const struct hist_entry *a, const struct hist_entry *b);

static inline void column_text(const struct column *c, struct out *o, const struct column_value *v, int width)
{
	c->kind->text(c, o, v, width);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options of `assay diff` that have a syntax of their own (diff_options.c), and the words that name the sides of a comparison, here and in
 * flame --diff (sides.c): "A.data" is one recording, "A1,A2,A3" are several of the same thing.
 */
#ifndef ASSAY_CMD_DIFF_H
#define ASSAY_CMD_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/options.h"
#include "base/vec.h"
#include "model/diff_table.h"
#include "model/filter.h"
#include "model/match.h"
#include "perfdata/info.h"
#include "view/diff.h"

struct sides {
	uint32_t nr_sides;
	VEC(char *) names;     /* of all recordings */
	VEC(uint32_t) side_of; /* by recording, rising from 0 */
	struct match match;    /* which of their files are the same */
	bool match_set;	       /* --match was given */
};

void sides_init(struct sides *s);

/* A file whose name has a comma in it is one recording. */
void sides_add(struct sides *s, const char *word);
void sides_fini(struct sides *s);

/* How many recordings a side has. */
uint32_t sides_count(const struct sides *s, uint32_t side);

/* Refuses a file that a side has twice: it would pass for two runs that agree to the digit. Of one that both sides have there is a warning,
 * unless `quiet`. */
int sides_check(const struct sides *s, bool quiet, struct errbuf *eb);

/* The event of a recording that is compared with one of the baseline: of the same name, or else of the same number (cycles:u with
 * cycles); UINT32_MAX: none. */
uint32_t sides_find_event(const struct perfdata_info *info, const char *name, uint32_t type, uint64_t config);

/* --match */
#define SIDES_OPTION_MATCH(sides)                                                                                                          \
	OPT_CHOICE(0, "match", &(sides)->match.by, "program|file|path|name|build", "HOW",                                                  \
		   "what is the same in other recordings: program (default: files of one name, and the main programs whatever "            \
		   "their names), name (functions of one name in any file), file (files of one name, as perf), path, build",               \
		   .is_set = &(sides)->match_set)
/* "app-old with app-new are compared as one program (…)"; NULL: nothing was paired. The caller frees. */
char *sides_match_note(const struct sides *s);

/* The part of --time that is for one recording; NULL: none. The caller frees. */
char *sides_time_of(const char *times, uint32_t recording);

struct diff_options {
	struct diff_table_options table;
	struct diff_text_options text;
	const char *time;	 /* as typed: of each recording, with ':' between them */
	struct field_keys words; /* of --sort, as typed: each recording has its own */
	struct column fields[FIELD_MAX_WORDS];
};

option_call_fn diff_option_compute, diff_option_sort, diff_option_separator, diff_option_absent;

/* Rows show lines of source files. */
bool diff_options_want_lines(const struct diff_options *o);
void diff_options_fini(struct diff_options *o);
/* The fields of a recording, which the caller finishes, made known to its profile. */
void diff_options_open_fields(const struct diff_options *o, struct field_keys *k, struct profile *p);
/* The first recording says what is compared: refuses fields that it has not. */
int diff_options_check_fields(struct field_keys *k, struct errbuf *eb);
/* Keys of the table as an event has them. */
void diff_options_set_keys(const struct diff_options *o, const struct hist_options *common, struct field_keys *k, uint32_t event,
			   struct hist_options *h);
/* Fills in defaults, and which keys are printed: one that a filter of a single name settles is not. */
void diff_options_finish(struct diff_options *o, const struct filter *f);

#endif

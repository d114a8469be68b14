/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of `assay flame`: its options, its loader, the picture.
 */
#ifndef ASSAY_CMD_FLAME_H
#define ASSAY_CMD_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/options.h"
#include "cmd/diff.h"
#include "cmd/input.h"
#include "model/flame.h"
#include "model/match.h"
#include "view/flame_svg.h"

struct flame_load {
	struct flame_options options; /* event and quality are filled in here */
	const char *event;	      /* NULL: the first that has samples; "all"; a name */
	const char *count_name;	      /* what the counts are called; NULL: what the input says */
	double factor;		      /* that counts are multiplied by; 0: 1 */
	const char *pair_only; /* an option that is for comparisons alone, to be refused where there is nothing to compare; NULL: none */
	const struct flame_load *like; /* the baseline that this is compared with: its event is looked for; NULL: none */
	struct match *match;	       /* borrowed; is given what this recording's programs are. NULL: nothing is compared */
	bool inlines;
	/* found out */
	uint32_t event_type; /* of the event, where it is one; and … */
	uint64_t event_config;
	bool is_pair;	    /* it was two profiles: the flame has two columns, before and after */
	bool is_imported;   /* from a tool whose stacks are taken at their word */
	char *event_names;  /* what was drawn: "cycles", "cycles, faults" */
	char *other_events; /* of the recording that were not: "faults, switches"; NULL: none */
	char *command;	    /* that was recorded; NULL: not known */
	const char *unit;   /* of the widths: "samples", "ns" … */
	char *own_unit;	    /* NULL, or that */
	bool is_sum;	    /* the sum of the widths is shown, not the number of samples */
};

/* Settles in->path where it is NULL: standard input where that is a pipe, or a file that is a profile; else perf.data. */
int flame_load_choose(struct input *in, struct errbuf *eb);

/* Reads in->path into a column. in->quality and the warnings at the
 * end are taken care of. Where the flame has one column only and the file holds two profiles to be compared (and none is asked for of
 * its events), it gets two. After a recording that is damaged the column has what could be read, and the sentence is in `eb`. */
int flame_load(struct flame_load *fl, struct flame *f, uint32_t column, struct input *in, struct errbuf *eb);
void flame_load_fini(struct flame_load *fl);

/* Options, filters and symbols of all are those of `fl` and `in`, whose results are those of the first recording: its event is what the others are
 * read for. `f` has a column for each. A damaged recording has what could be read of it in its column; the first sentence is in `eb`, and
 * *nr_read is how many were read. */
int flame_columns_load(struct flame_load *fl, struct flame *f, const struct sides *s, struct input *in, uint32_t *nr_read,
		       struct errbuf *eb);

/* Says which recordings have no samples and are left out. Returns a column of a side that has none at all; f->nr_columns: both have some. */
uint32_t flame_columns_check(const struct flame *f, const struct sides *s, const struct flame_load *first, bool quiet);

/* "a.data (350 samples) → b.data and 2 more (1,020 samples) · cycles"; the caller frees. */
char *flame_columns_title(const struct flame *f, const struct sides *s, const struct flame_load *first);

struct flame_command {
	struct input in;
	struct flame_load load;
	struct filter_names through;
	const char *output, *title, *subtitle, *note;
	enum flame_palette palette;
	double min_width; /* px, or percent of the whole */
	bool min_is_percent;
	uint64_t width, max_depth, total;
	bool width_set, by_set, inverted;
	bool is_diff, absolute, negated;
	struct sides sides; /* of a diff */
};

void flame_command_init(struct flame_command *c);
void flame_command_fini(struct flame_command *c);

/* `ctx` of all is the flame_command. */
option_call_fn flame_option_by, flame_option_min_width, flame_option_normalize, flame_option_through, flame_option_factor;
/* Words of flamegraph.pl that change the looks in ways that ours have not: a sentence, and on it goes. */
option_call_fn flame_option_looks;
/* One that asks for another picture: refused. */
option_call_fn flame_option_chart;

#define FLAME_DRAW_FILE "flame.svg" /* the default where standard output is a terminal */

/* The file that the picture goes to; NULL: standard output. */
const char *flame_draw_path(const struct flame_command *c);

/* Its steps, for those who write more than the picture: what is the same is merged, or -ENODATA where filters let nothing pass; the tree and,
 * of a diff, its comparison, which the caller finishes; the picture, in a file of its own or (`nonce`) as a part of an HTML document. */
int flame_draw_match(struct flame_command *c, struct flame *f, struct errbuf *eb);
void flame_draw_finish(const struct flame_command *c, struct flame *f, struct flame_diff *d);
void flame_draw_put(const struct flame_command *c, const struct flame *f, const struct flame_diff *d, const char *nonce, struct out *o);

/* Finishes the flame and writes the picture of it. Where filters let nothing pass, nothing is written: -ENODATA. */
int flame_draw(struct flame_command *c, struct flame *f, struct errbuf *eb);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a file to a column of a flame graph: a perf.data, or what input.h makes one of.
 */
#ifndef ASSAY_CMD_FLAME_LOAD_H
#define ASSAY_CMD_FLAME_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "cmd/input.h"
#include "model/flame.h"
#include "model/match.h"

struct flame_load {
	struct flame_options options; /* event and quality are filled in here */
	const char *event;	      /* NULL: the first that has samples; "all"; a name */
	const char *count_name;	      /* what the counts are called; NULL: what the input says */
	double factor;		      /* that counts are told times; 0: as they are */
	const char *pair_only;	      /* an option that is for comparisons alone, to be refused where there is nothing to compare; NULL: none */
	const struct flame_load *like; /* the baseline that this is compared with: its event is looked for; NULL: none */
	struct match *match;	      /* borrowed; is given what this recording's programs are. NULL: nothing is compared */
	bool inlines;
	/* found out */
	uint32_t event_type; /* of the event, where it is one; and … */
	uint64_t event_config;
	bool is_pair;	     /* it was two profiles: the flame has two columns, before and after */
	bool is_imported;    /* from a tool whose stacks are taken at their word */
	char *event_names;   /* what was drawn: "cycles", "cycles, faults" */
	char *command;	     /* that was recorded; NULL: not known */
	const char *unit;    /* of the widths: "samples", "ns" … */
	char *own_unit;	     /* NULL, or that */
	bool is_sum;	     /* the figure to tell is the sum of the widths, and not how many samples there are */
};

/* Settles in->path where it is NULL: standard input where that is a pipe, or a file that is a profile; else perf.data. */
int flame_load_choose(struct input *in, struct errbuf *eb);

/* Reads in->path into a column. in->quality and the warnings at the
 * end are taken care of. Where the flame has one column only and the file holds two profiles to be compared (and nobody asked for one of
 * its events), it gets two. After a recording that is damaged the column has what could be read, and the sentence is in `eb`. */
int flame_load(struct flame_load *fl, struct flame *f, uint32_t column, struct input *in, struct errbuf *eb);
void flame_load_fini(struct flame_load *fl);

#endif

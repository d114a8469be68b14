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

struct flame_load {
	struct flame_options options; /* event and quality are filled in here */
	const char *event;	      /* NULL: the first that has samples; "all"; a name */
	bool inlines;
	/* found out */
	bool is_imported;    /* from a tool whose stacks are taken at their word */
	char *event_names;   /* what was drawn: "cycles", "cycles, faults" */
	char *command;	     /* that was recorded; NULL: not known */
	const char *unit;    /* of the widths: "samples", "ns" … */
};

/* Reads in->path (NULL: standard input where that is a pipe or a file, else perf.data) into a column. in->quality and the warnings at the
 * end are taken care of; after a recording that is damaged the column has what could be read, and the sentence is in `eb`. */
int flame_load(struct flame_load *fl, struct flame *f, uint32_t column, struct input *in, struct errbuf *eb);
void flame_load_fini(struct flame_load *fl);

#endif

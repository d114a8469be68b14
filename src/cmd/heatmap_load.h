/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From a recording, or from lines of text, to the points of a heat map and the words that go with them.
 */
#ifndef ASSAY_CMD_HEATMAP_LOAD_H
#define ASSAY_CMD_HEATMAP_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "cmd/input.h"
#include "model/event_patterns.h"
#include "model/heat.h"
#include "view/heat_svg.h"

/* What was counted on the way, by name, for JSON. */
struct heatmap_count {
	const char *name;
	uint64_t nr;
};
#define HEATMAP_MAX_COUNTS 16

enum heatmap_kind { HEATMAP_LINES, HEATMAP_PAIRS, HEATMAP_OFFSETS };

struct heatmap_load {
	enum heatmap_kind kind;
	struct event_patterns from, to; /* HEATMAP_PAIRS */
	char *key;			/* of pairs; NULL: the thread */
	struct event_patterns events;	/* HEATMAP_OFFSETS; none: all */
	enum heat_unit time_unit, value_unit; /* HEATMAP_LINES */
	bool has_units;			      /* these were asked for, and are worth a word */
	/* filled */
	struct heat *heat;
	struct heat_words words; /* title, subtitle and notes are of this struct */
	const char *advice; /* why there is nothing to draw */
	char *texts[HEAT_MAX_NOTES + 2];
	uint32_t nr_texts;
	struct heatmap_count counts[HEATMAP_MAX_COUNTS];
	uint32_t nr_counts;
	const struct recording *recording; /* as long as the input is open; NULL: lines */
};

/* Reads all of it. A recording stays open: input_finish() is the caller's, when its output is written. */
int heatmap_load(struct heatmap_load *l, struct input *in, struct errbuf *eb);
void heatmap_load_fini(struct heatmap_load *l);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of `assay heatmap`: its options, its loader, the notes below the map and in its JSON.
 */
#ifndef ASSAY_CMD_HEATMAP_H
#define ASSAY_CMD_HEATMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/options.h"
#include "base/out.h"
#include "cmd/input.h"
#include "model/filter.h"
#include "model/heat.h"
#include "model/latency.h"
#include "view/heat_svg.h"

/* What was counted on the way, by name, for JSON. */
struct heatmap_count {
	const char *name;
	uint64_t nr;
};
#define HEATMAP_MAX_COUNTS 16

enum heatmap_kind { HEATMAP_LINES, HEATMAP_PAIRS, HEATMAP_OFFSETS, HEATMAP_CALLS, HEATMAP_STATES };

struct heatmap_load {
	enum heatmap_kind kind;
	struct event_patterns from, to;	      /* HEATMAP_PAIRS */
	char *key;			      /* of pairs; NULL: the thread */
	struct event_patterns events;	      /* HEATMAP_OFFSETS; none: all */
	const struct heatmap_state *state;    /* HEATMAP_STATES; NULL: none was chosen */
	const char *calls;		      /* HEATMAP_CALLS: a list as `trace -e` takes it */
	enum heat_unit time_unit, value_unit; /* HEATMAP_LINES */
	bool has_units;			      /* these were asked for, and are worth a word */
	/* filled */
	struct heat *heat;
	struct heat_words words; /* title, subtitle and notes are of this struct */
	const char *advice;	 /* why there is nothing to draw */
	char *texts[HEAT_MAX_NOTES + 2];
	uint32_t nr_texts;
	struct heatmap_count counts[HEATMAP_MAX_COUNTS];
	uint32_t nr_counts;
	const struct recording *recording; /* as long as the input is open; NULL: lines */
};

/* Reads all of it. A recording stays open: input_finish() is the caller's, when its output is written. */
int heatmap_load(struct heatmap_load *l, struct input *in, struct errbuf *eb);
void heatmap_load_fini(struct heatmap_load *l);
/* Its part for HEATMAP_STATES, of an open input. */
int heatmap_load_states(struct heatmap_load *l, struct input *in, struct errbuf *eb);
/* "wait", "run"; "waits", "runs" */
const char *heatmap_state_thing(const struct heatmap_state *s);
const char *heatmap_state_things(const struct heatmap_state *s);
int heatmap_too_many(struct errbuf *eb);

/* "1,234 pairs", "1 latency". */
void heatmap_put_number(struct out *o, uint64_t nr, const char *what);
/* Takes the text over and ends `o`. */
void heatmap_subtitle(struct heatmap_load *l, struct out *o);

void heatmap_note_pairs(struct heatmap_load *l, const struct latency *lat);
/* "3 without a time and a latency, 1 with a negative number" */
void heatmap_put_faults(struct out *o, const struct latency_lines *lines);
void heatmap_note_lines(struct heatmap_load *l, const struct latency_lines *lines);
/* That what is drawn is not all of the recording. */
void heatmap_note_filters(struct heatmap_load *l, const struct filter *f, uint64_t nr_left_out);
void heatmap_note_samples(struct heatmap_load *l);
/* How many calls had no begin. */
void heatmap_note_calls(struct heatmap_load *l, uint64_t nr_unpaired);
/* How many switches are missing, how many spans have no end, and what is not known without wakes (NULL: nothing). */
void heatmap_note_states(struct heatmap_load *l, const char *thing, uint64_t nr_gaps, uint64_t nr_open, const char *no_wakes);
/* That samples of off-CPU time may be sums of several. */
void heatmap_note_sums(struct heatmap_load *l);
void heatmap_advise_calls(struct heatmap_load *l, uint64_t nr_durations, uint64_t nr_left_out);
/* Why there is nothing to draw, if so: nothing occurred, all was left out, or keys never agreed. */
void heatmap_advise_pairs(struct heatmap_load *l, const struct latency *lat, uint64_t nr_left_out);
void heatmap_advise_samples(struct heatmap_load *l, uint64_t nr_left_out);
/* Where the time axis begins. */
void heatmap_note_start(struct heatmap_load *l);
/* What lies outside of the rows; after heat_build(). */
void heatmap_note_outside(struct heatmap_load *l, enum heat_unit unit);
/* Which scale it is, where that was not asked for; after heat_build(). */
void heatmap_note_scale(struct heatmap_load *l);

struct heatmap_command {
	struct input in;
	struct heatmap_load load;
	struct heat_options rows;
	const char *output, *title, *subtitle, *min, *max, *units, *input_units;
	uint64_t nr_rows, nr_columns;
	bool offset, json, csv;
	enum heat_unit unit; /* of what is shown */
	enum heat_colours colours;
	bool colours_set;
};

/* --from, --to and -e: into the struct event_patterns that is their context. --key: into a char *. What is given twice adds. */
option_call_fn heatmap_option_events, heatmap_option_key;
/* --log, short for --scale log: into the heatmap_command that is its context. */
option_call_fn heatmap_option_log;

/* --state, and options that stand for one: into the heatmap_load that is their context. */
option_call_fn heatmap_option_state;

/* When all options were read: 0, or CMD_USAGE with the sentence. */
int heatmap_options_check(struct heatmap_command *c, struct errbuf *eb);

/* What an option of trace2heatmap, the script that many know, is called here; NULL where there is none in argv. */
const char *heatmap_options_foreign(char **argv);

#endif

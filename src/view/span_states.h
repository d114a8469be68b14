/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is shown of the states of a struct span_store: a table, from which time charts (their script gets it as data) and exports take words and colours.
 */
#ifndef ASSAY_VIEW_SPAN_STATES_H
#define ASSAY_VIEW_SPAN_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "model/span_store.h"

/* What span.value is; web/timechart_data.js has them by these numbers. */
enum span_value {
	SPAN_VALUE_NONE,
	SPAN_VALUE_RUN,	  /* of a task the CPU, of a CPU the task */
	SPAN_VALUE_WAKER, /* one more than who woke it */
	SPAN_VALUE_DEPTH, /* a number, which is the height; 0 is one step high */
	SPAN_VALUE_KHZ,	  /* a number, which is the height */
	SPAN_VALUE_CALLS, /* bytes, of as many calls as span.nr says */
};

struct span_state_def {
	const char *label;
	const char *light, *dark; /* colours */
	uint8_t place;		  /* in a cell of several states, from the bottom; 0: nothing happens in it, it lies behind the others */
	uint8_t value;		  /* enum span_value */
	bool is_activity;	  /* counts for -n and --highlight */
};
extern const struct span_state_def span_states[SPAN_NR_STATES];

/* "running"; of SPAN_MIXED "several". */
const char *span_state_label(int state);

/* Rules for the classes s0, s1 … inside of `scope`, and the same as JSON: [label, place, value], …. */
void span_states_css(struct out *o, const char *scope);
void span_states_json(struct out *o);

#endif

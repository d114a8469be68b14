/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a count means: "1.2 insn per cycle", "3.4% of all branches", "5.6 K/sec". One table says
 * which event has which metric. Pure arithmetic over `struct counts`; printing is the views'.
 */
#ifndef ASSAY_MODEL_METRICS_H
#define ASSAY_MODEL_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/counts.h"

/* How good a value is: views show it in colour on a terminal. */
enum metric_grade {
	METRIC_PLAIN,
	METRIC_FAIR, /* yellow */
	METRIC_POOR, /* magenta */
	METRIC_BAD,  /* red */
};

struct metric {
	double value;
	const char *format; /* printf format of the number: "%8.3f ", "%7.2f%%"; static */
	char label[64];	    /* "CPUs utilized", "K/sec", "of all branches"; "" where the event has
			       no metric at all. JSON's "metric-unit", CSV's last field */
	enum metric_grade grade;
	bool empty;   /* no value: what it needs was not counted (then there is a label), or the event
		       has no metric. Views keep the column blank */
	bool is_rate; /* "/sec": no metric of its own; --metric-only leaves it out */
};

#define METRICS_MAX 4 /* of one event */

/* The metrics of an event's row as computed last (counts_compute()), in the order of their lines.
 * At least one (maybe `empty`); returns how many. With -M (counts.uses) those asked for. */
uint32_t metrics_get(const struct counts *c, uint32_t event, uint32_t place, struct metric out[METRICS_MAX]);

#endif

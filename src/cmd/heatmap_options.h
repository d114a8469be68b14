/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `assay heatmap` was asked for: the words of its command line, made into numbers and checked against each other. It reads no input
 * and draws nothing.
 */
#ifndef ASSAY_CMD_HEATMAP_OPTIONS_H
#define ASSAY_CMD_HEATMAP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/options.h"
#include "cmd/heatmap_load.h"
#include "cmd/input.h"
#include "model/heat.h"

struct heatmap_command {
	struct input in;
	struct heatmap_load load;
	struct heat_options rows;
	const char *output, *title, *subtitle, *min, *max, *units, *input_units, *colours;
	uint64_t nr_rows, nr_columns;
	bool offset, json, csv;
	enum heat_unit unit; /* of what is shown */
	enum heat_colours colour_scale;
};

/* --from, --to and -e: into the struct event_patterns that is their context. --key: into a char *. What is given twice adds. */
option_call_fn heatmap_option_events, heatmap_option_key;
/* Into the heatmap_command that is their context: --scale, and --log, which is short for one. */
option_call_fn heatmap_option_scale, heatmap_option_log;

/* When all options were read: 0, or CMD_USAGE with the sentence. */
int heatmap_options_check(struct heatmap_command *c, struct errbuf *eb);

/* What an option of trace2heatmap, the script that many know, is called here; NULL where there is none in argv. */
const char *heatmap_options_foreign(char **argv);

#endif

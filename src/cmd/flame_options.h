/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What was asked of `assay flame`: the command's state, and the options with a syntax of their own. Knows nothing of recordings.
 */
#ifndef ASSAY_CMD_FLAME_OPTIONS_H
#define ASSAY_CMD_FLAME_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"
#include "cmd/flame_load.h"
#include "cmd/sides.h"
#include "view/flame_palette.h"

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
option_call_fn flame_option_by, flame_option_palette, flame_option_weight, flame_option_min_width, flame_option_normalize, flame_option_through,
	flame_option_factor;
/* Words of flamegraph.pl that change the looks in ways that ours have not: a sentence, and on it goes. */
option_call_fn flame_option_looks;
/* One that asks for another picture: refused. */
option_call_fn flame_option_chart;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Page faults summed up: by thread, by the memory that was touched, and by the code that touched it.
 */
#ifndef ASSAY_VIEW_FAULT_TEXT_H
#define ASSAY_VIEW_FAULT_TEXT_H

#include "base/out.h"
#include "model/pair_sums.h"

struct fault_text {
	uint32_t max_rows;   /* of each table; 0: all */
	uint32_t max_frames; /* of each stack; 0: all */
	bool shows_stacks;   /* below each place in the code */
};

void fault_text_print(const struct fault_text *t, struct out *o, struct pair_sums *s);
/* The same as one JSON object on a line. */
void fault_json_print(const struct fault_text *t, struct out *o, struct pair_sums *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How many records of each type a recording holds: perf's `report --stats`.
 */
#ifndef ASSAY_VIEW_STATS_TEXT_H
#define ASSAY_VIEW_STATS_TEXT_H

#include <stdint.h>

#include "base/out.h"
#include "session/recording.h"

/* `nr_samples_by_event`: one count for each of recording->info->events. To be called when all records
 * were read. */
void stats_text(struct out *o, const struct recording *r, const uint64_t *nr_samples_by_event);

#endif

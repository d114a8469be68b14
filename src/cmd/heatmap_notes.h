/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What goes below a heat map, and into its JSON: begins without ends, bad lines, filters, losses. Fed by whoever reads (heatmap_load.c);
 * it must not read anything itself.
 */
#ifndef ASSAY_CMD_HEATMAP_NOTES_H
#define ASSAY_CMD_HEATMAP_NOTES_H

#include "base/out.h"
#include "cmd/heatmap_load.h"
#include "model/filter.h"
#include "model/latency.h"
#include "model/latency_lines.h"

/* "1,234 pairs", "1 latency". */
void heatmap_put_number(struct out *o, uint64_t nr, const char *what);
/* Takes the text over and ends `o`. */
void heatmap_subtitle(struct heatmap_load *l, struct out *o);

void heatmap_note_pairs(struct heatmap_load *l, const struct latency *lat);
/* "3 without a time and a latency, 1 with a negative number" */
void heatmap_put_faults(struct out *o, const struct latency_lines *lines);
void heatmap_note_lines(struct heatmap_load *l, const struct latency_lines *lines);
/* That what is drawn is not all of the recording. */
void heatmap_note_filters(struct heatmap_load *l, const struct filter *f, bool has_filter, uint64_t nr_left_out);
void heatmap_note_samples(struct heatmap_load *l);
/* Why there is nothing to draw, if so: nothing occurred, all was left out, or keys never agreed. */
void heatmap_advise_pairs(struct heatmap_load *l, const struct latency *lat, uint64_t nr_left_out);
void heatmap_advise_samples(struct heatmap_load *l, uint64_t nr_left_out);
/* Where the time axis begins. */
void heatmap_note_start(struct heatmap_load *l);
/* What lies outside of the rows; after heat_build(). */
void heatmap_note_outside(struct heatmap_load *l, enum heat_unit unit);
/* Which scale it is, where that was not asked for; after heat_build(). */
void heatmap_note_scale(struct heatmap_load *l);

#endif

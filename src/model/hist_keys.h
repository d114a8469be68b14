/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What makes a row of a histogram: the keys of a sampled place, and when two rows are one. Internal to the histogram.
 */
#ifndef ASSAY_MODEL_HIST_KEYS_H
#define ASSAY_MODEL_HIST_KEYS_H

#include "model/hist.h"

bool hist_uses(const struct hist_options *o, enum hist_column key);

/* The row of a place in a chain. `level`: of the CPU's mode there. */
struct hist_entry hist_entry_at(struct hist *h, const struct sample_group *g, uint32_t place, char level);
/* The row of the sampled place itself: the function that was really called, the line of the address. */
struct hist_entry hist_entry_of(struct hist *h, const struct sample_group *g, char level);
/* Finds the row with the same keys, or adds it; returns its index. */
uint32_t hist_find_entry(struct hist *h, const struct hist_entry *key);

/* The letter that says where the CPU was. */
char hist_level_of(unsigned cpumode);

#endif

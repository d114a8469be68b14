/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Work of the kernel (interrupts, soft interrupts, work queues) as text, in the layout of `perf kwork`.
 */
#ifndef ASSAY_VIEW_KWORK_TEXT_H
#define ASSAY_VIEW_KWORK_TEXT_H

#include "base/out.h"
#include "model/pair_sums.h"

/* What it is called, without its class and number: "virtio0", "TIMER", "vmstat_update". The caller frees. */
char *kwork_name(struct profile *p, const struct pair_row *row);

/* `has_delays`: how long work was due, not how long it ran. `summary_ns`: the time span for sums at the end; 0: none are shown. */
void kwork_text_print(struct out *o, struct profile *p, const struct pair_groups *g, bool has_delays, uint64_t summary_ns);
/* A line for each run: heading, and one from `start_ns` to `end_ns`; `delay_ns`: how long it was due before, UINT64_MAX: not known. */
void kwork_timehist_heading(struct out *o);
void kwork_timehist_line(struct out *o, struct profile *p, const struct pair_row *row, uint64_t start_ns, uint64_t end_ns,
			 uint64_t delay_ns);
void kwork_json_print(struct out *o, struct profile *p, const struct pair_groups *g);

#endif

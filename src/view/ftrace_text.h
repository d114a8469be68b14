/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `assay ftrace` sums up, as text in the layout of perf ftrace and as JSON.
 */
#ifndef ASSAY_VIEW_FTRACE_TEXT_H
#define ASSAY_VIEW_FTRACE_TEXT_H

#include "base/out.h"
#include "model/graph_lines.h"
#include "model/latency_hist.h"

void function_sums_text(struct out *o, const struct function_sums *s);
void function_sums_json(struct out *o, const struct function_sums *s, uint64_t nr_lost);

/* `what`: the function, or the events with an arrow between. */
/* The table alone, of these buckets. `is_open`: the last one has no upper end. */
void latency_hist_rows(struct out *o, const struct latency_hist *h, uint32_t from, uint32_t to, bool is_open);
void latency_hist_text(struct out *o, const struct latency_hist *h);
void latency_hist_json(struct out *o, const struct latency_hist *h, const char *what);

#endif

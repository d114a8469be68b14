/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The views of struct calls: histogram, percentiles, where the time went, and the slowest ones with what they waited for. Text and JSON.
 */
#ifndef ASSAY_VIEW_CALLS_TEXT_H
#define ASSAY_VIEW_CALLS_TEXT_H

#include "base/json.h"
#include "base/out.h"
#include "model/call_parts.h"
#include "model/latency_hist.h"

#define CALLS_NR_RANKS 5

/* What both show, of finished calls. */
struct calls_view {
	const struct calls *calls;
	const struct wall *wall;
	const struct call_notes *notes;
	const char *what; /* is measured */
	uint64_t slower_ns;
	bool is_slower_given; /* else it is the 99th percentile */
	uint32_t max_calls, max_frames;
	uint64_t nr_lost;
	/* made by calls_view_make() */
	struct latency_hist hist;
	uint32_t nr_slow;
	struct call_parts all, slow; /* sums of all that can be divided, and of the slow ones */
	uint64_t all_ns, slow_ns;    /* of the calls in these */
};

extern const uint32_t calls_ranks[CALLS_NR_RANKS]; /* in thousandths */
extern const char *const calls_rank_names[CALLS_NR_RANKS];

void calls_view_make(struct calls_view *v);
void calls_text_print(struct out *o, const struct calls_view *v);
void calls_json_print(struct out *o, const struct calls_view *v);
/* "local_timer" of the event irq_vectors:local_timer_entry; the caller frees. */
char *calls_interrupt_name(const struct calls_view *v, uint32_t event);

#endif

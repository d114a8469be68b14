/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What threads were blocked on, in the spans of a time chart: where the time line says that a thread sleeps, struct wall says why.
 */
#ifndef ASSAY_MODEL_WALL_SPANS_H
#define ASSAY_MODEL_WALL_SPANS_H

#include "model/span_store.h"
#include "model/wall.h"

/* The state of a span that was blocked on this; SPAN_UNKNOWN: that says nothing more than the scheduler does. */
uint8_t wall_span_state(enum wall_class class);

/* Of a store that watched the time line of a finished struct wall: gives the spans of blocked threads their class, and drops all but those of
 * threads that are shown. Spans that were merged keep the scheduler's states. */
void wall_spans_explain(struct span_store *s, const struct wall *w);

#endif

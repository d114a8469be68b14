/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * power:cpu_idle and power:cpu_frequency as spans of CPUs (SPAN_OF_POWER, SPAN_OF_FREQUENCY): each event ends what its CPU was in before. What was
 * before the first event, or while records were lost, is not known.
 */
#ifndef ASSAY_MODEL_POWER_SPANS_H
#define ASSAY_MODEL_POWER_SPANS_H

#include "model/span_store.h"
#include "session/recording.h"

struct power_event { /* of an event of the recording */
	bool is_wanted;
	enum span_kind kind;
	const struct trace_field *state, *cpu; /* NULL: its format lacks them, and nothing is read */
};

struct power_open {
	bool is_open;
	uint32_t value;
	uint64_t since_ns;
	uint64_t nr_losses; /* of power_spans, at its begin */
};

/* A zeroed struct with `recording` and `store` set is ready. */
struct power_spans {
	const struct recording *recording;
	struct span_store *store;
	VEC(struct power_event) events;
	VEC(struct power_open) open[2]; /* by CPU: C-states, frequencies */
	uint64_t nr_losses;
	uint64_t nr_malformed; /* without the fields, or of CPUs with impossible numbers */
};

void power_spans_fini(struct power_spans *p);
/* Whether samples of this event are of interest. */
bool power_spans_wants(struct power_spans *p, int32_t event);
void power_spans_take(struct power_spans *p, const struct session_record *sr);
/* Records were lost: what is open is not known any more. */
void power_spans_lose(struct power_spans *p);
/* What is open lasts until the end of the recording. */
void power_spans_finish(struct power_spans *p, uint64_t end_ns);

#endif

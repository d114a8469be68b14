/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parts of `assay latency`: its options and what is recorded (latency.c), and from records to what is shown (latency_read.c).
 */
#ifndef ASSAY_CMD_LATENCY_H
#define ASSAY_CMD_LATENCY_H

#include "capture/probe_feed.h"
#include "cmd/wall.h"
#include "model/latency.h"

struct latency_command {
	struct wall_command wall; /* target, recording, input: threads are recorded as `assay wall` does */
	const char *binary;	  /* -x */
	const char *key;
	const char *slower;
	const char *heatmap_path;
	uint64_t slower_ns, max_calls;
	bool has_slower, nested;
	char **words; /* what to measure: FUNC, SYSCALL, or EVENT EVENT */
	int nr_words;
	struct temp_probes probes;
	uint32_t nr_places;		/* of the function */
	bool has_return_probes;		/* some of them */
	struct event_patterns from, to; /* none: probes of a function */
	char *what;			/* "work() in ./app" */
};

/* Reads all records, and prints. */
int latency_read(struct latency_command *c, struct session *s, struct profile *p, struct errbuf *eb);

#endif

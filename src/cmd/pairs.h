/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the commands that sum up pairs of events have in common: reading a recording, or recording and reading live.
 */
#ifndef ASSAY_CMD_PAIRS_H
#define ASSAY_CMD_PAIRS_H

#include "base/out.h"
#include "capture/capture.h"
#include "cmd/input.h"
#include "model/pair_sums.h"

#define PAIRS_MAX_DEFS 6

struct pairs_run {
	const struct pair_sum_def *defs[PAIRS_MAX_DEFS + 1]; /* NULL ends */
	/* Before anything is read; NULL: nothing is to be done then. */
	void (*start)(void *ctx, struct pair_sums *sums, uint32_t nr, struct out *o);
	/* Prints `nr` sums, of the defs in their order. */
	void (*print)(void *ctx, const struct recording *r, struct pair_sums *sums, uint32_t nr, struct out *o);
	void *ctx;
	const char *advice; /* where a recording has none of the events: what records them */
};

/* The events of all defs, to be recorded one by one. */
int pairs_add_events(const struct pairs_run *r, struct capture_options *o, struct errbuf *eb);
/* Reads in->path, whole, and prints on standard output. */
int pairs_run_file(const struct pairs_run *r, struct input *in, struct errbuf *eb);
/* Records the events and does the same when recording ends; nothing is written to a file. As capture_run(). */
int pairs_run_live(const struct pairs_run *r, struct capture_options *o, const struct session_options *options, struct errbuf *eb);

#endif

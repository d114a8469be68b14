/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The records that a file begins with, and that the records of the rings refer to: which ids belong to which ring, the tasks and CPUs of
 * the target, where the kernel is, what runs already. In perf's order.
 */
#ifndef ASSAY_CAPTURE_SYNTHESIS_H
#define ASSAY_CAPTURE_SYNTHESIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/sample.h"
#include "capture/event_fds.h"
#include "capture/tally.h"
#include "capture/mapped_files.h"
#include "capture/target.h"

/* Where the records go: whole ones, several at a time. Negative errno stops the synthesis. */
struct synthesis_sink {
	int (*records)(void *ctx, const void *data, size_t size);
	void *ctx;
	int (*tick)(void *ctx); /* called often, with time to do something else; NULL: nothing */
};

struct synthesis {
	const struct target *target;
	const struct event_fds *fds;
	struct sample_layout layout;   /* of the first event: perf reads the trailers of synthesised
					records by it */
	bool at_start;		       /* the first file of the recording */
	const struct live_tasks *live; /* later: what has begun since */
	bool data_maps, namespaces, cgroups;
	struct mapped_files *files; /* gets mapped files and identifies them; may be NULL */
	bool build_ids;		    /* in map records where a file has one, as the kernel does it */
	uint64_t map_timeout_ns;    /* for the maps of a process; 0: default */
	pid_t workload_pid;	    /* 0: none */
	struct synthesis_sink sink;

	/* what came of it */
	const char *advice;		 /* about hidden kernel addresses; NULL where all is well */
	uint32_t nr_denied, nr_timeouts; /* processes whose maps are missing, or incomplete */

	/* working memory */
	uint8_t *buf;
	size_t used;
};

/* Everything up to FINISHED_INIT. 0 or the sink's error. */
int synthesis_run(struct synthesis *s);

/* A LOST_SAMPLES record for each event fd that lost some since the last call; call after
 * event_fds_read(). Adds up in *nr_lost how many samples that is, also where the sink fails, and in
 * *nr_lost_tracking how many records about maps and tasks. */
int synthesis_lost(struct event_fds *fds, const struct synthesis_sink *sink, uint64_t *nr_lost, uint64_t *nr_lost_tracking);

#endif

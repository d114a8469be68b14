/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --temp: probes that exist while a command runs, and nowhere in tracefs. Their passes are samples beside those of the rings, of events that
 * look like the kernel's own probes to every reader.
 */
#ifndef ASSAY_CAPTURE_PROBE_FEED_H
#define ASSAY_CAPTURE_PROBE_FEED_H

#include <sys/types.h>

#include "base/errbuf.h"
#include "bpf/probes.h"
#include "capture/capture.h"
#include "capture/header_info.h"
#include "capture/probe_layout.h"
#include "capture/record_feed.h"
#include "capture/target.h"

#define TEMP_PROBES_MAX 256

/* What was asked for; a zeroed struct is nothing. */
struct temp_probes {
	struct arena arena;
	VEC(struct bpf_probe) places;
	VEC(struct probe_layout) layouts;
	VEC(const char *) names; /* "probe_t:work" */
};

/* Everything is copied. `args`: in the kernel's notation. */
int temp_probes_add(struct temp_probes *t, const char *group, const char *name, const struct bpf_probe *place, bool is_return,
		    const char *args, struct errbuf *eb);
void temp_probes_fini(struct temp_probes *t);

/* A zeroed struct is closed. */
struct probe_feed {
	struct record_feed feed; /* the first */
	struct bpf_probes *bpf;	 /* NULL: not open */
	const struct temp_probes *probes;
	struct own_format *formats; /* one a probe */
	uint64_t nr_dropped;	    /* that were reported by records */
	uint64_t nr_faults;	    /* values that could not be read */
	bool has_chains;
	uint8_t *buf;
	size_t len;
};

/* Loads the program and names the tasks of the target. `workload`: a process that waits to be executed; 0: none. */
int probe_feed_open(struct probe_feed *f, const struct capture_options *o, const struct target *target, pid_t workload, struct errbuf *eb);
int probe_feed_start(struct probe_feed *f, bool enabled, struct errbuf *eb);
void probe_feed_enable(struct probe_feed *f, bool on);
void probe_feed_stop(struct probe_feed *f);
void probe_feed_close(struct probe_feed *f);

/* The same probes, counted only. */
int temp_probes_open(struct bpf_probes **bpf, const struct temp_probes *t, const struct capture_options *o, const struct target *target,
		     pid_t workload, bool only_counts, bool has_chains, struct errbuf *eb);

#endif

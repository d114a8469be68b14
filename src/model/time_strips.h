/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How many samples each thread had when: a strip of buckets a thread, all of one width, which doubles as time goes on. Filled while a recording is
 * read, as reports keep no times (profile.adds_up). Bounded: threads past a limit share one strip.
 */
#ifndef ASSAY_MODEL_TIME_STRIPS_H
#define ASSAY_MODEL_TIME_STRIPS_H

#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "session/recording.h"

#define TIME_STRIP_BUCKETS 1024u
#define TIME_STRIP_MAX_THREADS 2048u

struct time_strip {
	int32_t pid, tid; /* tid −1: of all threads past the limit */
	char comm[32];
	uint64_t nr;
	uint64_t votes;			      /* for its name, less those for others */
	uint32_t buckets[TIME_STRIP_BUCKETS]; /* samples */
};

/* A zeroed struct is empty. */
struct time_strips {
	VEC(struct time_strip *) v; /* in the order of their first samples; time_strips_finish(): the busiest first */
	struct hindex index;
	uint64_t start_ns, bucket_ns; /* bucket_ns 0: no sample yet */
	uint64_t end_ns;	      /* of the last sample */
	uint8_t shift;		      /* bucket_ns is 1 << shift */
	struct time_strip *last;      /* found: the next sample is often of the same thread */
	uint64_t nr_before;	      /* samples that came with earlier times than the first; counted in its bucket */
};

void time_strips_fini(struct time_strips *t);
/* Of a sample; one without a time is left out. */
void time_strips_add(struct time_strips *t, int32_t pid, int32_t tid, const char *comm, uint64_t time_ns);
void time_strips_finish(struct time_strips *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct latency: how long things took, from a recording: pairs of a begin and an end event whose key fields agree.
 *
 * Fed by the samples of a session in time order. It decides what an event's key is (fields of its tracepoint, or what every sample says of
 * itself) and leaves the pairing to pairing.h. It keeps no latencies and draws nothing.
 */
#ifndef ASSAY_MODEL_LATENCY_H
#define ASSAY_MODEL_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/out.h"
#include "base/strtab.h"
#include "model/event_patterns.h"
#include "model/pairing.h"
#include "session/recording.h"

/* Clocks of CPUs may differ: an end that is stamped so little before a begin of its key may be that one's. */
#define LATENCY_SKEW_NS UINT64_C(100000)

enum latency_side { LATENCY_FROM, LATENCY_TO, LATENCY_NR_SIDES };

/* Where one number of a key comes from. */
enum latency_source { LATENCY_FIELD, LATENCY_TID, LATENCY_PID, LATENCY_CPU };

struct latency_part {
	enum latency_source source;
	const struct trace_field *field; /* LATENCY_FIELD */
	uint64_t mask;			 /* both sides are compared in the narrower one's width */
};

struct latency_event { /* of an event of the recording */
	bool is[LATENCY_NR_SIDES];
	struct latency_part parts[LATENCY_NR_SIDES][PAIRING_MAX_KEYS];
};

struct latency {
	const struct recording *recording;
	struct event_patterns *patterns[LATENCY_NR_SIDES]; /* borrowed */
	char *names[PAIRING_MAX_KEYS][LATENCY_NR_SIDES];
	bool is_one_name[PAIRING_MAX_KEYS]; /* it was given once, for both sides */
	uint32_t nr_keys;
	VEC(struct latency_event) events;
	struct strtab texts; /* what is no number in a key is known by its id here */
	struct pairing pairing;
	uint64_t nr_begins, nr_ends;
	uint64_t nr_keyless;  /* samples that do not hold their key fields */
	struct pairing alone; /* ends without a begin, which wait for a begin that is stamped a little later */
	uint64_t nr_early;    /* those for which one came within LATENCY_SKEW_NS, on another CPU */
};

/* `from` and `to`: events as they are named in the recording. `key`: "dev,sector", "pid:next_pid" where the fields are named differently
 * on the two sides; NULL: the thread. Session and patterns must live as long. latency_fini() in any case. */
int latency_init(struct latency *l, const struct recording *r, struct event_patterns *from, struct event_patterns *to, const char *key,
		 struct errbuf *eb);
void latency_fini(struct latency *l);

/* Takes a sample. 1: it ended what began *took_ns before, and *tag is that of the begin; 0: it did not; or a negative errno with the
 * sentence, where a field that is asked for does not exist. */
int latency_add(struct latency *l, const struct session_record *sr, uint32_t tag, uint64_t *took_ns, uint32_t *begin_tag,
		struct errbuf *eb);
/* The key as it was understood: "sample.pid" where that of the sample is meant. */
void latency_put_key(const struct latency *l, struct out *o);
/* When all was read: an error where the recording has no such events. */
int latency_finish(struct latency *l, struct errbuf *eb);

#endif

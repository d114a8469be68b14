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
#include "base/strtab.h"
#include "model/pairing.h"
#include "session/session.h"

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
	struct session *session;
	const char *patterns[LATENCY_NR_SIDES]; /* names of events, with * and ?; borrowed */
	char *names[PAIRING_MAX_KEYS][LATENCY_NR_SIDES];
	bool is_one_name[PAIRING_MAX_KEYS]; /* it was given once, for both sides */
	uint32_t nr_keys;
	VEC(struct latency_event) events;
	bool is_found[LATENCY_NR_SIDES];
	struct strtab texts; /* what is no number in a key is known by its id here */
	struct pairing pairing;
	uint64_t nr_begins, nr_ends;
	uint64_t nr_keyless; /* samples that do not hold their key fields */
};

/* `from` and `to`: names of events as in the recording, or patterns with * and ?. `key`: "dev,sector", "pid:next_pid" where the fields are
 * named differently on the two sides; NULL: the thread. The session must live as long. latency_fini() in any case. */
int latency_init(struct latency *l, struct session *s, const char *from, const char *to, const char *key, struct errbuf *eb);
void latency_fini(struct latency *l);

/* Takes a sample. 1: it ended what began *took_ns before, and *tag is that of the begin; 0: it did not; or a negative errno with the
 * sentence, where a field that is asked for does not exist. */
int latency_add(struct latency *l, const struct session_record *sr, uint32_t tag, uint64_t *took_ns, uint32_t *begin_tag,
		struct errbuf *eb);
/* When all was read: an error where the recording has no such events. */
int latency_finish(struct latency *l, struct errbuf *eb);

#endif

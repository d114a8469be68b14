/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct latency: durations from a recording: pairs of a begin and an end event with equal key fields (fields of the tracepoint, or pid,
 * tid and cpu of the sample). Fed by samples in time order.
 */
#ifndef ASSAY_MODEL_LATENCY_H
#define ASSAY_MODEL_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/out.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "session/recording.h"

/* ---- which begin belongs to which end: begins wait under a key of a few numbers until an end of that key comes. Memory is bounded: when too
 * many wait, the oldest is dropped and counted ---- */

#define PAIRING_MAX_KEYS 4
#define PAIRING_MAX_OPEN (1u << 20) /* begins that wait at the same time: 64 MB of them */

struct pairing_entry {
	uint64_t key[PAIRING_MAX_KEYS];
	uint64_t time_ns;
	uint32_t hash;
	uint32_t older, newer; /* by time of begin; a free one: `newer` is the next free */
	uint32_t tag;
};

struct pairing {
	uint32_t nr_keys, max_open;
	bool keeps_first; /* a begin whose key has begun already is no begin */
	VEC(struct pairing_entry) entries;
	uint32_t *slots; /* entry + 1, or 0; linear probing, at most half full */
	uint32_t mask;
	uint32_t oldest, newest, first_free;
	uint32_t nr_open;
	uint64_t nr_pairs;
	uint64_t nr_replaced; /* begins whose key began again before it ended */
	uint64_t nr_given_up; /* begins that had to make room */
	uint64_t nr_ends_alone;
	uint64_t nr_backwards; /* ends that are older than their begin */
};

/* Keys of `nr_keys` numbers, 1 to PAIRING_MAX_KEYS. `max_open` 0: PAIRING_MAX_OPEN. */
void pairing_init(struct pairing *p, uint32_t nr_keys, uint32_t max_open);
void pairing_fini(struct pairing *p);

/* `tag` is handed back with the pair. */
void pairing_begin(struct pairing *p, const uint64_t *key, uint64_t time_ns, uint32_t tag);
/* True for a pair: how long it took and the begin's tag. */
bool pairing_end(struct pairing *p, const uint64_t *key, uint64_t time_ns, uint64_t *took_ns, uint32_t *tag);
/* How many wait that have another tag. */
uint32_t pairing_nr_open_but(const struct pairing *p, uint32_t tag);

struct event_pattern {
	char *text;
	bool is_met; /* some name matched; see event_patterns_match() */
};

struct event_patterns {
	VEC(struct event_pattern) v; /* all zero: none */
};

void event_patterns_fini(struct event_patterns *p);
/* Adds those of a list; false, and nothing added, where one is empty. A comma between two slashes is part of a name: cpu/event=1,umask=2/. */
bool event_patterns_add(struct event_patterns *p, const char *list);
/* Whether one of them is this name; all that match are marked as met. */
bool event_patterns_match(struct event_patterns *p, const char *name);
/* They with commas between. */
void event_patterns_put(const struct event_patterns *p, struct out *o);

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

/* `from` and `to`: event names in the recording. `key`: "dev,sector", or "pid:next_pid" for fields with different names; NULL: the
 * thread. Session and patterns must live as long. latency_fini() in any case. */
int latency_init(struct latency *l, const struct recording *r, struct event_patterns *from, struct event_patterns *to, const char *key,
		 struct errbuf *eb);
void latency_fini(struct latency *l);

/* 1: the sample ended what began *took_ns before with *tag; 0: it did not; or a negative errno where a field does not exist. */
int latency_add(struct latency *l, const struct session_record *sr, uint32_t tag, uint64_t *took_ns, uint32_t *begin_tag,
		struct errbuf *eb);
/* The key as it was understood: "sample.pid" where that of the sample is meant. */
void latency_put_key(const struct latency *l, struct out *o);
/* When all was read: an error where the recording has no such events. */
int latency_finish(struct latency *l, struct errbuf *eb);

/* ---- "TIME LATENCY" lines of other tools → nanoseconds. The text is hostile and comes in pieces of any size: bad lines are counted and
 * skipped, long ones take no memory. Numbers are read digit by digit: a double does not hold the nanoseconds of a date ---- */

#define LATENCY_LINE_MAX 4096 /* longer lines are bad */

/* What is wrong with a line. */
enum latency_fault {
	LATENCY_NO_NUMBERS, /* no time and latency, or more than LATENCY_LINE_MAX bytes */
	LATENCY_NEGATIVE,
	LATENCY_TOO_LARGE,
	LATENCY_DECIMAL_COMMA, /* "1,5 0,003", which would be read as 1 and 5 */
	LATENCY_NR_FAULTS,
};

struct latency_lines {
	int time_exponent, value_exponent; /* 9: seconds, 6: ms, 3: us, 0: ns */
	/* Gets the numbers of each good line; false: no more are wanted. */
	bool (*each)(void *ctx, uint64_t time_ns, uint64_t value_ns);
	void *ctx;
	bool is_stopped;
	uint64_t nr_lines, nr_good, nr_comments; /* comments: empty lines and those with # in front */
	uint64_t nr_bad, first_bad;		 /* line number, from 1 */
	uint64_t nr_by_fault[LATENCY_NR_FAULTS]; /* of the bad ones */
	char first_bad_text[80];		 /* its beginning; not escaped */
	uint32_t len;
	bool is_long; /* the line at hand */
	char line[LATENCY_LINE_MAX];
};

void latency_lines_init(struct latency_lines *l, int time_exponent, int value_exponent,
			bool (*each)(void *ctx, uint64_t time_ns, uint64_t value_ns), void *ctx);
void latency_lines_feed(struct latency_lines *l, const void *text, size_t size);
/* The last line may lack its line break. */
void latency_lines_end(struct latency_lines *l);

/* A decimal number ("12", "0.5", "1e-05") times 10^exponent, rounded to the nearest whole; *end is behind it. -EINVAL: there is none,
 * -EDOM: it is negative, -ERANGE: too large. */
int latency_number(const char *text, const char **end, int exponent, uint64_t *value);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The scheduler's tracepoints as numbers: which event of a recording is which, and its fields. No string and no allocation for a sample;
 * states are letters, by the text that the recorded kernel gives them, so that their numbers may be those of any kernel.
 */
#ifndef ASSAY_MODEL_SCHED_EVENTS_H
#define ASSAY_MODEL_SCHED_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "session/recording.h"

enum sched_kind {
	SCHED_NONE, /* none of these */
	SCHED_SWITCH,
	SCHED_WAKING, /* somebody begins to wake a task */
	SCHED_WAKEUP, /* it is on a queue; of recordings that have SCHED_WAKING these come second, and say nothing more */
	SCHED_WAKEUP_NEW,
	SCHED_MIGRATE,
	SCHED_RUNTIME,
	SCHED_NR_KINDS,
};

struct sched_event_def;
struct sched_events;

struct sched_event {
	enum sched_kind kind;
	uint64_t time_ns;
	uint32_t cpu;
	int32_t tid;  /* of whom it speaks; SCHED_SWITCH: the one that leaves */
	int32_t prio; /* of it; 0 where the event has none */
	char state;   /* SCHED_SWITCH: 'R' where it could go on, or why not: 'S', 'D', 'T', 't', 'X', 'Z', 'I', 'P' */
	int32_t next_tid;
	int32_t next_prio;
	int32_t from_cpu, to_cpu; /* SCHED_MIGRATE; of wakes only to_cpu */
	uint64_t runtime_ns;	  /* SCHED_RUNTIME */
	bool is_irq;		  /* it happened in an interrupt: what ran has nothing to do with it */
	/* For sched_event_comm(); valid as long as the record is. */
	const struct sched_events *events;
	const struct sched_event_def *def;
	const struct sample *sample;
};

#define SCHED_MAX_FIELDS 8
#define SCHED_MAX_STATES 32 /* whose letters are remembered */

struct sched_event_def {
	enum sched_kind kind;
	bool is_whole; /* it has the fields that are needed */
	bool has_cpu;  /* its samples say on which CPU it was */
	const struct trace_field *fields[SCHED_MAX_FIELDS];
	const struct trace_shown *state_text;
	/* Numbers are read as they lie in the record: they have this machine's byte order. */
	bool is_plain;
	struct {
		uint32_t offset;
		uint8_t size; /* 0: it is no number, or not there */
		bool is_signed;
	} plain[SCHED_MAX_FIELDS];
	uint32_t plain_size; /* the record has so many bytes, at least, then */
	bool is_usual;	     /* and the fields have the sizes that they have in all kernels so far */
};

/* A zeroed struct with `recording` set is ready. */
struct sched_events {
	const struct recording *recording;
	VEC(struct sched_event_def) defs; /* by event of the recording */
	bool has_kind[SCHED_NR_KINDS];
	struct {
		uint64_t number;
		char letter;
	} states[SCHED_MAX_STATES];
	uint32_t nr_states;
	uint64_t nr_malformed; /* records that do not hold what their format promises; left out */
	/* Switches by a task whose sample has another number: events have those of the first PID namespace, samples and other records those of
	 * the recorder's. */
	uint64_t nr_renumbered;
};

void sched_events_fini(struct sched_events *s);
/* 1: `e` is what the sample says; 0: it is none of these events; negative: the format of its event lacks a field. */
int sched_events_read(struct sched_events *s, const struct session_record *sr, struct sched_event *e, struct errbuf *eb);
/* The name of the task that it speaks of, or of the one that comes: up to a NUL, or *len bytes; NULL where it has none. */
const char *sched_event_comm(const struct sched_event *e, bool of_next, uint32_t *len);
/* Which kind an event of the recording is. */
enum sched_kind sched_events_kind(struct sched_events *s, int32_t event);
/* The name of an event that has switches of which the kernel recorded only some (a frequency, or every so-manyth); NULL: none. */
const char *sched_events_sampled(struct sched_events *s);
/* How many CPUs the switches are of, where that is not all of them; 0: all, or it is not known. */
uint32_t sched_events_cpus(struct sched_events *s);
/* Whether the recording has events of this kind; of a pipe to be asked when samples were read. */
bool sched_events_has(struct sched_events *s, enum sched_kind kind);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fields of tracepoints as sort keys: words such as prev_state, sched_switch.prev_pid, 'sched_switch.*', dev/raw, vec/name, trace_fields, trace
 * and syscall become columns of each event that has such fields. A sample's values are interned as one tuple, so that a sample is one number and
 * equal ones are printed once. Events are looked at when they are met: those of a pipe come with its records.
 */
#ifndef ASSAY_MODEL_FIELD_KEYS_H
#define ASSAY_MODEL_FIELD_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "model/hist_columns.h"
#include "session/recording.h"

#define FIELD_MAX_WORDS 64
#define FIELD_MAX_SLOTS 200 /* columns of one event */
#define FIELD_NONE 0u	    /* the tuple of samples without values */

/* What is shown of a field. */
enum field_form {
	FIELD_PRINTED, /* as the text of its event has it */
	FIELD_RAW,     /* as it is */
	FIELD_NAMED,   /* the name that the text has for its value, whatever stands before it there */
};

/* A key as typed. */
struct field_word {
	const char *where; /* the option, for sentences */
	char *text;
	char *event; /* a name, a part of it or a pattern; "%N": the Nth of the recording; NULL: any */
	char *field; /* NULL: all; of a text: "" */
	enum field_form form;
	bool is_text;
	bool is_call;	  /* the name of the system call that an event is about */
	bool is_optional; /* a default: that no event has it is no mistake */
	bool is_found;	  /* some event has it */
};

/* A column of one event. */
struct field_slot {
	const struct trace_field *field; /* NULL: the whole text, or the name of a system call that is that of the event */
	const struct trace_field *flags; /* of a system call: the field that says whether it is a 32-bit one; NULL: there is none */
	const struct trace_shown *shown; /* NULL: the value as it is */
	uint32_t source, flags_source;	 /* in the event's sources */
	enum field_form form;
	bool is_call;
	struct column column;
};

#define FIELD_CACHE_BYTES 116

/* Of a record that was met lately: equal ones have the same tuple, and are not looked at again. */
struct field_recent {
	uint32_t event; /* + 1; 0: none yet */
	uint32_t tuple;
	uint32_t size;
	uint8_t raw[FIELD_CACHE_BYTES];
};

struct field_event {
	bool is_resolved;
	bool has_tuples; /* of a tracepoint that has columns */
	bool is_pure;	 /* its texts are functions of the record alone */
	VEC(struct field_slot) slots;
	VEC(const struct trace_field *) sources; /* what the texts of all slots are made of */
	bool has_text;				 /* one of the slots is the whole text */
	VEC(uint16_t) slots_of_words;		 /* pairs of word and slot, by word */
};

struct field_tuple {
	uint32_t event;
	uint32_t first_value; /* of the sources, which of them are missing, and the text if that is a column */
	uint32_t first_text;  /* of the slots: strings */
};

struct field_keys {
	VEC(struct field_word) words;
	bool all_raw; /* --raw-trace */
	const struct recording *recording;
	struct strtab *strings; /* borrowed, as is the one above */
	struct budget *memory;	/* may be NULL */
	VEC(struct field_event) events;
	VEC(struct field_tuple) tuples;
	VEC(uint64_t) values;
	VEC(uint32_t) texts;
	VEC(uint64_t) at_hand;
	struct hindex index;
	struct field_recent *recent; /* by a hash of the bytes */
	uint32_t no_text;	     /* the string "N/A" */
};

/* The word for the name of a system call. */
#define FIELD_CALL "syscall"

/* A zeroed struct has no words. */
void field_keys_fini(struct field_keys *k);
/* Takes a word; its number, or -EINVAL with the sentence ("WHERE: …"; a constant). Whether there is such a field is known later. */
int field_keys_add(struct field_keys *k, const char *where, const char *word, size_t len, struct errbuf *eb);

/* To be called before the first sample. */
void field_keys_open(struct field_keys *k, const struct recording *r, struct strtab *strings, struct budget *memory);
/* The first word that no event of the recording has; NULL: there is none. */
const struct field_word *field_keys_unknown(struct field_keys *k);
/* The fields of the recording's tracepoints, as they are listed in sentences; NULL: it has none. The caller frees. */
char *field_keys_list(const struct field_keys *k, const struct field_word *unknown, char **nearest);

/* The tuple of a sample. */
uint32_t field_keys_intern(struct field_keys *k, const struct session_record *sr);

/* What an event has of the words. Its slots stay where they are. */
const struct field_event *field_keys_event(struct field_keys *k, uint32_t event);
/* Whether it has something of this one. */
bool field_event_has(const struct field_event *e, uint32_t word);
/* The first slot that it has of it; FIELD_MAX_SLOTS: none. */
uint32_t field_event_slot(const struct field_event *e, uint32_t word);

/* The string that a tuple shows in a column of its event and, of a number, the value. */
uint32_t field_keys_text(const struct field_keys *k, uint32_t tuple, uint32_t slot);
uint64_t field_keys_number(const struct field_keys *k, uint32_t tuple, uint32_t slot);

#endif

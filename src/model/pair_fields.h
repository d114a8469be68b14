/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the parts of struct pair_sums share: the fields of its events, and calls of futex(2).
 */
#ifndef ASSAY_MODEL_PAIR_FIELDS_H
#define ASSAY_MODEL_PAIR_FIELDS_H

#include "model/pair_sums.h"

#define PAIR_PAGE_BYTES 4096

/* Fills s->events for the events that are known by now. */
void pair_fields_find(struct pair_sums *s);
/* A number, or 0 where the record has none. */
uint64_t pair_fields_number(const struct pair_sums *s, const struct trace_field *f, const struct session_record *sr);
/* A text as string of the profile; 0: none. */
uint32_t pair_fields_text(struct pair_sums *s, const struct trace_field *f, const struct session_record *sr);
/* The flags as the event prints them. */
uint32_t pair_fields_flags(struct pair_sums *s, const struct pair_event *e, const struct session_record *sr);
/* The bytes that a sample of memory speaks of. */
uint64_t pair_fields_size(const struct pair_sums *s, const struct pair_event *e, const struct session_record *sr);

/* What a call of this event does where it has no operation in its arguments. */
uint8_t pair_futex_effects(const char *event_name);
/* Whether a call waits; notes whom it wakes. */
bool pair_futex_begins(struct pair_sums *s, const struct pair_event *e, const struct session_record *sr);
/* A wait of `took_ns` ends here: notes who woke it. */
void pair_futex_ended(struct pair_sums *s, const struct session_record *sr, uint32_t row, uint64_t took_ns);

/* Of the session's budget, where there is one: an item of so many bytes in a table, with its place in an index. */
void pair_sums_take_memory(struct pair_sums *s, size_t bytes);
/* The stack of a sample. */
uint32_t pair_sums_stack(struct pair_sums *s, const struct session_record *sr);

#endif

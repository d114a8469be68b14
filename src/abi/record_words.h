/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The few fields that are wanted of every record before it is decoded: when it was, whose it is,
 * and of which event. They stand at places that follow from the sample_type alone. Places are words
 * of 8 bytes: in a SAMPLE counted from behind the header, in the trailer of other records counted
 * back from the end (1 is the last). -1: not there.
 */
#ifndef ASSAY_ABI_RECORD_WORDS_H
#define ASSAY_ABI_RECORD_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"

static inline int record_words_nr(uint64_t sample_type, uint64_t before)
{
	return __builtin_popcountll(sample_type & before);
}

static inline int sample_task_word(uint64_t sample_type)
{
	return sample_type & SAMPLE_TID ? record_words_nr(sample_type, SAMPLE_IDENTIFIER | SAMPLE_IP) : -1;
}

static inline int sample_time_word(uint64_t sample_type)
{
	return sample_type & SAMPLE_TIME ? record_words_nr(sample_type, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID) : -1;
}

static inline int sample_id_word(uint64_t sample_type)
{
	if (sample_type & SAMPLE_IDENTIFIER)
		return 0;
	return sample_type & SAMPLE_ID ? record_words_nr(sample_type, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR) : -1;
}

static inline int trailer_time_word(uint64_t sample_type)
{
	if (!(sample_type & SAMPLE_TIME))
		return -1;
	return 1 + record_words_nr(sample_type, SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER);
}

static inline int trailer_id_word(uint64_t sample_type)
{
	if (sample_type & SAMPLE_IDENTIFIER)
		return 1;
	return sample_type & SAMPLE_ID ? 1 + record_words_nr(sample_type, SAMPLE_STREAM_ID | SAMPLE_CPU) : -1;
}

/* The word at that place; false where it is -1 or the record ends before it. */
bool record_word(const struct record_header *h, int word, uint64_t *value);
/* The time of a record that has one: of a sample, or of the trailer where the layout has that. */
bool record_find_time(const struct record_header *h, const struct sample_layout *l, uint64_t *time_ns);
/* The id of its event, likewise. */
bool record_find_id(const struct record_header *h, const struct sample_layout *l, uint64_t *id);

#endif

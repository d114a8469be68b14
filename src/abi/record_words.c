/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bounded reads of single words.
 */
#include "abi/record_words.h"

#include <string.h>

static bool word_from(const struct record_header *h, int word, bool from_end, uint64_t *value)
{
	uint32_t nr = (h->size - (uint32_t)sizeof(*h)) / 8;

	if (word < 0 || (from_end ? !word || (uint32_t)word > nr : (uint32_t)word >= nr))
		return false;
	memcpy(value, from_end ? (const char *)h + h->size - 8 * word : (const char *)(h + 1) + 8 * word, sizeof(*value));
	return true;
}

bool record_word(const struct record_header *h, int word, uint64_t *value)
{
	return word_from(h, word, false, value);
}

bool record_find_time(const struct record_header *h, const struct sample_layout *l, uint64_t *time_ns)
{
	if (h->type == RECORD_SAMPLE)
		return word_from(h, sample_time_word(l->sample_type), false, time_ns);
	return l->id_all && word_from(h, trailer_time_word(l->sample_type), true, time_ns);
}

bool record_find_id(const struct record_header *h, const struct sample_layout *l, uint64_t *id)
{
	if (h->type == RECORD_SAMPLE)
		return word_from(h, sample_id_word(l->sample_type), false, id);
	return l->id_all && word_from(h, trailer_id_word(l->sample_type), true, id);
}

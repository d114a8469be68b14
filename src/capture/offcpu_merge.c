/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * In place: records that are left move to the front.
 */
#include "capture/offcpu_merge.h"

#include <stdbool.h>
#include <string.h>

#include "abi/record.h"

/* Words of a sample's body, as offcpu_waits.c writes them. */
enum { WORD_ID, WORD_IP, WORD_TASK, WORD_TIME, WORD_STATE, WORD_CPU, WORD_PERIOD, WORD_CHAIN };

void offcpu_merge_fini(struct offcpu_merge *m)
{
	hindex_fini(&m->index);
	vec_fini(&m->kept);
}

static uint64_t *words_of(uint8_t *record)
{
	return (uint64_t *)(record + sizeof(struct record_header));
}

static bool is_short(const struct offcpu_merge *m, uint8_t *record)
{
	const struct record_header *h = (const struct record_header *)record;
	const uint64_t *words = words_of(record);

	return h->type == RECORD_SAMPLE && h->size >= sizeof(*h) + (WORD_CHAIN + 1) * sizeof(*words) && words[WORD_ID] == m->event_id &&
	       words[WORD_PERIOD] < m->thresh_ns;
}

static bool is_same(uint8_t *a, uint8_t *b)
{
	const struct record_header *h = (const struct record_header *)a, *other = (const struct record_header *)b;
	const uint64_t *v = words_of(a), *w = words_of(b);

	return h->size == other->size && h->misc == other->misc && v[WORD_TASK] == w[WORD_TASK] && v[WORD_STATE] == w[WORD_STATE] &&
	       v[WORD_IP] == w[WORD_IP] && !memcmp(v + WORD_CHAIN, w + WORD_CHAIN, h->size - sizeof(*h) - WORD_CHAIN * sizeof(*v));
}

/* True: it was added to an earlier one. */
static bool add_up(struct offcpu_merge *m, uint8_t *records, size_t at, size_t to)
{
	uint8_t *record = records + at;
	const struct record_header *h = (const struct record_header *)record;
	uint64_t *words = words_of(record);
	uint64_t hash = hash_bytes(words + WORD_CHAIN, h->size - sizeof(*h) - WORD_CHAIN * sizeof(*words), words[WORD_TASK]);
	uint32_t i = HINDEX_FIND_ITEM(&m->index, hash, &m->kept, off, is_same(records + *off, record));

	if (i != HINDEX_NONE) {
		words_of(records + m->kept.v[i])[WORD_PERIOD] += words[WORD_PERIOD];
		m->nr_merged++;
		return true;
	}
	hindex_add(&m->index, hash, m->kept.nr);
	vec_push(&m->kept, (uint32_t)to);
	return false;
}

size_t offcpu_merge(struct offcpu_merge *m, uint8_t *records, size_t size)
{
	size_t to = 0;

	hindex_clear(&m->index);
	m->kept.nr = 0;
	for (size_t at = 0, len; at + sizeof(struct record_header) <= size; at += len) {
		len = ((const struct record_header *)(records + at))->size;
		if (len < sizeof(struct record_header) || len > size - at)
			break;
		if (is_short(m, records + at) && add_up(m, records, at, to))
			continue;
		if (to != at)
			memmove(records + to, records + at, len);
		to += len;
	}
	return to;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The attr and the bytes of unwound samples. The codec is the abi room's.
 */
#include "capture/unwound.h"

#include <errno.h>
#include <string.h>

#define RAW_STACK (SAMPLE_REGS_USER | SAMPLE_STACK_USER)

bool unwound_is_possible(const struct attr *a)
{
	return (a->sample_type & RAW_STACK) == RAW_STACK && a->sample_type & SAMPLE_CALLCHAIN;
}

void unwound_attr(struct attr *a)
{
	if (unwound_is_possible(a)) {
		a->sample_type &= ~RAW_STACK;
		a->flags |= ATTR_EXCLUDE_CHAIN_USER;
	}
}

uint32_t unwound_chain_begin(const struct sample *s, uint64_t *chain)
{
	uint32_t nr = 0;

	while (nr < s->nr_ips && nr < UNWOUND_CHAIN_MAX - 1 && s->ips[nr] != CHAIN_USER) {
		chain[nr] = s->ips[nr];
		nr++;
	}
	chain[nr++] = CHAIN_USER;
	return nr;
}

static uint32_t nr_marks(const struct unwind_result *walk)
{
	switch (walk->end) {
	case UNWIND_NOT_DONE:
		return WALKED_COMPLETE;
	case UNWIND_COMPLETE:
		return walk->guessed ? WALKED_GUESSED : WALKED_COMPLETE;
	case UNWIND_TRUNCATED:
		return WALKED_TRUNCATED;
	case UNWIND_SMALL_DUMP:
		return WALKED_SMALL_DUMP;
	case UNWIND_LIMIT:
	case UNWIND_RECORD_LIMIT:
		return WALKED_LIMIT;
	case UNWIND_NO_STACK:
		return WALKED_NO_STACK;
	default:
		return walk->guessed ? WALKED_GUESSED_BROKEN : WALKED_BROKEN;
	}
}

int64_t unwound_encode(const struct sample_layout *out, const struct record_header *h, const struct sample *s, uint64_t *chain, uint32_t nr,
		       struct unwind_result *walk, void *buf, size_t cap)
{
	struct record_header header = *h;
	struct sample unwound = *s;
	size_t size, excess;
	int64_t body;

	if (cap > UNWOUND_RECORD_MAX)
		cap = UNWOUND_RECORD_MAX;
	unwound.ips = chain;
	unwound.nr_ips = nr + nr_marks(walk);
	size = sizeof(header) + sample_size(out, &unwound);
	if (size > cap) {
		walk->end = UNWIND_RECORD_LIMIT;
		unwound.nr_ips = nr + nr_marks(walk);
		excess = (sizeof(header) + sample_size(out, &unwound) - cap + 7) / 8;
		if (excess > nr)
			return -ENOSPC;
		nr -= (uint32_t)excess;
		unwound.nr_ips -= excess;
	}
	for (uint64_t i = nr; i < unwound.nr_ips; i++)
		chain[i] = CHAIN_USER;
	body = sample_encode(out, &unwound, (uint8_t *)buf + sizeof(header), cap - sizeof(header));
	if (body < 0)
		return body;
	header.size = (uint16_t)(sizeof(header) + (size_t)body);
	memcpy(buf, &header, sizeof(header));
	return header.size;
}

static void set_word(struct record_header *h, uint32_t pos, uint64_t value)
{
	if ((pos + 1) * 8u <= h->size - sizeof(*h))
		memcpy((uint8_t *)(h + 1) + pos * 8u, &value, sizeof(value));
}

/* Only the words that are ids are written: a count that happens to be equal to one stays. */
void unwound_rename(const struct sample_layout *l, struct record_header *h, uint64_t id)
{
	uint8_t *end = (uint8_t *)h + h->size;
	size_t size = l->id_all ? sample_id_size(l) : 0, fixed = 8;
	struct sample_id trailer;

	if (h->type == RECORD_LOST) {
		set_word(h, 0, id);
		fixed = 16;
	} else if (h->type == RECORD_THROTTLE || h->type == RECORD_UNTHROTTLE) {
		set_word(h, 1, id);
		set_word(h, 2, id);
		fixed = 24;
	}
	if (!size || h->size < sizeof(*h) + fixed + size || sample_id_decode(l, end, h->size - sizeof(*h), &trailer))
		return;
	trailer.id = trailer.stream_id = id;
	sample_id_encode(l, &trailer, end - size);
}

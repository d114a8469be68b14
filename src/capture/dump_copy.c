/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One pass over the records of a span. A record that the ring's end cuts in two is put together first and shortened in place.
 */
#include "capture/dump_copy.h"

#include "abi/record_words.h"

/* Of a dump, with some bytes behind the filled ones that say: this was all. */
static uint64_t kept_size(const struct sample *s)
{
	uint64_t filled = (s->stack_dyn_size + 7) & ~UINT64_C(7);

	return s->stack_dyn_size < s->stack_size && filled + 8 < s->stack_size ? filled + 8 : s->stack_size;
}

static void count(const struct sample *s, struct dump_use *use)
{
	use->nr++;
	use->bytes += s->stack_dyn_size;
	use->nr_full += s->stack_size && s->stack_dyn_size == s->stack_size;
	if (s->stack_dyn_size > DUMP_SMALL) {
		use->nr_deep++;
		use->deep_bytes += s->stack_dyn_size;
	}
}

/* The record at `h` to `to`, which may be the same place. */
static size_t copy_sample(const struct record_header *h, const struct sample *s, uint8_t *to)
{
	const uint8_t *from = (const uint8_t *)h, *stack = s->stack;
	uint64_t kept = kept_size(s);
	size_t head = (size_t)(stack - from) + kept;
	size_t behind = (size_t)(stack - from) + s->stack_size, size = h->size;
	uint16_t new_size = (uint16_t)(head + size - behind);

	if (from != to)
		memcpy(to, from, head);
	memmove(to + head, from + behind, size - behind);
	memcpy(to + (stack - from) - sizeof(kept), &kept, sizeof(kept));
	memcpy(to + offsetof(struct record_header, size), &new_size, sizeof(new_size));
	return new_size;
}

static size_t copy_record(const struct unwind_stream *s, const struct record_header *h, uint8_t *to, struct dump_use *use)
{
	const struct sample_layout *l = h->type == RECORD_SAMPLE ? unwind_stream_find_stacks(s, h) : NULL;
	size_t size = h->size;
	struct sample sample;
	uint64_t nr_lost;

	if (h->type == RECORD_LOST && record_word(h, 1, &nr_lost))
		use->nr_lost += nr_lost;
	if (l && !sample_decode(l, h + 1, size - sizeof(*h), &sample)) {
		count(&sample, use);
		if (sample.stack && kept_size(&sample) < sample.stack_size)
			return copy_sample(h, &sample, to);
	}
	if ((const uint8_t *)h != to)
		memcpy(to, h, size);
	return size;
}

size_t dump_copy(const struct unwind_stream *s, const struct ring_span *p, size_t *off, uint8_t *to, size_t cap, struct dump_use *use)
{
	size_t at = 0;

	while (p->size - *off >= sizeof(struct record_header)) {
		const struct record_header *h = ring_span_header(p, *off);
		size_t size = h->size;

		if (size < sizeof(*h) || size % 8 || size > p->size - *off) {
			if (sizeof(*h) > cap - at)
				return at;
			memcpy(to + at, h, sizeof(*h));
			*off = p->size;
			return at + sizeof(*h);
		}
		if (size > cap - at)
			return at;
		if (*off<p->a_size && * off + size> p->a_size) {
			ring_span_copy(p, *off, to + at, size);
			h = (const void *)(to + at);
		}
		at += copy_record(s, h, to + at, use);
		*off += size;
	}
	*off = p->size;
	return at;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Only the words that are ids are written: a count that happens to be equal to one stays.
 */
#include "capture/event_rename.h"

#include <string.h>

static void set_word(struct record_header *h, uint32_t pos, uint64_t value)
{
	if ((pos + 1) * 8u <= h->size - sizeof(*h))
		memcpy((uint8_t *)(h + 1) + pos * 8u, &value, sizeof(value));
}

void event_rename(const struct sample_layout *l, struct record_header *h, uint64_t id)
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
	if (!size || h->size < sizeof(*h) + fixed + size ||
	    sample_id_decode(l, end, h->size - sizeof(*h), &trailer))
		return;
	trailer.id = trailer.stream_id = id;
	sample_id_encode(l, &trailer, end - size);
}

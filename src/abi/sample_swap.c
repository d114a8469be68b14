/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples and trailers of the other byte order → ours, in place, before anything decodes them.
 *
 * RAW, STACK_USER and AUX hold bytes whose meaning is not known here: they stay as the other
 * machine had them, and who reads them has to know the file's byte order.
 */
#include "abi/sample.h"

#include <errno.h>

#include "abi/sample_fields.h"

bool sample_read_swap(const struct sample_layout *l, struct swap *s)
{
	uint64_t format = l->read_format;
	unsigned item_words = sample_read_item_words(format);
	uint64_t nr;

	if (!swap_u64(s, &nr) || !swap_u64s(s, sample_read_time_words(format)))
		return false;
	if (!(format & READ_GROUP))
		return swap_u64s(s, item_words - 1);
	return nr <= swap_left(s) / sizeof(uint64_t) && swap_u64s(s, nr * item_words);
}

static bool array_swap(struct swap *s)
{
	uint64_t nr;

	return swap_u64(s, &nr) && swap_u64s(s, nr);
}

static bool raw_swap(struct swap *s)
{
	uint32_t size;

	return swap_u32(s, &size) && ((uint64_t)size + sizeof(size)) % 8 == 0 && swap_skip(s, size);
}

/* The kernel declares the flags of a branch as bit-fields in one order for all machines, so a
 * big-endian one has the first at the top. The bits inside a field keep their order. */
static uint64_t branch_flags_turn(uint64_t foreign)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };
	uint64_t flags = 0;
	unsigned at = 0;

	for (size_t i = 0; i < sizeof(widths); i++) {
		uint64_t mask = (1ULL << widths[i]) - 1;

		flags |= (foreign >> (64 - at - widths[i]) & mask) << at;
		at += widths[i];
	}
	return flags;
}

static bool branches_swap(const struct sample_layout *l, struct swap *s)
{
	uint64_t nr, word;

	if (!swap_u64(s, &nr))
		return false;
	if (!nr && !swap_left(s)) /* see branches_decode() */
		return true;
	if ((l->branch_sample_type & BRANCH_HW_INDEX) && !swap_u64(s, &word))
		return false;
	for (uint64_t i = 0; i < nr; i++) {
		if (!swap_u64s(s, 2) || !swap_u64(s, &word))
			return false;
		word = branch_flags_turn(word);
		memcpy(s->pos - sizeof(word), &word, sizeof(word));
	}
	return !(l->branch_sample_type & BRANCH_COUNTERS) || swap_u64s(s, nr);
}

static bool regs_swap(uint64_t mask, struct swap *s)
{
	uint64_t regs_abi;

	return swap_u64(s, &regs_abi) && (!regs_abi || swap_u64s(s, (uint64_t)__builtin_popcountll(mask)));
}

static bool stack_swap(struct swap *s)
{
	uint64_t size, dyn_size;

	if (!swap_u64(s, &size))
		return false;
	if (!size)
		return true;
	return size % 8 == 0 && swap_skip(s, size) && swap_u64(s, &dyn_size) && dyn_size <= size;
}

static bool aux_swap(struct swap *s)
{
	uint64_t size;

	return swap_u64(s, &size) && swap_skip(s, size);
}

#define SWAP_U64(bit, member)                                                                                                              \
	if ((type & (bit)) && !swap_u64s(&s, 1))                                                                                           \
		return -EBADMSG;
#define SWAP_U32X2(bit, first, second)                                                                                                     \
	if ((type & (bit)) && !swap_widths(&s, 2, 4))                                                                                      \
		return -EBADMSG;
#define SWAP_U32(bit, member) SWAP_U32X2(bit, member, )

int sample_swap(const struct sample_layout *l, void *body, size_t size)
{
	struct swap s = swap_of(body, size);
	uint64_t type = l->sample_type;

	SAMPLE_HEAD_FIELDS(SWAP_U64, SWAP_U32X2, SWAP_U32)
	if ((type & SAMPLE_READ) && !sample_read_swap(l, &s))
		return -EBADMSG;
	if ((type & SAMPLE_CALLCHAIN) && !array_swap(&s))
		return -EBADMSG;
	if ((type & SAMPLE_RAW) && !raw_swap(&s))
		return -EBADMSG;
	if ((type & SAMPLE_BRANCH_STACK) && !branches_swap(l, &s))
		return -EBADMSG;
	if ((type & SAMPLE_REGS_USER) && !regs_swap(l->regs_user, &s))
		return -EBADMSG;
	if ((type & SAMPLE_STACK_USER) && !stack_swap(&s))
		return -EBADMSG;
	SAMPLE_COST_FIELDS(SWAP_U64)
	if ((type & SAMPLE_REGS_INTR) && !regs_swap(l->regs_intr, &s))
		return -EBADMSG;
	SAMPLE_PLACE_FIELDS(SWAP_U64)
	if ((type & SAMPLE_AUX) && !aux_swap(&s))
		return -EBADMSG;
	return 0;
}

void sample_id_swap(const struct sample_layout *l, uint8_t *trailer)
{
	struct swap s = swap_of(trailer, sample_id_size(l));
	uint64_t type = l->id_all ? l->sample_type : 0;

	if (type & SAMPLE_TID)
		swap_widths(&s, 2, 4);
	swap_u64s(&s, !!(type & SAMPLE_TIME) + !!(type & SAMPLE_ID) + !!(type & SAMPLE_STREAM_ID));
	if (type & SAMPLE_CPU)
		swap_widths(&s, 2, 4);
	swap_u64s(&s, !!(type & SAMPLE_IDENTIFIER));
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading perf_event_attr of any age and of both byte orders. One list of field widths drives the swap, here and for the HEADER_ATTR
 * record. The bit-fields need more than a swap: a big-endian compiler fills them from the most significant bit down.
 */
#include "abi/attr.h"

#include <errno.h>

#include "abi/codec.h"

/* The flags word is handed to the kernel as it is, which is right only where bit-fields grow upwards. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "assay runs on little-endian machines");

/* clang-format off */
static const uint8_t attr_widths[] = {
	4, 4,		/* type, size */
	8, 8, 8, 8, 8,	/* config, sample_period, sample_type, read_format, flags */
	4, 4,		/* wakeup, bp_type */
	8, 8, 8, 8,	/* config1, config2, branch_sample_type, sample_regs_user */
	4, 4,		/* sample_stack_user, clockid */
	8,		/* sample_regs_intr */
	4, 2, 2,	/* aux_watermark, sample_max_stack, reserved_2 */
	4, 4,		/* aux_sample_size, aux_action */
	8, 8, 8,	/* sig_data, config3, config4 */
};
/* clang-format on */

static uint64_t bits_reverse(uint64_t v)
{
	v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
	v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0f0f0f0f0fu) | (v & 0x0f0f0f0f0f0f0f0fu) << 4;
	return __builtin_bswap64(v);
}

/* The flags as the foreign machine saw them → ours. All fields are one bit wide but precise_ip, whose own two bits keep their order. */
static uint64_t attr_flags_turn(uint64_t foreign)
{
	uint64_t flags = bits_reverse(foreign);
	uint64_t low = flags >> ATTR_PRECISE_IP_SHIFT & 1;
	uint64_t high = flags >> (ATTR_PRECISE_IP_SHIFT + 1) & 1;

	flags &= ~ATTR_PRECISE_IP;
	return flags | low << (ATTR_PRECISE_IP_SHIFT + 1) | high << ATTR_PRECISE_IP_SHIFT;
}

void attr_swap(void *attr, size_t size)
{
	struct swap s = swap_of(attr, size);
	uint8_t *flags_at = s.pos + offsetof(struct attr, flags);
	uint64_t flags;

	for (size_t i = 0; i < sizeof(attr_widths); i++) {
		if (!swap_width(&s, attr_widths[i]))
			break;
	}
	/* What a newer kernel appended is most likely words. */
	swap_u64s(&s, swap_left(&s) / 8);

	memcpy(&flags, flags_at, sizeof(flags));
	flags = attr_flags_turn(flags);
	memcpy(flags_at, &flags, sizeof(flags));
}

/* How many of the `slot` bytes at the cursor are attr, or 0. */
static uint64_t attr_size_peek(const struct bytes *b, uint64_t slot)
{
	struct bytes peek = *b;
	uint32_t size;

	bytes_u32(&peek);
	size = bytes_u32(&peek);
	if (peek.failed)
		return 0;
	if (!size) /* the very first perf did not fill it in */
		size = ATTR_SIZE_VER0;
	if (size < ATTR_SIZE_VER0 || size % 8 || size > slot)
		return 0;
	return size;
}

static int attr_decode_sized(struct bytes *b, uint64_t slot, uint64_t size, struct attr *attr)
{
	const void *p = size && slot <= bytes_left(b) ? bytes_take(b, slot) : NULL;

	memset(attr, 0, sizeof(*attr));
	if (!p) {
		b->failed = true;
		return -EBADMSG;
	}
	if (size > sizeof(*attr))
		size = sizeof(*attr);
	memcpy(attr, p, size);
	if (b->swap)
		attr_swap(attr, sizeof(*attr));
	attr->size = (uint32_t)size;
	return 0;
}

int attr_decode(struct bytes *b, struct attr *attr)
{
	uint64_t size = attr_size_peek(b, bytes_left(b));

	return attr_decode_sized(b, size, size, attr);
}

int attr_decode_slot(struct bytes *b, uint64_t slot_size, struct attr *attr)
{
	return attr_decode_sized(b, slot_size, attr_size_peek(b, slot_size), attr);
}

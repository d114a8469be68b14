/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records of the other byte order → ours, in place, once, before anything reads their body: samples by their layout, the kernel's records
 * along the table of record.c, perf's own along the table below.
 *
 * After an error a body is half swapped and of no use. Bytes whose meaning is not known here (payloads, raw data, stacks) stay as they are.
 */
#include <errno.h>

#include "abi/codec.h"
#include "abi/record.h"
#include "abi/sample.h"

static bool array_swap(struct swap *s, unsigned item_words)
{
	uint64_t nr;

	return swap_u64(s, &nr) && nr <= swap_left(s) / sizeof(uint64_t) && swap_u64s(s, nr * item_words);
}

static bool sample_read_swap(const struct sample_layout *l, struct swap *s)
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

static bool raw_swap(struct swap *s)
{
	uint32_t size;

	return swap_u32(s, &size) && ((uint64_t)size + sizeof(size)) % 8 == 0 && swap_skip(s, size);
}

/* The kernel declares the flags of a branch as bit-fields in one order for all machines, so a big-endian one has the first at the top. The
 * bits inside a field keep their order. */
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
	if ((type & SAMPLE_CALLCHAIN) && !array_swap(&s, 1))
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

/* The trailer, whose sample_id_size() bytes are known to be there. */
static void sample_id_swap(const struct sample_layout *l, uint8_t *trailer)
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

static bool field_swap(const struct record_field *f, const struct sample_layout *l, uint16_t misc, struct swap *s)
{
	switch (f->kind) {
	case FIELD_U16:
		return swap_width(s, 2);
	case FIELD_U32:
		return swap_width(s, 4);
	case FIELD_U64:
		return swap_width(s, 8);
	case FIELD_TAG:
		return swap_skip(s, 8);
	case FIELD_INODE:
		if (misc & MISC_MMAP_BUILD_ID)
			return swap_skip(s, MMAP_INODE_SIZE);
		return swap_widths(s, 2, 4) && swap_u64s(s, 2);
	case FIELD_READ:
		return sample_read_swap(l, s);
	case FIELD_ARRAY1:
	case FIELD_ARRAY2:
		return array_swap(s, record_field_item_words(f));
	case FIELD_STRING:
	case FIELD_CODE:
		return true; /* bytes, and the last field */
	default:
		return false;
	}
}

static int kernel_record_swap(struct record_header *h, const struct sample_layout *l, const struct record_field *f)
{
	size_t body_size = h->size - sizeof(*h);
	size_t trailer_size = sample_id_size(l);
	struct swap s;

	if (trailer_size > body_size)
		return -EBADMSG;
	s = swap_of(h + 1, body_size - trailer_size);
	for (; f->kind != FIELD_END; f++) {
		if (!field_swap(f, l, h->misc, &s))
			return -EBADMSG;
	}
	sample_id_swap(l, (uint8_t *)h + record_end(h, l) - trailer_size);
	return 0;
}

static bool words_swap(struct swap *s)
{
	return swap_u64s(s, swap_left(s) / sizeof(uint64_t));
}

/* The attr in our convention of flags, then the ids. */
static bool attr_record_swap(struct swap *s)
{
	uint8_t *attr = s->pos;
	uint32_t size;

	if (swap_left(s) < ATTR_SIZE_VER0)
		return false;
	memcpy(&size, attr + offsetof(struct attr, size), sizeof(size));
	size = __builtin_bswap32(size);
	if (!size)
		size = ATTR_SIZE_VER0;
	if (size < ATTR_SIZE_VER0 || size % 8 || !swap_skip(s, size))
		return false;
	attr_swap(attr, size);
	return words_swap(s);
}

/* A count, then words: ID_INDEX has four an entry, newer ones two more an entry behind all of those. */
static bool id_index_swap(struct swap *s)
{
	uint64_t nr;

	return swap_u64(s, &nr) && nr <= swap_left(s) / (4 * sizeof(uint64_t)) && words_swap(s);
}

/* type, code, cpu, pid, tid, fmt, ip; then by fmt: 0 the message, 1 a time before it, 2 also the guest's pid and vcpu behind the 64 bytes
 * of message, which may be cut. */
static bool auxtrace_error_swap(struct swap *s)
{
	uint32_t fmt;

	if (!swap_widths(s, 5, 4) || !swap_u32(s, &fmt) || !swap_u64s(s, 1))
		return false;
	if (fmt >= 1 && !swap_u64s(s, 1))
		return false;
	return fmt < 2 || (swap_skip(s, 64) && swap_widths(s, 2, 4));
}

static bool thread_map_swap(struct swap *s)
{
	uint64_t nr;

	if (!swap_u64(s, &nr))
		return false;
	for (; nr; nr--) {
		if (!swap_u64s(s, 1) || !swap_skip(s, 16))
			return false;
	}
	return true;
}

/* The kinds are 0: a list of CPUs, 1: masks (of words of 4 bytes, or of 8 with four bytes of padding before, unaligned), 2: a range. */
static bool cpu_map_swap(struct swap *s)
{
	uint16_t kind, nr, word_size;

	if (!swap_u16(s, &kind))
		return false;
	switch (kind) {
	case 0:
		return swap_u16(s, &nr) && swap_widths(s, nr, 2);
	case 1:
		if (!swap_u16(s, &nr) || !swap_u16(s, &word_size))
			return false;
		if (word_size == 8)
			return swap_skip(s, 4) && swap_u64s(s, nr);
		return word_size == 4 && swap_widths(s, nr, 4);
	case 2:
		return swap_skip(s, 2) && swap_widths(s, 2, 2);
	default:
		return true; /* a kind newer than this code */
	}
}

static bool stat_config_swap(struct swap *s)
{
	return array_swap(s, 2);
}

/* 0: unit and 2: name are strings, 1: scale is a double, 3: a CPU map. */
static bool event_update_swap(struct swap *s)
{
	uint64_t kind;

	if (!swap_u64(s, &kind) || !swap_u64s(s, 1))
		return false;
	if (kind == 1)
		return swap_u64s(s, 1);
	return kind != 3 || cpu_map_swap(s);
}

/* shift, mult, zero; later versions add cycles and mask, and then two bytes of flags. */
static bool time_conv_swap(struct swap *s)
{
	return swap_u64s(s, 3) && (swap_left(s) < 16 || swap_u64s(s, 2));
}

/* First the widths of the fixed fields in order, then what is left to `rest`. */
struct user_shape {
	const char *widths;
	bool (*rest)(struct swap *s);
};

static const struct user_shape user_shapes[RECORD_TYPE_MAX - RECORD_USER_FIRST] = {
	[RECORD_HEADER_ATTR - RECORD_USER_FIRST] = { "", attr_record_swap },
	[RECORD_HEADER_EVENT_TYPE - RECORD_USER_FIRST] = { "8", NULL },	  /* id; name */
	[RECORD_HEADER_TRACING_DATA - RECORD_USER_FIRST] = { "4", NULL }, /* size */
	[RECORD_HEADER_BUILD_ID - RECORD_USER_FIRST] = { "4", NULL },	  /* pid; id, filename */
	[RECORD_FINISHED_ROUND - RECORD_USER_FIRST] = { "", NULL },
	[RECORD_ID_INDEX - RECORD_USER_FIRST] = { "", id_index_swap },
	[RECORD_AUXTRACE_INFO - RECORD_USER_FIRST] = { "44", words_swap }, /* type, reserved */
	[RECORD_AUXTRACE - RECORD_USER_FIRST] = { "8884444", NULL },	   /* struct record_auxtrace */
	[RECORD_AUXTRACE_ERROR - RECORD_USER_FIRST] = { "", auxtrace_error_swap },
	[RECORD_THREAD_MAP - RECORD_USER_FIRST] = { "", thread_map_swap },
	[RECORD_CPU_MAP - RECORD_USER_FIRST] = { "", cpu_map_swap },
	[RECORD_STAT_CONFIG - RECORD_USER_FIRST] = { "", stat_config_swap },
	[RECORD_STAT - RECORD_USER_FIRST] = { "844888", NULL },	  /* id, cpu, thread, val, ena, run */
	[RECORD_STAT_ROUND - RECORD_USER_FIRST] = { "88", NULL }, /* type, time */
	[RECORD_EVENT_UPDATE - RECORD_USER_FIRST] = { "", event_update_swap },
	[RECORD_TIME_CONV - RECORD_USER_FIRST] = { "", time_conv_swap },
	[RECORD_HEADER_FEATURE - RECORD_USER_FIRST] = { "8", NULL }, /* feature number; data */
	[RECORD_COMPRESSED - RECORD_USER_FIRST] = { "", NULL },
	[RECORD_FINISHED_INIT - RECORD_USER_FIRST] = { "", NULL },
	[RECORD_COMPRESSED2 - RECORD_USER_FIRST] = { "8", NULL }, /* size; data */
};

static int user_record_swap(struct record_header *h)
{
	const struct user_shape *shape = &user_shapes[h->type - RECORD_USER_FIRST];
	struct swap s = swap_of(h + 1, h->size - sizeof(*h));

	for (const char *w = shape->widths; *w; w++) {
		if (!swap_width(&s, (unsigned)(*w - '0')))
			return -EBADMSG;
	}
	if (shape->rest && !shape->rest(&s))
		return -EBADMSG;
	return 0;
}

int record_swap(struct record_header *h, const struct sample_layout *l)
{
	const struct record_field *shape = record_shape_find(h->type);

	if (h->size < sizeof(*h))
		return -EBADMSG;
	if (h->type == RECORD_SAMPLE)
		return sample_swap(l, h + 1, h->size - sizeof(*h));
	if (shape)
		return kernel_record_swap(h, l, shape);
	if (h->type >= RECORD_USER_FIRST && h->type < RECORD_TYPE_MAX)
		return user_record_swap(h);
	return 0; /* unknown: passed over by its size */
}

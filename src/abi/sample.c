/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decoding and encoding of samples, and of the trailer of other records, which is a subset of the same fields. Bytes are native here (see
 * swap.c).
 *
 * Decoding is the hottest code of a load, once for each of millions of records: a straight run of tests of sample_type, one bound check and
 * one load a field; what has a count or a size stays where it is and is pointed to. Measuring is encoding without room, so that the two
 * cannot disagree; what is encoded is ours and trusted.
 */
#include "abi/sample.h"

#include <errno.h>

#include "abi/codec.h"

struct sample_layout sample_layout_of(const struct attr *attr)
{
	return (struct sample_layout){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.regs_user = attr->sample_regs_user,
		.regs_intr = attr->sample_regs_intr,
		.id_all = attr->flags & ATTR_SAMPLE_ID_ALL,
		.has_build_ids = attr->flags & ATTR_BUILD_ID,
	};
}

struct sample_places sample_places_of(const struct sample_layout *l)
{
	static const uint64_t fixed[] = { SAMPLE_IDENTIFIER, SAMPLE_IP,	       SAMPLE_TID, SAMPLE_TIME,	 SAMPLE_ADDR,
					  SAMPLE_ID,	     SAMPLE_STREAM_ID, SAMPLE_CPU, SAMPLE_PERIOD };
	const uint64_t needed = SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_RAW;
	struct sample_places p = { .has_chain = l->sample_type & SAMPLE_CALLCHAIN };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (!(l->sample_type & fixed[i]))
			continue;
		if (fixed[i] == SAMPLE_TID)
			p.tid = p.end;
		else if (fixed[i] == SAMPLE_TIME)
			p.time = p.end;
		else if (fixed[i] == SAMPLE_CPU)
			p.cpu = p.end;
		p.end++;
	}
	p.is_known = (l->sample_type & needed) == needed && !(l->sample_type & SAMPLE_READ);
	return p;
}

static inline bool take_u64(struct bytes *b, uint64_t *v)
{
	if (bytes_left(b) < sizeof(*v))
		return false;
	memcpy(v, b->pos, sizeof(*v));
	b->pos += sizeof(*v);
	return true;
}

static inline bool take_u32x2(struct bytes *b, uint32_t *first, uint32_t *second)
{
	if (bytes_left(b) < 8)
		return false;
	memcpy(first, b->pos, 4);
	memcpy(second, b->pos + 4, 4);
	b->pos += 8;
	return true;
}

/* A view of `count` items; NULL where they do not fit. An empty view is not NULL. */
static inline const void *take_items(struct bytes *b, uint64_t count, size_t item_size)
{
	const uint8_t *p = b->pos;

	if (count > bytes_left(b) / item_size)
		return NULL;
	b->pos += count * item_size;
	return p;
}

bool sample_read_decode(const struct sample_layout *l, struct bytes *b, struct sample_read *r)
{
	uint64_t format = l->read_format;
	const uint64_t *first = (const void *)b->pos;

	/* The count of a group or the value of a single: a word either way, and then the times. */
	if (!take_u64(b, &r->nr) || ((format & READ_TOTAL_TIME_ENABLED) && !take_u64(b, &r->time_enabled)) ||
	    ((format & READ_TOTAL_TIME_RUNNING) && !take_u64(b, &r->time_running)))
		return false;
	if (format & READ_GROUP) {
		r->values = take_items(b, r->nr, sample_read_item_words(format) * sizeof(uint64_t));
		return r->values;
	}
	r->nr = 1;
	r->values = first;
	return take_items(b, sample_read_item_words(format) - 1, sizeof(uint64_t));
}

struct sample_read_value sample_read_get(const struct sample_layout *l, const struct sample_read *r, uint64_t i)
{
	uint64_t format = l->read_format;
	struct sample_read_value v = { 0 };
	const uint64_t *p = r->values;

	if (format & READ_GROUP)
		p += i * sample_read_item_words(format);
	v.value = *p++;
	if (!(format & READ_GROUP))
		p += sample_read_time_words(format);
	if (format & READ_ID)
		v.id = *p++;
	if (format & READ_LOST)
		v.lost = *p;
	return v;
}

/* The kernel pads the data so that size field and data together end on a word. */
static bool raw_decode(struct bytes *b, struct sample *s)
{
	if (bytes_left(b) < sizeof(s->raw_size))
		return false;
	memcpy(&s->raw_size, b->pos, sizeof(s->raw_size));
	b->pos += sizeof(s->raw_size);
	if ((s->raw_size + sizeof(s->raw_size)) % 8)
		return false;
	s->raw = take_items(b, s->raw_size, 1);
	return s->raw;
}

static bool branches_decode(const struct sample_layout *l, struct bytes *b, struct sample *s)
{
	if (!take_u64(b, &s->nr_branches))
		return false;
	/* An event that has no branch stack to give writes a count of zero and not even the index. This is certain only where nothing
	 * follows. */
	if (!s->nr_branches && !bytes_left(b))
		return true;
	if ((l->branch_sample_type & BRANCH_HW_INDEX) && !take_u64(b, &s->branch_hw_index))
		return false;
	s->branches = take_items(b, s->nr_branches, sizeof(*s->branches));
	if (!s->branches)
		return false;
	if (!(l->branch_sample_type & BRANCH_COUNTERS))
		return true;
	s->branch_counters = take_items(b, s->nr_branches, sizeof(*s->branch_counters));
	return s->branch_counters;
}

static bool regs_decode(uint64_t mask, struct bytes *b, uint64_t *regs_abi, const uint64_t **regs)
{
	if (!take_u64(b, regs_abi))
		return false;
	if (!*regs_abi)
		return true;
	*regs = take_items(b, (uint64_t)__builtin_popcountll(mask), sizeof(**regs));
	return *regs;
}

static bool stack_decode(struct bytes *b, struct sample *s)
{
	if (!take_u64(b, &s->stack_size))
		return false;
	if (!s->stack_size)
		return true;
	if (s->stack_size % 8)
		return false;
	s->stack = take_items(b, s->stack_size, 1);
	return s->stack && take_u64(b, &s->stack_dyn_size) && s->stack_dyn_size <= s->stack_size;
}

static bool aux_decode(struct bytes *b, struct sample *s)
{
	if (!take_u64(b, &s->aux_size))
		return false;
	s->aux = take_items(b, s->aux_size, 1);
	return s->aux;
}

#define DECODE_U64(bit, member)                                                                                                            \
	if ((type & (bit)) && !take_u64(&b, &s->member))                                                                                   \
		return -EBADMSG;
#define DECODE_U32X2(bit, first, second)                                                                                                   \
	if ((type & (bit)) && !take_u32x2(&b, &s->first, &s->second))                                                                      \
		return -EBADMSG;
#define DECODE_U32(bit, member)                                                                                                            \
	if ((type & (bit)) && !take_u32x2(&b, &s->member, &reserved))                                                                      \
		return -EBADMSG;

/* Everything behind the call chain; rare enough to be kept out of the common path. */
static int sample_decode_rest(const struct sample_layout *l, struct bytes b, struct sample *s)
{
	uint64_t type = l->sample_type;

	if ((type & SAMPLE_RAW) && !raw_decode(&b, s))
		return -EBADMSG;
	if (!(type & SAMPLE_ALL & ~(SAMPLE_HEAD_BITS | SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_RAW)))
		return 0;
	if ((type & SAMPLE_BRANCH_STACK) && !branches_decode(l, &b, s))
		return -EBADMSG;
	if ((type & SAMPLE_REGS_USER) && !regs_decode(l->regs_user, &b, &s->regs_user_abi, &s->regs_user))
		return -EBADMSG;
	if ((type & SAMPLE_STACK_USER) && !stack_decode(&b, s))
		return -EBADMSG;
	SAMPLE_COST_FIELDS(DECODE_U64)
	if ((type & SAMPLE_REGS_INTR) && !regs_decode(l->regs_intr, &b, &s->regs_intr_abi, &s->regs_intr))
		return -EBADMSG;
	SAMPLE_PLACE_FIELDS(DECODE_U64)
	if ((type & SAMPLE_AUX) && !aux_decode(&b, s))
		return -EBADMSG;
	return 0;
}

/* In small steps: of the whole, compilers make a "rep stos", whose start-up alone was a third of the time that a sample takes. */
static inline void sample_clear(struct sample *s)
{
	_Static_assert(sizeof(*s) % 32 == 0, "whole steps");
	for (size_t i = 0; i < sizeof(*s); i += 32)
		memset((uint8_t *)s + i, 0, 32);
	s->pid = s->tid = s->cpu = UINT32_MAX;
	s->time_ns = s->id = s->stream_id = UINT64_MAX;
}

#define COUNT_FIELD(...) +1
#define HEAD_BYTES_MAX ((0 SAMPLE_HEAD_FIELDS(COUNT_FIELD, COUNT_FIELD, COUNT_FIELD)) * sizeof(uint64_t))
#define LOAD_U64(bit, member)                                                                                                              \
	if (type & (bit)) {                                                                                                                \
		memcpy(&s->member, at, 8);                                                                                                 \
		at += 8;                                                                                                                   \
	}
#define LOAD_U32X2(bit, first, second)                                                                                                     \
	if (type & (bit)) {                                                                                                                \
		memcpy(&s->first, at, 4);                                                                                                  \
		memcpy(&s->second, at + 4, 4);                                                                                             \
		at += 8;                                                                                                                   \
	}
#define LOAD_U32(bit, member)                                                                                                              \
	if (type & (bit)) {                                                                                                                \
		memcpy(&s->member, at, 4);                                                                                                 \
		at += 8;                                                                                                                   \
	}

/* Where all fields of the head would fit, one check serves them. */
static inline int head_decode(uint64_t type, struct bytes *bytes, struct sample *s)
{
	struct bytes b = *bytes;
	const uint8_t *at = b.pos;
	uint32_t reserved;

	if (bytes_left(&b) >= HEAD_BYTES_MAX) {
		SAMPLE_HEAD_FIELDS(LOAD_U64, LOAD_U32X2, LOAD_U32)
		bytes->pos = at;
		return 0;
	}
	SAMPLE_HEAD_FIELDS(DECODE_U64, DECODE_U32X2, DECODE_U32)
	*bytes = b;
	return 0;
}

int sample_decode(const struct sample_layout *l, const void *body, size_t size, struct sample *s)
{
	const uint64_t head = SAMPLE_HEAD_BITS | SAMPLE_READ | SAMPLE_CALLCHAIN;
	struct bytes b = bytes_of(body, size, false);
	uint64_t type = l->sample_type;

	sample_clear(s);
	if (head_decode(type, &b, s))
		return -EBADMSG;
	if ((type & SAMPLE_READ) && !sample_read_decode(l, &b, &s->read))
		return -EBADMSG;
	if (type & SAMPLE_CALLCHAIN) {
		if (!take_u64(&b, &s->nr_ips))
			return -EBADMSG;
		s->ips = take_items(&b, s->nr_ips, sizeof(*s->ips));
		if (!s->ips)
			return -EBADMSG;
	}
	/* Bits that a newer kernel knows come behind all of ours and are passed over. */
	if (!(type & SAMPLE_ALL & ~head))
		return 0;
	return sample_decode_rest(l, b, s);
}

#define TRAILER_BITS (SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

size_t sample_id_size(const struct sample_layout *l)
{
	if (!l->id_all)
		return 0;
	return (size_t)__builtin_popcountll(l->sample_type & TRAILER_BITS) * sizeof(uint64_t);
}

int sample_id_decode(const struct sample_layout *l, const void *record_end, size_t body_size, struct sample_id *id)
{
	size_t size = sample_id_size(l);
	uint64_t type = size ? l->sample_type : 0;
	uint32_t reserved;
	struct sample_id *s = id;
	struct bytes b;

	*id = (struct sample_id){
		.pid = UINT32_MAX,
		.tid = UINT32_MAX,
		.time_ns = UINT64_MAX,
		.id = UINT64_MAX,
		.stream_id = UINT64_MAX,
		.cpu = UINT32_MAX,
	};
	if (size > body_size)
		return -EBADMSG;
	b = bytes_of((const uint8_t *)record_end - size, size, false);
	DECODE_U32X2(SAMPLE_TID, pid, tid)
	DECODE_U64(SAMPLE_TIME, time_ns)
	DECODE_U64(SAMPLE_ID, id)
	DECODE_U64(SAMPLE_STREAM_ID, stream_id)
	DECODE_U32(SAMPLE_CPU, cpu)
	DECODE_U64(SAMPLE_IDENTIFIER, id)
	return 0;
}

void sample_read_encode(const struct sample_layout *l, struct put *p, const struct sample_read *r)
{
	uint64_t format = l->read_format;
	bool group = format & READ_GROUP;
	uint64_t nr = group ? r->nr : 1;

	put_u64(p, group ? nr : sample_read_get(l, r, 0).value);
	if (format & READ_TOTAL_TIME_ENABLED)
		put_u64(p, r->time_enabled);
	if (format & READ_TOTAL_TIME_RUNNING)
		put_u64(p, r->time_running);
	for (uint64_t i = 0; i < nr; i++) {
		struct sample_read_value v = sample_read_get(l, r, i);

		if (group)
			put_u64(p, v.value);
		if (format & READ_ID)
			put_u64(p, v.id);
		if (format & READ_LOST)
			put_u64(p, v.lost);
	}
}

/* The kernel counts the padding into the size, so we do. */
static void raw_encode(struct put *p, const struct sample *s)
{
	uint32_t pad = -(s->raw_size + (uint32_t)sizeof(s->raw_size)) & 7;
	uint64_t zero = 0;

	put_u32(p, s->raw_size + pad);
	put_bytes(p, s->raw, s->raw_size);
	put_bytes(p, &zero, pad);
}

static void branches_encode(const struct sample_layout *l, struct put *p, const struct sample *s)
{
	put_u64(p, s->nr_branches);
	if (l->branch_sample_type & BRANCH_HW_INDEX)
		put_u64(p, s->branch_hw_index);
	put_bytes(p, s->branches, s->nr_branches * sizeof(*s->branches));
	if (l->branch_sample_type & BRANCH_COUNTERS)
		put_bytes(p, s->branch_counters, s->nr_branches * sizeof(*s->branch_counters));
}

static void regs_encode(uint64_t mask, struct put *p, uint64_t regs_abi, const uint64_t *regs)
{
	put_u64(p, regs_abi);
	if (regs_abi)
		put_bytes(p, regs, (size_t)__builtin_popcountll(mask) * sizeof(*regs));
}

static void stack_encode(struct put *p, const struct sample *s)
{
	put_u64(p, s->stack_size);
	if (!s->stack_size)
		return;
	put_bytes(p, s->stack, s->stack_size);
	put_u64(p, s->stack_dyn_size);
}

static void aux_encode(struct put *p, const struct sample *s)
{
	put_u64(p, s->aux_size);
	put_bytes(p, s->aux, s->aux_size);
	put_align8(p);
}

#define ENCODE_U64(bit, member)                                                                                                            \
	if (type & (bit))                                                                                                                  \
		put_u64(p, s->member);
#define ENCODE_U32X2(bit, first, second)                                                                                                   \
	if (type & (bit)) {                                                                                                                \
		put_u32(p, s->first);                                                                                                      \
		put_u32(p, s->second);                                                                                                     \
	}
#define ENCODE_U32(bit, member)                                                                                                            \
	if (type & (bit)) {                                                                                                                \
		put_u32(p, s->member);                                                                                                     \
		put_u32(p, 0);                                                                                                             \
	}

static void sample_put(const struct sample_layout *l, const struct sample *s, struct put *p)
{
	uint64_t type = l->sample_type;

	SAMPLE_HEAD_FIELDS(ENCODE_U64, ENCODE_U32X2, ENCODE_U32)
	if (type & SAMPLE_READ)
		sample_read_encode(l, p, &s->read);
	if (type & SAMPLE_CALLCHAIN) {
		put_u64(p, s->nr_ips);
		put_bytes(p, s->ips, s->nr_ips * sizeof(*s->ips));
	}
	if (type & SAMPLE_RAW)
		raw_encode(p, s);
	if (type & SAMPLE_BRANCH_STACK)
		branches_encode(l, p, s);
	if (type & SAMPLE_REGS_USER)
		regs_encode(l->regs_user, p, s->regs_user_abi, s->regs_user);
	if (type & SAMPLE_STACK_USER)
		stack_encode(p, s);
	SAMPLE_COST_FIELDS(ENCODE_U64)
	if (type & SAMPLE_REGS_INTR)
		regs_encode(l->regs_intr, p, s->regs_intr_abi, s->regs_intr);
	SAMPLE_PLACE_FIELDS(ENCODE_U64)
	if (type & SAMPLE_AUX)
		aux_encode(p, s);
}

size_t sample_size(const struct sample_layout *l, const struct sample *s)
{
	struct put p = { 0 };

	sample_put(l, s, &p);
	return p.len;
}

int64_t sample_encode(const struct sample_layout *l, const struct sample *s, void *body, size_t cap)
{
	struct put p = { .buf = body, .cap = cap };

	if ((l->sample_type & SAMPLE_STACK_USER) && (s->stack_size % 8 || s->stack_dyn_size > s->stack_size))
		return -EINVAL;
	sample_put(l, s, &p);
	return p.len > cap ? -ENOSPC : (int64_t)p.len;
}

size_t sample_id_encode(const struct sample_layout *l, const struct sample_id *id, void *buf)
{
	struct put out = { .buf = buf, .cap = sample_id_size(l) };
	uint64_t type = l->id_all ? l->sample_type : 0;
	const struct sample_id *s = id;
	struct put *p = &out;

	ENCODE_U32X2(SAMPLE_TID, pid, tid)
	ENCODE_U64(SAMPLE_TIME, time_ns)
	ENCODE_U64(SAMPLE_ID, id)
	ENCODE_U64(SAMPLE_STREAM_ID, stream_id)
	ENCODE_U32(SAMPLE_CPU, cpu)
	ENCODE_U64(SAMPLE_IDENTIFIER, id)
	return out.len;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writing samples and trailers, the exact inverse of sample.c.
 *
 * Measuring is writing without room, so the two cannot disagree. Input is ours and trusted; only
 * what the format cannot express is refused.
 */
#include "abi/sample.h"

#include <errno.h>

#include "abi/sample_fields.h"

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

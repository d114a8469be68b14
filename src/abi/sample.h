/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The body of PERF_RECORD_SAMPLE and the sample_id trailer of all other records. A decoded sample is a view: its pointers lead into the
 * record's bytes, which must be in native byte order (record_swap()) and 8-byte aligned.
 */
#ifndef ASSAY_ABI_SAMPLE_H
#define ASSAY_ABI_SAMPLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/attr.h"

/* What decoding needs to know of an event's attr. */
struct sample_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t regs_user;
	uint64_t regs_intr;
	bool id_all;	    /* other records carry the sample_id trailer */
	bool has_build_ids; /* MMAP2 records may carry a build-id */
};

struct sample_layout sample_layout_of(const struct attr *attr);

/* Where a sample of a tracepoint has what readers of its raw data need, in words of its body. */
struct sample_places {
	bool is_known; /* it has all of these, and nothing of a varying size before them but a call chain */
	bool has_chain;
	uint8_t tid, time, cpu;
	uint8_t end; /* of the words whose place is fixed: the call chain is there, or the raw data */
};

struct sample_places sample_places_of(const struct sample_layout *l);

struct sample_read_value {
	uint64_t value;
	uint64_t id;   /* READ_ID */
	uint64_t lost; /* READ_LOST */
};

/* The values stay undecoded: sample_read_get() reads the i-th. For encoding, too, they are as the record has them: of a group value[, id][,
 * lost] each; of a single value[, enabled][, running][, id] [, lost], where the two times are taken from the members and not from there. */
struct sample_read {
	uint64_t nr; /* 1 without READ_GROUP */
	uint64_t time_enabled;
	uint64_t time_running;
	const uint64_t *values;
};

struct branch_entry {
	uint64_t from;
	uint64_t to;
	uint64_t flags; /* bit 0 mispred, 1 predicted, 2 in_tx, 3 abort, 4-19 cycles, 20-23 type,
			 * 24-25 spec, 26-29 new_type, 30-32 priv */
};

struct sample_id {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
};

/* Fields that the layout lacks are zero (pid, tid, cpu, time, id, stream_id: all ones, as perf has it). */
struct sample {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t addr;
	uint64_t id; /* SAMPLE_IDENTIFIER or SAMPLE_ID */
	uint64_t stream_id;
	uint32_t cpu;
	uint64_t period; /* as recorded; the session sets 1 where the layout lacks it */
	struct sample_read read;
	uint64_t nr_ips;
	const uint64_t *ips; /* the raw chain with its context marks */
	uint32_t raw_size;
	const void *raw;
	uint64_t nr_branches;
	uint64_t branch_hw_index;
	const struct branch_entry *branches;
	const uint64_t *branch_counters;
	uint64_t regs_user_abi;	   /* 0: none */
	const uint64_t *regs_user; /* one for each set bit of layout.regs_user */
	uint64_t regs_intr_abi;
	const uint64_t *regs_intr;
	uint64_t stack_size; /* bytes recorded */
	const void *stack;
	uint64_t stack_dyn_size; /* of them, bytes the kernel could really copy */
	uint64_t weight;	 /* or the whole weight struct: var1 u32, var2 u16, var3 u16 from the low end */
	uint64_t data_src;
	uint64_t transaction;
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
	uint64_t aux_size;
	const void *aux;
};

/* Decodes the fields of `p` alone; others of `s` are not touched. False: something does not fit, sample_decode() says what. */
static inline bool sample_decode_places(const struct sample_places *p, const void *body, size_t size, struct sample *s)
{
	const uint8_t *at = body;
	size_t words = size / 8, raw = p->end;

	if (words <= raw)
		return false;
	memcpy(&s->pid, at + p->tid * 8u, 4);
	memcpy(&s->tid, at + p->tid * 8u + 4, 4);
	memcpy(&s->time_ns, at + p->time * 8u, 8);
	memcpy(&s->cpu, at + p->cpu * 8u, 4);
	s->nr_ips = 0;
	s->ips = NULL;
	if (p->has_chain) {
		memcpy(&s->nr_ips, at + raw * 8, 8);
		if (s->nr_ips >= words - raw - 1)
			return false;
		s->ips = (const void *)(at + (raw + 1) * 8);
		raw += 1 + s->nr_ips;
	}
	memcpy(&s->raw_size, at + raw * 8, 4);
	s->raw = at + raw * 8 + 4;
	return (s->raw_size + 4u) % 8 == 0 && s->raw_size <= (words - raw) * 8 - 4;
}

/* Decodes the body (behind the header) of `size` bytes. -EBADMSG where a field does not fit. */
int sample_decode(const struct sample_layout *l, const void *body, size_t size, struct sample *s);
/* Bytes that sample_encode() would write (a multiple of 8). */
size_t sample_size(const struct sample_layout *l, const struct sample *s);
/* Writes the body; returns its size, or -ENOSPC, or -EINVAL for a stack that is no multiple of 8. Raw data is padded as the kernel does:
 * the padding counts into its size. */
int64_t sample_encode(const struct sample_layout *l, const struct sample *s, void *body, size_t cap);
/* Turns a body of the other byte order into ours, in place; raw, stack and aux data stay as they are.
 * -EBADMSG as sample_decode(). */
int sample_swap(const struct sample_layout *l, void *body, size_t size);

struct sample_read_value sample_read_get(const struct sample_layout *l, const struct sample_read *r, uint64_t i);

/* The trailer: its size, and its place at the end of a record. Decoding sets absent fields to all ones. */
size_t sample_id_size(const struct sample_layout *l);
int sample_id_decode(const struct sample_layout *l, const void *record_end, size_t body_size, struct sample_id *id);
size_t sample_id_encode(const struct sample_layout *l, const struct sample_id *id, void *buf);

/* Marks inside a call chain: what follows was sampled in that mode. */
#define CHAIN_HV ((uint64_t)-32)
#define CHAIN_KERNEL ((uint64_t)-128)
#define CHAIN_USER ((uint64_t)-512)
#define CHAIN_USER_DEFERRED ((uint64_t)-640)
#define CHAIN_GUEST ((uint64_t)-2048)
#define CHAIN_GUEST_KERNEL ((uint64_t)-2176)
#define CHAIN_GUEST_USER ((uint64_t)-2560)
#define CHAIN_MARK_MIN ((uint64_t)-4095) /* at or above: a mark, not an address */

#endif

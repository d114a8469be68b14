/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A second, independent writer of samples and trailers for the tests of the abi module, byte by byte
 * and for machines of either byte order, straight from the kernel's description. It shares no code
 * with what it tests: a mistake there shows as a difference here.
 */
#ifndef ASSAY_TESTS_ABI_WRITER_H
#define ASSAY_TESTS_ABI_WRITER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/record.h"

struct writer {
	_Alignas(8) uint8_t buf[65536];
	size_t len;
	bool big; /* as a big-endian machine would */
};

static inline void write_num(struct writer *w, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++) {
		unsigned byte = w->big ? width - 1 - i : i;

		w->buf[w->len++] = (uint8_t)(v >> (byte * 8));
	}
}

static inline void write_data(struct writer *w, const void *data, size_t size)
{
	if (size)
		memcpy(w->buf + w->len, data, size);
	w->len += size;
}

static inline void write_nums(struct writer *w, const uint64_t *v, uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++)
		write_num(w, v[i], 8);
}

/* A NUL-terminated string, padded to eight bytes. */
static inline void write_str(struct writer *w, const char *str)
{
	write_data(w, str, strlen(str) + 1);
	while (w->len % 8)
		w->buf[w->len++] = 0;
}

/* A C compiler's bit-fields of one u64: from the low end up, or on big-endian machines from the top
 * down. */
static inline void write_bits(struct writer *w, uint64_t ours, const uint8_t *widths, size_t nr)
{
	uint64_t word = 0;
	unsigned used = 0;

	for (size_t i = 0; i < nr; i++) {
		uint64_t field = ours >> used & ((2ULL << (widths[i] - 1)) - 1);

		word |= field << (w->big ? 64 - used - widths[i] : used);
		used += widths[i];
	}
	assert_int_equal(used, 64);
	write_num(w, word, 8);
}

static inline void write_branch_flags(struct writer *w, uint64_t flags)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31 };

	write_bits(w, flags, widths, sizeof(widths));
}

static inline void write_attr_flags(struct writer *w, uint64_t flags)
{
	uint8_t widths[63];

	memset(widths, 1, sizeof(widths));
	widths[15] = 2; /* precise_ip */
	write_bits(w, flags, widths, sizeof(widths));
}

/* Field by field, as a machine of the writer's byte order has it in memory. */
static inline void write_attr(struct writer *w, const struct attr *a)
{
	write_num(w, a->type, 4);
	write_num(w, a->size, 4);
	write_num(w, a->config, 8);
	write_num(w, a->sample_period, 8);
	write_num(w, a->sample_type, 8);
	write_num(w, a->read_format, 8);
	write_attr_flags(w, a->flags);
	write_num(w, a->wakeup, 4);
	write_num(w, a->bp_type, 4);
	write_num(w, a->config1, 8);
	write_num(w, a->config2, 8);
	write_num(w, a->branch_sample_type, 8);
	write_num(w, a->sample_regs_user, 8);
	write_num(w, a->sample_stack_user, 4);
	write_num(w, (uint32_t)a->clockid, 4);
	write_num(w, a->sample_regs_intr, 8);
	write_num(w, a->aux_watermark, 4);
	write_num(w, a->sample_max_stack, 2);
	write_num(w, a->reserved_2, 2);
	write_num(w, a->aux_sample_size, 4);
	write_num(w, a->aux_action, 4);
	write_num(w, a->sig_data, 8);
	write_num(w, a->config3, 8);
	write_num(w, a->config4, 8);
}

/* For the writer, READ comes from here instead of from sample.read.values. */
struct read_source {
	uint64_t nr;
	struct sample_read_value values[8];
};

static inline void write_read(struct writer *w, uint64_t format, const struct sample_read *r, const struct read_source *src)
{
	bool group = format & (1 << 3);

	write_num(w, group ? src->nr : src->values[0].value, 8);
	if (format & 1)
		write_num(w, r->time_enabled, 8);
	if (format & 2)
		write_num(w, r->time_running, 8);
	for (uint64_t i = 0; i < (group ? src->nr : 1); i++) {
		if (group)
			write_num(w, src->values[i].value, 8);
		if (format & 4)
			write_num(w, src->values[i].id, 8);
		if (format & 16)
			write_num(w, src->values[i].lost, 8);
	}
}

static inline void write_regs(struct writer *w, uint64_t regs_abi, uint64_t mask, const uint64_t *regs)
{
	write_num(w, regs_abi, 8);
	if (!regs_abi)
		return;
	for (; mask; mask &= mask - 1)
		write_num(w, *regs++, 8);
}

static inline void write_branches(struct writer *w, const struct sample_layout *l, const struct sample *s)
{
	write_num(w, s->nr_branches, 8);
	if (l->branch_sample_type & (1 << 17))
		write_num(w, s->branch_hw_index, 8);
	for (uint64_t i = 0; i < s->nr_branches; i++) {
		write_num(w, s->branches[i].from, 8);
		write_num(w, s->branches[i].to, 8);
		write_branch_flags(w, s->branches[i].flags);
	}
	if (l->branch_sample_type & (1 << 19))
		write_nums(w, s->branch_counters, s->nr_branches);
}

/* The weight struct: three numbers in one order on little-endian machines, reversed on big-endian.
 */
static inline void write_weight_struct(struct writer *w, uint64_t weight)
{
	if (w->big) {
		write_num(w, weight >> 48, 2);
		write_num(w, weight >> 32 & 0xffff, 2);
		write_num(w, weight & 0xffffffff, 4);
	} else {
		write_num(w, weight & 0xffffffff, 4);
		write_num(w, weight >> 32 & 0xffff, 2);
		write_num(w, weight >> 48, 2);
	}
}

static inline void write_sample_behind_chain(struct writer *w, const struct sample_layout *l, const struct sample *s)
{
	uint64_t type = l->sample_type;

	if (type & SAMPLE_RAW) {
		write_num(w, s->raw_size, 4);
		write_data(w, s->raw, s->raw_size);
	}
	if (type & SAMPLE_BRANCH_STACK)
		write_branches(w, l, s);
	if (type & SAMPLE_REGS_USER)
		write_regs(w, s->regs_user_abi, l->regs_user, s->regs_user);
	if (type & SAMPLE_STACK_USER) {
		write_num(w, s->stack_size, 8);
		write_data(w, s->stack, s->stack_size);
		if (s->stack_size)
			write_num(w, s->stack_dyn_size, 8);
	}
	if (type & SAMPLE_WEIGHT_STRUCT)
		write_weight_struct(w, s->weight);
	else if (type & SAMPLE_WEIGHT)
		write_num(w, s->weight, 8);
	if (type & SAMPLE_DATA_SRC)
		write_num(w, s->data_src, 8);
	if (type & SAMPLE_TRANSACTION)
		write_num(w, s->transaction, 8);
	if (type & SAMPLE_REGS_INTR)
		write_regs(w, s->regs_intr_abi, l->regs_intr, s->regs_intr);
	if (type & SAMPLE_PHYS_ADDR)
		write_num(w, s->phys_addr, 8);
	if (type & SAMPLE_CGROUP)
		write_num(w, s->cgroup, 8);
	if (type & SAMPLE_DATA_PAGE_SIZE)
		write_num(w, s->data_page_size, 8);
	if (type & SAMPLE_CODE_PAGE_SIZE)
		write_num(w, s->code_page_size, 8);
	if (type & SAMPLE_AUX) {
		write_num(w, s->aux_size, 8);
		write_data(w, s->aux, s->aux_size);
	}
}

static inline void write_sample(struct writer *w, const struct sample_layout *l, const struct sample *s, const struct read_source *src)
{
	uint64_t type = l->sample_type;

	if (type & SAMPLE_IDENTIFIER)
		write_num(w, s->id, 8);
	if (type & SAMPLE_IP)
		write_num(w, s->ip, 8);
	if (type & SAMPLE_TID) {
		write_num(w, s->pid, 4);
		write_num(w, s->tid, 4);
	}
	if (type & SAMPLE_TIME)
		write_num(w, s->time_ns, 8);
	if (type & SAMPLE_ADDR)
		write_num(w, s->addr, 8);
	if (type & SAMPLE_ID)
		write_num(w, s->id, 8);
	if (type & SAMPLE_STREAM_ID)
		write_num(w, s->stream_id, 8);
	if (type & SAMPLE_CPU) {
		write_num(w, s->cpu, 4);
		write_num(w, 0, 4);
	}
	if (type & SAMPLE_PERIOD)
		write_num(w, s->period, 8);
	if (type & SAMPLE_READ)
		write_read(w, l->read_format, &s->read, src);
	if (type & SAMPLE_CALLCHAIN) {
		write_num(w, s->nr_ips, 8);
		write_nums(w, s->ips, s->nr_ips);
	}
	write_sample_behind_chain(w, l, s);
}

static inline void write_trailer(struct writer *w, const struct sample_layout *l, const struct sample_id *id)
{
	uint64_t type = l->id_all ? l->sample_type : 0;

	if (type & SAMPLE_TID) {
		write_num(w, id->pid, 4);
		write_num(w, id->tid, 4);
	}
	if (type & SAMPLE_TIME)
		write_num(w, id->time_ns, 8);
	if (type & SAMPLE_ID)
		write_num(w, id->id, 8);
	if (type & SAMPLE_STREAM_ID)
		write_num(w, id->stream_id, 8);
	if (type & SAMPLE_CPU) {
		write_num(w, id->cpu, 4);
		write_num(w, 0, 4);
	}
	if (type & SAMPLE_IDENTIFIER)
		write_num(w, id->id, 8);
}

/* xorshift: the same numbers in every run. */
static inline uint64_t rng_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* What a random sample points to. */
struct sample_store {
	struct read_source read;
	uint64_t read_words[8 * 3 + 4];
	uint64_t ips[16];
	uint8_t raw[64];
	struct branch_entry branches[8];
	uint64_t counters[8];
	uint64_t regs_user[64], regs_intr[64];
	uint64_t stack[32];
	uint64_t aux[16];
};

static inline void fill_random(uint64_t *state, void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)data)[i] = (uint8_t)(rng_next(state) >> 24);
}

/* The words of `src` in the order that struct sample_read wants for encoding. */
static inline void read_random(uint64_t *state, uint64_t format, struct sample_store *st, struct sample_read *r)
{
	bool group = format & READ_GROUP;
	uint64_t *p = st->read_words;

	st->read.nr = group ? rng_next(state) % 8 : 1;
	fill_random(state, st->read.values, sizeof(st->read.values));
	*r = (struct sample_read){ .nr = st->read.nr, .values = st->read_words };
	if (format & READ_TOTAL_TIME_ENABLED)
		r->time_enabled = rng_next(state);
	if (format & READ_TOTAL_TIME_RUNNING)
		r->time_running = rng_next(state);
	for (uint64_t i = 0; i < st->read.nr; i++) {
		struct sample_read_value *v = &st->read.values[i];

		*p++ = v->value;
		if (!group && (format & READ_TOTAL_TIME_ENABLED))
			p++;
		if (!group && (format & READ_TOTAL_TIME_RUNNING))
			p++;
		v->id = format &READ_ID ? *p++ = v->id : 0;
		v->lost = format &READ_LOST ? *p++ = v->lost : 0;
	}
}

static inline struct sample_layout layout_random(uint64_t *state, uint64_t type)
{
	return (struct sample_layout){
		.sample_type = type,
		.read_format = rng_next(state) % 32,
		.branch_sample_type = rng_next(state) & (BRANCH_HW_INDEX | BRANCH_COUNTERS | 0xff),
		.regs_user = rng_next(state),
		.regs_intr = rng_next(state) & rng_next(state),
		.id_all = rng_next(state) & 1,
		.has_build_ids = true,
	};
}

/* Fills everything; what the layout lacks is then put to the value that decoding gives it. */
static inline void sample_random(uint64_t *state, const struct sample_layout *l, struct sample_store *st, struct sample *s)
{
	uint64_t type = l->sample_type;

	fill_random(state, s, sizeof(*s));
	fill_random(state, st, sizeof(*st));
	read_random(state, l->read_format, st, &s->read);
	if (!(type & SAMPLE_READ))
		s->read = (struct sample_read){ 0 };
	s->ip = type & SAMPLE_IP ? s->ip : 0;
	s->pid = type & SAMPLE_TID ? s->pid : UINT32_MAX;
	s->tid = type & SAMPLE_TID ? s->tid : UINT32_MAX;
	s->time_ns = type & SAMPLE_TIME ? s->time_ns : UINT64_MAX;
	s->addr = type & SAMPLE_ADDR ? s->addr : 0;
	s->id = type & (SAMPLE_ID | SAMPLE_IDENTIFIER) ? s->id : UINT64_MAX;
	s->stream_id = type & SAMPLE_STREAM_ID ? s->stream_id : UINT64_MAX;
	s->cpu = type & SAMPLE_CPU ? s->cpu : UINT32_MAX;
	s->period = type & SAMPLE_PERIOD ? s->period : 0;
	s->nr_ips = type & SAMPLE_CALLCHAIN ? rng_next(state) % 17 : 0;
	s->ips = st->ips;
	s->raw_size = type & SAMPLE_RAW ? (uint32_t)(rng_next(state) % 8) * 8 + 4 : 0;
	s->raw = st->raw;
	s->nr_branches = type & SAMPLE_BRANCH_STACK ? rng_next(state) % 9 : 0;
	if (!(type & SAMPLE_BRANCH_STACK) || !(l->branch_sample_type & BRANCH_HW_INDEX))
		s->branch_hw_index = 0;
	s->branches = st->branches;
	s->branch_counters = st->counters;
	s->regs_user_abi = type & SAMPLE_REGS_USER ? rng_next(state) % 3 : 0;
	s->regs_user = st->regs_user;
	s->regs_intr_abi = type & SAMPLE_REGS_INTR ? rng_next(state) % 3 : 0;
	s->regs_intr = st->regs_intr;
	s->stack_size = type & SAMPLE_STACK_USER ? rng_next(state) % 33 * 8 : 0;
	s->stack = st->stack;
	s->stack_dyn_size = s->stack_size ? rng_next(state) % (s->stack_size + 1) : 0;
	s->weight = type & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT) ? s->weight : 0;
	s->data_src = type & SAMPLE_DATA_SRC ? s->data_src : 0;
	s->transaction = type & SAMPLE_TRANSACTION ? s->transaction : 0;
	s->phys_addr = type & SAMPLE_PHYS_ADDR ? s->phys_addr : 0;
	s->cgroup = type & SAMPLE_CGROUP ? s->cgroup : 0;
	s->data_page_size = type & SAMPLE_DATA_PAGE_SIZE ? s->data_page_size : 0;
	s->code_page_size = type & SAMPLE_CODE_PAGE_SIZE ? s->code_page_size : 0;
	s->aux_size = type & SAMPLE_AUX ? rng_next(state) % 17 * 8 : 0;
	s->aux = st->aux;
}

static inline void assert_read_equal(const struct sample_layout *l, const struct sample_read *got, const struct sample_read *want,
				     const struct read_source *src)
{
	assert_int_equal(got->nr, src->nr);
	assert_int_equal(got->time_enabled, want->time_enabled);
	assert_int_equal(got->time_running, want->time_running);
	for (uint64_t i = 0; i < src->nr; i++) {
		struct sample_read_value v = sample_read_get(l, got, i);

		assert_memory_equal(&v, &src->values[i], sizeof(v));
	}
}

/* cmocka's compares no zero bytes. */
static inline void assert_bytes_equal(const void *got, const void *want, size_t size)
{
	if (size)
		assert_memory_equal(got, want, size);
}

static inline void assert_sample_equal(const struct sample_layout *l, const struct sample *got, const struct sample *want,
				       const struct read_source *src)
{
	size_t nr_user = (size_t)__builtin_popcountll(l->regs_user);
	size_t nr_intr = (size_t)__builtin_popcountll(l->regs_intr);

	assert_int_equal(got->ip, want->ip);
	assert_int_equal(got->pid, want->pid);
	assert_int_equal(got->tid, want->tid);
	assert_int_equal(got->time_ns, want->time_ns);
	assert_int_equal(got->addr, want->addr);
	assert_int_equal(got->id, want->id);
	assert_int_equal(got->stream_id, want->stream_id);
	assert_int_equal(got->cpu, want->cpu);
	assert_int_equal(got->period, want->period);
	if (l->sample_type & SAMPLE_READ)
		assert_read_equal(l, &got->read, &want->read, src);
	assert_int_equal(got->nr_ips, want->nr_ips);
	assert_bytes_equal(got->ips, want->ips, want->nr_ips * 8);
	assert_int_equal(got->raw_size, want->raw_size);
	assert_bytes_equal(got->raw, want->raw, want->raw_size);
	assert_int_equal(got->nr_branches, want->nr_branches);
	assert_int_equal(got->branch_hw_index, want->branch_hw_index);
	assert_bytes_equal(got->branches, want->branches, want->nr_branches * 24);
	if (l->branch_sample_type & BRANCH_COUNTERS)
		assert_bytes_equal(got->branch_counters, want->branch_counters, want->nr_branches * 8);
	assert_int_equal(got->regs_user_abi, want->regs_user_abi);
	assert_bytes_equal(got->regs_user, want->regs_user, want->regs_user_abi ? nr_user * 8 : 0);
	assert_int_equal(got->regs_intr_abi, want->regs_intr_abi);
	assert_bytes_equal(got->regs_intr, want->regs_intr, want->regs_intr_abi ? nr_intr * 8 : 0);
	assert_int_equal(got->stack_size, want->stack_size);
	assert_bytes_equal(got->stack, want->stack, want->stack_size);
	assert_int_equal(got->stack_dyn_size, want->stack_dyn_size);
	assert_int_equal(got->weight, want->weight);
	assert_int_equal(got->data_src, want->data_src);
	assert_int_equal(got->transaction, want->transaction);
	assert_int_equal(got->phys_addr, want->phys_addr);
	assert_int_equal(got->cgroup, want->cgroup);
	assert_int_equal(got->data_page_size, want->data_page_size);
	assert_int_equal(got->code_page_size, want->code_page_size);
	assert_int_equal(got->aux_size, want->aux_size);
	assert_bytes_equal(got->aux, want->aux, want->aux_size);
}

/* A copy of exactly its size, so that a sanitizer sees any byte read beyond. */
static inline void *exact_copy(const void *data, size_t size)
{
	void *p = malloc(size ? size : 1);

	assert_non_null(p);
	return memcpy(p, data, size);
}

#endif

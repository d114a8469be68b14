/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stream of record-time unwinding: order of time across rings, chunks in the order they came,
 * everything but samples as it was, damage and samples of nobody left out and counted; and the same
 * bytes however many workers there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "capture/unwind_stream.h"

#define CODE 0x400000u
#define STACK 0x7ffff000u
#define PID 42u

static struct attr opened = {
	.size = ATTR_SIZE_VER7,
	.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER,
	.sample_stack_user = 256,
	.flags = ATTR_SAMPLE_ID_ALL,
};
static struct attr in_file;

static void stream_begin(struct unwind_stream *s, uint32_t max_workers)
{
	opened.sample_regs_user = arch_native()->perf_regs;
	in_file = opened;
	unwound_attr(&in_file);
	unwind_stream_init(s, max_workers, NULL);
	unwind_stream_add_event(s, &opened, &in_file);
	unwind_stream_add_event(s, &in_file, &in_file);
	unwind_stream_add_id(s, 100, 100, 0);
	unwind_stream_add_id(s, 101, 101, 1);
}

static struct unwind_chunk *chunk_new(void)
{
	struct unwind_chunk *c = unwind_chunk_new(1 << 20);

	c->block.size = 0;
	return c;
}

static void chunk_add(struct unwind_chunk *c, const struct record *rec, const struct attr *a)
{
	struct sample_layout l = sample_layout_of(a);
	int64_t n = record_encode(rec, &l, c->block.data + c->block.size, c->block.cap - c->block.size);

	assert_true(n > 0);
	c->block.size += (uint32_t)n;
}

/* A thread two calls deep, by its frame pointers. */
static void add_sample(struct unwind_chunk *c, uint64_t time_ns, uint64_t id)
{
	const struct arch_ops *arch = arch_native();
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct record rec = { .header = &h };
	uint64_t regs[64] = { 0 }, stack[32] = { 0 };
	uint32_t nr = 0;

	for (uint32_t bit = 0; bit < 64; bit++) {
		if (!(arch->perf_regs >> bit & 1))
			continue;
		if (bit == arch->perf_pc)
			regs[nr] = CODE + 0x10;
		else if (arch->dwarf_of_perf[bit] == arch->sp)
			regs[nr] = STACK;
		else if (arch->dwarf_of_perf[bit] == arch->fp)
			regs[nr] = STACK + 16;
		nr++;
	}
	stack[2] = STACK + 64;
	stack[3] = CODE + 0x101;
	rec.sample = (struct sample){
		.id = id,
		.ip = CODE + 0x10,
		.pid = PID,
		.tid = PID,
		.time_ns = time_ns,
		.regs_user_abi = 2,
		.regs_user = regs,
		.stack = stack,
		.stack_size = sizeof(stack),
		.stack_dyn_size = sizeof(stack),
	};
	chunk_add(c, &rec, id == 100 ? &opened : &in_file);
}

static void add_map(struct unwind_chunk *c, uint64_t time_ns)
{
	struct record_header h = { .type = RECORD_MMAP2, .misc = MISC_USER };
	struct record rec = { .header = &h, .id = { .pid = PID, .tid = PID, .time_ns = time_ns, .id = 100 } };

	rec.mmap.pid = rec.mmap.tid = PID;
	rec.mmap.start = CODE;
	rec.mmap.len = 0x1000;
	rec.mmap.prot = PROT_READ | PROT_EXEC;
	rec.mmap.filename = "//anon";
	chunk_add(c, &rec, &opened);
}

static void put(struct unwind_stream *s, struct unwind_chunk *c, bool ends_round)
{
	c->ends_round = ends_round;
	unwind_stream_put(s, c);
}

/* The i-th sample of a finished chunk. */
static struct sample sample_of(const struct unwind_chunk *c, uint32_t i)
{
	struct sample_layout l = sample_layout_of(&in_file);
	struct sample s = { 0 };

	for (uint32_t off = 0; off < c->block.size;) {
		const struct record_header *h = (const void *)(c->block.data + off);

		off += h->size;
		if (h->type != RECORD_SAMPLE || i--)
			continue;
		assert_int_equal(sample_decode(&l, h + 1, h->size - 8, &s), 0);
		return s;
	}
	fail_msg("no such sample");
	return s;
}

/* The map is older than the sample, and comes a round later from another ring. */
static void test_order(void **state)
{
	struct unwind_chunk *first = chunk_new(), *second = chunk_new(), *c;
	struct unwind_stream s;
	struct sample out;

	(void)state;
	stream_begin(&s, 1);
	add_sample(first, 1000, 100);
	add_sample(first, 2000, 100);
	put(&s, first, true);
	assert_null(unwind_stream_next(&s)); /* the round is not complete yet */
	assert_int_equal(unwind_stream_count_held(&s), 2);
	add_map(second, 1500);
	put(&s, second, true);
	c = unwind_stream_next(&s);
	assert_ptr_equal(c, first);
	out = sample_of(c, 0);
	assert_int_equal(out.nr_ips, 4); /* nothing was mapped by then: the address alone, and that it is broken */
	assert_int_equal(out.ips[0], CHAIN_USER);
	assert_int_equal(out.ips[1], CODE + 0x10);
	out = sample_of(c, 1);
	assert_int_equal(out.nr_ips, 3 + WALKED_GUESSED); /* by the frame pointer */
	assert_int_equal(out.ips[2], CODE + 0x100);	  /* inside the call */
	unwind_chunk_free(c);
	c = unwind_stream_next(&s);
	assert_ptr_equal(c, second);
	unwind_chunk_free(c);
	assert_null(unwind_stream_next(&s));
	unwind_stream_fini(&s);
}

static void test_others_stay(void **state)
{
	struct unwind_chunk *c = chunk_new(), *opening = chunk_new();
	struct unwind_stream s;
	uint8_t before[512];
	uint32_t at, size;

	(void)state;
	stream_begin(&s, 1);
	add_map(opening, 0);
	opening->is_opening = true;
	unwind_stream_put(&s, opening);
	assert_null(unwind_stream_next(&s));
	add_sample(c, 10, 100);
	at = c->block.size;
	add_map(c, 11);
	add_sample(c, 12, 101); /* of the event without stacks */
	size = c->block.size - at;
	memcpy(before, c->block.data + at, size);
	add_sample(c, 13, 999); /* of nobody */
	put(&s, c, true);
	unwind_stream_finish(&s);
	c = unwind_stream_next(&s);
	assert_non_null(c);
	assert_int_equal(sample_of(c, 0).nr_ips, 3 + WALKED_GUESSED);
	at = ((const struct record_header *)c->block.data)->size;
	assert_int_equal(c->block.size, at + size);
	assert_memory_equal(c->block.data + at, before, size);
	assert_int_equal(unwind_stream_count_malformed(&s), 1);
	unwind_chunk_free(c);
	unwind_stream_fini(&s);
}

static void test_damage(void **state)
{
	struct unwind_chunk *c = chunk_new();
	struct unwind_stream s;
	uint32_t off;

	(void)state;
	stream_begin(&s, 1);
	add_sample(c, 10, 100);
	off = c->block.size;
	add_sample(c, 20, 100);
	((struct record_header *)(c->block.data + off))->size = 12;
	put(&s, c, true);
	c = chunk_new();
	add_sample(c, 30, 100);
	/* A stack that is longer than its record. */
	((uint64_t *)c->block.data)[6 + 1 + (uint32_t)__builtin_popcountll(opened.sample_regs_user)] = 1 << 20;
	put(&s, c, false);
	unwind_stream_finish(&s);
	c = unwind_stream_next(&s);
	assert_int_equal(unwind_chunk_count_samples(c), 1);
	unwind_chunk_free(c);
	c = unwind_stream_next(&s);
	assert_int_equal(unwind_chunk_count_samples(c), 0);
	unwind_chunk_free(c);
	assert_int_equal(s.source.nr_damaged, 1);
	assert_int_equal(unwind_stream_count_malformed(&s), 1);
	unwind_stream_fini(&s);
}

static struct unwind_chunk *unwind_many(uint32_t max_workers, struct unwind_stream *s)
{
	struct unwind_chunk *c = chunk_new();

	stream_begin(s, max_workers);
	add_map(c, 5);
	for (uint64_t t = 10; t < 1510; t++)
		add_sample(c, t, 100);
	put(s, c, true);
	unwind_stream_finish(s);
	return unwind_stream_next(s);
}

static void test_workers(void **state)
{
	struct unwind_stream one, four;
	struct unwind_chunk *a = unwind_many(1, &one), *b = unwind_many(4, &four);

	(void)state;
	assert_true(four.batch.workers.nr > 1);
	assert_int_equal(unwind_chunk_count_samples(a), 1500);
	assert_int_equal(a->block.size, b->block.size);
	assert_memory_equal(a->block.data, b->block.data, a->block.size);
	unwind_chunk_free(a);
	unwind_chunk_free(b);
	unwind_stream_fini(&one);
	unwind_stream_fini(&four);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_others_stay),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

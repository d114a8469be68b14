/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records out of a ring: what a dump did not fill is left out, all else is as it was, wherever the ring's end cuts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "capture/unwind_stage.h"
#include "capture/unwind_stream.h"

static struct attr opened = {
	.size = ATTR_SIZE_VER7,
	.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER |
		       SAMPLE_WEIGHT,
	.sample_stack_user = 4096,
	.flags = ATTR_SAMPLE_ID_ALL,
};

struct fixture {
	struct unwind_stream stream;
	uint8_t ring[1 << 16] __attribute__((aligned(8))), out[1 << 16] __attribute__((aligned(8)));
	size_t size;
	struct dump_use use;
};

static struct fixture *begin(void)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct attr in_file;

	assert_non_null(f);
	opened.sample_regs_user = arch_native()->perf_regs;
	in_file = opened;
	unwound_attr(&in_file);
	unwind_stream_init(&f->stream, 1, NULL);
	unwind_stream_add_event(&f->stream, &opened, &in_file);
	unwind_stream_add_id(&f->stream, 100, 100, 0);
	return f;
}

static void end(struct fixture *f)
{
	unwind_stream_fini(&f->stream);
	free(f);
}

static void add_sample(struct fixture *f, uint64_t size, uint64_t dyn_size)
{
	static uint64_t regs[64], ips[] = { CHAIN_KERNEL, 0xffffffff81000000 };
	struct sample_layout l = sample_layout_of(&opened);
	struct record_header h = { .type = RECORD_SAMPLE };
	static uint8_t stack[8192];
	struct record rec = { .header = &h };

	for (size_t i = 0; i < sizeof(stack); i++)
		stack[i] = (uint8_t)(i * 7 + i / 256);
	rec.sample = (struct sample){ .id = 100,
				      .ip = 1,
				      .pid = 2,
				      .tid = 3,
				      .time_ns = 4,
				      .ips = ips,
				      .nr_ips = 2,
				      .regs_user_abi = 2,
				      .regs_user = regs,
				      .stack = stack,
				      .stack_size = size,
				      .stack_dyn_size = dyn_size,
				      .weight = 77 };
	f->size += (size_t)record_encode(&rec, &l, f->ring + f->size, sizeof(f->ring) - f->size);
}

static size_t copy(struct fixture *f, size_t a_size)
{
	const struct ring_span p = { f->ring, f->ring + a_size, a_size, f->size };
	size_t off = 0, size;

	f->use = (struct dump_use){ 0 };
	size = dump_copy(&f->stream, &p, &off, f->out, sizeof(f->out), &f->use);
	assert_int_equal(off, f->size);
	return size;
}

/* The sample at `off` of the output; returns where the next is. */
static size_t decode(struct fixture *f, size_t off, struct sample *s)
{
	const struct record_header *h = (const void *)(f->out + off);
	struct sample_layout l = sample_layout_of(&opened);

	assert_int_equal(h->type, RECORD_SAMPLE);
	assert_int_equal(h->size % 8, 0);
	assert_int_equal(sample_decode(&l, h + 1, h->size - sizeof(*h), s), 0);
	assert_int_equal(s->id, 100);
	assert_int_equal(s->nr_ips, 2);
	assert_int_equal(s->weight, 77);
	for (size_t i = 0; i < s->stack_dyn_size; i++)
		assert_int_equal(((const uint8_t *)s->stack)[i], (uint8_t)(i * 7 + i / 256));
	return off + h->size;
}

static void test_sizes(void **state)
{
	static const uint64_t dyn[] = { 0, 1, 8, 100, 4080, 4087, 4088, 4095, 4096 };
	struct fixture *f = begin();
	size_t off = 0, size;
	struct sample s;

	(void)state;
	for (size_t i = 0; i < sizeof(dyn) / sizeof(dyn[0]); i++)
		add_sample(f, 4096, dyn[i]);
	size = copy(f, f->size);
	for (size_t i = 0; i < sizeof(dyn) / sizeof(dyn[0]); i++) {
		off = decode(f, off, &s);
		assert_int_equal(s.stack_dyn_size, dyn[i]);
		assert_int_equal(s.stack_dyn_size < s.stack_size, dyn[i] < 4096);
		assert_true(s.stack_size <= dyn[i] + 16);
	}
	assert_int_equal(off, size);
	assert_int_equal(f->use.nr, 9);
	assert_int_equal(f->use.nr_full, 1);
	assert_int_equal(f->use.bytes, 0 + 1 + 8 + 100 + 4080 + 4087 + 4088 + 4095 + 4096);
	assert_int_equal(f->use.nr_deep, 0);
	end(f);
}

/* The ring's end at every place. */
static void test_wrapped(void **state)
{
	struct fixture *f = begin();
	uint8_t *whole;
	size_t size;

	(void)state;
	add_sample(f, 512, 300);
	add_sample(f, 512, 512);
	add_sample(f, 512, 0);
	size = copy(f, f->size);
	whole = malloc(size);
	assert_non_null(whole);
	memcpy(whole, f->out, size);
	for (size_t cut = 8; cut < f->size; cut += 8) {
		memset(f->out, 0xee, sizeof(f->out));
		assert_int_equal(copy(f, cut), size);
		assert_memory_equal(f->out, whole, size);
		assert_int_equal(f->use.nr, 3);
	}
	free(whole);
	end(f);
}

/* A sample without stack, other records, and what is no record. */
static void test_others(void **state)
{
	struct {
		struct record_header h;
		uint64_t w[3];
	} lost = { { RECORD_LOST, 0, sizeof(lost) }, { 1, 2, 3 } };
	const struct record_header bad = { RECORD_SAMPLE, 0, 4 };
	struct fixture *f = begin();
	size_t sample_size;

	(void)state;
	add_sample(f, 0, 0);
	sample_size = f->size;
	memcpy(f->ring + f->size, &lost, sizeof(lost));
	f->size += sizeof(lost);
	assert_int_equal(copy(f, f->size), f->size);
	assert_memory_equal(f->out, f->ring, f->size);
	assert_int_equal(f->use.nr_lost, 2);
	memcpy(f->ring + sample_size, &bad, sizeof(bad));
	assert_int_equal(copy(f, f->size), sample_size + sizeof(bad));
	f->size = sample_size + 4;
	assert_int_equal(copy(f, f->size), sample_size);
	/* half a sample */
	f->size = sample_size - 8;
	assert_int_equal(copy(f, f->size), sizeof(bad));
	end(f);
}

/* As many as fit, and the rest the next time. */
static void test_in_parts(void **state)
{
	struct fixture *f = begin();
	size_t off = 0, total = 0, nr = 0;

	(void)state;
	for (int i = 0; i < 10; i++)
		add_sample(f, 1024, 500);
	const struct ring_span p = { f->ring, NULL, f->size, f->size };

	while (off < f->size) {
		size_t n = dump_copy(&f->stream, &p, &off, f->out, 3000, &f->use);

		assert_in_range(n, 500, 3000);
		total += n;
		nr++;
	}
	assert_true(nr >= 3);
	assert_int_equal(f->use.nr, 10);
	assert_int_equal(total, copy(f, f->size));
	end(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

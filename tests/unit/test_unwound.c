/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Unwound samples: the attr loses what belongs to raw stacks and nothing else, a sample keeps all
 * other fields, its chain is kernel part, mark, callers; one that is too long is cut at the outer end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/unwind_stream.h"

static const struct attr dwarf = {
	.size = ATTR_SIZE_VER7,
	.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD | SAMPLE_CALLCHAIN | SAMPLE_RAW |
		       SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_WEIGHT | SAMPLE_CGROUP,
	.sample_regs_user = 0x7,
	.sample_stack_user = 64,
	.flags = ATTR_SAMPLE_ID_ALL | ATTR_EXCLUDE_CHAIN_USER | ATTR_EXCLUDE_CHAIN_KERNEL,
};

static void test_attr(void **state)
{
	struct attr a = dwarf, plain = dwarf;

	(void)state;
	assert_true(unwound_is_possible(&a));
	unwound_attr(&a);
	assert_false(unwound_is_possible(&a));
	assert_int_equal(a.sample_type, dwarf.sample_type & ~(SAMPLE_REGS_USER | SAMPLE_STACK_USER));
	/* The rest tells that stacks were dumped, and walked. */
	assert_int_equal(a.sample_regs_user, dwarf.sample_regs_user);
	assert_int_equal(a.sample_stack_user, dwarf.sample_stack_user);
	assert_int_equal(a.flags, dwarf.flags);
	assert_true(attr_is_walked(&a));
	assert_false(attr_is_walked(&dwarf));

	/* Of another event nothing is changed. */
	plain.sample_type &= ~SAMPLE_STACK_USER;
	a = plain;
	unwound_attr(&a);
	assert_memory_equal(&a, &plain, sizeof(a));
	assert_false(attr_is_walked(&a));
	plain.sample_type &= ~SAMPLE_REGS_USER;
	plain.sample_stack_user = 0;
	assert_false(attr_is_walked(&plain));
}

static struct sample sample_with(const uint64_t *ips, uint64_t nr)
{
	static const uint64_t regs[3] = { 1, 2, 3 }, stack[8];

	return (struct sample){
		.id = 77,
		.ip = 0x1000,
		.pid = 5,
		.tid = 6,
		.time_ns = 99,
		.period = 3,
		.ips = ips,
		.nr_ips = nr,
		.raw = "0123456789ab",
		.raw_size = 12,
		.regs_user_abi = 2,
		.regs_user = regs,
		.stack = stack,
		.stack_size = 64,
		.stack_dyn_size = 64,
		.weight = 8,
		.cgroup = 9,
	};
}

static void test_encode(void **state)
{
	static const uint64_t kernel[] = { CHAIN_KERNEL, 0xffff1, 0xffff2 };
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_KERNEL, .size = 8 };
	struct sample s = sample_with(kernel, 3), back;
	struct attr in_file = dwarf;
	struct sample_layout out;
	uint64_t chain[UNWOUND_CHAIN_MAX], buf[512];
	struct unwind_result walk = { UNWIND_COMPLETE, false };
	uint32_t nr;
	int64_t size;

	(void)state;
	unwound_attr(&in_file);
	out = sample_layout_of(&in_file);
	nr = unwound_chain_begin(&s, chain);
	assert_int_equal(nr, 4);
	chain[nr++] = 0x1000;
	chain[nr++] = 0x2000;
	size = unwound_encode(&out, &h, &s, chain, nr, &walk, buf, sizeof(buf));
	assert_true(size > 0 && size % 8 == 0);
	memcpy(&h, buf, sizeof(h));
	assert_int_equal(h.size, size);
	assert_int_equal(h.misc, MISC_KERNEL);
	assert_int_equal(sample_decode(&out, buf + 1, (size_t)size - 8, &back), 0);
	assert_int_equal(back.nr_ips, 6);
	assert_int_equal(back.ips[3], CHAIN_USER);
	assert_int_equal(back.ips[5], 0x2000);
	assert_int_equal(back.id, 77);
	assert_int_equal(back.time_ns, 99);
	assert_int_equal(back.raw_size, 12);
	assert_memory_equal(back.raw, "0123456789ab", 12);
	assert_int_equal(back.weight, 8);
	assert_int_equal(back.cgroup, 9);
	assert_null(back.stack);
	assert_null(back.regs_user);
	/* A chain that has a user part already is unwound anew. */
	memcpy(chain, (uint64_t[]){ CHAIN_KERNEL, 1, CHAIN_USER, 2, 3 }, 40);
	s = sample_with((uint64_t[]){ CHAIN_KERNEL, 1, CHAIN_USER, 2, 3 }, 5);
	assert_int_equal(unwound_chain_begin(&s, chain), 3);
}

/* Marks behind the chain, and back. */
static void test_ends(void **state)
{
	static const struct {
		enum unwind_end end;
		bool guessed;
		enum walked_end walked;
	} cases[] = { { UNWIND_COMPLETE, false, WALKED_COMPLETE },     { UNWIND_TRUNCATED, false, WALKED_TRUNCATED },
		      { UNWIND_LIMIT, false, WALKED_LIMIT },	       { UNWIND_RECORD_LIMIT, false, WALKED_LIMIT },
		      { UNWIND_SMALL_DUMP, false, WALKED_SMALL_DUMP }, { UNWIND_SMALL_DUMP, true, WALKED_SMALL_DUMP },
		      { UNWIND_NO_MAP, false, WALKED_BROKEN },	       { UNWIND_NO_RULE, false, WALKED_BROKEN },
		      { UNWIND_BAD_MEMORY, false, WALKED_BROKEN },     { UNWIND_NO_PROGRESS, false, WALKED_BROKEN },
		      { UNWIND_NO_STACK, false, WALKED_NO_STACK },     { UNWIND_COMPLETE, true, WALKED_GUESSED },
		      { UNWIND_NO_RULE, true, WALKED_GUESSED_BROKEN }, { UNWIND_TRUNCATED, true, WALKED_TRUNCATED } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t chain[2 + UNWOUND_MARKS_MAX] = { CHAIN_USER, 0x1000 }, buf[512];
		struct record_header h = { .type = RECORD_SAMPLE, .size = 8 };
		struct sample s = sample_with(NULL, 0), back;
		struct unwind_result walk = { cases[i].end, cases[i].guessed };
		struct attr in_file = dwarf;
		struct sample_layout out;
		enum walked_end walked;
		int64_t size;

		unwound_attr(&in_file);
		out = sample_layout_of(&in_file);
		size = unwound_encode(&out, &h, &s, chain, 2, &walk, buf, sizeof(buf));
		assert_true(size > 0);
		assert_int_equal(walk.end, cases[i].end);
		assert_int_equal(sample_decode(&out, buf + 1, (size_t)size - 8, &back), 0);
		assert_int_equal(back.nr_ips, 2 + cases[i].walked);
		assert_int_equal(walked_chain_end(back.ips, back.nr_ips, &walked), 2);
		assert_int_equal(walked, cases[i].walked);
	}
}

static void test_too_long(void **state)
{
	struct record_header h = { .type = RECORD_SAMPLE, .size = 8 };
	struct sample s = sample_with(NULL, 0), back;
	struct sample_layout out = sample_layout_of(&dwarf);
	uint64_t *chain = calloc(UNWOUND_CHAIN_MAX + 200, 8), *buf = malloc(1 << 17);
	struct unwind_result walk = { UNWIND_COMPLETE, false };
	enum walked_end walked;
	int64_t size;

	(void)state;
	out.sample_type &= ~(SAMPLE_REGS_USER | SAMPLE_STACK_USER);
	size = unwound_encode(&out, &h, &s, chain, UNWOUND_CHAIN_MAX + 100, &walk, buf, 1 << 17);
	assert_true(size > UNWOUND_RECORD_MAX - 8 && size <= UNWOUND_RECORD_MAX);
	assert_int_equal(walk.end, UNWIND_RECORD_LIMIT);
	assert_int_equal(sample_decode(&out, buf + 1, (size_t)size - 8, &back), 0);
	assert_true(back.nr_ips < UNWOUND_CHAIN_MAX);
	assert_int_equal(walked_chain_end(back.ips, back.nr_ips, &walked), back.nr_ips - 3);
	assert_int_equal(walked, WALKED_LIMIT);
	/* Raw data alone that is too much is no sample. */
	s.raw_size = 70004;
	s.raw = chain;
	assert_true(unwound_encode(&out, &h, &s, chain, 1, &walk, buf, 1 << 17) < 0);
	free(chain);
	free(buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attr),
		cmocka_unit_test(test_encode),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

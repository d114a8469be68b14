/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which events may get larger dumps; that whoever asks is answered once, and within the limits.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <alloca.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/stack_growth.h"
#include "capture/unwind_growth.h"

static struct event_spec spec_of(uint32_t type, uint64_t config)
{
	struct event_spec s = { .group_leader = -1 };

	s.attr.type = type;
	s.attr.config = config;
	s.attr.sample_type = SAMPLE_IDENTIFIER | SAMPLE_STACK_USER;
	s.attr.sample_stack_user = 8192;
	s.attr.sample_period = 999;
	s.attr.flags = ATTR_FREQ;
	return s;
}

static void test_possible(void **state)
{
	struct event_spec s = spec_of(ATTR_TYPE_HARDWARE, 0);

	(void)state;
	assert_true(stack_growth_is_possible(&s));
	s.attr.sample_stack_user = STACK_GROWTH_SIZE;
	assert_false(stack_growth_is_possible(&s));
	s = spec_of(ATTR_TYPE_HARDWARE, 0);
	s.attr.sample_type &= ~SAMPLE_STACK_USER;
	assert_false(stack_growth_is_possible(&s));
	s = spec_of(ATTR_TYPE_HARDWARE, 0);
	s.group_leader = 0;
	assert_false(stack_growth_is_possible(&s));
	/* by count: only where single samples do not matter */
	s = spec_of(ATTR_TYPE_TRACEPOINT, 5);
	s.attr.flags = 0;
	assert_true(stack_growth_is_possible(&s));
	s.attr.sample_period = 1;
	assert_false(stack_growth_is_possible(&s));
	/* cpu-clock and task-clock, but no other software event */
	for (uint64_t config = 0; config < 5; config++) {
		s = spec_of(ATTR_TYPE_SOFTWARE, config);
		assert_int_equal(stack_growth_is_possible(&s), config <= 1);
	}
}

/* Sizes go by steps where nothing is known of the stack, and as far as it goes where it is. */
static void test_sizes(void **state)
{
	struct growth_wish w = { .tid = (uint32_t)getpid(), .dumped = 8192 };

	(void)state;
	assert_int_equal(stack_growth_choose_size(&w), 16384);
	w.dumped = 16384;
	assert_int_equal(stack_growth_choose_size(&w), 32768);
	w.dumped = 32768;
	assert_int_equal(stack_growth_choose_size(&w), STACK_GROWTH_SIZE);
	w.dumped = 64;
	w.sp = (uint64_t)(uintptr_t)alloca(128 << 10);
	assert_int_equal(stack_growth_choose_size(&w), STACK_GROWTH_SIZE);
}

/* For every large sample one usual is left out, and no other. */
static void test_replaces(void **state)
{
	struct deep_threads d = { 0 };
	struct deep_thread *t = deep_threads_add(&d, 7, false);

	(void)state;
	assert_false(deep_thread_replaces(t, 0, false, 2));
	assert_false(deep_thread_replaces(t, 0, true, 2));
	assert_false(deep_thread_replaces(t, 1, false, 2)); /* another event */
	assert_true(deep_thread_replaces(t, 0, false, 2));
	assert_false(deep_thread_replaces(t, 0, false, 2)); /* the large one was not scheduled */
	for (int i = 0; i < 5; i++)
		assert_false(deep_thread_replaces(t, 0, true, 2));
	assert_true(deep_thread_replaces(t, 0, false, 2));
	assert_true(deep_thread_replaces(t, 0, false, 2));
	assert_false(deep_thread_replaces(t, 0, false, 2));
	/* Many that come and go, and one that stays. */
	for (uint32_t id = 100; id < 2000; id++) {
		deep_threads_add(&d, id, id % 2);
		deep_threads_forget(&d, deep_threads_find(&d, id, id % 2));
		assert_null(deep_threads_find(&d, id, id % 2));
	}
	assert_non_null(deep_threads_find(&d, 7, false));
	assert_null(deep_threads_find(&d, 7, true));
	assert_true(d.items.nr < 200);
	deep_threads_fini(&d);
}

/* A count of losses that happens to be the id stays what it is. */
static void test_rewrite(void **state)
{
	const struct sample_layout l = { .sample_type = SAMPLE_IDENTIFIER | SAMPLE_TIME, .id_all = true };
	struct {
		struct record_header h;
		uint64_t w[5];
	} r = { { RECORD_LOST, 0, 40 }, { 55, 55, 1000, 55 } };

	(void)state;
	unwind_growth_rewrite(&l, &r.h, 9);
	assert_int_equal(r.w[0], 9);
	assert_int_equal(r.w[1], 55);
	assert_int_equal(r.w[2], 1000);
	assert_int_equal(r.w[3], 9);
	r = (typeof(r)){ { RECORD_LOST_SAMPLES, 0, 32 }, { 55, 55, 55 } };
	unwind_growth_rewrite(&l, &r.h, 9);
	assert_int_equal(r.w[0], 55);
	assert_int_equal(r.w[1], 55);
	assert_int_equal(r.w[2], 9);
	r = (typeof(r)){ { RECORD_THROTTLE, 0, 48 }, { 55, 55, 55, 55, 55 } };
	unwind_growth_rewrite(&l, &r.h, 9);
	assert_int_equal(r.w[0], 55);
	assert_int_equal(r.w[1], 9);
	assert_int_equal(r.w[2], 9);
	assert_int_equal(r.w[3], 55);
	assert_int_equal(r.w[4], 9);
}

/* No CPU, so nothing is opened: what counts is who was asked for. */
static void test_limits(void **state)
{
	struct event_list list = { 0 };
	struct event_fds fds = { .list = &list };
	struct stack_growth g;
	struct grown_event e;

	(void)state;
	stack_growth_init(&g, &fds, -1, true);
	for (uint32_t tid = 1; tid <= STACK_GROWTH_MAX_THREADS + 3; tid++)
		stack_growth_want(&g, &(struct growth_wish){ .pid = 1, .tid = tid, .dumped = 8192 });
	stack_growth_run(&g);
	assert_int_equal(g.nr_threads, STACK_GROWTH_MAX_THREADS);
	assert_int_equal(g.nr_refused, 3);
	assert_int_equal(g.refusal, -E2BIG);
	stack_growth_run(&g);
	assert_int_equal(g.nr_refused, 3);
	assert_false(stack_growth_find(&g, 1, &e));
	stack_growth_enable(&g, false);
	stack_growth_add_lost(&g);
	stack_growth_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_possible),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_replaces),
		cmocka_unit_test(test_rewrite),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

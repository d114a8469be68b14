/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spans of SWITCH records: running and preempted, none across a loss, none of what was not seen to begin, no more than the limit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/switch_spans.h"

static void see(struct switch_spans *s, uint32_t type, uint16_t misc, int32_t tid, uint64_t time_ns)
{
	const struct record_header header = { .type = type, .misc = misc };
	struct task task = { .tid = tid };
	struct session_record sr = { .header = &header, .task = &task, .time_ns = time_ns };

	switch_spans_see(s, &sr);
}

static void expect(const struct switch_spans *s, uint32_t i, int32_t tid, uint8_t state, uint64_t begin_ns, uint64_t end_ns)
{
	assert_true(i < s->v.nr);
	assert_int_equal(s->v.v[i].tid, tid);
	assert_int_equal(s->v.v[i].state, state);
	assert_int_equal(s->v.v[i].begin_ns, begin_ns);
	assert_int_equal(s->v.v[i].end_ns, end_ns);
}

static void test_states(void **state)
{
	struct switch_spans s;

	(void)state;
	switch_spans_init(&s, 100);
	see(&s, RECORD_SWITCH, MISC_SWITCH_OUT, 7, 5); /* its begin was not seen */
	see(&s, RECORD_SWITCH, 0, 7, 10);
	see(&s, RECORD_SWITCH, 0, 3, 11);
	see(&s, RECORD_SWITCH, MISC_SWITCH_OUT | MISC_SWITCH_OUT_PREEMPT, 7, 20);
	see(&s, RECORD_SWITCH_CPU_WIDE, 0, 7, 25);
	see(&s, RECORD_SWITCH, MISC_SWITCH_OUT, 7, 40);
	see(&s, RECORD_SWITCH, 0, 7, 90);
	see(&s, RECORD_LOST, 0, 7, 95);
	see(&s, RECORD_SWITCH, MISC_SWITCH_OUT, 7, 99);
	see(&s, RECORD_SWITCH, 0, 3, 100);
	see(&s, RECORD_EXIT, 0, 3, 110);
	see(&s, RECORD_SWITCH, MISC_SWITCH_OUT, 0, 120); /* the idle task */
	switch_spans_finish(&s);
	expect(&s, 0, 3, SPAN_RUNNING, 100, 110);
	expect(&s, 1, 7, SPAN_RUNNING, 10, 20);
	expect(&s, 2, 7, SPAN_PREEMPTED, 20, 25);
	expect(&s, 3, 7, SPAN_RUNNING, 25, 40);
	assert_int_equal(s.v.nr, 4);
	switch_spans_fini(&s);
}

static void test_limit(void **state)
{
	struct switch_spans s;

	(void)state;
	switch_spans_init(&s, 3);
	for (uint64_t i = 1; i <= 10; i++) {
		see(&s, RECORD_SWITCH, 0, 7, 10 * i);
		see(&s, RECORD_SWITCH, MISC_SWITCH_OUT, 7, 10 * i + 5);
	}
	assert_int_equal(s.v.nr, 3);
	assert_int_equal(s.nr_left_out, 7);
	switch_spans_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

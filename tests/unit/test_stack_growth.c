/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which events may have dumps of two sizes, and what recording starts with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/stack_growth.h"

#define RING (32ull << 20)

static struct event_spec spec_of(uint32_t type, uint64_t config)
{
	struct event_spec s = { .group_leader = -1 };

	s.attr.type = type;
	s.attr.config = config;
	s.attr.sample_type = SAMPLE_IDENTIFIER | SAMPLE_STACK_USER;
	s.attr.sample_stack_user = DUMP_SMALL;
	s.attr.sample_period = 999;
	s.attr.flags = ATTR_FREQ;
	return s;
}

static void test_possible(void **state)
{
	struct event_spec s = spec_of(ATTR_TYPE_HARDWARE, 0);

	(void)state;
	assert_true(stack_growth_is_possible(&s));
	s.attr.sample_type &= ~SAMPLE_STACK_USER;
	assert_false(stack_growth_is_possible(&s));
	s = spec_of(ATTR_TYPE_HARDWARE, 0);
	s.group_leader = 0;
	assert_false(stack_growth_is_possible(&s));
	s = spec_of(ATTR_TYPE_HARDWARE, 0);
	s.terms.given = EVENT_TERM_STACK_SIZE;
	assert_false(stack_growth_is_possible(&s));
	/* by count: only where single samples do not matter */
	s = spec_of(ATTR_TYPE_TRACEPOINT, 5);
	s.attr.flags = 0;
	assert_true(stack_growth_is_possible(&s));
	s.attr.sample_period = 1;
	assert_false(stack_growth_is_possible(&s));
	/* counts of threads, which twins would split */
	s = spec_of(ATTR_TYPE_HARDWARE, 0);
	s.attr.flags |= ATTR_INHERIT_STAT;
	assert_false(stack_growth_is_possible(&s));
}

struct plan {
	struct stack_growth growth;
	struct event_list list;
	struct event_config config;
	struct target target;
};

static void plan_init(struct plan *p, struct event_spec spec)
{
	*p = (struct plan){ .config = { .unwinds = true } };
	vec_push(&p->list.events, spec);
	vec_push(&p->target.cpus.cpus, 0);
	vec_push(&p->target.tasks.ids, 1);
}

static uint32_t plan_run(struct plan *p, uint64_t ring_bytes)
{
	stack_growth_plan(&p->growth, &p->list, &p->config, &p->target, ring_bytes);
	return p->list.events.v[0].attr.sample_stack_user;
}

static void plan_fini(struct plan *p)
{
	vec_fini(&p->list.events);
	vec_fini(&p->target.cpus.cpus);
	vec_fini(&p->target.tasks.ids);
}

/* Large from the first sample on, where the rate is known. */
static void test_plan(void **state)
{
	struct plan p;

	(void)state;
	plan_init(&p, spec_of(ATTR_TYPE_HARDWARE, 0));
	assert_int_equal(plan_run(&p, RING), DUMP_LARGE);
	assert_true(p.growth.starts_large);
	/* smaller rings than were asked for */
	assert_int_equal(plan_run(&p, 1 << 20), 32768);
	assert_int_equal(p.growth.large, 32768);
	assert_int_equal(plan_run(&p, 64 << 10), DUMP_SMALL);
	assert_int_equal(p.growth.large, 0);
	/* by count: nobody knows how many come */
	p.list.events.v[0].attr.flags = 0;
	assert_int_equal(plan_run(&p, RING), DUMP_SMALL);
	assert_int_equal(p.growth.large, DUMP_LARGE);
	assert_false(p.growth.starts_large);
	plan_fini(&p);
}

/* A size that somebody chose is the size of all dumps. */
static void test_fixed(void **state)
{
	struct plan p;

	(void)state;
	plan_init(&p, spec_of(ATTR_TYPE_HARDWARE, 0));
	p.config.stack_user_size = 16384;
	p.list.events.v[0].attr.sample_stack_user = 16384;
	assert_int_equal(plan_run(&p, RING), 16384);
	assert_int_equal(p.growth.large, 0);
	p.config.stack_user_size = 0;
	p.config.unwinds = false;
	assert_int_equal(plan_run(&p, RING), 16384);
	assert_int_equal(p.growth.large, 0);
	plan_fini(&p);
}

/* More events than files may be open: none twice. */
static void test_files(void **state)
{
	struct plan p;

	(void)state;
	plan_init(&p, spec_of(ATTR_TYPE_HARDWARE, 0));
	for (int i = 0; i < 1 << 12; i++)
		vec_push(&p.target.tasks.ids, i);
	for (unsigned i = 0; i < 1 << 12; i++)
		vec_push(&p.target.cpus.cpus, i);
	assert_int_equal(plan_run(&p, RING), DUMP_SMALL);
	assert_int_equal(p.growth.large, 0);
	plan_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_possible),
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

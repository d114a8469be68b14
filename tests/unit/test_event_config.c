/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Options into attr bits: the expectations are lines of `perf evlist -v` (6.1), written as bits.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "abi/sample.h"
#include "kernel/event_config.h"

#define BASE (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME)
#define TRACKING (ATTR_MMAP | ATTR_MMAP2 | ATTR_COMM | ATTR_COMM_EXEC | ATTR_TASK | ATTR_KSYMBOL | ATTR_BPF_EVENT)

static struct event_list configured(const char *text, const struct event_config *c)
{
	struct event_list list = { 0 };

	assert_int_equal(event_list_parse(&list, text, NULL), 0);
	event_list_configure(&list, c);
	return list;
}

static void test_workload(void **state)
{
	struct event_config c;
	struct event_list l;
	const struct attr *a;

	(void)state;
	event_config_init(&c);
	c.targets_workload = true;
	l = configured("cpu-clock:ppp", &c);
	assert_int_equal(l.events.nr, 1);
	a = &l.events.v[0].attr;
	assert_int_equal(a->size, 128);
	assert_int_equal(a->sample_period, 4000);
	assert_int_equal(a->sample_type, BASE | SAMPLE_PERIOD);
	assert_int_equal(a->read_format, READ_ID | READ_LOST);
	assert_int_equal(a->flags, ATTR_DISABLED | ATTR_INHERIT | ATTR_FREQ | ATTR_ENABLE_ON_EXEC | ATTR_PRECISE_IP | ATTR_SAMPLE_ID_ALL |
					   ATTR_EXCLUDE_GUEST | TRACKING);
	event_list_fini(&l);
}

static void test_period(void **state)
{
	struct event_config c;
	struct event_list l;

	(void)state;
	event_config_init(&c);
	c.period = 1000;
	l = configured("cpu-clock", &c);
	assert_int_equal(l.events.v[0].attr.sample_type, BASE);
	assert_int_equal(l.events.v[0].attr.sample_period, 1000);
	assert_int_equal(l.events.v[0].attr.flags & ATTR_FREQ, 0);
	event_list_fini(&l);
	c.sample_period = c.sample_period_given = true;
	l = configured("cpu-clock", &c);
	assert_int_equal(l.events.v[0].attr.sample_type, BASE | SAMPLE_PERIOD);
	event_list_fini(&l);
}

static void test_system_wide(void **state)
{
	struct event_config c;
	struct event_list l;
	const struct attr *a;

	(void)state;
	event_config_init(&c);
	c.system_wide = true;
	l = configured("cpu-clock,faults", &c);
	assert_int_equal(l.events.nr, 3);
	a = &l.events.v[2].attr;
	assert_string_equal(l.events.v[2].name, "dummy:HG");
	assert_int_equal(a->sample_period, 1);
	assert_int_equal(a->sample_type, BASE | SAMPLE_CPU | SAMPLE_IDENTIFIER);
	assert_int_equal(a->flags, ATTR_INHERIT | ATTR_SAMPLE_ID_ALL | TRACKING);
	assert_int_equal(event_list_tracking(&l), 2);
	a = &l.events.v[0].attr;
	assert_int_equal(a->sample_type, BASE | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_IDENTIFIER);
	assert_int_equal(a->flags, ATTR_DISABLED | ATTR_INHERIT | ATTR_FREQ | ATTR_SAMPLE_ID_ALL | ATTR_EXCLUDE_GUEST);
	event_list_fini(&l);
	/* Equal layouts: an id among the fields is enough. */
	c.period = 1000;
	l = configured("cpu-clock", &c);
	assert_int_equal(l.events.v[0].attr.sample_type, BASE | SAMPLE_ID | SAMPLE_CPU);
	assert_int_equal(l.events.v[1].attr.sample_period, 1000);
	event_list_fini(&l);
}

static void test_delay(void **state)
{
	struct event_config c;
	struct event_list l;

	(void)state;
	event_config_init(&c);
	c.delayed = true;
	c.targets_workload = true;
	l = configured("cpu-clock", &c);
	assert_int_equal(l.events.nr, 2);
	assert_false(l.events.v[0].attr.flags & ATTR_ENABLE_ON_EXEC);
	assert_true(l.events.v[1].attr.flags & ATTR_ENABLE_ON_EXEC);
	assert_true(l.events.v[1].attr.flags & ATTR_DISABLED);
	event_list_fini(&l);
	/* On running tasks tracking begins at once: maps made during the delay count too. */
	c.targets_workload = false;
	l = configured("cpu-clock", &c);
	assert_true(l.events.v[0].attr.flags & ATTR_DISABLED);
	assert_false(l.events.v[1].attr.flags & ATTR_DISABLED);
	event_list_fini(&l);
}

static void test_samples(void **state)
{
	struct event_config c;
	struct event_list l;
	const struct attr *a;

	(void)state;
	event_config_init(&c);
	c.callgraph = CALLGRAPH_FP;
	c.user_callchains = c.address = c.stat = c.raw = c.weight = true;
	l = configured("cpu-clock:S,faults", &c);
	a = &l.events.v[0].attr;
	assert_int_equal(a->sample_type, BASE | SAMPLE_ADDR | SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_RAW |
						 SAMPLE_DATA_SRC | SAMPLE_IDENTIFIER | SAMPLE_WEIGHT_STRUCT);
	assert_int_equal(a->read_format, READ_ID | READ_LOST | READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING);
	assert_true(a->flags & ATTR_EXCLUDE_CHAIN_KERNEL);
	assert_true(a->flags & ATTR_INHERIT_STAT);
	assert_true(a->flags & ATTR_MMAP_DATA);
	assert_false(l.events.v[1].attr.flags & (ATTR_MMAP_DATA | ATTR_TASK));
	event_list_fini(&l);

	event_config_init(&c);
	c.callgraph = CALLGRAPH_DWARF;
	c.stack_user_size = 8192;
	c.all_user = true;
	l = configured("cpu-clock:k", &c);
	a = &l.events.v[0].attr;
	assert_int_equal(a->sample_type,
			 BASE | SAMPLE_ADDR | SAMPLE_CALLCHAIN | SAMPLE_PERIOD | SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_DATA_SRC);
	assert_int_equal(a->sample_stack_user, 8192);
	assert_true(a->flags & ATTR_EXCLUDE_CHAIN_USER);
	assert_true(a->flags & ATTR_EXCLUDE_KERNEL);
	assert_false(a->flags & ATTR_EXCLUDE_USER);
	event_list_fini(&l);

	/* Unwound while recording: nothing but what that needs, and an id. */
	event_config_init(&c);
	c.callgraph = CALLGRAPH_DWARF;
	c.unwinds = true;
	l = configured("cpu-clock", &c);
	a = &l.events.v[0].attr;
	assert_int_equal(a->sample_type,
			 BASE | SAMPLE_CALLCHAIN | SAMPLE_PERIOD | SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_IDENTIFIER);
	assert_false(a->flags & ATTR_MMAP_DATA);
	event_list_fini(&l);
	c.callgraph = CALLGRAPH_FP;
	l = configured("cpu-clock", &c);
	assert_int_equal(l.events.v[0].attr.sample_type, BASE | SAMPLE_CALLCHAIN | SAMPLE_PERIOD);
	event_list_fini(&l);
}

static void test_groups(void **state)
{
	const uint64_t read = SAMPLE_READ | SAMPLE_ID;
	struct event_config c;
	struct event_list l;

	(void)state;
	event_config_init(&c);
	c.targets_workload = true;
	l = configured("{cpu-clock,cs}:S", &c);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(l.events.v[i].attr.sample_type, BASE | SAMPLE_PERIOD | read);
		assert_int_equal(l.events.v[i].attr.read_format, READ_ID | READ_LOST | READ_GROUP);
	}
	assert_int_equal(l.events.v[0].attr.sample_period, 4000);
	assert_int_equal(l.events.v[0].attr.flags & (ATTR_INHERIT | ATTR_DISABLED), ATTR_INHERIT | ATTR_DISABLED);
	assert_int_equal(l.events.v[1].attr.sample_period, 0);
	assert_int_equal(l.events.v[1].attr.flags, ATTR_INHERIT | ATTR_SAMPLE_ID_ALL | ATTR_EXCLUDE_GUEST);
	event_list_fini(&l);

	/* Without S each samples for itself; only the leader waits. */
	l = configured("{cpu-clock,cs},faults", &c);
	assert_int_equal(l.events.v[1].attr.flags, ATTR_INHERIT | ATTR_FREQ | ATTR_SAMPLE_ID_ALL | ATTR_EXCLUDE_GUEST);
	assert_int_equal(l.events.v[1].attr.read_format, READ_ID | READ_LOST);
	assert_true(l.events.v[2].attr.flags & ATTR_DISABLED);
	assert_true(l.events.v[2].attr.flags & ATTR_ENABLE_ON_EXEC);
	event_list_fini(&l);
}

static void check_inherit(const char *events, const struct event_config *c, bool want)
{
	struct event_list l = configured(events, c);

	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(!!(l.events.v[i].attr.flags & ATTR_INHERIT), want);
	event_list_fini(&l);
}

/* Events that are read with their samples follow tasks all together, where the kernel can, and not on whole CPUs. */
static void test_inherited_reads(void **state)
{
	struct event_config c;

	(void)state;
	event_config_init(&c);
	check_inherit("{cpu-clock,cs}:S", &c, true);
	check_inherit("cpu-clock:S,cs:S", &c, true);
	check_inherit("{cpu-clock,cs/no-inherit/}:S", &c, true);
	check_inherit("{cpu-clock/no-inherit/,cs}:S", &c, false);
	c.no_inherited_reads = true;
	check_inherit("{cpu-clock,cs}:S", &c, false);
	check_inherit("cpu-clock:S,cs:S", &c, false);
	check_inherit("{cpu-clock,cs}", &c, true);
	c.no_inherited_reads = false;
	c.system_wide = true;
	check_inherit("{cpu-clock,cs}:S", &c, false);
	c.system_wide = false;
	c.no_inherit = true;
	check_inherit("{cpu-clock,cs}:S", &c, false);
}

static void test_terms(void **state)
{
	struct event_config c;
	struct event_list l;

	(void)state;
	event_config_init(&c);
	c.callgraph = CALLGRAPH_FP;
	l = configured("cpu-clock/period=7,call-graph=no/,cs/freq=9,max-stack=3,no-inherit,time=0/", &c);
	assert_int_equal(l.events.v[0].attr.sample_period, 7);
	assert_int_equal(l.events.v[0].attr.sample_type, BASE | SAMPLE_IDENTIFIER);
	assert_false(l.events.v[0].attr.flags & ATTR_FREQ);
	assert_int_equal(l.events.v[1].attr.sample_period, 9);
	assert_int_equal(l.events.v[1].attr.sample_type, SAMPLE_IP | SAMPLE_TID | SAMPLE_CALLCHAIN | SAMPLE_PERIOD | SAMPLE_IDENTIFIER);
	assert_int_equal(l.events.v[1].attr.sample_max_stack, 3);
	assert_true(l.events.v[1].attr.flags & ATTR_FREQ);
	assert_false(l.events.v[1].attr.flags & ATTR_INHERIT);
	event_list_fini(&l);

	c.callgraph = CALLGRAPH_NONE;
	l = configured("cpu-clock/call-graph=dwarf,stack-size=4096/,mem:0x1000:w", &c);
	assert_int_equal(l.events.v[0].attr.sample_stack_user, 4096);
	assert_true(l.events.v[0].attr.sample_type & SAMPLE_STACK_USER);
	assert_true(l.events.v[0].attr.sample_regs_user);
	assert_true(l.events.v[0].attr.flags & ATTR_MMAP_DATA);
	assert_int_equal(l.events.v[1].attr.sample_period, 1);
	assert_int_equal(l.events.v[1].attr.sample_type, BASE | SAMPLE_IDENTIFIER);
	event_list_fini(&l);
}

/* An event that is only on some CPUs cannot track tasks on the others. */
static void test_some_cpus(void **state)
{
	struct event_list l = { 0 };
	struct event_config c;

	(void)state;
	event_config_init(&c);
	c.targets_workload = true;
	assert_int_equal(event_list_parse(&l, "cpu-clock", NULL), 0);
	vec_push(&l.events.v[0].cpus.cpus, 1);
	event_list_configure(&l, &c);
	assert_int_equal(l.events.nr, 2);
	assert_string_equal(l.events.v[1].name, "dummy:HG");
	assert_int_equal(event_list_tracking(&l), 1);
	event_list_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workload),	cmocka_unit_test(test_period),	cmocka_unit_test(test_system_wide),
		cmocka_unit_test(test_delay),		cmocka_unit_test(test_samples), cmocka_unit_test(test_groups),
		cmocka_unit_test(test_inherited_reads), cmocka_unit_test(test_terms),	cmocka_unit_test(test_some_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

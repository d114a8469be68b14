/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When dumps are large: as long as the budgets bear it, and where walks have a use for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/dump_policy.h"

#define MS 1000000ull
#define RING (32ull << 20)

/* `ms` milliseconds of samples with stacks of `bytes` at `rate` a second, as the present size shows them. Walks go over `need` bytes.
 */
static void add_samples(struct dump_policy *p, uint32_t cpu, uint64_t ms, uint64_t rate, uint64_t bytes, uint64_t need)
{
	struct dump_cpu *c = &p->cpus[cpu];
	uint64_t size = c->is_large ? p->large : DUMP_SMALL, nr = rate * ms / 1000;
	uint64_t dumped = bytes < size ? bytes : size;

	c->use.nr += nr;
	c->use.bytes += nr * dumped;
	c->use.nr_full += bytes >= size ? nr : 0;
	if (dumped > DUMP_SMALL) {
		c->use.nr_deep += nr;
		c->use.deep_bytes += nr * dumped;
	}
	c->need.nr_walked += nr;
	c->need.nr_needy += need > DUMP_SMALL ? nr : 0;
	c->need.nr_cut += need > size && size == DUMP_SMALL ? nr : 0;
}

/* Seconds of the same on one CPU. Returns for how many milliseconds it was large. */
static uint64_t run(struct dump_policy *p, uint64_t *now, uint64_t ms, uint64_t rate, uint64_t bytes, uint64_t need)
{
	uint64_t large_ms = 0;

	for (uint64_t t = 0; t < ms; t += 20) {
		large_ms += p->cpus[0].is_large ? 20 : 0;
		add_samples(p, 0, 20, rate, bytes, need);
		*now += 20 * MS;
		dump_policy_decide(p, *now);
	}
	return large_ms;
}

static void test_sizes(void **state)
{
	(void)state;
	assert_int_equal(dump_policy_choose_large(999, RING), DUMP_LARGE);
	assert_int_equal(dump_policy_choose_large(10000, RING), DUMP_LARGE);
	assert_int_equal(dump_policy_choose_large(20000, RING), 32768);
	assert_int_equal(dump_policy_choose_large(50000, RING), 0);
	assert_int_equal(dump_policy_choose_large(999, 1 << 20), 32768); /* of a user without privileges */
	assert_int_equal(dump_policy_choose_large(999, 512 << 10), 32768);
	assert_int_equal(dump_policy_choose_large(999, 64 << 10), 0);
	assert_int_equal(dump_policy_choose_large(4000, 1 << 20), 16384);
	assert_int_equal(dump_policy_choose_large(0, RING), DUMP_LARGE);
	assert_int_equal(dump_policy_choose_large(999, 0), 0);
	assert_int_equal(dump_policy_choose_large(UINT64_MAX, RING), 0);
}

/* 999 Hz: every stack fits into the budget. */
static void test_slow_stays_large(void **state)
{
	uint64_t now = 0;
	struct dump_policy p;

	(void)state;
	dump_policy_init(&p, 1, DUMP_LARGE, true, RING, now);
	assert_int_equal(run(&p, &now, 10000, 999, 100000, 100000), 10000);
	assert_int_equal(run(&p, &now, 10000, 4000, 28000, 28000), 10000);
	assert_int_equal(p.nr_over_budget + p.nr_over_ring + p.nr_wasteful, 0);
	dump_policy_fini(&p);
}

/* Stacks that are small cost nothing at any rate, but the ring must hold their room. */
static void test_shallow(void **state)
{
	uint64_t now = 0;
	struct dump_policy p;

	(void)state;
	dump_policy_init(&p, 1, DUMP_LARGE, true, RING, now);
	assert_int_equal(run(&p, &now, 10000, 10000, 3000, 3000), 10000);
	assert_true(run(&p, &now, 10000, 50000, 3000, 3000) <= 100);
	assert_true(p.nr_over_ring);
	dump_policy_fini(&p);
}

/* A compiler at 20 kHz: small at once, and for as long as the rate is what it is; large again when it falls. */
static void test_budget(void **state)
{
	uint64_t now = 0;
	struct dump_policy p;

	(void)state;
	dump_policy_init(&p, 1, dump_policy_choose_large(20000, RING), true, RING, now);
	assert_int_equal(run(&p, &now, 60000, 20000, 28000, 28000), 20);
	assert_int_equal(p.nr_over_budget, 1);
	assert_true(run(&p, &now, 2000, 999, 28000, 28000) >= 1900);
	dump_policy_fini(&p);
}

/* A ring that loses samples had no room for large dumps. */
static void test_loss(void **state)
{
	uint64_t now = 0;
	struct dump_policy p;

	(void)state;
	dump_policy_init(&p, 2, DUMP_LARGE, true, RING, now);
	run(&p, &now, 100, 999, 28000, 28000);
	p.cpus[0].use.nr_lost = 1;
	assert_int_equal(run(&p, &now, 400, 999, 28000, 28000), 20);
	assert_int_equal(p.nr_over_ring, 1);
	assert_true(p.cpus[1].is_large);
	assert_true(run(&p, &now, 2000, 999, 28000, 28000) >= 1800);
	dump_policy_fini(&p);
}

/* What it dumps stays below the budget, whatever the rate and the stacks are, but for the moment that shows it. */
static void test_budget_holds(void **state)
{
	uint64_t now = 0, bytes = 0;
	struct dump_policy p;

	(void)state;
	dump_policy_init(&p, 1, DUMP_LARGE, true, RING, now);
	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t rate = 500 + i * 7919 % 19500, stack = 4096 + i * 104729 % 80000;

		add_samples(&p, 0, 20, rate, stack, stack);
		bytes += p.cpus[0].is_large ? p.cpus[0].use.bytes : 0;
		now += 20 * MS;
		dump_policy_decide(&p, now);
	}
	assert_true(bytes / 60 < DUMP_CPU_BUDGET);
	assert_true(p.nr_over_budget < 100); /* a longer pause each time */
	dump_policy_fini(&p);
}

/* Many CPUs, each within its own budget: those with the most give way until all together are. */
static void test_total(void **state)
{
	uint64_t now = 0, nr_large = 0, total = 0;
	struct dump_policy p;

	(void)state;
	dump_policy_init(&p, 64, DUMP_LARGE, true, RING, now);
	for (uint32_t i = 0; i < 64; i++)
		add_samples(&p, i, 100, 999, i < 8 ? 3000 : 60000 + i, 70000);
	now += 100 * MS;
	assert_true(dump_policy_decide(&p, now));
	for (uint32_t i = 0; i < 64; i++) {
		nr_large += p.cpus[i].is_large;
		total += p.cpus[i].is_large ? p.cpus[i].rate : p.cpus[i].rate - p.cpus[i].saved;
	}
	assert_true(p.cpus[0].is_large); /* it costs nothing */
	assert_false(p.cpus[63].is_large);
	assert_in_range(nr_large, 30, 45);
	assert_true(total <= DUMP_BUDGET);
	dump_policy_fini(&p);
}

/* Memory above a stack that is no stack: dumps that no walk needs are given up, and come back with the first that is cut. */
static void test_waste(void **state)
{
	uint64_t now = 0;
	struct dump_policy p;

	(void)state;
	dump_policy_init(&p, 1, DUMP_LARGE, true, RING, now);
	assert_in_range(run(&p, &now, 10000, 999, 100000, 2000), 180, 260);
	assert_int_equal(p.nr_wasteful, 1);
	assert_true(run(&p, &now, 200, 999, 100000, 20000) >= 160);
	/* The next time it is watched for longer. */
	assert_in_range(run(&p, &now, 10000, 999, 100000, 2000), 380, 500);
	/* At low rates there is nothing to be saved. */
	dump_policy_fini(&p);
	dump_policy_init(&p, 1, DUMP_LARGE, true, RING, now);
	assert_int_equal(run(&p, &now, 10000, 99, 100000, 2000), 10000);
	dump_policy_fini(&p);
}

/* An event of unknown rate starts small and grows with the first stack that is cut. */
static void test_starts_small(void **state)
{
	uint64_t now = 0;
	struct dump_policy p;

	(void)state;
	dump_policy_init(&p, 1, DUMP_LARGE, false, RING, now);
	assert_true(dump_policy_is_watching(&p));
	assert_int_equal(run(&p, &now, 1000, 2000, 4000, 4000), 0);
	assert_true(run(&p, &now, 1000, 2000, 20000, 20000) >= 960);
	assert_false(dump_policy_is_watching(&p));
	dump_policy_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	     cmocka_unit_test(test_slow_stays_large),
		cmocka_unit_test(test_shallow),	     cmocka_unit_test(test_budget),
		cmocka_unit_test(test_budget_holds), cmocka_unit_test(test_total),
		cmocka_unit_test(test_loss),	     cmocka_unit_test(test_waste),
		cmocka_unit_test(test_starts_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

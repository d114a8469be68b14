/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/chain_cycle.c: what goes in a circle by its shape, and what is made of it where no code can be looked at. Circles with code are
 * recorded ones: oracle/quality_cycle.sh.
 */
#include "session_fixture.h"

#include "model/quality.h"
#include "session/unwinder.h"

static void test_period(void **state)
{
	uint64_t ips[64] = { CHAIN_USER, 1, 2, 3 }, start;

	(void)state;
	assert_int_equal(chain_cycle_period(ips, 0, &start), 0);
	for (uint32_t i = 4; i < 64; i++)
		ips[i] = i;
	assert_int_equal(chain_cycle_period(ips, 64, &start), 0);
	/* …, 3, 3, 3 */
	for (uint32_t i = 4; i < 64; i++)
		ips[i] = 3;
	assert_int_equal(chain_cycle_period(ips, 64, &start), 1);
	assert_int_equal(start, 3);
	assert_int_equal(chain_cycle_period(ips, 9, &start), 0); /* too short to say */
	ips[63] = 4;						 /* it came to an end */
	assert_int_equal(chain_cycle_period(ips, 64, &start), 0);
	/* …, 5, 6, 7, 5, 6, 7, 5 */
	for (uint32_t i = 4; i < 64; i++)
		ips[i] = 5 + i % 3;
	assert_int_equal(chain_cycle_period(ips, 64, &start), 3);
	assert_int_equal(start, 4);
	/* longer than what is looked for */
	for (uint32_t i = 4; i < 64; i++)
		ips[i] = 5 + i % (CYCLE_MAX_PERIOD + 1);
	assert_int_equal(chain_cycle_period(ips, 64, &start), 0);
	/* marks that tell an end are no addresses */
	for (uint32_t i = 4; i < 64; i++)
		ips[i] = CHAIN_USER;
	assert_int_equal(chain_cycle_period(ips, 64, &start), 0);
}

static void add(struct fixture *f, struct task *task, const uint64_t *ips, uint64_t nr)
{
	struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_USER };
	struct session_record sr = { .header = &h, .task = task };

	sr.rec.header = &h;
	sr.rec.sample = (struct sample){ .ip = ips[1], .pid = 10, .tid = 10, .ips = ips, .nr_ips = nr };
	profile_add(&f->p, &sr);
}

/* 0x10250 is in a file that is not there: it may call itself. 0x999000 is nowhere: nothing returns there. */
static void test_without_code(void **state)
{
	static const char *const names[] = { "_start", "main", "work", NULL };

	(void)state;
	for (int keep = 0; keep < 2; keep++) {
		uint64_t ips[128] = { CHAIN_USER, 0x10210 };
		struct quality q;
		struct fixture f;
		struct task *task;

		fixture_init(&f);
		f.p.keep_cycles = keep;
		f.p.max_stack = 1024;
		task = fixture_task(&f, 10, 10, "app");
		fixture_map(&f, task, 0x10000, 0x10000, fixture_dso(&f, "/bin/no-such-app", names));
		for (uint32_t i = 2; i < 128; i++)
			ips[i] = 0x10250;
		add(&f, task, ips, 128);
		for (uint32_t i = 2; i < 128; i++)
			ips[i] = i % 2 ? 0x10250 : 0x999000;
		add(&f, task, ips, 128);
		add(&f, task, ips, 128);
		assert_int_equal(f.p.stacks.v[f.p.samples.stack[0]].depth, 127);
		assert_int_equal(f.p.stacks.v[f.p.samples.stack[1]].depth, keep ? 127 : 3);
		assert_int_equal(f.p.samples.stack[1], f.p.samples.stack[2]);
		assert_false(profile_is_cyclic(&f.p, f.p.samples.stack[0]));
		assert_true(profile_is_cyclic(&f.p, f.p.samples.stack[1]));
		assert_int_equal(f.p.cycles.known.nr, 2);
		profile_symbolize(&f.p);
		quality_of_profile(&q, &f.p);
		assert_int_equal(q.nr_by_stack[QUALITY_TRUNCATED], 1);
		assert_int_equal(q.nr_by_stack[QUALITY_BROKEN], 2);
		quality_fini(&q);
		profile_forget(&f.p);
		assert_false(profile_is_cyclic(&f.p, 1));
		fixture_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_without_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

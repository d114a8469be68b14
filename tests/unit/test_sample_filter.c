/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct sample_filter: functions are found wherever they stand in a stack, by name and by pattern.
 */
#include "session_fixture.h"

#include "model/sample_groups.h"

static const char *const names[] = { "_start", "main", "work[abi:new]", "leaf", NULL };
#define IP(n) (0x10050 + (n)*UINT64_C(0x100))

static void test_through(void **state)
{
	static const struct {
		const char *names;
		bool has[4];
	} cases[] = {
		{ "main", { true, true, false, false } },	   { "leaf", { true, false, true, true } },
		{ "work[abi:new]", { true, true, true, false } },  { "w*", { true, true, true, false } },
		{ "le?f,_start", { true, true, true, true } },	   { "eaf", { false, false, false, false } },
		{ "[truncated]", { false, false, false, false } },
	};
	struct fixture f;
	struct task *task;

	(void)state;
	fixture_init(&f);
	task = fixture_task(&f, 10, 10, "app");
	fixture_map(&f, task, 0x10000, 0x10000, fixture_dso(&f, "/bin/app", names));
	fixture_sample(&f, task, 1, (const uint64_t[]){ IP(3), IP(2), IP(1), IP(0) }, 4);
	fixture_sample(&f, task, 1, (const uint64_t[]){ IP(2), IP(1), IP(0) }, 3);
	fixture_sample(&f, task, 1, (const uint64_t[]){ IP(3), IP(2) }, 2);
	fixture_sample(&f, task, 1, (const uint64_t[]){ IP(3) }, 1);
	profile_symbolize(&f.p);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct filter filter = { 0 };
		struct through *t;

		filter_add_names(&filter.symbols, cases[i].names);
		t = through_new(&f.p, &filter.symbols);
		for (uint32_t k = 0; k < 4; k++)
			if (through_has(t, &f.p.samples, k) != cases[i].has[k])
				fail_msg("%s: sample %u", cases[i].names, k);
		through_free(t);
		filter_fini(&filter);
	}
	through_free(NULL);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_through) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

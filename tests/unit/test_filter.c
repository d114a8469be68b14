/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The syntax of filters, right and wrong, and what they let pass.
 */
#include "session_fixture.h"

#include <errno.h>

#include "model/filter.h"

#define SEC 1000000000ULL

static bool keeps_time(const struct filter *filter, uint64_t time_ns)
{
	struct session_record sr = { .time_ns = time_ns };

	return filter_keeps_sample(filter, &sr);
}

static void test_time_in_seconds(void **state)
{
	struct filter filter = { 0 };
	struct errbuf eb = { 0 };
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(filter_set_time(&filter, "1.5,2.000000001", &eb), 0);
	assert_int_equal(filter_resolve_time(&filter, &f.info, &eb), 0);
	assert_false(keeps_time(&filter, SEC + SEC / 2 - 1));
	assert_true(keeps_time(&filter, SEC + SEC / 2));
	assert_true(keeps_time(&filter, 2 * SEC + 1));
	assert_false(keeps_time(&filter, 2 * SEC + 2));

	assert_int_equal(filter_set_time(&filter, ",2", &eb), 0);
	assert_true(keeps_time(&filter, 1));
	assert_false(keeps_time(&filter, 3 * SEC));
	assert_int_equal(filter_set_time(&filter, "2,", &eb), 0);
	assert_false(keeps_time(&filter, 1));
	assert_true(keeps_time(&filter, UINT64_MAX));
	assert_int_equal(filter_set_time(&filter, "1,2 4,5", &eb), 0);
	assert_true(keeps_time(&filter, SEC));
	assert_false(keeps_time(&filter, 3 * SEC));
	assert_true(keeps_time(&filter, 4 * SEC));
	assert_string_equal(eb.text, "");
	filter_fini(&filter);
	fixture_fini(&f);
}

static void test_time_in_percent(void **state)
{
	static const struct {
		const char *arg;
		uint64_t at;
		bool keeps;
	} cases[] = {
		{ "10%/1", 1000, true },
		{ "10%/1", 1999, true },
		{ "10%/1", 2000, false },
		{ "10%/2", 2000, true },
		{ "10%/2", 1999, false },
		{ "10%/10", 11000, true },
		{ "0%-10%", 1000, true },
		{ "0%-10%", 2500, false },
		{ "90%-100%", 11000, true },
		{ "0%-10%,90%-100%", 1500, true },
		{ "0%-10%,90%-100%", 6000, false },
		{ "0%-10%,90%-100%", 10500, true },
		{ "50%", 3000, true },
		{ "50%", 9000, false },
		{ "100%/1", 11000, true },
		{ "25.5%-30%", 3400, false },
		{ "25.5%-30%", 3600, true },
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.info.first_sample_ns = 1000;
	f.info.last_sample_ns = 11000;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct filter filter = { 0 };
		struct errbuf eb = { 0 };

		assert_int_equal(filter_set_time(&filter, cases[i].arg, &eb), 0);
		assert_int_equal(filter_resolve_time(&filter, &f.info, &eb), 0);
		if (keeps_time(&filter, cases[i].at) != cases[i].keeps)
			fail_msg("%s: %llu", cases[i].arg, (unsigned long long)cases[i].at);
		filter_fini(&filter);
	}
	fixture_fini(&f);
}

static void test_bad_times(void **state)
{
	static const char *const bad[] = {
		"x",	    "1,x",    "1.2.3",	  "2,1",    "-1,2",    "1;2",  "99999999999999999999,",
		"1 2x",	    "0x10",   "10%/0",	  "10%/x",  "10%/11",  "110%", "20%-10%",
		"10%-x%",   "%",      "10%-20",	  "10%20%", "10%,abc", "-5%",  "nan%",
		"10%-inf%", "10%/2x", "10%-20%x",
	};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.info.first_sample_ns = 1000;
	f.info.last_sample_ns = 11000;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct filter filter = { 0 };
		struct errbuf eb = { 0 };
		int err = filter_set_time(&filter, bad[i], &eb);

		if (!err)
			err = filter_resolve_time(&filter, &f.info, &eb);
		if (err != -EINVAL || !strstr(eb.text, "--time"))
			fail_msg("'%s' was taken", bad[i]);
		filter_fini(&filter);
	}
	/* Shares of an unknown time. */
	struct filter filter = { 0 };
	struct errbuf eb = { 0 };

	f.info.first_sample_ns = f.info.last_sample_ns = 0;
	assert_int_equal(filter_set_time(&filter, "10%/1", &eb), 0);
	assert_int_equal(filter_resolve_time(&filter, &f.info, &eb), -EINVAL);
	filter_fini(&filter);
	fixture_fini(&f);
}

static void test_cpus(void **state)
{
	static const char *const bad[] = { "x", "1-", "-1", "3-1", "1-2-3", "1,,2", "99999999", "0-99999999", "1 2" };
	struct filter filter = { 0 };
	struct errbuf eb = { 0 };

	(void)state;
	assert_int_equal(filter_add_cpus(&filter, "cpu", "0-3,7", &eb), 0);
	assert_int_equal(filter.cpus.nr, 5);
	assert_int_equal(filter.cpus.v[3], 3);
	assert_int_equal(filter.cpus.v[4], 7);
	filter_fini(&filter);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		eb.text[0] = 0;
		if (filter_add_cpus(&filter, "cpu", bad[i], &eb) != -EINVAL || !eb.text[0])
			fail_msg("'%s' was taken", bad[i]);
		filter_fini(&filter);
	}
}

static void test_ids(void **state)
{
	static const char *const bad[] = { "x", "1,x", "-1", "4294967296", "99999999999999999999", "1 2" };
	struct filter filter = { 0 };
	struct errbuf eb = { 0 };

	(void)state;
	assert_int_equal(filter_add_ids(&filter, true, "--tid", "1,2147483647", &eb), 0);
	assert_int_equal(filter_add_ids(&filter, false, "--pid", "5", &eb), 0);
	assert_int_equal(filter.tids.nr, 2);
	assert_int_equal(filter.tids.v[1], 2147483647);
	assert_int_equal(filter.pids.nr, 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		eb.text[0] = 0;
		if (filter_add_ids(&filter, true, "--tid", bad[i], &eb) != -EINVAL || !strstr(eb.text, "--tid"))
			fail_msg("'%s' was taken", bad[i]);
	}
	filter_fini(&filter);
}

static void test_tasks(void **state)
{
	struct session_record sr = { 0 };
	struct filter filter = { 0 };
	struct errbuf eb = { 0 };
	struct fixture f;
	uint32_t task, thread, apps;

	(void)state;
	fixture_init(&f);
	task = profile_intern_task(&f.p, fixture_task(&f, 10, 11, "app"));
	thread = profile_intern_task(&f.p, fixture_task(&f, 10, 13, "app"));
	apps = profile_intern_task(&f.p, fixture_task(&f, 10, 12, "apps"));
	assert_true(filter_keeps_task(&filter, &f.p, task));
	filter_add_names(&filter.comms, "sh,app,,");
	assert_int_equal(filter.comms.nr, 2);
	assert_true(filter_keeps_task(&filter, &f.p, task));
	assert_false(filter_keeps_task(&filter, &f.p, apps));
	filter_add_ids(&filter, false, "--pid", "10", &eb);
	assert_true(filter_keeps_task(&filter, &f.p, thread));
	filter_add_ids(&filter, true, "--tid", "11,12", &eb);
	assert_true(filter_keeps_task(&filter, &f.p, task));
	assert_false(filter_keeps_task(&filter, &f.p, thread));
	assert_true(filter_keeps_sample(&filter, &sr));
	filter_add_cpus(&filter, "cpu", "2", &eb);
	assert_false(filter_keeps_sample(&filter, &sr));
	sr.rec.sample.cpu = 2;
	assert_true(filter_keeps_sample(&filter, &sr));
	filter_fini(&filter);
	fixture_fini(&f);
}

static bool keeps_at(const struct filter *f, const struct profile *p, uint32_t location)
{
	const struct profile_location *l = &p->locations.v[location];

	return filter_keeps_place(f, p, l->at.dso, l->frame);
}

static void test_places(void **state)
{
	static const char *const names[] = { "one", "two", NULL };
	struct filter filter = { 0 };
	struct fixture f;
	struct task *task;
	uint32_t one, two, nowhere;

	(void)state;
	fixture_init(&f);
	task = fixture_task(&f, 10, 10, "app");
	fixture_map(&f, task, 0x10000, 0x1000, fixture_dso(&f, "/usr/bin/app", names));
	one = profile_intern_location(&f.p, task, 0x10010, MISC_USER);
	two = profile_intern_location(&f.p, task, 0x10110, MISC_USER);
	nowhere = profile_intern_location(&f.p, task, 0x90000, MISC_USER);
	profile_symbolize(&f.p);
	assert_true(keeps_at(&filter, &f.p, nowhere));
	filter_add_names(&filter.symbols, "two,three");
	assert_false(keeps_at(&filter, &f.p, one));
	assert_true(keeps_at(&filter, &f.p, two));
	assert_false(keeps_at(&filter, &f.p, nowhere));
	filter_add_names(&filter.dsos, "app");
	assert_true(keeps_at(&filter, &f.p, two));
	filter_fini(&filter);
	filter_add_names(&filter.dsos, "/usr/bin/app");
	assert_true(keeps_at(&filter, &f.p, one));
	assert_false(keeps_at(&filter, &f.p, nowhere));
	filter_fini(&filter);
	filter_add_names(&filter.dsos, "libc.so.6");
	assert_false(keeps_at(&filter, &f.p, one));
	filter_fini(&filter);
	fixture_fini(&f);
}

/* Commas that are a name's own do not end it; brackets that are none, or do not match, hide none. */
static void test_names(void **state)
{
	static const struct {
		const char *arg, *names[4];
	} cases[] = {
		{ "a,b,,c,", { "a", "b", "c" } },
		{ "f(int, char)", { "f(int, char)" } },
		{ "f(int, char),g<A, B<C, D>>(E, F),h", { "f(int, char)", "g<A, B<C, D>>(E, F)", "h" } },
		{ "a[1,2],b{x,y}", { "a[1,2]", "b{x,y}" } },
		{ "operator<,b", { "operator<", "b" } },
		{ "X::operator->,b,c", { "X::operator->", "b", "c" } },
		{ "operator<<,operator>>=,operator<=>", { "operator<<", "operator>>=", "operator<=>" } },
		{ "operator< <A, B>(A, B),c", { "operator< <A, B>(A, B)", "c" } },
		{ "operator,(A, B),c", { "operator,(A, B)", "c" } },
		{ "operator()(A, B),c", { "operator()(A, B)", "c" } },
		{ "myoperator<A, B>,c", { "myoperator<A, B>", "c" } },
		{ "g<A, auto (B)->C, D>,c", { "g<A, auto (B)->C, D>", "c" } },
		{ "f(int,b,c", { "f(int", "b", "c" } },
		{ "f),b", { "f)", "b" } },
		{ "f(a<b),c>d,e(x, y)", { "f(a<b)", "c>d", "e(x, y)" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct filter filter = { 0 };
		uint32_t nr = 0;

		filter_add_names(&filter.symbols, cases[i].arg);
		for (; cases[i].names[nr]; nr++) {
			assert_true(nr < filter.symbols.nr);
			assert_string_equal(filter.symbols.v[nr], cases[i].names[nr]);
		}
		assert_int_equal(filter.symbols.nr, nr);
		filter_fini(&filter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_in_seconds),
		cmocka_unit_test(test_time_in_percent),
		cmocka_unit_test(test_bad_times),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which files of two recordings are one: main programs of different names, and what is never guessed.
 */
#include "session_fixture.h"

#include <stdlib.h>

#include "model/match.h"

static const char *const functions[] = { "main", NULL };

/* A recording with files, of which `started` was started by record and `busiest` has most samples; NULL: none. */
static void add(struct match *m, const char *const *files, const char *started, const char *busiest)
{
	struct programs p;
	struct fixture f;

	fixture_init(&f);
	programs_init(&p, &f.s.machine, &f.s.recording);
	for (; *files; files++) {
		uint32_t id = fixture_dso(&f, *files, functions);

		while (p.nr_samples.nr <= id)
			vec_push(&p.nr_samples, 1);
		if (busiest && !strcmp(*files, busiest))
			p.nr_samples.v[id] = 100;
		if (started && !strcmp(*files, started))
			p.started_dso = id;
	}
	if (!busiest)
		p.nr_samples.nr = 0;
	match_add(m, &p);
	fixture_fini(&f);
	programs_fini(&p);
}

#define FILES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void expect_text(const struct match *m, const char *want)
{
	char *text = match_text(m);

	if (!want)
		assert_null(text);
	else
		assert_string_equal(text, want);
	free(text);
}

static void test_programs_are_paired(void **state)
{
	struct match m;

	(void)state;
	match_init(&m, MATCH_PROGRAM);
	add(&m, FILES("/a/app-of-the-first-build", "/lib/libc.so.6"), "/a/app-of-the-first-build", "/a/app-of-the-first-build");
	add(&m, FILES("/b/app-new", "/lib/libc.so.6"), "/b/app-new", "/b/app-new");
	add(&m, FILES("/b/app-new", "/lib/libc.so.6"), "/b/app-new", "/b/app-new");
	expect_text(&m, "app-of-the-first-build with app-new");
	assert_string_equal(match_file(&m, "app-new"), "app-of-the-first-build");
	assert_string_equal(match_file(&m, "libc.so.6"), "libc.so.6");
	assert_string_equal(match_comm(&m, "app-new"), "app-of-the-firs");
	match_fini(&m);
}

static void test_a_shell_is_not_the_program(void **state)
{
	struct match m;

	(void)state;
	match_init(&m, MATCH_PROGRAM);
	add(&m, FILES("/a/old"), "/a/old", "/a/old");
	add(&m, FILES("/bin/sh", "/b/new"), "/bin/sh", "/b/new");
	expect_text(&m, "old with new");
	match_fini(&m);
}

static void test_a_driver_is_paired_beside_its_workers(void **state)
{
	struct match m;

	(void)state;
	match_init(&m, MATCH_PROGRAM);
	add(&m, FILES("/a/driver-1", "/a/worker"), "/a/driver-1", "/a/worker");
	add(&m, FILES("/a/driver-2", "/a/worker"), "/a/driver-2", "/a/worker");
	expect_text(&m, "driver-1 with driver-2");
	match_fini(&m);
}

/* A name that both recordings have is the same program in both. */
static void test_known_names_are_no_guess(void **state)
{
	struct match m;

	(void)state;
	match_init(&m, MATCH_PROGRAM);
	add(&m, FILES("/bin/one", "/bin/two"), NULL, "/bin/one");
	add(&m, FILES("/bin/one", "/bin/two"), NULL, "/bin/two");
	add(&m, FILES("/bin/one", "/bin/three"), NULL, "/bin/three");
	add(&m, FILES("/bin/four", "/bin/two"), NULL, "/bin/two");
	add(&m, FILES("/bin/four"), NULL, NULL);
	expect_text(&m, NULL);
	match_fini(&m);
}

static void test_only_by_default(void **state)
{
	(void)state;
	for (int by = 0; by < MATCH_NR; by++) {
		struct match m;

		match_init(&m, (enum match_by)by);
		add(&m, FILES("/a/old"), "/a/old", "/a/old");
		add(&m, FILES("/a/new"), "/a/new", "/a/new");
		assert_int_equal(m.pairs.nr, by == MATCH_PROGRAM);
		match_fini(&m);
	}
}

static void test_labels(void **state)
{
	struct dso d = {
		.kind = MODULE_ELF, .path = "/a/app", .short_name = "app", .build_id = { 0xab, 0xcd, 0xef, 1 }, .build_id_size = 4
	};
	struct match m;
	char buf[64];

	(void)state;
	match_init(&m, MATCH_PATH);
	assert_string_equal(match_label(NULL, &d, buf, sizeof(buf)), "app");
	assert_string_equal(match_label(&m, &d, buf, sizeof(buf)), "/a/app");
	m.by = MATCH_BUILD;
	assert_string_equal(match_label(&m, &d, buf, sizeof(buf)), "app [abcdef01]");
	d.build_id_size = 0;
	assert_string_equal(match_label(&m, &d, buf, sizeof(buf)), "/a/app");
	d.kind = MODULE_KERNEL;
	assert_string_equal(match_label(&m, &d, buf, sizeof(buf)), "app");
	match_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs_are_paired),
		cmocka_unit_test(test_a_shell_is_not_the_program),
		cmocka_unit_test(test_a_driver_is_paired_beside_its_workers),
		cmocka_unit_test(test_known_names_are_no_guess),
		cmocka_unit_test(test_only_by_default),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

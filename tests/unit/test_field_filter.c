/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/field_filter.h: what filters mean, and what is said of those that mean nothing.
 */
#include "session_fixture.h"

#include <stdlib.h>

#include "../fuzz/own_event.h"
#include "session/field_filter.h"

struct filter_fixture {
	struct fixture f;
	char blob[OWN_EVENT_MAX];
	uint8_t raw[64];
	struct record_header h;
	struct session_record sr;
};

/* x = -2, y = 5000000000, s = "abc", d = "/bin/dd", r = "", b = 200 */
static void setup(struct filter_fixture *x)
{
	const int32_t number = -2;
	const uint64_t large = 5000000000;
	const uint32_t d = 8u << 16 | 42, r = 0;

	memset(x, 0, sizeof(*x));
	fixture_init(&x->f);
	x->f.info.tracing_data = x->blob;
	x->f.info.tracing_data_size = own_event_put(x->blob);
	fixture_event(&x->f, "own:a");
	x->f.info.events.v[1].attr.type = ATTR_TYPE_TRACEPOINT;
	x->f.info.events.v[1].attr.config = 1;
	memcpy(x->raw + 4, &number, 4);
	memcpy(x->raw + 8, &large, 8);
	memcpy(x->raw + 16, "abc", 4);
	memcpy(x->raw + 24, &d, 4);
	memcpy(x->raw + 28, &r, 4);
	x->raw[32] = 200;
	memcpy(x->raw + 42, "/bin/dd", 8);
	x->h.type = RECORD_SAMPLE;
	x->sr = (struct session_record){ .header = &x->h, .event = 1, .task = fixture_task(&x->f, 1, 1, "bash") };
	x->sr.rec.sample = (struct sample){ .raw = x->raw, .raw_size = 50, .cpu = 3 };
}

/* 1: passes, 0: does not, -1: refused, with the sentence. */
static int passes(struct filter_fixture *x, const char *text, struct errbuf *eb)
{
	struct field_filter *f;
	int result = -1;

	*eb = (struct errbuf){ 0 };
	if (!field_filter_parse(&f, text, eb)) {
		field_filter_attach(f, &x->f.s.recording, &x->f.s.machine);
		if (!field_filter_check(f, eb))
			result = field_filter_passes(f, &x->sr);
		field_filter_free(f);
	}
	return result;
}

static void test_meaning(void **state)
{
	static const char *const yes[] = {
		"x == -2",
		"x < 0",
		"x <= -2",
		"x != 2",
		"x > -3 && x >= -2",
		"y == 5000000000",
		"y > 4294967296",
		"y == 0x12a05f200",
		"b == 200",
		"b & 0x8",
		"b > 100",
		"s == abc",
		"s == \"abc\"",
		"s == 'abc'",
		"s != abcd",
		"s ~ a*",
		"s ~ \"*c\"",
		"s ~ a?c",
		"s ~ [a-c]bc",
		"s ~ [!x]*",
		"s ~ \"*\"",
		"d ~ \"*/dd\"",
		"d == /bin/dd",
		"d != \"\"",
		"comm == bash",
		"COMM ~ \"ba*\"",
		"cpu == 3",
		"CPU < 4",
		"common_pid == 0",
		"!x == 2",
		"!(x == 2)",
		"!!x == -2",
		"x == 1 || x == -2",
		"x == 1 || x == -2 && b == 200",
		"x == -2 || x == 1 && x == 3",
		"(x == -2 || x == 1) && !(b < 200)",
		"((((x == -2))))&&b==200",
		"x==-2&&s~abc||b==1",
	};
	static const char *const no[] = {
		"x == 2",
		"x > 0",
		"y < 5000000000",
		"b & 0x4",
		"s == ab",
		"s ~ b*",
		"s ~ a",
		"s ~ \"\"",
		"s ~ [!a]*",
		"d ~ dd",
		"comm == sh",
		"cpu != 3",
		"!(x == -2)",
		"x == -2 && b == 1",
		"(x == -2 || x == 1) && x == 3",
		"!x == -2 || b == 1",
		"r == x",
	};
	struct filter_fixture x;
	struct errbuf eb;

	(void)state;
	setup(&x);
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (passes(&x, yes[i], &eb) != 1)
			fail_msg("%s does not pass: %s", yes[i], eb.text);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (passes(&x, no[i], &eb) != 0)
			fail_msg("%s: %s", no[i], eb.text);
	/* What a record does not hold is not compared, and events without fields have name and CPU alone. */
	x.sr.rec.sample.raw_size = 6;
	assert_int_equal(passes(&x, "x != 7", &eb), 0);
	assert_int_equal(passes(&x, "!(x == 7)", &eb), 0);
	x.sr.event = 0;
	assert_int_equal(passes(&x, "x == -2", &eb), 0);
	assert_int_equal(passes(&x, "comm == bash", &eb), 1);
	fixture_fini(&x.f);
}

static void test_refused(void **state)
{
	static const char *const cases[][2] = {
		{ "", "column 1: expected the name of a field" },
		{ "x", "column 2: expected an operator" },
		{ "x = 1", "column 3: '=' is no operator" },
		{ "x == ", "column 6: expected a number or a text" },
		{ "x == 1 &", "column 8: expected && or ||" },
		{ "x == 1 && ", "column 11: the filter ends in the middle" },
		{ "(x == 1", "column 1: this bracket is not closed" },
		{ "x == 1)", "column 7: this bracket was not opened" },
		{ "s == \"a", "column 6: the quote is not closed" },
		{ "z == 1", "column 1: there is no field 'z'" },
		{ "x == 1 && yy == 2", "column 11: there is no field 'yy'; did you mean 'y'?" },
		{ "x == abc", "column 6: 'abc' is no number" },
		{ "x == \"1\"", "column 7: '1' is no number" },
		{ "y == -1", "column 6: '-1' is negative" },
		{ "x ~ 1", "column 1: 'x' is a number" },
		{ "s > a", "column 1: 's' is text" },
		{ "a == 1", "column 1: 'a' is neither a number nor text" },
		{ "x.function == y", "column 2: suffixes of fields" },
	};
	struct filter_fixture x;
	struct errbuf eb;
	char deep[4096];

	(void)state;
	setup(&x);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(passes(&x, cases[i][0], &eb), -1);
		if (!strstr(eb.text, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], eb.text);
	}
	/* Depth is bounded, not the stack's. */
	memset(deep, '(', sizeof(deep));
	deep[sizeof(deep) - 1] = 0;
	assert_int_equal(passes(&x, deep, &eb), -1);
	assert_non_null(strstr(eb.text, "column 257: there are too many brackets"));
	fixture_fini(&x.f);
}

static void test_globs(void **state)
{
	static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";

	(void)state;
	assert_true(trace_glob_matches("*a*a*a*b", 8, text, strlen(text)));
	assert_false(trace_glob_matches("*a*a*a*a*a*a*a*a*c", 18, text, strlen(text)));
	assert_true(trace_glob_matches("", 0, "", 0));
	assert_true(trace_glob_matches("**", 2, "", 0));
	assert_false(trace_glob_matches("?", 1, "", 0));
	assert_true(trace_glob_matches("\\*", 2, "*", 1));
	assert_false(trace_glob_matches("\\*", 2, "x", 1));
	assert_true(trace_glob_matches("[a", 2, "[a", 2)); /* not closed: a bracket */
	assert_true(trace_glob_matches("[]]", 3, "]", 1));
	assert_true(trace_glob_matches("kworker/[0-9]*", 14, "kworker/1:2H", 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_meaning), cmocka_unit_test(test_refused), cmocka_unit_test(test_globs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

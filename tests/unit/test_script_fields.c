/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The syntax of script's -F.
 */
#include "session_fixture.h"

#include <errno.h>

#include "view/script_text.h"

#define BIT(f) (1u << (f))

static int parse(struct script_fields *f, const char *arg)
{
	struct errbuf eb = { 0 };
	int err = script_fields_parse(f, arg, &eb);

	assert_true(!err == !eb.text[0]);
	return err;
}

static void test_lists(void **state)
{
	struct script_fields f;

	(void)state;
	script_fields_init(&f);
	assert_true(f.set[SCRIPT_SW] & BIT(SCRIPT_COMM));
	assert_false(f.by_user[SCRIPT_SW]);
	assert_int_equal(parse(&f, "comm,tid,time,ip,sym"), 0);
	for (int k = 0; k < SCRIPT_NR_KINDS; k++) {
		assert_int_equal(f.set[k], BIT(SCRIPT_COMM) | BIT(SCRIPT_TID) | BIT(SCRIPT_TIME) | BIT(SCRIPT_IP) | BIT(SCRIPT_SYM));
		assert_true(f.by_user[k]);
	}
	assert_int_equal(parse(&f, "pid"), 0);
	assert_int_equal(f.set[SCRIPT_HW], BIT(SCRIPT_PID));
}

static void test_relative(void **state)
{
	struct script_fields f, defaults;

	(void)state;
	script_fields_init(&defaults);
	script_fields_init(&f);
	assert_int_equal(parse(&f, "+pid,-cpu"), 0);
	for (int k = 0; k < SCRIPT_NR_KINDS; k++)
		assert_int_equal(f.set[k], (defaults.set[k] | BIT(SCRIPT_PID)) & ~BIT(SCRIPT_CPU));
	script_fields_init(&f);
	assert_int_equal(parse(&f, "-symoff,-sym"), 0);
	assert_int_equal(f.set[SCRIPT_SW], defaults.set[SCRIPT_SW] & ~(BIT(SCRIPT_SYM) | BIT(SCRIPT_SYMOFF)));
	/* Lines are for those that show addresses. */
	script_fields_init(&f);
	assert_false(script_fields_have(&f, SCRIPT_SRCLINE));
	assert_int_equal(parse(&f, "+srcline"), 0);
	assert_true(f.set[SCRIPT_SW] & BIT(SCRIPT_SRCLINE));
	assert_false(f.set[SCRIPT_TRACEPOINT] & BIT(SCRIPT_SRCLINE));
	assert_true(script_fields_have(&f, SCRIPT_SRCLINE));
}

static void test_kinds(void **state)
{
	struct script_fields f, defaults;

	(void)state;
	script_fields_init(&defaults);
	script_fields_init(&f);
	assert_int_equal(parse(&f, "sw:comm,ip"), 0);
	assert_int_equal(f.set[SCRIPT_SW], BIT(SCRIPT_COMM) | BIT(SCRIPT_IP));
	assert_int_equal(f.set[SCRIPT_HW], defaults.set[SCRIPT_HW]);
	assert_false(f.by_user[SCRIPT_HW]);
	assert_int_equal(parse(&f, "trace:+pid"), 0);
	assert_int_equal(f.set[SCRIPT_TRACEPOINT], defaults.set[SCRIPT_TRACEPOINT] | BIT(SCRIPT_PID));
}

static void test_wrong(void **state)
{
	static const char *const wrong[] = {
		"nothing",
		"comm,nothing",
		"comm,+tid",
		"+comm,tid",
		"hv:comm",
		"comm tid",
		"+",
		"comm,symoff",
		"comm,srcline",
		"trace:+srcline",
		"this_name_is_longer_than_any_buffer_that_could_hold_the_name_of_a_field",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct script_fields f;

		script_fields_init(&f);
		if (parse(&f, wrong[i]) != -EINVAL)
			fail_msg("'%s' was taken", wrong[i]);
	}
}

static void test_suggestion(void **state)
{
	struct script_fields f;
	struct errbuf eb = { 0 };

	(void)state;
	script_fields_init(&f);
	assert_int_equal(script_fields_parse(&f, "comn", &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "did you mean 'comm'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists), cmocka_unit_test(test_relative),	 cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_wrong), cmocka_unit_test(test_suggestion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

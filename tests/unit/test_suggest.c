/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/suggest.h: the distance, and what counts as near.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

static void test_distance(void **state)
{
	(void)state;
	assert_int_equal(suggest_distance("", ""), 0);
	assert_int_equal(suggest_distance("", "abc"), 3);
	assert_int_equal(suggest_distance("abc", ""), 3);
	assert_int_equal(suggest_distance("record", "record"), 0);
	assert_int_equal(suggest_distance("recrod", "record"), 1); /* a swap */
	assert_int_equal(suggest_distance("recrd", "record"), 1);
	assert_int_equal(suggest_distance("reccord", "record"), 1);
	assert_int_equal(suggest_distance("rexord", "record"), 1);
	assert_int_equal(suggest_distance("kitten", "sitting"), 3);
	assert_int_equal(suggest_distance("ca", "abc"), 3); /* optimal string alignment, not 2 */
	assert_int_equal(suggest_distance("ab", "ba"), 1);
	assert_int_equal(suggest_distance("freq", "frob"), suggest_distance("frob", "freq"));
}

static const char *best_of(const char *typed)
{
	static const char *const known[] = {
		"record", "report", "script", "stat", "evlist", "top",
	};
	struct suggest s;

	suggest_init(&s, typed);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		suggest_offer(&s, known[i]);
	return s.best;
}

static void test_nearest(void **state)
{
	(void)state;
	assert_string_equal(best_of("recrod"), "record");
	assert_string_equal(best_of("reprot"), "report");
	assert_string_equal(best_of("scirpt"), "script");
	assert_string_equal(best_of("sta"), "stat");
	assert_string_equal(best_of("tpo"), "top");
	/* the beginning of a word, however long the rest */
	assert_string_equal(best_of("ev"), "evlist");
	assert_string_equal(best_of("sc"), "script");
	assert_string_equal(best_of("evl"), "evlist");
	/* a word with something behind it, unless another is nearer */
	assert_string_equal(best_of("recordings"), "record");
	assert_string_equal(best_of("statistics"), "stat");
	assert_string_equal(best_of("scripted"), "script");
	assert_null(best_of("topology")); /* three letters begin too many words */
}

static void test_nothing_is_near(void **state)
{
	(void)state;
	assert_null(best_of("frobnicate"));
	assert_null(best_of("x"));
	assert_null(best_of(""));
	assert_null(best_of("xyz"));
}

/* An argument as long as the system allows must not cost a table of that size. */
static void test_very_long(void **state)
{
	size_t size = 128 * 1024;
	char *typed = malloc(size);

	(void)state;
	memset(typed, 'r', size - 1);
	typed[size - 1] = '\0';
	assert_null(best_of(typed));
	free(typed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_nothing_is_near),
		cmocka_unit_test(test_very_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

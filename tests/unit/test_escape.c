/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/escape.h: hostile names per sink, and that plain ones stay as they are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

typedef void escape_fn(struct out *o, const char *s, size_t len);

static void check_len(escape_fn *fn, const char *s, size_t len, const char *expected)
{
	/* A copy of the exact size lets the address sanitizer see reads past the end. */
	char *copy = malloc(len ? len : 1);
	struct out o;

	memcpy(copy, s, len);
	out_init(&o, -1);
	fn(&o, copy, len);
	if (fn == escape_terminal)
		assert_int_equal(escape_terminal_is_plain(copy, len), o.len == len && !memcmp(o.len ? o.buf : "", s, len));
	out_char(&o, '\0');
	assert_string_equal(o.buf, expected);
	out_fini(&o);
	free(copy);
}

static void check(escape_fn *fn, const char *s, const char *expected)
{
	check_len(fn, s, strlen(s), expected);
}

static void test_terminal_plain(void **state)
{
	const char *text = "std::vector<int, (anonymous namespace)::alloc~>::push_back(int&&) "
			   "[clone .cold]";

	(void)state;
	for (size_t len = 0; len <= strlen(text); len++) {
		char expected[128];

		memcpy(expected, text, len);
		expected[len] = '\0';
		check_len(escape_terminal, text, len, expected);
	}
	check(escape_terminal, "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80", "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80");
	check(escape_terminal, "\xc2\xa0", "\xc2\xa0"); /* the first after C1 */
	check(escape_terminal, "back\\slash", "back\\slash");
}

/* Every byte value at every place of a word, long and short. */
static void test_terminal_every_byte(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++)
		for (size_t len = 1; len < 20; len++)
			for (size_t at = 0; at < len; at++) {
				bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
				char text[20];

				memset(text, '~', len);
				text[at] = (char)c;
				assert_int_equal(escape_terminal_is_plain(text, len), !control);
			}
}

static void test_terminal_controls(void **state)
{
	(void)state;
	check(escape_terminal, "\033[2Jcleared", "\\e[2Jcleared");
	check(escape_terminal, "a\nb\tc\rd\be\x7f", "a\\nb\\tc\\x0dd\\x08e\\x7f");
	check_len(escape_terminal, "a\0b", 3, "a\\x00b");
	/* C1: CSI and OSC, as one byte and as UTF-8 */
	check(escape_terminal,
	      "x\x9b"
	      "31m",
	      "x\\x9b31m");
	check(escape_terminal,
	      "x\xc2\x9b"
	      "31m",
	      "x\\xc2\\x9b31m");
	check(escape_terminal, "\xc2\x80\xc2\x9f", "\\xc2\\x80\\xc2\\x9f");
	/* an override and an isolate of direction; their neighbours are text */
	check(escape_terminal,
	      "a\xe2\x80\xae"
	      "b",
	      "a\\xe2\\x80\\xaeb");
	check(escape_terminal, "\xe2\x81\xa9", "\\xe2\\x81\\xa9");
	check(escape_terminal, "\xe2\x80\xaf\xe2\x81\xb0", "\xe2\x80\xaf\xe2\x81\xb0");
	/* overlong forms of it, a surrogate half, past the last code point */
	check(escape_terminal, "\xe0\x82\x9b", "\xe0\\x82\\x9b");
	check(escape_terminal, "\xf0\x80\x82\x9b", "\xf0\\x80\\x82\\x9b");
	check(escape_terminal, "\xed\xa0\x80", "\xed\xa0\\x80");
	check(escape_terminal, "\xf4\x90\x80\x80", "\xf4\\x90\\x80\\x80");
	/* cut sequences, at the end and before text */
	check(escape_terminal, "\xe2\x82", "\xe2\\x82");
	check(escape_terminal,
	      "\xe2\x9b"
	      "A",
	      "\xe2\\x9b"
	      "A");
	check(escape_terminal, "\xff\xfe", "\xff\xfe");
}

static void test_xml(void **state)
{
	(void)state;
	check(escape_xml, "plain text", "plain text");
	check(escape_xml, "<a href=\"x\" b='y'>&</a>", "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
	check(escape_xml, "a\tb\nc\rd", "a&#9;b&#10;c&#13;d");
	check(escape_xml, "a\033b\x01",
	      "a\xef\xbf\xbd"
	      "b\xef\xbf\xbd");
	check_len(escape_xml, "a\0b", 3,
		  "a\xef\xbf\xbd"
		  "b");
	check(escape_xml, "\xff", "\xef\xbf\xbd");
	check(escape_xml, "\xef\xbf\xbe", "\xef\xbf\xbd"); /* U+FFFE */
	check(escape_xml, "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	check(escape_xml, "\xe2\x82\xac", "\xe2\x82\xac");
	check(escape_xml, "", "");
}

static void test_json(void **state)
{
	(void)state;
	check(escape_json, "plain", "plain");
	check(escape_json, "say \"hi\" \\ bye", "say \\\"hi\\\" \\\\ bye");
	check(escape_json, "a\nb\tc\rd\033\x7f", "a\\nb\\tc\\rd\\u001b\\u007f");
	check(escape_json, "</script><!--", "\\u003c/script>\\u003c!--");
	check_len(escape_json, "\0", 1, "\\u0000");
	check(escape_json, "\xc2\x9b", "\\u009b");
	check(escape_json, "\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029");
	check(escape_json, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
	check(escape_json, "a\xffz", "a\xef\xbf\xbdz");
	check(escape_json, "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"); /* overlong '/' */
	check(escape_json, "cut\xe2\x82", "cut\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_utf8(void **state)
{
	(void)state;
	check(escape_utf8, "", "");
	check(escape_utf8, "a<b>\x1b\n\"\\", "a<b>\x1b\n\"\\");
	check(escape_utf8, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	check(escape_utf8,
	      "\xff"
	      "a\xc3",
	      "\xef\xbf\xbd"
	      "a\xef\xbf\xbd"); /* stray, cut off */
	check(escape_utf8, "\xc0\xaf\xed\xa0\x80",
	      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* overlong, surrogate */
	escape_utf8(&(struct out){ .fd = -1 }, NULL, 0);
}

static void csv_comma(struct out *o, const char *s, size_t len);

static void test_null_is_empty(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	escape_terminal(&o, NULL, 0);
	escape_xml(&o, NULL, 0);
	escape_json(&o, NULL, 0);
	csv_comma(&o, NULL, 0);
	assert_true(escape_terminal_is_plain(NULL, 0));
	assert_int_equal(o.len, 0);
	out_fini(&o);
}

static void csv_comma(struct out *o, const char *s, size_t len)
{
	escape_csv(o, s, len, ',');
}

static void csv_tab(struct out *o, const char *s, size_t len)
{
	escape_csv(o, s, len, '\t');
}

/* Direction, no width, tags beyond the first plane: seen in no sink. */
static void test_invisible(void **state)
{
	(void)state;
	check(escape_json,
	      "a\xe2\x80\xae"
	      "b",
	      "a\\u202eb");
	check(escape_json, "\xe2\x81\xa6\xd8\x9c\xe2\x80\x8b\xef\xbb\xbf\xc2\xad", "\\u2066\\u061c\\u200b\\ufeff\\u00ad");
	check(escape_json, "\xf3\xa0\x81\x81", "\\udb40\\udc41");
	check(escape_json, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
	check(escape_terminal,
	      "a\xe2\x80\x8b"
	      "b",
	      "a\\xe2\\x80\\x8bb");
	check(escape_terminal, "\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81");
}

static void test_csv(void **state)
{
	(void)state;
	check(csv_comma, "", "");
	check(csv_comma, "plain; text", "plain; text");
	check(csv_comma, "f(int, char)", "\"f(int, char)\"");
	check(csv_comma, "say \"hi\"", "\"say \"\"hi\"\"\"");
	check(csv_comma, "two\nlines", "\"two\nlines\"");
	check(csv_comma, "a\033[2Jb", "\"a\\e[2Jb\"");
	check(csv_comma, "\xc2\x9b,", "\"\\xc2\\x9b,\"");
	check(csv_tab, "f(int, char)", "f(int, char)");
	/* What a spreadsheet would run. */
	check(csv_comma, "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
	check(csv_comma, "+1", "'+1");
	check(csv_comma, "-1,2", "\"'-1,2\"");
	check(csv_comma, "@SUM(A1)", "'@SUM(A1)");
	check(csv_comma, "\t=1", "\"'\t=1\"");
	check(csv_comma, "\r=1", "\"'\\x0d=1\"");
	check(csv_comma, "a=b", "a=b");
	check(csv_tab, "a\tb", "\"a\tb\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terminal_plain),
		cmocka_unit_test(test_terminal_every_byte),
		cmocka_unit_test(test_terminal_controls),
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_invisible),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_null_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * view/label.c: names keep what tells them apart; none is longer than asked for, whatever it is. labels.tsv (letters, name, label) is what the page's
 * script does, too: tests/web/flame_label.sh.
 */
#include "view/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define TABLE "tests/unit/labels.tsv"

static size_t letters(const char *s, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += ((uint8_t)s[i] & 0xc0) != 0x80;
	return nr;
}

static void check(const char *name, size_t max, const char *want)
{
	struct out o;

	out_init(&o, -1);
	label_shorten(&o, name, strlen(name), max);
	assert_true(letters(o.buf, o.len) <= max);
	out_char(&o, 0);
	assert_string_equal(o.buf, want);
	out_fini(&o);
}

static void test_table(void **state)
{
	char line[1024];
	uint32_t nr = 0;
	FILE *f = fopen(TABLE, "r");

	(void)state;
	assert_non_null(f);
	for (; fgets(line, sizeof(line), f); nr++) {
		char *max = strtok(line, "\t"), *name = strtok(NULL, "\t"), *want = strtok(NULL, "\n");

		assert_non_null(want);
		check(name, strtoul(max, NULL, 10), want);
	}
	fclose(f);
	assert_true(nr > 100);
}

/* What the table's rows are there for. */
static void test_tells_apart(void **state)
{
	(void)state;
	check("clang::Sema::InstantiateFunctionDefinition", 30, "InstantiateFunctionDefinition");
	check("llvm::ModuleToFunctionPassAdaptor::run", 20, "ModuleToF…aptor::run");
	check("std::vector<std::string, std::allocator<std::string> >::push_back(std::string const&)", 30,
	      "std::vector<std…> >::push_back");
	check("void acme::Tree<int>::insert(int)", 30, "acme::Tree<int>::insert(…)");
	check("short", 5, "short");
}

static void test_random(void **state)
{
	static const char *const parts[] = { "::", "<",	 ">",	     "(",   ")",  "[",		 "]", "{",  "}",     " ", ".",
					     "/",  "->", "operator", "+0x", "ab", "longer_name", "é", "日", ".cold", "," };
	char name[512];

	(void)state;
	srand(3);
	for (int round = 0; round < 50000; round++) {
		struct out o;
		size_t max = (size_t)(rand() % 40) + 1;

		name[0] = 0;
		for (int i = rand() % 30; i > 0; i--)
			strcat(name, parts[(size_t)rand() % (sizeof(parts) / sizeof(*parts))]);
		out_init(&o, -1);
		label_shorten(&o, name, strlen(name), max);
		assert_true(letters(o.buf, o.len) <= max);
		assert_true(o.len || !*name);
		out_fini(&o);
	}
}

/* Longer than is looked into: cut in the middle, at once. */
static void test_huge(void **state)
{
	size_t len = 10u << 20;
	char *name = malloc(len + 1);

	(void)state;
	memset(name, '<', len);
	name[len] = 0;
	memcpy(name, "begin", 5);
	memcpy(name + len - 3, "end", 3);
	check(name, 9, "begin…end");
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_tells_apart),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_huge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

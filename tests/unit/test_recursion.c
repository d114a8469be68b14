/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct recursion of model/flame.h: recursion is drawn once, no function of a stack disappears, and what is left are calls that were there.
 */
#include "model/flame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define MOST 64

static uint32_t spot(struct flame *f, const char *name, enum flame_kind kind, unsigned marks)
{
	return flame_intern_spot(f, flame_intern_frame(f, name, strlen(name), "app", kind, marks), "", 0);
}

/* Each letter is a function; a capital one is the same, inlined; '?' is "[app]", which may be any. */
static uint32_t spot_of_letter(struct flame *f, char c)
{
	char name[2] = { (char)(c | 0x20), 0 };

	if (c == '?')
		return spot(f, "[app]", FLAME_USER, FLAME_UNRESOLVED);
	return spot(f, name, FLAME_USER, c < 'a' ? FLAME_INLINED : 0);
}

static char letter_of_spot(const struct flame *f, uint32_t id)
{
	const struct flame_frame *fr = &f->frames.v[f->spots.v[id].frame];
	char c = *strtab_get(&f->strings, fr->name);

	return (char)(c == '[' ? '?' : fr->marks & FLAME_INLINED ? c & ~0x20 : c);
}

static void collapse(struct recursion *r, const char *stack, char result[MOST])
{
	uint32_t spots[MOST], nr = 0;

	for (; stack[nr]; nr++)
		spots[nr] = spot_of_letter(r->f, stack[nr]);
	nr = recursion_collapse(r, spots, nr);
	for (uint32_t i = 0; i < nr; i++)
		result[i] = letter_of_spot(r->f, spots[i]);
	result[nr] = 0;
}

static void test_known(void **state)
{
	static const struct {
		const char *stack, *want;
	} known[] = {
		{ "", "" },	      { "abc", "abc" },		  { "abbbbc", "abc" },
		{ "ababab", "ab" },   { "mabcabcabcx", "mabcx" }, { "aba", "aba" },  /* b would disappear */
		{ "abax", "abax" },   { "ebecebececl", "ebecl" }, { "aAAAb", "ab" }, /* gcc inlines a function into itself */
		{ "Aaab", "Ab" },     { "a???b", "a???b" },			     /* may be three functions */
		{ "ab?ab", "ab?ab" },
	};
	struct recursion r;
	struct flame f;
	char got[MOST];

	(void)state;
	flame_init(&f, 1);
	recursion_init(&r, &f);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		collapse(&r, known[i].stack, got);
		assert_string_equal(got, known[i].want);
	}
	recursion_fini(&r);
	flame_fini(&f);
}

/* Names of tasks, and the mark of cut stacks, are no functions. */
static void test_other_kinds(void **state)
{
	struct recursion r;
	struct flame f;
	uint32_t spots[4];

	(void)state;
	flame_init(&f, 1);
	recursion_init(&r, &f);
	spots[0] = spots[1] = spot(&f, "app", FLAME_GROUP, 0);
	spots[2] = spot(&f, "app", FLAME_USER, 0);
	spots[3] = spot(&f, "app", FLAME_KERNEL, 0);
	assert_int_equal(recursion_collapse(&r, spots, 4), 4);
	recursion_fini(&r);
	flame_fini(&f);
}

static bool has_call(const char *stack, char from, char to)
{
	for (; *stack && stack[1]; stack++)
		if (stack[0] == from && stack[1] == to)
			return true;
	return false;
}

static void test_random(void **state)
{
	struct recursion r;
	struct flame f;
	char stack[MOST], got[MOST], again[MOST];

	(void)state;
	srand(7);
	flame_init(&f, 1);
	recursion_init(&r, &f);
	for (int round = 0; round < 20000; round++) {
		int nr = rand() % (MOST - 1), nr_functions = rand() % 6 + 1;

		for (int i = 0; i < nr; i++)
			stack[i] = (char)('a' + rand() % nr_functions);
		stack[nr] = 0;
		collapse(&r, stack, got);
		for (int i = 0; i < nr; i++)
			assert_non_null(strchr(got, stack[i]));
		for (size_t i = 0; got[i] && got[i + 1]; i++)
			assert_true(has_call(stack, got[i], got[i + 1]));
		assert_true(!nr || (got[0] == stack[0] && got[strlen(got) - 1] == stack[nr - 1]));
		assert_true(strlen(got) <= (size_t)(nr_functions * (nr_functions + 1)));
		collapse(&r, got, again);
		assert_string_equal(got, again);
	}
	recursion_fini(&r);
	flame_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

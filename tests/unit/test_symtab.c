/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/symtab.h: order, sizes, the choice between aliases, overlaps. What perf 6.1 answers for
 * the same symbols was found by asking it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "symbols/symtab.h"

struct row {
	uint64_t start, size;
	const char *name;
	enum symbol_binding binding;
};

static struct symtab *table_of(const struct row *rows, size_t nr, bool mangled)
{
	struct symtab *t = symtab_new();

	t->mangled = mangled;
	for (size_t i = 0; i < nr; i++)
		symtab_add(t, rows[i].start, rows[i].start + rows[i].size, rows[i].name, strlen(rows[i].name), rows[i].binding,
			   SYMBOL_FUNCTION);
	symtab_finish(t, false);
	return t;
}

static void assert_found(const struct symtab *t, uint64_t addr, const char *name)
{
	const struct symbol *s = symtab_find(t, addr);

	if (!name) {
		assert_null(s);
		return;
	}
	assert_non_null(s);
	assert_string_equal(s->name, name);
}

static void test_empty(void **state)
{
	struct symtab *t = symtab_new();

	(void)state;
	symtab_finish(t, false);
	assert_null(symtab_find(t, 0));
	symtab_free(t);
	symtab_free(NULL);
}

static void test_order_and_sizes(void **state)
{
	static const struct row rows[] = {
		{ 0x300, 0x10, "c", SYMBOL_GLOBAL },
		{ 0x100, 0x80, "a", SYMBOL_GLOBAL },
		{ 0x200, 0, "b", SYMBOL_GLOBAL },
		{ 0x1234, 0, "last", SYMBOL_GLOBAL },
	};
	struct symtab *t = table_of(rows, 4, false);

	(void)state;
	assert_found(t, 0xff, NULL);
	assert_found(t, 0x100, "a");
	assert_found(t, 0x17f, "a");
	assert_found(t, 0x180, NULL);
	assert_found(t, 0x200, "b");
	assert_found(t, 0x2ff, "b");
	assert_found(t, 0x30f, "c");
	assert_found(t, 0x310, NULL);
	/* The last one reaches to the next page and a page further. */
	assert_found(t, 0x2fff, "last");
	assert_found(t, 0x3000, NULL);
	symtab_free(t);
}

static void test_aliases(void **state)
{
	static const struct row rows[] = {
		{ 0x100, 0x10, "weak_but_longer", SYMBOL_WEAK },
		{ 0x100, 0x10, "local", SYMBOL_LOCAL },
		{ 0x200, 0x10, "a_long_local_name", SYMBOL_LOCAL },
		{ 0x200, 0x10, "_glob", SYMBOL_GLOBAL },
		{ 0x300, 0x10, "__read_nocancel", SYMBOL_GLOBAL },
		{ 0x300, 0x10, "read", SYMBOL_GLOBAL },
		{ 0x400, 0x10, "short", SYMBOL_GLOBAL },
		{ 0x400, 0x10, "longer", SYMBOL_GLOBAL },
		{ 0x500, 0x10, "first", SYMBOL_GLOBAL },
		{ 0x500, 0x10, "other", SYMBOL_GLOBAL },
		{ 0x600, 0x10, "SyS_foo", SYMBOL_GLOBAL },
		{ 0x600, 0x10, "sys_foo", SYMBOL_GLOBAL },
		/* The last of those without size gets one first, which settles it. */
		{ 0x700, 0, "longest_without_size", SYMBOL_GLOBAL },
		{ 0x700, 0, "x", SYMBOL_GLOBAL },
		{ 0x800, 0x10, "sized", SYMBOL_LOCAL },
		{ 0x800, 0, "_unsized", SYMBOL_GLOBAL },
		{ 0x900, 0x10, "end", SYMBOL_GLOBAL },
	};
	struct symtab *t = table_of(rows, sizeof(rows) / sizeof(rows[0]), false);

	(void)state;
	assert_int_equal(t->symbols.nr, 9);
	assert_found(t, 0x100, "local");
	assert_found(t, 0x200, "_glob");
	assert_found(t, 0x300, "read");
	assert_found(t, 0x400, "longer");
	assert_found(t, 0x500, "first");
	assert_found(t, 0x600, "sys_foo");
	assert_found(t, 0x700, "x");
	assert_found(t, 0x8ff, "_unsized");
	symtab_free(t);
}

/* Aliases are compared as a person reads them. */
/* What eu-stack 0.188 prints of the same symbols: the global one, else the weak one, else the first. */
static void test_aliases_by_binding(void **state)
{
	static const struct row rows[] = {
		{ 0x100, 0x10, "__sleep", SYMBOL_LOCAL },	   { 0x100, 0x10, "sleep", SYMBOL_WEAK },
		{ 0x200, 0x10, "__GI___nanosleep", SYMBOL_LOCAL }, { 0x200, 0x10, "nanosleep", SYMBOL_WEAK },
		{ 0x200, 0x10, "__nanosleep", SYMBOL_GLOBAL },	   { 0x300, 0x10, "__clone3", SYMBOL_LOCAL },
		{ 0x300, 0x10, "clone3", SYMBOL_LOCAL },
	};
	struct symtab *t = symtab_new();

	(void)state;
	t->by_binding = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		symtab_add(t, rows[i].start, rows[i].start + rows[i].size, rows[i].name, strlen(rows[i].name), rows[i].binding,
			   SYMBOL_FUNCTION);
	symtab_finish(t, false);
	assert_found(t, 0x100, "sleep");
	assert_found(t, 0x200, "__nanosleep");
	assert_found(t, 0x300, "__clone3");
	symtab_free(t);
}

static void test_mangled_aliases(void **state)
{
	static const struct row rows[] = {
		{ 0x100, 0x10, "_ZN3fooC1Ev", SYMBOL_GLOBAL },	     /* foo::foo */
		{ 0x100, 0x10, "_ZN3fooC2Ev", SYMBOL_GLOBAL },	     /* foo::foo */
		{ 0x200, 0x10, "_Z1fiiiiiiiiii", SYMBOL_GLOBAL },    /* f */
		{ 0x200, 0x10, "_Z3barv", SYMBOL_GLOBAL },	     /* bar */
		{ 0x300, 0x10, "_ZN9__gnu_cxx1fEv", SYMBOL_GLOBAL }, /* __gnu_cxx::f */
		{ 0x300, 0x10, "_Z1gv", SYMBOL_GLOBAL },	     /* g */
	};
	struct symtab *t = table_of(rows, 6, true);

	(void)state;
	assert_found(t, 0x100, "_ZN3fooC1Ev");
	assert_found(t, 0x200, "_Z3barv");
	assert_found(t, 0x300, "_Z1gv");
	symtab_free(t);
	t = table_of(rows, 6, false);
	assert_found(t, 0x200, "_Z1fiiiiiiiiii");
	symtab_free(t);
}

static void test_overlaps(void **state)
{
	static const struct row rows[] = {
		{ 0x100, 0x100, "outer", SYMBOL_GLOBAL },
		{ 0x110, 0x40, "inner", SYMBOL_GLOBAL },
		{ 0x120, 0x10, "innermost", SYMBOL_GLOBAL },
		{ 0x1f0, 0x20, "across", SYMBOL_GLOBAL },
	};
	struct symtab *t = table_of(rows, 4, false);

	(void)state;
	assert_found(t, 0x10f, "outer");
	assert_found(t, 0x110, "inner");
	assert_found(t, 0x125, "innermost");
	assert_found(t, 0x130, "inner");
	assert_found(t, 0x150, "outer");
	assert_found(t, 0x1ff, "across");
	assert_found(t, 0x20f, "across");
	assert_found(t, 0x210, NULL);
	symtab_free(t);
}

static void test_edges_of_the_address_space(void **state)
{
	static const struct row rows[] = {
		{ UINT64_MAX - 1, 0, "high", SYMBOL_GLOBAL },
		{ 0, 0, "low", SYMBOL_GLOBAL },
	};
	struct symtab *t = table_of(rows, 2, false);

	(void)state;
	assert_found(t, 0, "low");
	assert_found(t, UINT64_MAX - 2, "low");
	assert_found(t, UINT64_MAX - 1, "high");
	symtab_free(t);
}

/* Many, in no order: what is found must be what a plain search finds. */
static void test_many(void **state)
{
	enum { NR = 50000 };
	struct symtab *t = symtab_new();
	uint64_t x = 1;

	(void)state;
	for (int i = 0; i < NR; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		symtab_add(t, x >> 20, (x >> 20) + 16, "f", 1, SYMBOL_LOCAL, SYMBOL_FUNCTION);
	}
	symtab_finish(t, false);
	for (uint32_t i = 1; i < t->symbols.nr; i++)
		assert_true(t->symbols.v[i - 1].start < t->symbols.v[i].start);
	for (uint32_t i = 0; i < t->symbols.nr; i += 97)
		assert_ptr_equal(symtab_find(t, t->symbols.v[i].start), &t->symbols.v[i]);
	symtab_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_order_and_sizes),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_aliases_by_binding),
		cmocka_unit_test(test_mangled_aliases),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_edges_of_the_address_space),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

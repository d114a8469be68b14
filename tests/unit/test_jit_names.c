/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/jit_names.h: what is folded, and what is left alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "symbols/jit_names.h"

static void test_fold(void **state)
{
	static const struct {
		const char *name, *folded; /* NULL: as it is */
	} cases[] = {
		{ "JS:*workSeven /a/b.js:3:41", "workSeven /a/b.js:3:41" },
		{ "LazyCompile:~total cart.js:3", "total cart.js:3" },
		{ "Function:^total cart.js:3", "total cart.js:3" },
		{ "JS:*~odd", "~odd" },
		{ "JS:~ node:internal:1:1", "(anonymous) node:internal:1:1" },
		{ "JS:plain", "plain" },
		{ "JS:", NULL },
		{ "JS:*", NULL },
		{ "Builtin:RecordWriteSaveFP", NULL },
		{ "Lcom/acme/Cart;::total", "com.acme.Cart.total" },
		{ "L;::total", NULL },
		{ "LowLevel", NULL },
		{ "int Main.work(int)", "Main.work" },
		{ "java.lang.String[] com.acme.Cart$Item.<init>(int, java.util.List)", "com.acme.Cart$Item.<init>" },
		{ "int Main.work(int) [C1]", "Main.work [C1]" },
		{ "void work(int) [C1]", NULL },
		{ "int Main.work(int) [C1] ", NULL },
		{ "int Main.work(int)) [C1]", NULL },
		{ "void work(int)", NULL }, /* C's way to write it */
		{ "int Main.work(int) [inlined]", NULL },
		{ "operator new (unsigned)", NULL },
		{ "std::vector<int> f.g(h(i))", NULL },
		{ "py::spin:/a/b.py", NULL },
		{ "", NULL },
		{ "(", NULL },
		{ " (", NULL },
		{ " ()", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *folded = jit_name_fold(cases[i].name);

		if (cases[i].folded) {
			assert_non_null(folded);
			assert_string_equal(folded, cases[i].folded);
		} else {
			assert_null(folded);
		}
		free(folded);
	}
}

static void test_interpreted(void **state)
{
	(void)state;
	assert_true(jit_name_is_interpreted("JS:~f a.js:1:1"));
	assert_true(jit_name_is_interpreted("LazyCompile:~f a.js:1"));
	assert_true(jit_name_is_interpreted("Interpreter"));
	assert_true(jit_name_is_interpreted("py::f:/a.py"));
	assert_false(jit_name_is_interpreted("JS:*f a.js:1:1"));
	assert_false(jit_name_is_interpreted("InterpreterRuntime"));
	assert_false(jit_name_is_interpreted("~f"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_interpreted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

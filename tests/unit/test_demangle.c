/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/demangle.h: names as perf 6.1 prints them (asked with a file that has these symbols), and
 * names made to exhaust us.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

static const struct {
	const char *mangled, *shown; /* NULL: stays as it is */
} names[] = {
	{ "_ZN12_GLOBAL__N_14Anon4spinIlEET_S2_", "(anonymous namespace)::Anon::spin<long>" },
	{ "_Z4callIZ4mainEUliE_EDaT_", "call<main::{lambda(int)#1}>" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
	  "std::vector<int, std::allocator<int> >::push_back" },
	{ "_ZNKSt8functionIFiiEEclEi", "std::function<int (int)>::operator()" },
	{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
	  "std::operator<< <std::char_traits<char> >" },
	{ "_ZN1AcvT_IiEEv", "A::operator int<int>" },
	{ "_ZThn8_N1A1fEv", "non-virtual thunk to A::f()" },
	{ "_ZTV1A", "vtable for A" },
	{ "_ZN3FooD0Ev", "Foo::~Foo" },
	{ "_ZN3abi1fB5cxx11Ev", "abi::f[abi:cxx11]" },
	{ "_Z3fooi.part.0", "foo" },
	{ "_Z3fooi.constprop.0.isra.1", "foo" },
	{ "_Z3fooi.cold", "foo" },
	{ "_Z3foov@@VERS_1", "foo" },
	{ "_Znwm@plt", "operator new@plt" },
	{ "_GLOBAL__I_a", "global constructors keyed to a" },
	{ "_GLOBAL__sub_I_foo", NULL },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	{ "_ZN3foo3bar17h05af221e174051e9E.llvm.123456789", "foo::bar" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RINvNtC3std3mem8align_ofdE.llvm.5", "std::mem::align_of::<f64>" },
	{ "_RNCNvC6mycrate4main0B3_", NULL },
	{ "camlStdlib__array__map_154", "Stdlib.array.map_154" },
	{ "camlFoo__bar$27_12", "Foo.bar'_12" },
	{ "camlfoo__bar", NULL },
	{ "Lcom/foo/Bar;method(ILjava/lang/String;)V",
	  "com.foo.Bar.method(int, java.lang.String)" },
	{ "Ljava/lang/Object;<init>()V", "java.lang.Object<init>()" },
	{ "Lfoo;m([IZBCSJFD[[Lx/Y;)I",
	  "foo.m(int[], boolean, byte, char, short, long, float, double, x.Y[][])" },
	{ "Lfoo;m(I", NULL },
	{ "Lfoo", NULL },
	/* perf leaves D alone */
	{ "_D3foo3barFZv", "foo.bar" },
	{ "_D4demo6Engine3runMFiAyaZv", "demo.Engine.run" },
	{ "_D3std5stdio__T7writelnTAyaZQnFNfQjZv", "std.stdio.writeln!(immutable(char)[]).writeln" },
	{ "_Dmain", "D main" },
	{ "_Dfoo", NULL },
	{ "_Z", NULL },
	{ "_ZN", NULL },
	{ "_R", NULL },
	{ "main", NULL },
	{ "printf@plt", NULL },
	{ "@plt", NULL },
	{ "", NULL },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *shown = demangle_name(names[i].mangled);

		if (names[i].shown) {
			if (!shown)
				fail_msg("%s was not demangled", names[i].mangled);
			assert_string_equal(shown, names[i].shown);
		} else if (shown) {
			fail_msg("%s became %s", names[i].mangled, shown);
		}
		free(shown);
	}
}

/* B<B<B<…A, A>, B<A, A>>, …>: each of 90 levels doubles the length. */
static void test_exploding_name(void **state)
{
	enum { LEVELS = 90 };
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[4096] = "_Z1fI";

	(void)state;
	for (int i = 0; i < LEVELS; i++)
		strcat(name, "1BI");
	strcat(name, "1A");
	for (int i = 0; i < LEVELS; i++) {
		int n = LEVELS + i;

		snprintf(name + strlen(name), 8, "S%c%c_E", digits[n / 36], digits[n % 36]);
	}
	strcat(name, "Evv");
	assert_null(demangle_name(name));
}

static void test_long_and_deep(void **state)
{
	enum { SIZE = 1 << 20 };
	char *name = malloc(SIZE);

	(void)state;
	memset(name, 'P', SIZE);
	memcpy(name, "_Z1f", 4);
	name[SIZE - 1] = 0;
	assert_null(demangle_name(name));
	name[15000] = 0;
	free(demangle_name(name));
	memset(name, 'S', 15000);
	memcpy(name, "_RNv", 4);
	free(demangle_name(name));
	memset(name, 'P', 15000);
	memcpy(name, "_D3foo3barF", 11);
	assert_null(demangle_name(name));
	memset(name, 'Q', 200);
	memcpy(name, "_D3foo3barF", 11);
	name[200] = 0;
	assert_null(demangle_name(name));
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_exploding_name),
		cmocka_unit_test(test_long_and_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

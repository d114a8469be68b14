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
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back" },
	{ "_ZNKSt8functionIFiiEEclEi", "std::function<int (int)>::operator()" },
	{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<< <std::char_traits<char> >" },
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
	{ "_RNvXCs6GmmlP4bgsG_1rINtB2_2SqdENtB2_5Shape4area", "<r::Sq<f64> as r::Shape>::area" },
	{ "_ZN45_$LT$r..Sq$LT$f64$GT$$u20$as$u20$r..Shape$GT$4area17h3365673aa120d517E", "<r::Sq<f64> as r::Shape>::area" },
	{ "_RNCNvC6mycrate4main0B3_", NULL },
	{ "camlStdlib__array__map_154", "Stdlib.array.map_154" },
	{ "camlFoo__bar$27_12", "Foo.bar'_12" },
	{ "camlfoo__bar", NULL },
	{ "Lcom/foo/Bar;method(ILjava/lang/String;)V", "com.foo.Bar.method(int, java.lang.String)" },
	{ "Ljava/lang/Object;<init>()V", "java.lang.Object<init>()" },
	{ "Lfoo;m([IZBCSJFD[[Lx/Y;)I", "foo.m(int[], boolean, byte, char, short, long, float, double, x.Y[][])" },
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
		char *shown = demangle_name(names[i].mangled, false);

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

#define DOTS "\xe2\x80\xa6"
#define ARGS "<" DOTS ">"

static const struct {
	const char *mangled, *shown;
} short_names[] = {
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector" ARGS "::push_back" },
	{ "_ZNSt6vectorIcSaIcEE9push_backERKc", "std::vector" ARGS "::push_back" },
	{ "_ZN12_GLOBAL__N_14AnonIiE4spinEi", "(anonymous namespace)::Anon" ARGS "::spin" },
	{ "_ZNKSt8functionIFiiEEclEi", "std::function" ARGS "::operator()" },
	{ "_ZNK3BoxIiEltERKS0_", "Box" ARGS "::operator<" },
	{ "_ZNK3BoxIiEgtERKS0_", "Box" ARGS "::operator>" },
	{ "_ZN3BoxIiEptEv", "Box" ARGS "::operator->" },
	{ "_ZN3BoxIiElsIdEERS0_T_", "Box" ARGS "::operator<< " ARGS },
	{ "_ZN3BoxIiEleIlEEbT_", "Box" ARGS "::operator<=" ARGS },
	{ "_ZN3BoxIiEpmIiEET_S2_", "Box" ARGS "::operator->*" ARGS },
	{ "_ZN3BoxIiEixEi", "Box" ARGS "::operator[]" },
	{ "_ZN3BoxIiEnaEm", "Box" ARGS "::operator new[]" },
	{ "_ZNK3BoxIiEcvbEv", "Box" ARGS "::operator bool" },
	{ "_ZNK3BoxIiEcvPFviEEv", "Box" ARGS "::operator void (*)(int)" },
	{ "_ZNK12_GLOBAL__N_14AnonIiEcvSt6vectorIiSaIiEEEv", "(anonymous namespace)::Anon" ARGS "::operator std::vector" ARGS },
	{ "_ZltIiEbRKSt6vectorI3BoxIT_ESaIS3_EES2_", "operator< " ARGS },
	{ "_Z6viaptrIiXadL_ZNK3BoxIiEltERKS1_EEEi3BoxIT_E", "viaptr" ARGS },
	{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<< " ARGS },
	{ "_ZN1AcvT_IiEEv", "A::operator int" ARGS },
	{ "_Z4packIJEEiDpT_", "pack" ARGS },
	{ "_Z4packIJidEEiDpT_", "pack" ARGS },
	/* enclosing functions lose their parameters, lambdas are told apart by theirs */
	{ "_ZZ4hostIdEvT_ENKUlT_St6vectorIdSaIdEEE_clIiEEDaS1_S4_",
	  "host" ARGS "::{lambda(auto:1, std::vector" ARGS ")#1}::operator()" ARGS },
	{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()" },
	{ "_ZGVZ3foovE1x", "guard variable for foo::x" },
	{ "_ZThn8_NK1AclEi", "non-virtual thunk to A::operator()" },
	{ "_ZTVSt6vectorIiSaIiEE", "vtable for std::vector" ARGS },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi@plt", "std::vector" ARGS "::push_back@plt" },
	/* Rust, both manglings */
	{ "_RINvNtC3std3mem8align_ofdE.llvm.5", "std::mem::align_of::" ARGS },
	{ "_RNvXCs6GmmlP4bgsG_1rINtB2_2SqdENtB2_5Shape4area", "<r::Sq" ARGS " as r::Shape>::area" },
	{ "_RNvXs2_Cs6GmmlP4bgsG_1rFmEhNtB5_5Shape4area", "<fn(u32) -> u8 as r::Shape>::area" },
	{ "_RNvXs3_Cs6GmmlP4bgsG_1rRDINtNtNtCsgEmfK2I1SDS_4core3ops8function2FnTmEEp6OutputhEL_NtB5_5Shape4area",
	  "<&dyn core::ops::function::Fn" ARGS " as r::Shape>::area" },
	{ "_RNvMs4_Cs6GmmlP4bgsG_1rINtB5_1CKc3c_E2chB5_", "<r::C" ARGS ">::ch" },
	{ "_RNvMs4_Cs6GmmlP4bgsG_1rINtB5_1CKc28_E2chB5_", "<r::C" ARGS ">::ch" },
	{ "_RNvMs4_Cs6GmmlP4bgsG_1rINtB5_1CKc2026_E2chB5_", "<r::C" ARGS ">::ch" },
	{ "_ZN1r10C$LT$_$GT$2ch17h0c5b337f6a6d8a35E", "r::C" ARGS "::ch" },
	{ "_ZN45_$LT$r..Sq$LT$f64$GT$$u20$as$u20$r..Shape$GT$4area17h3365673aa120d517E", "<r::Sq" ARGS " as r::Shape>::area" },
	{ "_ZN59_$LT$fn$LP$u32$RP$$u20$.$GT$$u20$u8$u20$as$u20$r..Shape$GT$4area17hf195cbf846fe3d92E",
	  "<fn(u32) .> u8 as r::Shape>::area" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar" ARGS ">::bar" },
	{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
	/* others */
	{ "_D3std5stdio__T7writelnTAyaZQnFNfQjZv", "std.stdio.writeln!(" DOTS ").writeln" },
	{ "_D4demo6Engine3runMFiAyaZv", "demo.Engine.run" },
	{ "Lcom/foo/Bar;method(ILjava/lang/String;)V", "com.foo.Bar.method" },
	{ "Ljava/lang/Object;<init>()V", "java.lang.Object<init>" },
	{ "camlStdlib__array__map_154", "Stdlib.array.map_154" },
};

static void test_short_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(short_names) / sizeof(short_names[0]); i++) {
		char *shown = demangle_name(short_names[i].mangled, true);

		if (!shown)
			fail_msg("%s was not demangled", short_names[i].mangled);
		assert_string_equal(shown, short_names[i].shown);
		free(shown);
	}
	assert_null(demangle_name("main", true));
	assert_null(demangle_name("printf@plt", true));
}

/* Brackets that do not match, are too many, or are literals. */
static void test_fold_odd(void **state)
{
	static const struct {
		const char *name, *shown; /* NULL: stays as it is */
		enum name_scheme scheme;
	} odd[] = {
		{ "f<a", NULL, NAME_CPP },
		{ "f>a", NULL, NAME_CPP },
		{ "f<(a>", NULL, NAME_CPP },
		{ "f<a)>", NULL, NAME_CPP },
		{ "f<((1)>(2))>::g", "f" ARGS "::g", NAME_CPP },
		{ "f<((1)<(2))>::g", "f" ARGS "::g", NAME_CPP },
		{ "my_operator<int>", "my_operator" ARGS, NAME_CPP },
		{ "operator<", NULL, NAME_CPP },
		{ "operator<<", NULL, NAME_CPP },
		{ "A::f(int) const &::x", "A::f::x", NAME_CPP },
		{ "A::f(int) constant", "A::f constant", NAME_CPP },
		{ "f!(\")\", 1).g", "f!(" DOTS ").g", NAME_D },
		{ "f!(\"\\\")\", 1).g", "f!(" DOTS ").g", NAME_D },
		{ "f!(\")", NULL, NAME_D },
		{ "f::<'>'>::g", "f::" ARGS "::g", NAME_RUST },
		{ "f::<'\\''>::g", "f::" ARGS "::g", NAME_RUST },
		{ "f::<'a>::g", "f::" ARGS "::g", NAME_RUST },
		{ "a::<impl b<c> for d<e>>::f", "a::<impl b" ARGS " for d" ARGS ">::f", NAME_RUST },
		{ "<><><>", "<>" ARGS ARGS, NAME_RUST },
		{ "a<>b<>c<>", "a" ARGS "b" ARGS "c" ARGS, NAME_CPP },
	};
	char deep[1001];

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		char *shown = name_fold(odd[i].name, odd[i].scheme);

		if (!shown != !odd[i].shown)
			fail_msg("%s became %s", odd[i].name, shown ? shown : "nothing");
		if (shown)
			assert_string_equal(shown, odd[i].shown);
		free(shown);
	}
	for (int scheme = NAME_CPP; scheme <= NAME_OCAML; scheme++) {
		for (const char *c = "<({["; *c; c++) {
			memset(deep, *c, 1000);
			deep[1000] = 0;
			free(name_fold(deep, (enum name_scheme)scheme));
		}
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
	assert_null(demangle_name(name, false));
}

static void test_long_and_deep(void **state)
{
	enum { SIZE = 1 << 20 };
	char *name = malloc(SIZE);

	(void)state;
	memset(name, 'P', SIZE);
	memcpy(name, "_Z1f", 4);
	name[SIZE - 1] = 0;
	assert_null(demangle_name(name, false));
	name[15000] = 0;
	free(demangle_name(name, false));
	memset(name, 'S', 15000);
	memcpy(name, "_RNv", 4);
	free(demangle_name(name, false));
	memset(name, 'P', 15000);
	memcpy(name, "_D3foo3barF", 11);
	assert_null(demangle_name(name, false));
	memset(name, 'Q', 200);
	memcpy(name, "_D3foo3barF", 11);
	name[200] = 0;
	assert_null(demangle_name(name, false));
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	       cmocka_unit_test(test_short_names),   cmocka_unit_test(test_fold_odd),
		cmocka_unit_test(test_exploding_name), cmocka_unit_test(test_long_and_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

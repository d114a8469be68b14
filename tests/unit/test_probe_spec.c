/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The grammar of probes: what each spelling means, what is refused and why; filters and ranges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/probe_point.h"

static void assert_text(const char *got, const char *want)
{
	if (!want)
		assert_null(got);
	else
		assert_string_equal(got ? got : "(none)", want);
}

struct place {
	const char *text;
	enum probe_place place;
	const char *group, *event, *function, *file, *version, *pattern;
	uint64_t offset;
	uint32_t line;
	bool has_line, has_offset, is_return, is_plt;
};

static void test_places(void **state)
{
	static const struct place places[] = {
		{ .text = "work", .function = "work" },
		{ .text = "work+0x10", .function = "work", .offset = 16, .has_offset = true },
		{ .text = "work+10", .function = "work", .offset = 10, .has_offset = true },
		{ .text = "work:9", .function = "work", .line = 9, .has_line = true },
		{ .text = "work%return", .function = "work", .is_return = true },
		{ .text = "work;a = b*", .function = "work", .pattern = "a" },
		{ .text = "work;\"a = b*\"", .function = "work", .pattern = "a = b*" },
		{ .text = "ev=work", .event = "ev", .function = "work" },
		{ .text = "g:ev=work:1", .group = "g", .event = "ev", .function = "work", .line = 1, .has_line = true },
		{ .text = "work@src/a.c:3", .function = "work", .file = "src/a.c", .line = 3, .has_line = true },
		{ .text = "a.c:19", .place = PROBE_SOURCE, .file = "a.c", .line = 19, .has_line = true },
		{ .text = "src/a;x*", .place = PROBE_SOURCE, .file = "src/a", .pattern = "x*" },
		{ .text = "0x1234", .place = PROBE_ADDRESS, .offset = 0x1234 },
		{ .text = "memcpy@@GLIBC_2.14", .function = "memcpy", .version = "GLIBC_2.14" },
		{ .text = "memcpy@GLIBC_2.2.5", .function = "memcpy", .version = "GLIBC_2.2.5" },
		{ .text = "puts@plt", .function = "puts", .is_plt = true },
		{ .text = "odd\\@name", .function = "odd@name" },
		{ .text = "work.constprop.0:2", .function = "work.constprop.0", .line = 2, .has_line = true },
		{ .text = "ns::A<int, long>::f(int)+4", .function = "ns::A<int, long>::f(int)", .offset = 4, .has_offset = true },
		{ .text = "A::operator+=+4", .function = "A::operator+=", .offset = 4, .has_offset = true },
		{ .text = "A::operator%", .function = "A::operator%" },
		{ .text = "A::operator()(int):3", .function = "A::operator()(int)", .line = 3, .has_line = true },
		{ .text = "A::operator<<%return", .function = "A::operator<<", .is_return = true },
		{ .text = "operator new[]", .function = "operator new[]" },
		{ .text = "operator==", .function = "operator==" },
		{ .text = "std::operator+<char, std::less<char> >+4",
		  .function = "std::operator+<char, std::less<char> >",
		  .offset = 4,
		  .has_offset = true },
		{ .text = "operator<< <int>:2", .function = "operator<< <int>", .line = 2, .has_line = true },
		{ .text = "A::operator-><int>", .function = "A::operator-><int>" },
		{ .text = "A::operator bool%return", .function = "A::operator bool", .is_return = true },
		{ .text = "A::operator unsigned long+4", .function = "A::operator unsigned long", .offset = 4, .has_offset = true },
		{ .text = "A::operator ns::B*:1", .function = "A::operator ns::B*", .line = 1, .has_line = true },
		{ .text = "main.work", .function = "main.work" },
		{ .text = "main.work%return", .function = "main.work", .is_return = true },
		{ .text = "main.work+4", .function = "main.work", .offset = 4, .has_offset = true },
		{ .text = "example.com/a/b.Work", .function = "example.com/a/b.Work" },
		{ .text = "main.work:3", .place = PROBE_SOURCE, .file = "main.work", .line = 3, .has_line = true },
		{ .text = "a::b:7", .function = "a::b", .line = 7, .has_line = true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct place *p = &places[i];
		struct errbuf eb = { 0 };
		struct probe_spec s;

		if (probe_spec_parse(&s, p->text, &eb) && strcmp(p->text, "work;a = b*") != 0)
			fail_msg("%s: %s", p->text, eb.text);
		if (eb.text[0])
			continue; /* a pattern with blanks has to be quoted: the rest are arguments */
		assert_int_equal(s.place, p->place);
		assert_text(s.group, p->group);
		assert_text(s.event, p->event);
		assert_text(s.function, p->function);
		assert_text(s.file, p->file);
		assert_text(s.version, p->version);
		assert_text(s.pattern, p->pattern);
		assert_int_equal(s.offset, p->offset);
		assert_int_equal(s.line, p->line);
		assert_int_equal(s.has_line, p->has_line);
		assert_int_equal(s.has_offset, p->has_offset);
		assert_int_equal(s.is_return, p->is_return);
		assert_int_equal(s.is_plt, p->is_plt);
		probe_spec_fini(&s);
	}
}

static void test_sdt(void **state)
{
	struct errbuf eb = { 0 };
	struct probe_spec s;

	(void)state;
	assert_int_equal(probe_spec_parse(&s, "%sdt_libc:setjmp", &eb), 0);
	assert_int_equal(s.place, PROBE_SDT);
	assert_string_equal(s.provider, "libc");
	assert_string_equal(s.sdt, "setjmp");
	probe_spec_fini(&s);
}

/* Steps in one text: "s ->in .name [3] *". */
static void put_steps(const struct probe_arg *a, char *to, size_t size)
{
	size_t n = (size_t)snprintf(to, size, "%s", a->variable);

	for (uint32_t i = 0; i < a->nr_steps; i++) {
		const struct probe_step *s = &a->steps[i];

		if (s->kind == PROBE_INDEX)
			n += (size_t)snprintf(to + n, size - n, " [%lld]", (long long)s->number);
		else if (s->kind == PROBE_DEREF)
			n += (size_t)snprintf(to + n, size - n, s->number ? " %+lld*" : " *", (long long)s->number);
		else
			n += (size_t)snprintf(to + n, size - n, " %s%s", s->kind == PROBE_MEMBER ? "." : "->", s->name);
	}
}

static void test_args(void **state)
{
	static const struct {
		const char *text, *name, *type, *steps; /* steps NULL: the kernel's own */
	} args[] = {
		{ "n", NULL, NULL, "n" },
		{ "x=n:u8", "x", "u8", "n" },
		{ "s->in.name:string", NULL, "string", "s ->in .name" },
		{ "a[3].b[0x10]", NULL, NULL, "a [3] .b [16]" },
		{ "**pp", NULL, NULL, "pp * *" },
		{ "(*pp)->x", NULL, NULL, "pp * ->x" },
		{ "*a.b", NULL, NULL, "a .b *" },
		{ "+8(+16(p)):x64", NULL, "x64", "p +16* +8*" },
		{ "-8(p)", NULL, NULL, "p -8*" },
		{ "ns::counter", NULL, NULL, "ns::counter" },
		{ "$retval->x", NULL, NULL, "$retval ->x" },
		{ "%di", NULL, NULL, NULL },
		{ "r=+8(%sp):x64", "r", "x64", NULL },
		{ "$retval", NULL, NULL, NULL },
		{ "@glob+4", NULL, NULL, NULL },
		{ "\\12", NULL, NULL, NULL },
		{ "f:b4@3/8", NULL, "b4@3/8", "f" },
		{ "v:x8[16]", NULL, "x8[16]", "v" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		struct errbuf eb = { 0 };
		struct probe_spec s;
		char text[128], steps[256];

		snprintf(text, sizeof(text), "f %s", args[i].text);
		if (probe_spec_parse(&s, text, &eb))
			fail_msg("%s: %s", text, eb.text);
		assert_int_equal(s.args.nr, 1);
		assert_text(s.args.v[0].name, args[i].name);
		assert_text(s.args.v[0].type, args[i].type);
		assert_int_equal(s.args.v[0].kind, args[i].steps ? PROBE_ARG_VARIABLE : PROBE_ARG_RAW);
		if (args[i].steps) {
			put_steps(&s.args.v[0], steps, sizeof(steps));
			assert_string_equal(steps, args[i].steps);
		}
		probe_spec_fini(&s);
	}
}

static void test_refused(void **state)
{
	static const char *const texts[][2] = {
		{ "", "empty" },
		{ "=work", "empty" },
		{ ":3", "function or a file" },
		{ "work:x", "line is a number" },
		{ "work+x", "offset is a number" },
		{ "work%ret", "%return" },
		{ "work:1+4", "one of" },
		{ "a.c", "no such" },
		{ "work@", "no file" },
		{ "work a[n]", "variable index" },
		{ "work n:u7", "no type" },
		{ "work &n", "address of a variable" },
		{ "work (n", "not closed" },
		{ "work n)", "without '('" },
		{ "work a..b", "member" },
		{ "work x=", "nothing to fetch" },
		{ "work x=$vars", "several" },
		{ "%sdt", "PROVIDER" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct errbuf eb = { 0 };
		struct probe_spec s;
		int err = probe_spec_parse(&s, texts[i][0], &eb);

		/* A name with a dot alone is a function (a clone of a compiler). */
		if (!strcmp(texts[i][1], "no such")) {
			if (!err)
				probe_spec_fini(&s);
			continue;
		}
		assert_int_equal(err, -EINVAL);
		if (!strstr(eb.text, texts[i][1]))
			fail_msg("'%s': '%s' does not say '%s'", texts[i][0], eb.text, texts[i][1]);
	}
}

static void test_filter(void **state)
{
	static const struct {
		const char *filter, *name;
		bool matches;
	} cases[] = {
		{ "work", "work", true },
		{ "work", "works", false },
		{ "w*", "works", true },
		{ "!_*", "_start", false },
		{ "!_* & !*@plt", "puts@plt", false },
		{ "!_* & !*@plt", "puts", true },
		{ "a* | b*", "bc", true },
		{ "a* | b* & *c", "ax", true },
		{ "(a* | b*) & *c", "ax", false },
		{ "!(a | b)", "c", true },
		{ "!!a", "a", true },
	};
	static const char *const bad[] = { "", "a &", "& a", "(a", "a)", "a b", "!" };
	struct probe_filter *f;
	struct errbuf eb;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(probe_filter_new(&f, cases[i].filter, &eb), 0);
		if (probe_filter_match(f, cases[i].name) != cases[i].matches)
			fail_msg("%s on %s", cases[i].filter, cases[i].name);
		probe_filter_free(f);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		eb = (struct errbuf){ 0 };
		assert_int_equal(probe_filter_new(&f, bad[i], &eb), -EINVAL);
		assert_non_null(strstr(eb.text, "filter"));
	}
}

static void test_ranges(void **state)
{
	static const struct {
		const char *text, *function, *file;
		uint32_t first, last;
	} cases[] = {
		{ "work", "work", NULL, 0, UINT32_MAX },   { "work:2-5", "work", NULL, 2, 5 },	 { "work:2+3", "work", NULL, 2, 4 },
		{ "work@a.c:2", "work", "a.c", 2, 2 },	   { "a.c:10-20", NULL, "a.c", 10, 20 }, { "src/a", NULL, "src/a", 0, UINT32_MAX },
		{ "ns::f", "ns::f", NULL, 0, UINT32_MAX },
	};
	struct probe_range_spec s;
	struct errbuf eb = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(probe_range_parse(&s, cases[i].text, &eb), 0);
		assert_text(s.function, cases[i].function);
		assert_text(s.file, cases[i].file);
		assert_int_equal(s.first, cases[i].first);
		assert_int_equal(s.last, cases[i].last);
		probe_range_fini(&s);
	}
	assert_int_equal(probe_range_parse(&s, "work:5-2", &eb), -EINVAL);
	assert_int_equal(probe_range_parse(&s, "work:x", &eb), -EINVAL);
	assert_int_equal(probe_range_parse(&s, "", &eb), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),	cmocka_unit_test(test_sdt),    cmocka_unit_test(test_args),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_filter), cmocka_unit_test(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

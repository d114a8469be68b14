/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * view/export.h on a profile made by hand: texts word by word, what recursion costs, hostile names, several events, names of files.
 */
#include "session_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/export.h"

static const char *const names[] = { "main", "work", "leaf", "we;ird,\"\xff\n</script>", NULL };
enum { MAIN = 0x10010, WORK = 0x10110, LEAF = 0x10210, WEIRD = 0x10310, NOWHERE = 0x99990 };

struct export_fixture {
	struct fixture f;
	struct task *app, *other;
	struct export_options options;
	struct export_result result; /* of the last export */
	struct quality quality;
	bool wants_quality;
	struct out o;
};

static void setup(struct export_fixture *x)
{
	memset(x, 0, sizeof(*x));
	fixture_init(&x->f);
	x->app = fixture_task(&x->f, 10, 10, "app");
	x->other = fixture_task(&x->f, 10, 11, "app");
	fixture_map(&x->f, x->app, 0x10000, 0x1000, fixture_dso(&x->f, "/bin/app", names));
	x->options.event = -1;
	x->options.name = "test";
	out_init(&x->o, -1);
}

static void teardown(struct export_fixture *x)
{
	out_fini(&x->o);
	quality_fini(&x->quality);
	fixture_fini(&x->f);
}

static const char *export_to(struct export_fixture *x, enum export_format format, const struct filter *filter)
{
	x->o.len = 0;
	x->options.format = format;
	profile_symbolize(&x->f.p);
	quality_fini(&x->quality);
	quality_init(&x->quality);
	x->result = export_profile(&x->o, &x->f.p, filter, x->wants_quality ? &x->quality : NULL, &x->options);
	out_char(&x->o, 0);
	return x->o.buf;
}

/* Places of a location get a file and a line, and what was inlined there. */
static void set_line(struct export_fixture *x, uint64_t ip, const char *inlined, uint32_t line)
{
	struct profile *p = &x->f.p;
	struct source_frame frames[2] = { { .function = inlined, .file = "in.h", .line = line + 1000, .is_inlined = true },
					  { .file = "a.c", .line = line } };

	p->source = PROFILE_INLINES;
	for (uint32_t i = 0; i < p->locations.nr; i++) {
		if (p->locations.v[i].at.ip != ip)
			continue;
		profile_frame_of(p, i);
		profile_set_places(p, i, inlined ? frames : frames + 1, inlined ? 2 : 1);
	}
}

static void fill(struct export_fixture *x)
{
	fixture_sample(&x->f, x->app, 5, (const uint64_t[]){ LEAF, WORK, MAIN }, 3);
	fixture_sample(&x->f, x->app, 7, (const uint64_t[]){ LEAF + 4, WORK, MAIN }, 3);
	fixture_sample(&x->f, x->app, 1, (const uint64_t[]){ WORK, MAIN }, 2);
	fixture_sample(&x->f, x->other, 2, (const uint64_t[]){ LEAF, WORK, MAIN }, 3);
	fixture_sample(&x->f, x->app, 3, (const uint64_t[]){ NOWHERE }, 1);
}

static void test_folded(void **state)
{
	struct export_fixture x;

	(void)state;
	setup(&x);
	fill(&x);
	assert_string_equal(export_to(&x, EXPORT_FOLDED, NULL), "app;[unknown] 1\n"
								"app;main;work 1\n"
								"app;main;work;leaf 3\n");
	x.options.periods = true;
	x.options.with = EXPORT_WITH_TID;
	assert_string_equal(export_to(&x, EXPORT_FOLDED, NULL), "app-10/10;[unknown] 3\n"
								"app-10/10;main;work 1\n"
								"app-10/10;main;work;leaf 12\n"
								"app-10/11;main;work;leaf 2\n");
	x.options.with = EXPORT_WITH_PID;
	set_line(&x, LEAF, "tiny", 9);
	x.options.annotate = true;
	assert_string_equal(export_to(&x, EXPORT_FOLDED, NULL), "app-10;[unknown] 3\n"
								"app-10;main;work 1\n"
								"app-10;main;work;leaf 7\n"
								"app-10;main;work;leaf;tiny_[i] 7\n");
	teardown(&x);
}

/* A semicolon makes no frame, a line break no line. */
static void test_hostile(void **state)
{
	struct export_fixture x;
	const char *text;

	(void)state;
	setup(&x);
	fixture_sample(&x.f, x.app, 1, (const uint64_t[]){ WEIRD, MAIN }, 2);
	assert_string_equal(export_to(&x, EXPORT_FOLDED, NULL), "app;main;we:ird,\"\xff\\n</script> 1\n");
	text = export_to(&x, EXPORT_CSV, NULL);
	assert_non_null(strstr(text, ",\"main;we:ird,\"\"\xff\\n</script>\"\n"));
	text = export_to(&x, EXPORT_SPEEDSCOPE, NULL);
	assert_non_null(strstr(text, "\"we;ird,\\\"\xef\xbf\xbd\\n\\u003c/script>\""));
	assert_null(strchr(text, '\xff'));
	text = export_to(&x, EXPORT_CALLGRIND, NULL);
	assert_non_null(strstr(text, "cfn=(2) we;ird,\"\xff\\n</script>\n"));
	export_to(&x, EXPORT_PPROF, NULL);
	assert_non_null(memmem(x.o.buf, x.o.len, "we;ird,\"\xef\xbf\xbd\n</script>", 21));
	assert_null(memmem(x.o.buf, x.o.len, "\"\xff\n", 3));
	teardown(&x);
}

static void test_csv(void **state)
{
	struct export_fixture x;
	uint64_t first;
	char expected[600];

	(void)state;
	setup(&x);
	fixture_sample(&x.f, x.app, 5, (const uint64_t[]){ LEAF, MAIN }, 2);
	fixture_sample(&x.f, x.other, 6, (const uint64_t[]){ NOWHERE }, 1);
	profile_symbolize(&x.f.p);
	set_line(&x, LEAF, "tiny", 9);
	first = x.f.p.samples.time_ns[0];
	snprintf(expected, sizeof(expected),
		 "time,comm,pid,tid,cpu,event,period,ip,symbol,module,file,line,stack\n"
		 "0.%09llu,app,10,10,0,cpu-clock,5,0x10210,tiny,/bin/app,in.h,1009,main;leaf;tiny\n"
		 "0.%09llu,app,10,11,0,cpu-clock,6,0x99990,,,,,[unknown]\n",
		 (unsigned long long)first, (unsigned long long)first + 1);
	assert_string_equal(export_to(&x, EXPORT_CSV, NULL), expected);
	teardown(&x);
}

/* Who calls itself has the cost of a stack once; the inner calls are there, for nothing. */
static void test_callgrind(void **state)
{
	struct export_fixture x;

	(void)state;
	setup(&x);
	fixture_sample(&x.f, x.app, 10, (const uint64_t[]){ LEAF, WORK, WORK + 8, MAIN }, 4);
	profile_symbolize(&x.f.p);
	set_line(&x, LEAF, NULL, 30);
	set_line(&x, WORK, NULL, 20);
	set_line(&x, WORK + 8, NULL, 21);
	set_line(&x, MAIN, NULL, 10);
	assert_string_equal(export_to(&x, EXPORT_CALLGRIND, NULL), "# callgrind format\n"
								   "version: 1\n"
								   "creator: assay " ASSAY_VERSION "\n"
								   "positions: line\n"
								   "event: cpu_clock : cpu-clock (ns)\n"
								   "events: cpu_clock Samples\n"
								   "summary: 10 1\n"
								   "\n"
								   "ob=(2) /bin/app\nfl=(6) a.c\nfn=(1) main\n"
								   "cob=(2)\ncfi=(6)\ncfn=(2) work\ncalls=1 0\n10 10 1\n"
								   "\n"
								   "ob=(2)\nfl=(6)\nfn=(2)\n"
								   "cob=(2)\ncfi=(6)\ncfn=(2)\ncalls=1 0\n21 0 0\n"
								   "cob=(2)\ncfi=(6)\ncfn=(3) leaf\ncalls=1 0\n20 10 1\n"
								   "\n"
								   "ob=(2)\nfl=(6)\nfn=(3)\n"
								   "30 10 1\n"
								   "\n"
								   "ob=(1) ???\nfl=(1) ???\nfn=(4) (app)\n"
								   "cob=(2)\ncfi=(6)\ncfn=(1)\ncalls=1 0\n0 10 1\n"
								   "\n"
								   "totals: 10 1\n");
	teardown(&x);
}

static void test_speedscope(void **state)
{
	struct export_fixture x;

	(void)state;
	setup(&x);
	fill(&x);
	assert_string_equal(export_to(&x, EXPORT_SPEEDSCOPE, NULL),
			    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"assay " ASSAY_VERSION "\","
			    "\"name\":\"test\",\"activeProfileIndex\":0,\"assay\":{},\"profiles\":["
			    "{\"type\":\"sampled\",\"name\":\"app 10\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":16,"
			    "\"samples\":[[0,1,2],[0,1],[3]],\"weights\":[12,1,3]},"
			    "{\"type\":\"sampled\",\"name\":\"app 10/11\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":2,"
			    "\"samples\":[[0,1,2]],\"weights\":[2]}],"
			    "\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"/bin/app\"},{\"name\":\"work\",\"file\":\"/bin/app\"},"
			    "{\"name\":\"leaf\",\"file\":\"/bin/app\"},{\"name\":\"[unknown]\"}]}}\n");
	teardown(&x);
}

static void test_filter(void **state)
{
	struct export_fixture x;
	struct filter filter = { 0 };
	struct errbuf eb = { 0 };

	(void)state;
	setup(&x);
	fill(&x);
	filter_add_names(&filter.symbols, "work");
	assert_string_equal(export_to(&x, EXPORT_FOLDED, &filter), "app;main;work 1\n");
	filter_fini(&filter);
	memset(&filter, 0, sizeof(filter));
	filter_add_ids(&filter, true, "--tid", "11", &eb);
	assert_string_equal(export_to(&x, EXPORT_FOLDED, &filter), "app;main;work;leaf 1\n");
	filter_fini(&filter);
	teardown(&x);
}

/* With several events each stack says which; one of them alone does not. */
static void test_events(void **state)
{
	struct export_fixture x;

	(void)state;
	setup(&x);
	fixture_event(&x.f, "faults");
	fill(&x);
	x.f.p.samples.event[0] = 1;
	assert_string_equal(export_to(&x, EXPORT_FOLDED, NULL), "cpu-clock;app;[unknown] 1\n"
								"cpu-clock;app;main;work 1\n"
								"cpu-clock;app;main;work;leaf 2\n"
								"faults;app;main;work;leaf 1\n");
	x.options.event = 1;
	assert_string_equal(export_to(&x, EXPORT_FOLDED, NULL), "app;main;work;leaf 1\n");
	teardown(&x);
}

/* Imported sums are what counts, whatever the format: how many there are says nothing. */
static void test_sums(void **state)
{
	struct export_fixture x;
	const char *text;

	(void)state;
	setup(&x);
	x.f.info.events.v[0].attr.type = ATTR_TYPE_HARDWARE;
	x.f.info.events.v[0].name = "delay";
	x.f.s.recording.is_imported = true;
	x.f.s.recording.imported.flags = IMPORTED_SUMS;
	fixture_sample(&x.f, x.app, 48000000, (const uint64_t[]){ LEAF, WORK, MAIN }, 3);
	fixture_sample(&x.f, x.app, 900, (const uint64_t[]){ WORK, MAIN }, 2);
	assert_string_equal(export_to(&x, EXPORT_FOLDED, NULL), "app;main;work 900\napp;main;work;leaf 48000000\n");
	text = export_to(&x, EXPORT_FIREFOX, NULL);
	assert_non_null(strstr(text, "\"weight\":[48000000,900],\"weightType\":\"samples\""));
	text = export_to(&x, EXPORT_CALLGRIND, NULL);
	assert_non_null(strstr(text, "\nevents: delay\nsummary: 48000900\n"));
	text = export_to(&x, EXPORT_SPEEDSCOPE, NULL);
	assert_non_null(strstr(text, "\"weights\":[48000000,900]"));
	/* Samples of a recording count 1 each. */
	x.f.s.recording.imported.flags = 0;
	text = export_to(&x, EXPORT_FIREFOX, NULL);
	assert_non_null(strstr(text, "\"weight\":null,\"weightType\":\"samples\""));
	teardown(&x);
}

static void forget_times(struct export_fixture *x)
{
	for (uint32_t i = 0; i < x->f.p.samples.nr; i++)
		x->f.p.samples.time_ns[i] = 0;
}

static void expect_slice(const char *text, const char *name, const char *tid, const char *from, const char *length)
{
	char slice[200];

	snprintf(slice, sizeof(slice), "{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"user\",\"pid\":10,\"tid\":%s,\"ts\":%s,\"dur\":%s}", name,
		 tid, from, length);
	if (!strstr(text, slice))
		fail_msg("%s is not in %s", slice, text);
}

/* Without times samples lie end to end, a thread from its beginning, the heaviest functions first; what a function did itself comes last. */
static void test_layout(void **state)
{
	struct export_fixture x;
	const char *text;

	(void)state;
	setup(&x);
	x.f.info.events.v[0].attr.type = ATTR_TYPE_HARDWARE;
	fixture_sample(&x.f, x.app, 3, (const uint64_t[]){ WORK, MAIN }, 2);
	fixture_sample(&x.f, x.app, 2, (const uint64_t[]){ WEIRD + 0x80000, MAIN }, 2); /* no name */
	fixture_sample(&x.f, x.app, 10, (const uint64_t[]){ LEAF, WORK, MAIN }, 3);
	fixture_sample(&x.f, x.other, 4, (const uint64_t[]){ LEAF, WORK, MAIN }, 3);
	fixture_sample(&x.f, x.app, 20, (const uint64_t[]){ LEAF, WORK, MAIN }, 3);
	assert_false(x.result.is_laid_out);
	forget_times(&x);
	text = export_to(&x, EXPORT_CHROME, NULL);
	assert_true(x.result.is_laid_out);
	assert_int_equal(x.result.nr_samples, 5);
	expect_slice(text, "main", "10", "0", "35");
	expect_slice(text, "work", "10", "0", "33");
	expect_slice(text, "leaf", "10", "0", "30");
	expect_slice(text, "[unknown]", "10", "33", "2");
	expect_slice(text, "main", "11", "0", "4");
	assert_non_null(strstr(text, "\"ts\":0,\"name\":\"cpu-clock\",\"sf\":4,\"weight\":30}"));
	assert_non_null(strstr(text, "\"times\":\"unknown: samples are laid end to end"));
	assert_non_null(strstr(text, "1 us stands for 1"));
	text = export_to(&x, EXPORT_FIREFOX, NULL);
	assert_non_null(strstr(text, "\"time\":[0,30,33],\"weight\":[2,1,1],\"weightType\":\"samples\",\"length\":3}"));
	text = export_to(&x, EXPORT_CSV, NULL);
	assert_non_null(strstr(text, "\n,app,10,10,0,cpu-clock,3,"));
	assert_false(x.result.is_laid_out);
	teardown(&x);
}

/* Periods that do not fit into any time, and clocks, whose periods are times. */
static void test_layout_lengths(void **state)
{
	struct export_fixture x;
	const char *text;

	(void)state;
	setup(&x);
	fixture_sample(&x.f, x.app, 1500, (const uint64_t[]){ WORK, MAIN }, 2);
	forget_times(&x);
	expect_slice(export_to(&x, EXPORT_CHROME, NULL), "work", "10", "0", "1.5");
	x.f.info.events.v[0].attr.type = ATTR_TYPE_HARDWARE;
	fixture_sample(&x.f, x.app, UINT64_MAX, (const uint64_t[]){ LEAF, MAIN }, 2);
	fixture_sample(&x.f, x.app, UINT64_MAX, (const uint64_t[]){ LEAF, WORK, MAIN }, 3);
	forget_times(&x);
	text = export_to(&x, EXPORT_CHROME, NULL);
	assert_non_null(strstr(text, "1 ns stands for 1"));
	expect_slice(text, "work", "10", "4611686018427387.903", "4611686018427389.403");
	teardown(&x);
}

/* What is said of the quality is said of what is written. */
static void test_quality(void **state)
{
	struct export_fixture x;
	struct filter filter = { 0 };
	struct errbuf eb = { 0 };

	(void)state;
	setup(&x);
	x.wants_quality = true;
	fill(&x);
	export_to(&x, EXPORT_CSV, NULL);
	assert_int_equal(x.result.nr_samples, 5);
	assert_int_equal(x.quality.nr_samples, 5);
	assert_int_equal(x.quality.nr_unresolved, 1);
	filter_add_ids(&filter, true, "--tid", "11", &eb);
	export_to(&x, EXPORT_CSV, &filter);
	assert_int_equal(x.result.nr_samples, 1);
	assert_int_equal(x.quality.nr_samples, 1);
	assert_int_equal(x.quality.nr_unresolved, 0);
	filter_fini(&filter);
	teardown(&x);
}

/* Nothing at all is no reason to crash. */
static void test_empty(void **state)
{
	struct export_fixture x;

	(void)state;
	setup(&x);
	for (int i = 0; i < EXPORT_NR_FORMATS; i++)
		export_to(&x, (enum export_format)i, NULL);
	assert_string_equal(export_to(&x, EXPORT_FOLDED, NULL), "");
	teardown(&x);
}

static void test_formats(void **state)
{
	static const struct {
		const char *path;
		int format;
	} files[] = {
		{ "a.folded", EXPORT_FOLDED },
		{ "x/a.collapsed", EXPORT_FOLDED },
		{ "a.pb.gz", EXPORT_PPROF },
		{ "a.pprof", EXPORT_PPROF },
		{ "a.csv", EXPORT_CSV },
		{ "a.csv.gz", EXPORT_CSV },
		{ "callgrind.out.7", EXPORT_CALLGRIND },
		{ "d/callgrind.out", EXPORT_CALLGRIND },
		{ "a.speedscope.json", EXPORT_SPEEDSCOPE },
		{ "a.json", -ENOENT },
		{ "a.gz", -ENOENT },
		{ ".csv", -ENOENT },
		{ "", -ENOENT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		assert_int_equal(export_format_guess(files[i].path), files[i].format);
	for (int i = 0; i < EXPORT_NR_FORMATS; i++)
		assert_int_equal(export_format_find(export_format_get((enum export_format)i)->name), i);
	assert_int_equal(export_format_find("svg"), -ENOENT);
	assert_non_null(strstr(export_format_hint("Perfetto"), "--format chrome"));
	assert_non_null(strstr(export_format_hint("collapsed"), "--format folded"));
	assert_non_null(strstr(export_format_hint_of_file("d.x/a.json.gz"), "--format firefox"));
	assert_non_null(strstr(export_format_hint_of_file("a.svg"), "assay flame"));
	assert_null(export_format_hint_of_file("a.json/b"));
	assert_null(export_format_hint("perfett"));
	assert_null(export_format_hint(""));
	assert_null(export_format_hint(" "));
}

/* Numbers with a point at a fixed place, without zeroes at the end. */
static void test_fixed(void **state)
{
	struct out o;
	struct json j;

	(void)state;
	out_init(&o, -1);
	json_init(&j, &o, false);
	json_array(&j);
	export_json_fixed(&j, 0, 6);
	export_json_fixed(&j, 1, 6);
	export_json_fixed(&j, 12345678, 6);
	export_json_fixed(&j, 5000000, 6);
	export_json_fixed(&j, 1500, 3);
	export_json_fixed(&j, UINT64_MAX, 3);
	json_array_end(&j);
	out_char(&o, 0);
	assert_string_equal(o.buf, "[0,0.000001,12.345678,5,1.5,18446744073709551.615]");
	out_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded),	       cmocka_unit_test(test_hostile),	  cmocka_unit_test(test_csv),
		cmocka_unit_test(test_callgrind),      cmocka_unit_test(test_speedscope), cmocka_unit_test(test_filter),
		cmocka_unit_test(test_events),	       cmocka_unit_test(test_empty),	  cmocka_unit_test(test_formats),
		cmocka_unit_test(test_fixed),	       cmocka_unit_test(test_sums),	  cmocka_unit_test(test_layout),
		cmocka_unit_test(test_layout_lengths), cmocka_unit_test(test_quality),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

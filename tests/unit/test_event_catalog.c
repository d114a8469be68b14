/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The catalogue of events on machines made of files: matching, order, spellings, nearest names.
 */
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi/attr.h"
#include "base/mem.h"
#include "kernel/event_catalog.h"

static char root[] = "/tmp/assay-catalog-XXXXXX";

/* Writes a file below the root, making its directories. */
static void put(const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *s = full + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = 0;
		mkdir(full, 0755);
		*s = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void put_link(const char *target, const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", root, path);
	assert_return_code(symlink(target, full), errno);
}

/* libpfm4 goes by the CPU that runs the test. */
#define NAMED (CATALOG_NAMED & ~(1u << CATALOG_PFM))

#define PMUS "sys/bus/event_source/devices/"
#define SHA "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static int make_machine(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	put(PMUS "cpu/type", "4\n");
	put(PMUS "cpu/events/cpu-cycles", "event=0x3c\n");
	put(PMUS "cpu/events/TLB-flush", "event=0x3d\n");
	put(PMUS "power/type", "9\n");
	put(PMUS "power/cpumask", "0\n");
	put(PMUS "power/events/energy-pkg", "event=0x02\n");
	put(PMUS "power/events/energy-pkg.unit", "Joules\n");
	put(PMUS "power/events/energy-pkg.scale", "2.5e-1\n");
	put(PMUS "hv/type", "10\n");
	put(PMUS "hv/events/PM_X", "domain=1,core=?,offset=0x20\n");
	put("trace/available_events", "sched:sched_switch\nsched:sched_wakeup\nxfs2:b\nxfs:a\n"
				      "syscalls:sys_enter_open\nbroken\nkvm:KVM_EXIT\n");
	put("trace/events/ftrace/function/id", "1\n");
	put("trace/events/ftrace/wakeup/format", "name: wakeup\n");
	put("trace/events/sched/sched_switch/format", "name: sched_switch\nID: 3\nformat:\n"
						      "\tfield:unsigned short common_type;\toffset:0;\n\n"
						      "\tfield:char prev_comm[16];\toffset:8;\n"
						      "\tfield:__data_loc char[] msg;\toffset:24;\n"
						      "\tfield:const char * p;\toffset:28;\n"
						      "\tfield:;\toffset:1;\n\tfield:x[\n");
	put("debug/usr/bin/one/11" SHA "/probes", "%sdt_a:x=x\np:sdt_a/x /usr/bin/one:0x1\n%sdt_a:x=x\n%sdt_a:x__y=x__y\n#probe:main=main\n"
						  "%sdt_a:$(reboot)=q\n");
	put("debug/usr/bin/two/22" SHA "/probes", "%sdt_a:x=x\n");
	put("debug/.build-id/11/.keep", "");
	put("debug/.build-id/22/.keep", "");
	put_link("../../usr/bin/one/11" SHA, "debug/.build-id/11/" SHA);
	put_link("../../usr/bin/two/22" SHA, "debug/.build-id/22/" SHA);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static int remove_machine(void **state)
{
	(void)state;
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool some_can_open(uint32_t type, uint64_t config)
{
	return type == ATTR_TYPE_SOFTWARE ? config < 3 : config == 0 || config == 4;
}

static void open_catalog(struct event_catalog *c)
{
	event_catalog_init(c);
	c->sysfs = catalog_printf(c, "%s/sys", root);
	c->tracefs = catalog_printf(c, "%s/trace", root);
	c->build_ids = catalog_printf(c, "%s/debug", root);
	c->can_open = some_can_open;
}

/* The names, as text prints them, of what fits a word (NULL: all). */
static void expect(unsigned kinds, const char *word, bool ignore_case, const char *want)
{
	struct catalog_filter f = { 0 };
	struct event_catalog c;
	char *got = mem_strdup("");

	open_catalog(&c);
	if (word)
		catalog_filter_init(&f, word);
	f.ignore_case = ignore_case;
	assert_int_equal(event_catalog_add(&c, kinds, &f, NULL), 0);
	for (uint32_t i = 0; i < c.events.nr; i++) {
		const struct catalog_event *e = &c.events.v[i];
		char *more = mem_printf("%s%s%s%s%s", got, *got ? " " : "", e->name, e->alias ? "=" : "", e->alias ? e->alias : "");

		free(got);
		got = more;
	}
	assert_string_equal(got, want);
	free(got);
	catalog_filter_fini(&f);
	event_catalog_fini(&c);
}

static void test_generic(void **state)
{
	(void)state;
	expect(1u << CATALOG_HARDWARE, NULL, false, "branch-instructions=branches cpu-cycles=cycles");
	expect(1u << CATALOG_SOFTWARE, NULL, false, "cpu-clock page-faults=faults task-clock");
	expect(event_catalog_find_kinds("sw"), NULL, false, "cpu-clock page-faults=faults task-clock duration_time user_time system_time");
	/* either spelling is found */
	expect(NAMED, "branches", false, "branch-instructions=branches");
	expect(1u << CATALOG_CACHE, NULL, false, "L1-dcache-loads iTLB-loads");
	expect(1u << CATALOG_RAW | 1u << CATALOG_BREAKPOINT, NULL, false,
	       "rNNN cpu/t1=v1[,t2=v2,t3 ...]/modifier mem:<addr>[/len][:access]");
	expect(1u << CATALOG_RAW, "rNNN", false, "");
}

static void test_pmu(void **state)
{
	struct event_catalog c;
	struct catalog_filter f = { .pmu = "power" };

	(void)state;
	expect(1u << CATALOG_PMU, NULL, false, "TLB-flush=cpu/TLB-flush/ cpu-cycles=cpu/cpu-cycles/ hv/PM_X,core=?/ power/energy-pkg/");
	/* whatever the case */
	expect(1u << CATALOG_PMU, "tlb", false, "TLB-flush=cpu/TLB-flush/");
	expect(1u << CATALOG_PMU, "power/", false, "power/energy-pkg/");

	open_catalog(&c);
	assert_int_equal(event_catalog_add(&c, 1u << CATALOG_PMU, &f, NULL), 0);
	assert_int_equal(c.events.nr, 1);
	assert_string_equal(c.events.v[0].unit, "Joules");
	assert_true(c.events.v[0].scale > 0.249 && c.events.v[0].scale < 0.251);
	assert_string_equal(c.events.v[0].encoding, "power/event=0x02/");
	event_catalog_fini(&c);
}

static void test_matching(void **state)
{
	unsigned tp = 1u << CATALOG_TRACEPOINT;

	(void)state;
	/* ':' comes after digits: perf's order */
	expect(tp, NULL, false,
	       "ftrace:function kvm:KVM_EXIT sched:sched_switch sched:sched_wakeup "
	       "syscalls:sys_enter_open xfs2:b xfs:a");
	expect(tp, "sched:*", false, "sched:sched_switch sched:sched_wakeup");
	expect(tp, "sched:", false, "sched:sched_switch sched:sched_wakeup");
	expect(tp, ":*open", false, "syscalls:sys_enter_open");
	expect(tp, "s*:s*_[eo]*", false, "syscalls:sys_enter_open");
	expect(tp, "s*:w?tch", false, "");
	expect(tp, "s*:*sw?tch", false, "sched:sched_switch");
	/* a word is looked for in the names of events, not of systems */
	expect(tp, "sched", false, "sched:sched_switch sched:sched_wakeup");
	expect(tp, "xfs", false, "");
	expect(tp, "switch", false, "sched:sched_switch");
	expect(tp, "kvm_exit", false, "");
	expect(tp, "kvm_exit", true, "kvm:KVM_EXIT");
	expect(tp, "KVM:*", true, "kvm:KVM_EXIT");
	/* what has no system is not asked for with one */
	expect(NAMED, "*:cpu-clock", false, "");
}

static void test_sdt(void **state)
{
	unsigned sdt = 1u << CATALOG_SDT;

	(void)state;
	expect(sdt, NULL, false, "sdt_a:x@/usr/bin/one(11aaaaaaaaaa) sdt_a:x@/usr/bin/two(22aaaaaaaaaa) sdt_a:x__y");
	expect(sdt, "sdt_*:*y", false, "sdt_a:x__y");
}

static void test_fields(void **state)
{
	struct catalog_filter f;
	struct event_catalog c;

	(void)state;
	open_catalog(&c);
	catalog_filter_init(&f, "sched:");
	assert_int_equal(event_catalog_add(&c, 1u << CATALOG_TRACEPOINT, &f, NULL), 0);
	assert_string_equal(event_catalog_fields(&c, &c.events.v[0]), "prev_comm msg p");
	assert_null(event_catalog_fields(&c, &c.events.v[1]));
	catalog_filter_fini(&f);
	event_catalog_fini(&c);
}

static void test_nearest(void **state)
{
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "page-fualts", "page-faults" },
		{ "falts", "page-faults" },
		{ "sched_swich", "sched:sched_switch" },
		{ "sched:sched_swich", "sched:sched_switch" },
		{ "*sched_swich*", "sched:sched_switch" },
		{ "syscals:*", "syscalls:*" },
		{ "syscals:", "syscalls:*" },
		{ "syscals:*open", "syscalls:*open" },
		{ "energy-pgk", NULL },
		{ "power/energy-pgk/", "power/energy-pkg/" },
		{ "sched:zzzzzzzz", NULL },
		{ "", NULL },
		{ ":", NULL },
		{ "***", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event_catalog c;
		const char *got;

		open_catalog(&c);
		got = event_catalog_find_nearest(&c, cases[i].word);
		if (cases[i].want && got)
			assert_string_equal(got, cases[i].want);
		else if (got || cases[i].want)
			fail_msg("'%s': %s instead of %s", cases[i].word, got ? got : "nothing", cases[i].want ? cases[i].want : "nothing");
		event_catalog_fini(&c);
	}
}

static void test_nothing_there(void **state)
{
	static const struct catalog_filter any;
	struct event_catalog c;
	struct errbuf eb = { 0 };

	(void)state;
	event_catalog_init(&c);
	c.sysfs = c.build_ids = "/nonexistent";
	c.tracefs = "/nonexistent";
	c.can_open = some_can_open;
	assert_int_equal(event_catalog_add(&c, NAMED, &any, &eb), -ENOENT);
	assert_non_null(strstr(eb.text, "/nonexistent/available_events"));
	/* the others are there: 2 hardware, 3 software, 3 tools, 2 cache */
	assert_int_equal(c.events.nr, 10);
	event_catalog_fini(&c);
	assert_int_equal(event_catalog_find_kinds("hwcache"), 1u << CATALOG_CACHE);
	assert_int_equal(event_catalog_find_kinds("cycles"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generic),	      cmocka_unit_test(test_pmu),    cmocka_unit_test(test_matching),
		cmocka_unit_test(test_sdt),	      cmocka_unit_test(test_fields), cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_nothing_there),
	};

	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}

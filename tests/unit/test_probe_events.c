/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * kernel/probe_events: lines of uprobe_events and kprobe_events read and written, names, what is appended, and what the kernel's log says.
 * The directory of the writer is a plain one: what would go to the kernel is in its files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "kernel/probe_events.h"

static void parse(struct probe_list *l, const char *text, bool is_kernel)
{
	*l = (struct probe_list){ 0 };
	probe_list_parse(l, text, strlen(text), is_kernel);
}

static void test_reads_user_probes(void **state)
{
	struct probe_list l;
	const struct probe_event *e;

	(void)state;
	parse(&l,
	      "p:probe_t/work /tmp/a:b(1)/t:0x0000000000001139(0x10) n=%si:s32 s=+0(%dx):string\n"
	      "r:probe_t/work__return /tmp/t:0x20 arg1=$retval\n",
	      false);
	assert_int_equal(l.events.nr, 2);
	assert_int_equal(l.nr_unknown, 0);
	e = &l.events.v[0];
	assert_false(e->is_return || e->is_kernel);
	assert_string_equal(e->group, "probe_t");
	assert_string_equal(e->name, "work");
	assert_string_equal(e->file, "/tmp/a:b(1)/t");
	assert_int_equal(e->file_off, 0x1139);
	assert_int_equal(e->ref_ctr, 0x10);
	assert_int_equal(e->args.nr, 2);
	assert_string_equal(e->args.v[1].name, "s");
	assert_string_equal(e->args.v[1].fetch, "+0(%dx):string");
	assert_true(l.events.v[1].is_return);
	assert_ptr_equal(probe_list_find(&l, "probe_t", "work__return"), &l.events.v[1]);
	assert_null(probe_list_find(&l, "probe_t", "wor"));
	probe_list_fini(&l);
}

static void test_reads_kernel_probes(void **state)
{
	struct probe_list l;

	(void)state;
	parse(&l, "p:probe/a icmp_rcv+0\nr16:probe/b ext4:ext4_read+12 x=$retval\np:kprobes/c 0xffffffff81000000\n", true);
	assert_int_equal(l.events.nr, 3);
	assert_string_equal(l.events.v[0].symbol, "icmp_rcv");
	assert_null(l.events.v[0].module);
	assert_string_equal(l.events.v[1].module, "ext4");
	assert_string_equal(l.events.v[1].symbol, "ext4_read");
	assert_int_equal(l.events.v[1].symbol_off, 12);
	assert_int_equal(l.events.v[1].max_active, 16);
	assert_null(l.events.v[2].symbol);
	assert_true(l.events.v[2].address == 0xffffffff81000000);
	probe_list_fini(&l);
}

static void test_counts_what_it_does_not_know(void **state)
{
	static const char *const bad[] = {
		"p",
		"p:",
		"p:a/b",
		"p:a/b /tmp/t",
		"p:a/b /tmp/t:12",
		"p:a/b /tmp/t:0x",
		"p:a/b /tmp/t:0x10(0x1",
		"p:a/ /t:0x1",
		"p:/b /t:0x1",
		"x:a/b /t:0x1",
		"p9z:a/b /t:0x1",
		"p:a/b :0x1",
		"p:a/b /t:0x11112222333344445",
		"e:a/b sched.sched_switch",
	};
	struct probe_list l;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		parse(&l, bad[i], false);
		assert_int_equal(l.events.nr, 0);
		assert_int_equal(l.nr_unknown, 1);
		probe_list_fini(&l);
	}
}

static void test_writes_lines_as_the_kernel_lists_them(void **state)
{
	static const char *const user[] = { "p:probe_t/work /tmp/t:0x0000000000001139(0x10) n=%si:s32 +8(%sp)",
					    "r:g/e /a:0x0000000000000001" };
	static const char *const kernel[] = { "p:probe/a icmp_rcv+0", "r4:probe/b ext4:ext4_read+12 x=$retval",
					      "p:k/c 0xffffffff81000000" };
	struct probe_list l;
	char *line;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		const char *text = i < 2 ? user[i] : kernel[i - 2];

		parse(&l, text, i >= 2);
		line = probe_event_line(&l.events.v[0]);
		assert_string_equal(line, text);
		free(line);
		probe_list_fini(&l);
	}
}

static void test_groups_of_files(void **state)
{
	/* as perf 6.1 has them */
	static const char *const cases[][2] = { { "/usr/lib/x86_64-linux-gnu/libc.so.6", "probe_libc" },
						{ "a-b", "probe_a" },
						{ "./3foo", "probe_3foo" },
						{ "/x/_u", "probe__u" },
						{ "/x/\303\244", "probe_" },
						{ "/x/a;rm -rf b", "probe_a" } };
	char group[PROBE_NAME_SIZE], path[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		probe_group_of_file(group, cases[i][0]);
		assert_string_equal(group, cases[i][1]);
	}
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = 0;
	probe_group_of_file(group, path);
	assert_int_equal(strlen(group), PROBE_NAME_SIZE - 1);
	assert_true(probe_name_is_valid(group));
	assert_false(probe_name_is_valid(""));
	assert_false(probe_name_is_valid("3a"));
	assert_false(probe_name_is_valid("a/b"));
	assert_false(probe_name_is_valid("a\nb"));
	assert_false(probe_name_is_valid(path));
}

static void put_file(const char *dir, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_file(const char *dir, const char *name, const char *text)
{
	char path[512], *got;
	size_t size;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(io_read_file(path, 1 << 20, &got, &size), 0);
	assert_string_equal(got, text);
	free(got);
}

static void remove_dir(const char *dir)
{
	static const char *const names[] = { "uprobe_events", "kprobe_events", "available_events", "error_log" };
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

#define FIRST "p:probe_t/work /t:0x0000000000000010\n"

static void test_appends_and_takes_back(void **state)
{
	char dir[] = "/tmp/assay-probe.XXXXXX", name[PROBE_NAME_SIZE];
	struct probe_event e = { .group = "probe_t", .file = "/t", .file_off = 0x20 };
	struct probe_writer w;
	struct errbuf eb = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	put_file(dir, "uprobe_events", FIRST);
	assert_int_equal(probe_writer_open(&w, dir, false, &eb), 0);
	assert_int_equal(probe_writer_choose_name(&w, "probe_t", "work", false, name, &eb), -EEXIST);
	assert_non_null(strstr(eb.text, "-d probe_t:work"));
	assert_int_equal(probe_writer_choose_name(&w, "probe_t", "work", true, name, NULL), 0);
	assert_string_equal(name, "work_1");
	e.name = name;
	assert_int_equal(probe_writer_add(&w, &e, NULL), 0);
	assert_int_equal(probe_writer_choose_name(&w, "probe_t", "work", true, name, NULL), 0);
	assert_string_equal(name, "work_2");
	assert_int_equal(probe_writer_commit(&w, NULL), 0);
	probe_writer_close(&w);
	assert_file(dir, "uprobe_events", FIRST "p:probe_t/work_1 /t:0x0000000000000020\n");

	/* What was not committed is taken back, by name and place. */
	put_file(dir, "uprobe_events", FIRST);
	assert_int_equal(probe_writer_open(&w, dir, false, &eb), 0);
	e.name = "other";
	assert_int_equal(probe_writer_add(&w, &e, NULL), 0);
	probe_writer_close(&w);
	assert_file(dir, "uprobe_events", FIRST "p:probe_t/other /t:0x0000000000000020\n-:probe_t/other /t:0x0000000000000020\n");

	/* A dry run does the same and writes nothing. */
	put_file(dir, "uprobe_events", FIRST);
	assert_int_equal(probe_writer_open(&w, dir, true, &eb), 0);
	assert_int_equal(probe_writer_add(&w, &e, NULL), 0);
	assert_int_equal(probe_writer_choose_name(&w, "probe_t", "other", false, name, NULL), -EEXIST);
	probe_writer_close(&w);
	assert_file(dir, "uprobe_events", FIRST);
	remove_dir(dir);
}

static void test_notices_another_tool(void **state)
{
	char dir[] = "/tmp/assay-probe.XXXXXX";
	struct probe_event e = { .group = "probe_t", .name = "mine", .file = "/t", .file_off = 0x20 };
	struct errbuf eb = { 0 };
	struct probe_writer w;

	(void)state;
	assert_non_null(mkdtemp(dir));
	put_file(dir, "uprobe_events", "");
	assert_int_equal(probe_writer_open(&w, dir, false, NULL), 0);
	put_file(dir, "uprobe_events", "p:probe_t/mine /other:0x0000000000000010\n");
	assert_int_equal(probe_writer_add(&w, &e, NULL), 0);
	assert_int_equal(probe_writer_commit(&w, &eb), -EAGAIN);
	assert_non_null(strstr(eb.text, "probe_t:mine"));
	probe_writer_close(&w);
	assert_file(
		dir, "uprobe_events",
		"p:probe_t/mine /other:0x0000000000000010\np:probe_t/mine /t:0x0000000000000020\n-:probe_t/mine /t:0x0000000000000020\n");
	remove_dir(dir);
}

static void test_refuses_names_that_split_lines(void **state)
{
	static const char *const files[] = { "/tmp/a b", "/tmp/a\nb", "/tmp/a#b", "/tmp/a\tb" };
	static const char *const names[] = { "a b", "a\np:x/y", "", "1a", "a/b", "a;b" };
	char dir[] = "/tmp/assay-probe.XXXXXX";
	struct probe_writer w;

	(void)state;
	assert_non_null(mkdtemp(dir));
	put_file(dir, "uprobe_events", "");
	assert_int_equal(probe_writer_open(&w, dir, false, NULL), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct probe_event e = { .group = "g", .name = "n", .file = files[i] };
		struct errbuf eb = { 0 };

		assert_int_equal(probe_writer_add(&w, &e, &eb), -EINVAL);
		assert_non_null(strstr(eb.text, "ln -s"));
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct probe_event e = { .group = "g", .name = names[i], .file = "/t" },
				   f = { .group = names[i], .name = "n", .file = "/t" };

		assert_int_equal(probe_writer_add(&w, &e, NULL), -EINVAL);
		assert_int_equal(probe_writer_add(&w, &f, NULL), -EINVAL);
	}
	probe_writer_close(&w);
	assert_file(dir, "uprobe_events", "");
	remove_dir(dir);
}

static void test_no_kprobes_names_tracepoints(void **state)
{
	char dir[] = "/tmp/assay-probe.XXXXXX";
	struct probe_event e = { .is_kernel = true, .group = "probe", .name = "tcp_sendmsg", .symbol = "tcp_sendmsg" };
	struct errbuf eb = { 0 };
	struct probe_writer w;

	(void)state;
	assert_non_null(mkdtemp(dir));
	put_file(dir, "uprobe_events", "");
	put_file(dir, "available_events", "sched:sched_switch\ntcp:tcp_probe\ntcp:tcp_send_reset\n");
	assert_int_equal(probe_writer_open(&w, dir, false, NULL), 0);
	assert_int_equal(probe_writer_add(&w, &e, &eb), -ENOTSUP);
	assert_non_null(strstr(eb.text, "no kprobes"));
	assert_non_null(strstr(eb.text, "tcp:tcp_probe, tcp:tcp_send_reset"));
	probe_writer_close(&w);
	remove_dir(dir);
}

static void test_reads_the_error_log(void **state)
{
	static const char log[] =
		"[  1.0] trace_uprobe: error: Old\n  Command: p:g/n /t:0x1 %zz\n           ^\n"
		"[  2.0] trace_uprobe: error: Invalid register name\n  Command: p:g/n /t:0x1 %zz\n                         ^\n"
		"[  3.0] trace_uprobe: error: Of another\n  Command: p:g/other /t:0x1 %zz\n           ^\n";
	size_t len, column;
	const char *found = probe_find_log_entry(log, sizeof(log) - 1, "p:g/n /t:0x1 %zz", &len, &column);

	(void)state;
	assert_non_null(found);
	assert_int_equal(len, strlen("Invalid register name"));
	assert_memory_equal(found, "Invalid register name", len);
	assert_int_equal(column, 14);
	assert_null(probe_find_log_entry(log, sizeof(log) - 1, "p:g/n /t:0x1", &len, &column));
	assert_null(probe_find_log_entry("", 0, "p:g/n /t:0x1", &len, &column));
}

static void test_turns_the_log_into_advice(void **state)
{
	char dir[] = "/tmp/assay-probe.XXXXXX";
	struct probe_event e = { .group = "g", .name = "n", .file = "/t", .file_off = 1 };
	struct errbuf eb = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	put_file(dir, "error_log",
		 "[  2.0] trace_uprobe: error: Invalid register name\n  Command: p:g/n /t:0x1 %zz\n                         ^\n");
	assert_int_equal(probe_add_error(dir, &e, "p:g/n /t:0x1 %zz", -EINVAL, &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "Invalid register name, at '%zz': registers are"));
	remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_user_probes),
		cmocka_unit_test(test_reads_kernel_probes),
		cmocka_unit_test(test_counts_what_it_does_not_know),
		cmocka_unit_test(test_writes_lines_as_the_kernel_lists_them),
		cmocka_unit_test(test_groups_of_files),
		cmocka_unit_test(test_appends_and_takes_back),
		cmocka_unit_test(test_notices_another_tool),
		cmocka_unit_test(test_refuses_names_that_split_lines),
		cmocka_unit_test(test_no_kprobes_names_tracepoints),
		cmocka_unit_test(test_reads_the_error_log),
		cmocka_unit_test(test_turns_the_log_into_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

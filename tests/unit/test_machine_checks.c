/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * kernel/machine_checks.h: one restriction at a time, on machines made of
 * files, for root and for an ordinary user.
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
#include <sys/stat.h>
#include <unistd.h>

#include "fake_sysfs.h"
#include "kernel/machine_checks.h"

/* A machine with nothing in the way, for an ordinary user. */
static struct machine_facts good_facts(void)
{
	return (struct machine_facts){
		.uid = 1000,
		.nofile_hard = 1 << 20,
		.memlock_bytes = 8 << 20,
		.nr_cpus = 8,
		.page_kb = 4,
		.has_debuginfod_urls = true,
		.has_debuginfod = true,
		.libc_path = "/lib/libc.so.6",
		.paranoid = -1,
		.kptr_restrict = 0,
		.mlock_kb = 516,
		.max_stack = 127,
		.max_sample_rate = 100000,
		.cpu_time_percent = 25,
		.ptrace_scope = 0,
		.kallsyms = FACT_PRESENT,
		.tracefs = FACT_PRESENT,
		.btf = FACT_PRESENT,
		.libc_debug = FACT_PRESENT,
		.has_kprobes = true,
		.has_uprobes = true,
		.clocksource = "tsc",
		.lockdown = "none",
		.distro = "debian",
		.can_ptrace = true,
		.can_syslog = true,
		.can_perfmon = true,
	};
}

static struct machine_facts plain_user(void)
{
	struct machine_facts f = good_facts();

	f.can_perfmon = f.can_ptrace = f.can_syslog = false;
	return f;
}

static const struct machine_check *judge(const struct machine_facts *f, const char *name)
{
	static struct machine_check checks[MACHINE_MAX_CHECKS];
	uint32_t nr = machine_checks(f, checks);

	for (uint32_t i = 0; i < nr; i++)
		if (strcmp(checks[i].name, name) == 0)
			return &checks[i];
	return NULL;
}

/* The check is on that level; its state and its fix have these words in them. */
static void expect(const struct machine_facts *f, const char *name, enum check_level level, const char *state, const char *fix)
{
	const struct machine_check *c = judge(f, name);

	if (!c)
		fail_msg("%s: no such check", name);
	if (c->level != level)
		fail_msg("%s: level %d instead of %d: %s", name, c->level, level, c->state);
	if (!strstr(c->state, state))
		fail_msg("%s: '%s' is not in '%s'", name, state, c->state);
	if (!strstr(c->fix, fix))
		fail_msg("%s: '%s' is not in '%s'", name, fix, c->fix);
	if ((level != CHECK_OK) != (c->effect[0] != 0))
		fail_msg("%s: effect '%s'", name, c->effect);
	if ((level != CHECK_OK) != (c->fix[0] != 0))
		fail_msg("%s: fix '%s'", name, c->fix);
}

static void test_all_well(void **state)
{
	struct machine_check checks[MACHINE_MAX_CHECKS];
	struct machine_facts f = good_facts();
	uint32_t nr = machine_checks(&f, checks);

	(void)state;
	assert_true(nr > 12);
	for (uint32_t i = 0; i < nr; i++)
		if (checks[i].level != CHECK_OK)
			fail_msg("%s: %s", checks[i].name, checks[i].state);
}

static void test_paranoid(void **state)
{
	static const struct {
		int64_t value;
		enum check_level level;
		const char *fix;
	} cases[] = { { -1, CHECK_OK, "" },
		      { 0, CHECK_NOTE, "kernel.perf_event_paranoid=-1" },
		      { 1, CHECK_NOTE, "kernel.perf_event_paranoid=-1" },
		      { 2, CHECK_WARN, "sudo sysctl kernel.perf_event_paranoid=-1" },
		      /* to a kernel that knows no 3, it is 2 */
		      { 3, CHECK_WARN, "sudo sysctl kernel.perf_event_paranoid=-1" },
		      { 4, CHECK_WARN, "setcap cap_perfmon" } };
	struct machine_facts f = plain_user();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f.paranoid = cases[i].value;
		expect(&f, "perf_event_paranoid", cases[i].level, "", cases[i].fix);
	}
	f.open_user = EACCES;
	expect(&f, "perf_events", CHECK_FAIL, "perf_event_paranoid is 4", "sysctl kernel.perf_event_paranoid=-1");
	expect(&f, "perf_event_paranoid", CHECK_FAIL, "4: ordinary users may record nothing", "sysctl kernel.perf_event_paranoid=-1");
	f.open_user = 0;
	f.can_perfmon = true;
	expect(&f, "perf_event_paranoid", CHECK_OK, "4, which does not bind you (CAP_PERFMON)", "");
	f.uid = 0;
	expect(&f, "perf_event_paranoid", CHECK_OK, "does not bind root", "");
	f.paranoid = FACT_UNKNOWN;
	assert_null(judge(&f, "perf_event_paranoid"));
}

static void test_perf_events(void **state)
{
	struct machine_facts f = good_facts();

	(void)state;
	f.open_user = ENOSYS;
	expect(&f, "perf_events", CHECK_FAIL, "no perf events", "CONFIG_PERF_EVENTS");
	f.open_user = EPERM;
	f.seccomp = 2;
	expect(&f, "perf_events", CHECK_FAIL, "seccomp", "--security-opt seccomp=unconfined");
	assert_null(judge(&f, "container"));
	strcpy(f.container, "docker");
	expect(&f, "perf_events", CHECK_FAIL, "in a container", "--cap-add PERFMON");
	f.open_user = 0;
	expect(&f, "container", CHECK_OK, "docker", "");
	f.seccomp = 0;
	f.container[0] = 0;
	f.open_user = EPERM;
	expect(&f, "perf_events", CHECK_FAIL, "Operation not permitted", "lsm");
}

static void test_privileges(void **state)
{
	struct machine_facts f = plain_user();

	(void)state;
	expect(&f, "privileges", CHECK_NOTE, "no CAP_PERFMON", "setcap");
	f.uid = 0;
	expect(&f, "privileges", CHECK_NOTE, "root, no CAP_PERFMON", "--cap-add PERFMON");
}

static void test_kernel_symbols(void **state)
{
	struct machine_facts f = plain_user();

	(void)state;
	f.kallsyms = FACT_EMPTY;
	f.kptr_restrict = 1;
	expect(&f, "kptr_restrict", CHECK_WARN, "kptr_restrict is 1", "sudo sysctl kernel.kptr_restrict=0");
	f.paranoid = 2;
	expect(&f, "kptr_restrict", CHECK_WARN, "kptr_restrict is 1", "kernel.kptr_restrict=0 kernel.perf_event_paranoid=-1");
	f.kptr_restrict = 0;
	expect(&f, "kptr_restrict", CHECK_WARN, "perf_event_paranoid is 2", "sysctl kernel.perf_event_paranoid=-1");
	/* Hidden by neither: no setting shows them. */
	f.paranoid = 1;
	expect(&f, "kptr_restrict", CHECK_WARN, "no CAP_SYSLOG", "setcap");
	assert_null(strstr(judge(&f, "kptr_restrict")->fix, "sysctl"));
	f.uid = 0;
	f.can_syslog = true;
	f.kptr_restrict = 2;
	expect(&f, "kptr_restrict", CHECK_WARN, "from all users", "sysctl kernel.kptr_restrict=0");
	assert_null(strstr(judge(&f, "kptr_restrict")->fix, "sudo"));
	f.kallsyms = FACT_MISSING;
	expect(&f, "kptr_restrict", CHECK_WARN, "no /proc/kallsyms", "-k");
}

static void test_pmu(void **state)
{
	struct machine_facts f = good_facts();

	(void)state;
	f.nmi_watchdog = 1;
	expect(&f, "nmi_watchdog", CHECK_NOTE, "on", "sudo sysctl kernel.nmi_watchdog=0");
	f.open_cycles = ENOENT;
	expect(&f, "pmu", CHECK_NOTE, "no hardware counters", "pmu=on");
	assert_null(judge(&f, "nmi_watchdog"));
	f.open_cycles = EBUSY;
	expect(&f, "pmu", CHECK_NOTE, "in use", "nmi_watchdog=0");
	f.open_cycles = EACCES;
	expect(&f, "pmu", CHECK_NOTE, "refused", "root");
	f.open_user = EACCES;
	assert_null(judge(&f, "pmu"));
}

static void test_limits(void **state)
{
	struct machine_facts f = plain_user();

	(void)state;
	f.paranoid = 1;
	expect(&f, "perf_event_mlock_kb", CHECK_OK, "ring", "");
	f.mlock_kb = 64;
	f.memlock_bytes = 64 << 10;
	expect(&f, "perf_event_mlock_kb", CHECK_WARN, "perf_event_mlock_kb is 64", "sudo sysctl kernel.perf_event_mlock_kb=516");
	f.memlock_bytes = UINT64_MAX;
	expect(&f, "perf_event_mlock_kb", CHECK_OK, "ring", "");
	f.memlock_bytes = 0;
	f.can_ipc_lock = true;
	expect(&f, "perf_event_mlock_kb", CHECK_OK, "does not bind", "");
	f.nofile_hard = 2048;
	expect(&f, "nofile", CHECK_NOTE, "2048", "prlimit");
	f.nofile_hard = 256;
	expect(&f, "nofile", CHECK_WARN, "256", "prlimit");
	f.uid = 0;
	expect(&f, "nofile", CHECK_WARN, "256", "ulimit -n 65536");
	f.max_stack = 16;
	expect(&f, "perf_event_max_stack", CHECK_WARN, "is 16", "sysctl kernel.perf_event_max_stack=127");
	f.max_sample_rate = 1000;
	expect(&f, "perf_event_max_sample_rate", CHECK_WARN, "is 1000", "sysctl kernel.perf_event_max_sample_rate=100000");
	f.cpu_time_percent = 1;
	expect(&f, "perf_cpu_time_max_percent", CHECK_WARN, "is 1", "sysctl kernel.perf_cpu_time_max_percent=25");
	f.cpu_time_percent = 0;
	expect(&f, "perf_cpu_time_max_percent", CHECK_OK, "no limit", "");
}

static void test_tracing(void **state)
{
	struct machine_facts f = plain_user();

	(void)state;
	f.tracefs = FACT_DENIED;
	expect(&f, "tracefs", CHECK_NOTE, "not readable", "remount,mode=755,gid=");
	f.tracefs = FACT_MISSING;
	expect(&f, "tracefs", CHECK_NOTE, "not mounted", "sudo mount -t tracefs nodev /sys/kernel/tracing");
	f.can_sys_admin = true;
	expect(&f, "tracefs", CHECK_NOTE, "assay does so", "mount -t tracefs");
	f.has_kprobes = false;
	expect(&f, "probes", CHECK_NOTE, "no kprobes", "CONFIG_KPROBE_EVENTS");
	f.has_uprobes = false;
	expect(&f, "probes", CHECK_NOTE, "neither", "CONFIG_UPROBE_EVENTS");
	f.has_kprobes = true;
	expect(&f, "probes", CHECK_NOTE, "no uprobes", "CONFIG_UPROBE_EVENTS");
	f.btf = FACT_MISSING;
	expect(&f, "btf", CHECK_NOTE, "no /sys/kernel/btf/vmlinux", "CONFIG_DEBUG_INFO_BTF");
	f.btf = FACT_DENIED;
	expect(&f, "btf", CHECK_NOTE, "not readable", "root");
	strcpy(f.lockdown, "confidentiality");
	expect(&f, "lockdown", CHECK_WARN, "confidentiality", "lockdown=");
	strcpy(f.clocksource, "hpet");
	expect(&f, "clock", CHECK_NOTE, "hpet", "current_clocksource");
}

static void test_reading(void **state)
{
	struct machine_facts f = plain_user();

	(void)state;
	f.ptrace_scope = 1;
	expect(&f, "ptrace_scope", CHECK_WARN, "children", "kernel.yama.ptrace_scope=0");
	f.ptrace_scope = 2;
	expect(&f, "ptrace_scope", CHECK_WARN, "none, except by root", "kernel.yama.ptrace_scope=0");
	f.ptrace_scope = 3;
	expect(&f, "ptrace_scope", CHECK_WARN, "until the next boot", "reboot");
	f.can_ptrace = true;
	expect(&f, "ptrace_scope", CHECK_WARN, "until the next boot", "reboot");
	f.ptrace_scope = 2;
	expect(&f, "ptrace_scope", CHECK_OK, "does not bind", "");
	f.ptrace_scope = FACT_UNKNOWN;
	expect(&f, "ptrace_scope", CHECK_OK, "no Yama", "");
	/* We fetch nothing ourselves, and say so. */
	expect(&f, "debuginfod", CHECK_OK, "'debuginfod-find debuginfo BUILD-ID'", "");
	assert_non_null(strstr(judge(&f, "debuginfod")->state, "assay fetches none"));
	f.has_debuginfod_urls = false;
	expect(&f, "debuginfod", CHECK_NOTE, "DEBUGINFOD_URLS", "/etc/debuginfod/*.urls");
	assert_null(strstr(judge(&f, "debuginfod")->fix, "://"));
	assert_non_null(strstr(judge(&f, "debuginfod")->effect, "debuginfod-find debuginfo BUILD-ID"));
	f.has_debuginfod = false;
	expect(&f, "debuginfod", CHECK_NOTE, "not installed", "apt install debuginfod");
	strcpy(f.distro, "fedora");
	expect(&f, "debuginfod", CHECK_NOTE, "not installed", "dnf install");
	strcpy(f.distro, "beos");
	expect(&f, "debuginfod", CHECK_NOTE, "not installed", "debuginfod");
	f.libc_debug = FACT_MISSING;
	expect(&f, "libc_symbols", CHECK_NOTE, "/lib/libc.so.6", "libc6-dbg");
	f.libc_path[0] = 0;
	assert_null(judge(&f, "libc_symbols"));
}

static void make_file(const char *root, const char *path, const char *text)
{
	char *whole = mem_printf("%s%s", root, path);
	FILE *out;

	fake_mkdirs(whole);
	out = fopen(whole, "w");
	if (!out || fputs(text, out) < 0 || fclose(out))
		abort();
	free(whole);
}

static void test_read_empty_root(void **state)
{
	char *root = mem_strdup("/tmp/assay-root-XXXXXX");
	struct machine_facts f = { 0 };

	(void)state;
	assert_non_null(mkdtemp(root));
	machine_facts_read(&f, root);
	assert_true(f.paranoid == FACT_UNKNOWN && f.ptrace_scope == FACT_UNKNOWN && f.max_stack == FACT_UNKNOWN &&
		    f.seccomp == FACT_UNKNOWN);
	assert_true(f.kallsyms == FACT_MISSING && f.tracefs == FACT_MISSING && f.btf == FACT_MISSING);
	assert_false(f.has_kprobes || f.has_uprobes || f.has_debuginfod);
	assert_true(!f.container[0] && !f.lockdown[0] && !f.clocksource[0] && !f.distro[0]);
	fake_sysfs_remove(root);
}

static void test_read_full_root(void **state)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ "/proc/sys/kernel/perf_event_paranoid", "-1\n" },
		{ "/proc/sys/kernel/kptr_restrict", "2\n" },
		{ "/proc/sys/kernel/perf_event_mlock_kb", "64\n" },
		{ "/proc/sys/kernel/perf_event_max_stack", "32\n" },
		{ "/proc/sys/kernel/perf_event_max_sample_rate", "750\n" },
		{ "/proc/sys/kernel/perf_cpu_time_max_percent", "5\n" },
		{ "/proc/sys/kernel/yama/ptrace_scope", "3\n" },
		{ "/proc/sys/kernel/nmi_watchdog", "1\n" },
		{ "/proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T start\n" },
		{ "/proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n" },
		{ "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n" },
		{ "/sys/kernel/debug/tracing/events/enable", "0\n" },
		{ "/sys/kernel/btf/vmlinux", "x" },
		{ "/sys/bus/event_source/devices/kprobe/type", "8\n" },
		{ "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n" },
		{ "/etc/os-release", "PRETTY_NAME=\"X\"\nID=\"fedora\"\n" },
		{ "/.dockerenv", "" },
		{ "/usr/bin/debuginfod-find", "" },
		{ "/usr/lib/debug/.build-id/ab/cdef.debug", "" },
	};
	char *root = mem_strdup("/tmp/assay-root-XXXXXX");
	struct machine_facts f = { .libc_id = "abcdef" };

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_file(root, files[i].path, files[i].text);
	machine_facts_read(&f, root);
	assert_int_equal(f.paranoid, -1);
	assert_int_equal(f.kptr_restrict, 2);
	assert_int_equal(f.mlock_kb, 64);
	assert_int_equal(f.max_stack, 32);
	assert_int_equal(f.max_sample_rate, 750);
	assert_int_equal(f.cpu_time_percent, 5);
	assert_int_equal(f.ptrace_scope, 3);
	assert_int_equal(f.nmi_watchdog, 1);
	assert_int_equal(f.kallsyms, FACT_EMPTY);
	assert_int_equal(f.seccomp, 2);
	assert_string_equal(f.lockdown, "confidentiality");
	assert_int_equal(f.tracefs, FACT_PRESENT);
	assert_int_equal(f.btf, FACT_PRESENT);
	assert_true(f.has_kprobes && !f.has_uprobes && f.has_debuginfod);
	assert_string_equal(f.clocksource, "hpet");
	assert_string_equal(f.distro, "fedora");
	assert_string_equal(f.container, "docker");
	assert_int_equal(f.libc_debug, FACT_PRESENT);
	make_file(root, "/proc/kallsyms", "0000000000000000 A x\nffffffff81000000 T _text\n");
	machine_facts_read(&f, root);
	assert_int_equal(f.kallsyms, FACT_PRESENT);
	fake_sysfs_remove(root);
}

/* Whatever this machine is: every text fits and is whole. */
static void test_here(void **state)
{
	struct machine_check checks[MACHINE_MAX_CHECKS];
	struct machine_facts f = { 0 };
	uint32_t nr;

	(void)state;
	machine_facts_ask(&f);
	machine_facts_read(&f, "");
	assert_true(f.nr_cpus > 0 && f.page_kb >= 4 && f.nofile_hard > 0);
	nr = machine_checks(&f, checks);
	for (uint32_t i = 0; i < nr; i++) {
		assert_true(strlen(checks[i].state) < sizeof(checks[i].state) - 1);
		assert_true((checks[i].level == CHECK_OK) == !checks[i].effect[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_well),	cmocka_unit_test(test_paranoid),       cmocka_unit_test(test_perf_events),
		cmocka_unit_test(test_privileges),	cmocka_unit_test(test_kernel_symbols), cmocka_unit_test(test_pmu),
		cmocka_unit_test(test_limits),		cmocka_unit_test(test_tracing),	       cmocka_unit_test(test_reading),
		cmocka_unit_test(test_read_empty_root), cmocka_unit_test(test_read_full_root), cmocka_unit_test(test_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The checks of limits (rings, files, chains, rates), and of what tracing and reading need.
 */
#include <string.h>

#include "kernel/machine_checks.h"

#define RING_KB 512u	  /* what record makes per CPU */
#define DEFAULT_RATE 4000 /* record's */
#define DEFAULT_STACK 127 /* the kernel's */
#define FEW_FILES 1024u	  /* events × CPUs × threads soon are more */
#define ENOUGH_FILES 4096u
#define LITTLE_TIME 10 /* percent */

void check_rings(const struct machine_facts *f, struct machine_check *c)
{
	uint64_t wanted = (uint64_t)(RING_KB + f->page_kb) * f->nr_cpus;
	uint64_t allowed = f->memlock_bytes == UINT64_MAX ? UINT64_MAX : f->memlock_bytes / 1024;

	if (f->mlock_kb == FACT_UNKNOWN || f->mlock_kb < 0)
		return;
	if (f->can_ipc_lock || f->paranoid < 0) {
		check_state(c, CHECK_OK, "kernel.perf_event_mlock_kb is %lld, which does not bind %s", (long long)f->mlock_kb,
			    f->uid ? "you" : "root");
		return;
	}
	if (allowed != UINT64_MAX)
		allowed += (uint64_t)f->mlock_kb * f->nr_cpus;
	if (allowed >= wanted) {
		check_state(c, CHECK_OK, "enough for a ring of %u KB on each of %u CPUs", RING_KB, f->nr_cpus);
		return;
	}
	check_state(c, CHECK_WARN, "%llu KB: kernel.perf_event_mlock_kb is %lld, the limit of locked memory %llu KB",
		    (unsigned long long)allowed, (long long)f->mlock_kb, (unsigned long long)f->memlock_bytes / 1024);
	check_effect(c, "rings are smaller than %u KB, and samples are lost sooner", RING_KB);
	check_fix(c, "%ssysctl kernel.perf_event_mlock_kb=%u, or %sprlimit --pid $$ --memlock=%llu", check_sudo(f), RING_KB + f->page_kb,
		  check_sudo(f), (unsigned long long)wanted * 1024);
}

void check_files(const struct machine_facts *f, struct machine_check *c)
{
	if (!f->nofile_hard)
		return;
	if (f->nofile_hard == UINT64_MAX) {
		check_state(c, CHECK_OK, "no limit");
		return;
	}
	if (f->nofile_hard >= ENOUGH_FILES) {
		check_state(c, CHECK_OK, "up to %llu", (unsigned long long)f->nofile_hard);
		return;
	}
	check_state(c, f->nofile_hard < FEW_FILES ? CHECK_WARN : CHECK_NOTE, "no more than %llu", (unsigned long long)f->nofile_hard);
	check_effect(c, "an event needs one for each CPU and thread: programs with many threads take helper processes, or fail");
	check_fix(c, f->uid ? "sudo prlimit --pid $$ --nofile=65536:65536" : "ulimit -n 65536");
}

void check_max_stack(const struct machine_facts *f, struct machine_check *c)
{
	if (f->max_stack == FACT_UNKNOWN)
		return;
	if (f->max_stack >= DEFAULT_STACK) {
		check_state(c, CHECK_OK, "up to %lld frames", (long long)f->max_stack);
		return;
	}
	check_state(c, CHECK_WARN, "kernel.perf_event_max_stack is %lld", (long long)f->max_stack);
	check_effect(c, "deeper stacks (-g) are cut: their callers are missing");
	check_fix(c, "%ssysctl kernel.perf_event_max_stack=%d", check_sudo(f), DEFAULT_STACK);
}

void check_sample_rate(const struct machine_facts *f, struct machine_check *c)
{
	if (f->max_sample_rate == FACT_UNKNOWN)
		return;
	if (f->max_sample_rate >= DEFAULT_RATE) {
		check_state(c, CHECK_OK, "up to %lld Hz", (long long)f->max_sample_rate);
		return;
	}
	check_state(c, CHECK_WARN, "kernel.perf_event_max_sample_rate is %lld", (long long)f->max_sample_rate);
	check_effect(c,
		     "record's %d samples a second are lowered to that (the kernel lowers the limit "
		     "by itself where sampling takes too long)",
		     DEFAULT_RATE);
	check_fix(c, "%ssysctl kernel.perf_event_max_sample_rate=100000", check_sudo(f));
}

/* 0 and 100 both mean that there is no limit. */
void check_cpu_time(const struct machine_facts *f, struct machine_check *c)
{
	long long v = f->cpu_time_percent;

	if (v == FACT_UNKNOWN)
		return;
	if (v <= 0 || v >= 100) {
		check_state(c, CHECK_OK, "no limit");
	} else if (v >= LITTLE_TIME) {
		check_state(c, CHECK_OK, "up to %lld%% of a CPU", v);
	} else {
		check_state(c, CHECK_WARN, "kernel.perf_cpu_time_max_percent is %lld", v);
		check_effect(c, "the kernel holds sampling back early: time is missing in profiles");
		check_fix(c, "%ssysctl kernel.perf_cpu_time_max_percent=25", check_sudo(f));
	}
}

void check_clock(const struct machine_facts *f, struct machine_check *c)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit" };

	if (!f->clocksource[0])
		return;
	check_state(c, CHECK_OK, "%s", f->clocksource);
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		if (strcmp(f->clocksource, slow[i]) == 0)
			c->level = CHECK_NOTE;
	if (c->level == CHECK_OK)
		return;
	check_effect(c, "reading the time is slow or coarse: programs that do so often look slower than they are elsewhere");
	check_fix(c, "echo tsc | %stee /sys/devices/system/clocksource/clocksource0/current_clocksource", check_sudo(f));
}

void check_tracefs(const struct machine_facts *f, struct machine_check *c)
{
	if (f->tracefs == FACT_PRESENT) {
		check_state(c, CHECK_OK, "mounted and readable");
		return;
	}
	check_effect(c, "no tracepoints (-e sched:sched_switch) and no probes by name");
	if (f->tracefs == FACT_DENIED) {
		check_state(c, CHECK_NOTE, "mounted, and not readable for you");
		/* Its files are for root and the group. */
		check_fix(c, "%smount -o remount,mode=755,gid=$(id -g) /sys/kernel/tracing, or run as root", check_sudo(f));
		return;
	}
	check_state(c, CHECK_NOTE, "not mounted%s", f->can_sys_admin ? " (assay does so when it is needed)" : "");
	check_fix(c, "%smount -t tracefs nodev /sys/kernel/tracing", check_sudo(f));
}

void check_probes(const struct machine_facts *f, struct machine_check *c)
{
	if (f->has_kprobes && f->has_uprobes) {
		check_state(c, CHECK_OK, "kprobes and uprobes");
		return;
	}
	check_state(c, CHECK_NOTE, "%s",
		    f->has_uprobes   ? "uprobes; this kernel has no kprobes"
		    : f->has_kprobes ? "kprobes; this kernel has no uprobes"
				     : "this kernel has neither kprobes nor uprobes");
	check_effect(c, "%s cannot be probed",
		     f->has_uprobes   ? "functions of the kernel"
		     : f->has_kprobes ? "functions of programs"
				      : "functions of the kernel and of programs");
	check_fix(c, "boot a kernel with CONFIG_KPROBE_EVENTS=y and CONFIG_UPROBE_EVENTS=y");
}

void check_btf(const struct machine_facts *f, struct machine_check *c)
{
	if (f->btf == FACT_PRESENT) {
		check_state(c, CHECK_OK, "the kernel describes its types");
		return;
	}
	check_state(c, CHECK_NOTE,
		    f->btf == FACT_DENIED ? "/sys/kernel/btf/vmlinux is not readable for you" : "there is no /sys/kernel/btf/vmlinux");
	check_effect(c, "what BPF programs do is not available");
	check_fix(c, f->btf == FACT_DENIED ? "run as root" : "boot a kernel with CONFIG_DEBUG_INFO_BTF=y");
}

void check_ptrace(const struct machine_facts *f, struct machine_check *c)
{
	long long v = f->ptrace_scope;

	if (v == FACT_UNKNOWN || v <= 0) {
		check_state(c, CHECK_OK, "those of your own processes may be read (%s)",
			    v == 0 ? "kernel.yama.ptrace_scope is 0" : "no Yama");
		return;
	}
	if (v < 3 && f->can_ptrace) {
		check_state(c, CHECK_OK, "kernel.yama.ptrace_scope is %lld, which does not bind %s", v, f->uid ? "you" : "root");
		return;
	}
	check_state(c, CHECK_WARN, "kernel.yama.ptrace_scope is %lld: %s", v,
		    v == 1   ? "those of your children only"
		    : v == 2 ? "none, except by root"
			     : "none, until the next boot");
	check_effect(c, v == 1 ? "assay stack -p PID is refused, but for children of assay" : "assay stack -p PID is refused");
	if (v < 3)
		check_fix(c, "sudo sysctl kernel.yama.ptrace_scope=0");
	else
		check_fix(c, "set kernel.yama.ptrace_scope to 1 in /etc/sysctl.d and reboot");
}

/* "apt install" and the name of a package, as the distribution has them. */
static void fix_by_package(const struct machine_facts *f, struct machine_check *c, const char *deb, const char *rpm, const char *arch)
{
	static const struct {
		const char *distro, *command;
		int column;
	} known[] = {
		{ "debian", "apt install", 0 },	 { "ubuntu", "apt install", 0 }, { "fedora", "dnf install", 1 },
		{ "rhel", "dnf install", 1 },	 { "centos", "dnf install", 1 }, { "opensuse", "zypper install", 1 },
		{ "sles", "zypper install", 1 }, { "arch", "pacman -S", 2 },
	};
	const char *const names[] = { deb, rpm, arch };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strncmp(f->distro, known[i].distro, strlen(known[i].distro)) == 0) {
			check_fix(c, "%s%s %s", check_sudo(f), known[i].command, names[known[i].column]);
			return;
		}
	}
	check_fix(c, "install the package %s (Debian's name)", deb);
}

void check_debuginfod(const struct machine_facts *f, struct machine_check *c)
{
	if (f->has_debuginfod && f->has_debuginfod_urls) {
		check_state(c, CHECK_OK,
			    "'debuginfod-find debuginfo BUILD-ID' fetches the debug file of one "
			    "program or library; assay fetches none, and reads what it has fetched");
		return;
	}
	check_effect(c, "stripped programs and libraries without a debug package keep addresses for names: 'debuginfod-find debuginfo "
			"BUILD-ID' would fetch the debug file of each, for assay to read");
	if (!f->has_debuginfod) {
		check_state(c, CHECK_NOTE, "debuginfod-find is not installed");
		fix_by_package(f, c, "debuginfod", "elfutils-debuginfod-client", "debuginfod");
	} else {
		check_state(c, CHECK_NOTE, "debuginfod-find is installed, but DEBUGINFOD_URLS names no server");
		check_fix(c, "export DEBUGINFOD_URLS=\"$(cat /etc/debuginfod/*.urls)\", or that of a server of your own");
	}
}

void check_libc(const struct machine_facts *f, struct machine_check *c)
{
	if (!f->libc_path[0])
		return;
	if (f->libc_debug == FACT_PRESENT) {
		check_state(c, CHECK_OK, "all of them, and lines (its debug file is installed)");
		return;
	}
	check_state(c, CHECK_NOTE, "only those it exports: %.160s has no debug file", f->libc_path);
	check_effect(c, "functions inside libc go by their neighbours' names or by none, without lines");
	fix_by_package(f, c, "libc6-dbg", "glibc-debuginfo", "glibc-debug");
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The checks, one function each, in the order of the output: first what decides whether anything can be recorded. A check that does not
 * apply to this machine leaves its state empty and is left out. Limits and what reading needs are in machine_limits.c.
 */
#include "kernel/machine_checks.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What lifts all that stands in an ordinary user's way: CAP_IPC_LOCK is for rings. */
#define SETCAP "sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog,cap_ipc_lock+ep \"$(command -v assay)\""
/* The one level at which nothing is held back: each fix names the same, so that none undoes another. */
#define LIFT_PARANOID "kernel.perf_event_paranoid=-1"

void check_state(struct machine_check *c, enum check_level level, const char *fmt, ...)
{
	va_list ap;

	c->level = level;
	va_start(ap, fmt);
	vsnprintf(c->state, sizeof(c->state), fmt, ap);
	va_end(ap);
}

void check_effect(struct machine_check *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->effect, sizeof(c->effect), fmt, ap);
	va_end(ap);
}

void check_fix(struct machine_check *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->fix, sizeof(c->fix), fmt, ap);
	va_end(ap);
}

const char *check_sudo(const struct machine_facts *f)
{
	return f->uid ? "sudo " : "";
}

static bool is_capable(const struct machine_facts *f)
{
	return f->can_perfmon || f->can_sys_admin;
}

static bool binds_us(const struct machine_facts *f)
{
	return f->paranoid > 2 && !is_capable(f);
}

/* Apart from Yama, lockdown and limits: does the system call work? */
static void check_perf_events(const struct machine_facts *f, struct machine_check *c)
{
	if (!f->open_user) {
		check_state(c, CHECK_OK, "perf_event_open works");
		return;
	}
	check_effect(c, "nothing can be recorded or counted");
	if (binds_us(f)) {
		check_state(c, CHECK_FAIL, "refused: kernel.perf_event_paranoid is %lld", (long long)f->paranoid);
		check_fix(c, "sudo sysctl " LIFT_PARANOID ", or " SETCAP);
	} else if (f->seccomp == 2 || f->container[0]) {
		check_state(c, CHECK_FAIL, "refused (%s) by %s%s", strerror(f->open_user),
			    f->seccomp == 2 ? "a seccomp filter" : "this container's limits", f->container[0] ? " (in a container)" : "");
		check_fix(c, "start the container with: --cap-add PERFMON --security-opt seccomp=unconfined");
	} else if (f->open_user == ENOSYS || f->paranoid == FACT_UNKNOWN) {
		check_state(c, CHECK_FAIL, "this kernel has no perf events");
		check_fix(c, "boot a kernel that was built with CONFIG_PERF_EVENTS=y");
	} else {
		check_state(c, CHECK_FAIL, "refused (%s), though the user may", strerror(f->open_user));
		check_fix(c, "run as root, and look for a security module: cat /sys/kernel/security/lsm");
	}
}

static void check_privileges(const struct machine_facts *f, struct machine_check *c)
{
	const char *who = f->uid ? "an ordinary user" : "root";

	if (is_capable(f) && f->can_ptrace && f->can_syslog) {
		check_state(c, CHECK_OK, "%s, with all capabilities that profiling needs", f->uid ? "user" : who);
		return;
	}
	check_state(c, CHECK_NOTE, "%s%s%s%s%s", who, is_capable(f) ? "" : ", no CAP_PERFMON", f->can_ptrace ? "" : ", no CAP_SYS_PTRACE",
		    f->can_syslog ? "" : ", no CAP_SYSLOG", f->uid ? "" : " (dropped)");
	check_effect(c, "only your own processes can be profiled, as far as the settings below allow");
	if (f->uid)
		check_fix(c, SETCAP ", or run as root");
	else
		check_fix(c, "start the container with: --cap-add PERFMON --cap-add SYS_PTRACE --cap-add SYSLOG");
}

static void check_paranoid(const struct machine_facts *f, struct machine_check *c)
{
	long long v = f->paranoid;

	if (f->paranoid == FACT_UNKNOWN)
		return;
	if (is_capable(f)) {
		check_state(c, CHECK_OK, "%lld, which does not bind %s", v,
			    !f->uid	     ? "root"
			    : f->can_perfmon ? "you (CAP_PERFMON)"
					     : "you (CAP_SYS_ADMIN)");
		return;
	}
	if (v < 0) {
		check_state(c, CHECK_OK, "%lld: all may be recorded", v);
	} else if (v < 2) {
		check_state(c, CHECK_NOTE, "%lld: your own programs, with their time in the kernel", v);
		check_effect(c, "%stracepoints have no data", v ? "no whole CPUs (-a), " : "");
		check_fix(c, "sudo sysctl " LIFT_PARANOID ", or " SETCAP);
	} else if (v == 2 || !f->open_user) {
		/* Levels above 2 are of some distributions' kernels; to others they are 2. */
		check_state(c, CHECK_WARN, "%lld: your own programs, without their time in the kernel", v);
		check_effect(c, "system calls, page faults and I/O are not seen; no whole CPUs (-a), no tracepoints");
		check_fix(c, "sudo sysctl " LIFT_PARANOID ", or " SETCAP);
	} else {
		check_state(c, CHECK_FAIL, "%lld: ordinary users may record nothing", v);
		check_effect(c, "nothing can be recorded or counted");
		check_fix(c, "sudo sysctl " LIFT_PARANOID ", or " SETCAP);
	}
}

static void check_kptr(const struct machine_facts *f, struct machine_check *c)
{
	bool hidden_by_paranoid = f->kptr_restrict == 0 && f->paranoid > 1;

	if (f->kallsyms == FACT_PRESENT) {
		check_state(c, CHECK_OK, "/proc/kallsyms shows the kernel's addresses (kernel.kptr_restrict is %lld)",
			    f->kptr_restrict == FACT_UNKNOWN ? 0 : (long long)f->kptr_restrict);
		return;
	}
	check_effect(c, "functions of the kernel have no names");
	if (f->kallsyms == FACT_MISSING) {
		check_state(c, CHECK_WARN, "there is no /proc/kallsyms");
		check_fix(c, "boot a kernel with CONFIG_KALLSYMS=y, or give reports its vmlinux: -k FILE");
		return;
	}
	if (f->kptr_restrict >= 2)
		check_state(c, CHECK_WARN, "kernel.kptr_restrict is %lld: /proc/kallsyms hides addresses from all users",
			    (long long)f->kptr_restrict);
	else
		check_state(c, CHECK_WARN, "/proc/kallsyms hides addresses from you (%s%lld, no CAP_SYSLOG)",
			    hidden_by_paranoid ? "kernel.perf_event_paranoid is " : "kernel.kptr_restrict is ",
			    hidden_by_paranoid ? (long long)f->paranoid : (long long)f->kptr_restrict);
	if (f->kptr_restrict > 0 && (f->can_syslog || f->paranoid <= 1))
		check_fix(c, "%ssysctl kernel.kptr_restrict=0", check_sudo(f));
	else if (f->kptr_restrict > 0)
		check_fix(c, "%ssysctl kernel.kptr_restrict=0 " LIFT_PARANOID, check_sudo(f));
	else if (hidden_by_paranoid)
		check_fix(c, "%ssysctl " LIFT_PARANOID, check_sudo(f));
	else
		check_fix(c, f->uid ? SETCAP ", or run as root" : "start the container with: --cap-add SYSLOG");
}

static void check_lockdown(const struct machine_facts *f, struct machine_check *c)
{
	if (strcmp(f->lockdown, "confidentiality") == 0) {
		check_state(c, CHECK_WARN, "confidentiality: the kernel keeps its memory from profilers");
		check_effect(c, "no kernel samples, no kprobes, no BPF");
		check_fix(c, "boot without lockdown=confidentiality (lockdown=integrity allows profiling)");
	} else if (f->lockdown[0]) {
		check_state(c, CHECK_OK, "%s", f->lockdown);
	}
}

static void check_container(const struct machine_facts *f, struct machine_check *c)
{
	if (f->open_user || (!f->container[0] && f->seccomp != 2))
		return;
	check_state(c, CHECK_OK, "%s%s%s; perf_event_open is allowed", f->container[0] ? "in a container: " : "", f->container,
		    f->seccomp == 2 ? (f->container[0] ? ", a seccomp filter is on" : "a seccomp filter is on") : "");
}

static void check_pmu(const struct machine_facts *f, struct machine_check *c)
{
	/* That nothing works is said above. */
	if (f->open_user)
		return;
	if (!f->open_cycles) {
		check_state(c, CHECK_OK, "hardware counters work");
		return;
	}
	check_effect(c, "samples come from a timer (cpu-clock) instead of cycles, and only where interrupts "
			"are on; no instructions, caches or branches");
	if (f->open_cycles == EACCES || f->open_cycles == EPERM) {
		check_state(c, CHECK_NOTE, "hardware counters are refused (%s)", strerror(f->open_cycles));
		check_fix(c, "run as root, or " SETCAP);
	} else if (f->open_cycles == EBUSY) {
		check_state(c, CHECK_NOTE, "the hardware counters are all in use");
		check_fix(c, "%ssysctl kernel.nmi_watchdog=0, and stop other profilers", check_sudo(f));
	} else {
		check_state(c, CHECK_NOTE, "no hardware counters (usual in virtual machines)");
		check_fix(c, "on the host, give the machine a PMU, as with QEMU's -cpu host,pmu=on");
	}
}

static void check_watchdog(const struct machine_facts *f, struct machine_check *c)
{
	if (f->nmi_watchdog != 1 || f->open_cycles)
		return;
	check_state(c, CHECK_NOTE, "on: it holds one hardware counter of each CPU");
	check_effect(c, "one event fewer is counted at a time, others take turns");
	check_fix(c, "%ssysctl kernel.nmi_watchdog=0", check_sudo(f));
}

static const struct {
	const char *name, *title;
	void (*judge)(const struct machine_facts *f, struct machine_check *c);
} checks_in_order[] = {
	{ "perf_events", "perf events", check_perf_events },
	{ "privileges", "privileges", check_privileges },
	{ "perf_event_paranoid", "kernel.perf_event_paranoid", check_paranoid },
	{ "kptr_restrict", "kernel symbols", check_kptr },
	{ "lockdown", "kernel lockdown", check_lockdown },
	{ "container", "container", check_container },
	{ "pmu", "hardware counters", check_pmu },
	{ "nmi_watchdog", "NMI watchdog", check_watchdog },
	{ "perf_event_mlock_kb", "memory for rings", check_rings },
	{ "nofile", "open files", check_files },
	{ "perf_event_max_stack", "length of call chains", check_max_stack },
	{ "perf_event_max_sample_rate", "sampling rate", check_sample_rate },
	{ "perf_cpu_time_max_percent", "time for sampling", check_cpu_time },
	{ "clock", "clock", check_clock },
	{ "tracefs", "tracefs", check_tracefs },
	{ "probes", "probes", check_probes },
	{ "btf", "BTF", check_btf },
	{ "ptrace_scope", "stacks of processes", check_ptrace },
	{ "debuginfod", "debuginfod", check_debuginfod },
	{ "libc_symbols", "symbols of libc", check_libc },
};
_Static_assert(sizeof(checks_in_order) / sizeof(checks_in_order[0]) <= MACHINE_MAX_CHECKS, "room for all");

uint32_t machine_checks(const struct machine_facts *f, struct machine_check *checks)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < sizeof(checks_in_order) / sizeof(checks_in_order[0]); i++) {
		struct machine_check *c = &checks[nr];

		memset(c, 0, sizeof(*c));
		c->name = checks_in_order[i].name;
		c->title = checks_in_order[i].title;
		checks_in_order[i].judge(f, c);
		if (c->state[0])
			nr++;
	}
	return nr;
}

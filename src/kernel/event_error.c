/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel uses one errno for many causes; the event and the settings of the system distinguish them.
 */
#include "kernel/event_open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/cpus.h"
#include "kernel/sysctl.h"

#define SETCAP "'sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog+ep $(command -v assay)'"

static bool is_foreign(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return pid > 0 && !stat(path, &st) && st.st_uid != geteuid();
}

/* The highest paranoid setting that allows what was asked for, and its name. */
static int needed_paranoid(const struct event_spec *spec, pid_t pid, const char **what)
{
	if (spec->attr.type == ATTR_TYPE_TRACEPOINT && (spec->attr.sample_type & SAMPLE_RAW)) {
		*what = "tracepoints with their data";
		return -1;
	}
	if (pid == -1) {
		*what = "whole CPUs";
		return 0;
	}
	if (!(spec->attr.flags & ATTR_EXCLUDE_KERNEL)) {
		*what = "the kernel";
		return 1;
	}
	*what = "anything";
	return 2;
}

/* Its tracepoint has an id like all others, but cannot be opened. */
static bool is_function_tracer(const struct event_spec *spec)
{
	return spec->attr.type == ATTR_TYPE_TRACEPOINT && spec->name && !strcmp(spec->name, "ftrace:function");
}

static int error_denied(const struct event_spec *spec, pid_t pid, int err, struct errbuf *eb)
{
	const char *what;
	int needed = needed_paranoid(spec, pid, &what);
	int paranoid = sysctl_paranoid();

	if (!sysctl_is_perfmon_capable() && paranoid > needed)
		return errbuf_set(eb, err,
				  "no permission to profile %s with '%s' (kernel.perf_event_paranoid is %d): "
				  "'sudo sysctl kernel.perf_event_paranoid=%d' allows it to all users, " SETCAP " to assay, or run as root",
				  what, spec->name, paranoid, needed);
	if (!sysctl_is_perfmon_capable() && is_foreign(pid))
		return errbuf_set(
			eb, err,
			"no permission to profile process %d, which is another user's: run as root, or allow assay to with " SETCAP, pid);
	if (is_function_tracer(spec))
		return errbuf_set(eb, err,
				  "ftrace:function cannot be counted by perf_event_open; use the "
				  "function tracer ('echo function > current_tracer' in tracefs)");
	if (spec->attr.flags & ATTR_NAMESPACES)
		return errbuf_set(eb, err, "namespaces are recorded for privileged users only: run as root, or leave out --namespaces");
	return errbuf_set(eb, err,
			  "the system forbids perf_event_open for '%s' (%s), though the user may: in a container, start it with '--cap-add "
			  "PERFMON --security-opt seccomp=unconfined'; on a locked-down kernel, add :u",
			  spec->name, strerror(-err));
}

static int error_unsupported(const struct event_spec *spec, int err, struct errbuf *eb)
{
	const struct attr *a = &spec->attr;

	if (a->type == ATTR_TYPE_HARDWARE || a->type == ATTR_TYPE_HW_CACHE || a->type == ATTR_TYPE_RAW) {
		if (access("/sys/bus/event_source/devices/cpu", F_OK) && access("/sys/bus/event_source/devices/armv8_pmuv3_0", F_OK) &&
		    access("/sys/bus/event_source/devices/armv8_pmuv3", F_OK))
			return errbuf_set(eb, err,
					  "'%s' needs a hardware PMU, and this machine shows none (usual in VMs): use "
					  "a software event such as '-e cpu-clock'",
					  spec->name);
		return errbuf_set(eb, err, "this CPU's PMU does not support '%s': see 'assay list' for what it has, or use '-e cpu-clock'",
				  spec->name);
	}
	if (a->type == ATTR_TYPE_TRACEPOINT)
		return errbuf_set(eb, err, "the kernel has no tracepoint '%s' (id %llu) any more: was its module unloaded?", spec->name,
				  (unsigned long long)a->config);
	return errbuf_set(eb, err, "the kernel does not support '%s' (type %u, config %#llx)", spec->name, a->type,
			  (unsigned long long)a->config);
}

static int error_not_possible(const struct event_spec *spec, int err, struct errbuf *eb)
{
	const struct attr *a = &spec->attr;

	if (a->sample_type & SAMPLE_BRANCH_STACK && a->branch_sample_type & BRANCH_CALL_STACK)
		return errbuf_set(eb, err,
				  "'%s' cannot record call stacks by the branch unit here (--call-graph lbr needs one "
				  "that knows calls from returns, and a hardware event such as cycles): use "
				  "--call-graph dwarf, or -g for programs with frame pointers",
				  spec->name);
	if (a->sample_type & SAMPLE_BRANCH_STACK)
		return errbuf_set(eb, err, "'%s' cannot record branch stacks on this hardware: leave out -b, -j and --call-graph lbr",
				  spec->name);
	if (attr_precise_ip(a))
		return errbuf_set(eb, err, "'%s' is not available with this precision here: use fewer p's, or P for the best there is",
				  spec->name);
	if (a->sample_period && !(a->type == ATTR_TYPE_SOFTWARE || a->type == ATTR_TYPE_TRACEPOINT))
		return errbuf_set(eb, err, "'%s' cannot be sampled on this hardware, only counted: use '-e cpu-clock' to sample",
				  spec->name);
	return error_unsupported(spec, err, eb);
}

static int error_invalid(const struct event_spec *spec, pid_t pid, int cpu, struct errbuf *eb)
{
	const struct attr *a = &spec->attr;
	uint64_t max = sysctl_max_sample_rate();

	if ((a->flags & ATTR_FREQ) && max && a->sample_period > max)
		return errbuf_set(eb, -EINVAL,
				  "%llu samples a second are more than this kernel allows: use -F %llu (-F max), or "
				  "'sudo sysctl kernel.perf_event_max_sample_rate=%llu'",
				  (unsigned long long)a->sample_period, (unsigned long long)max, (unsigned long long)a->sample_period);
	if (a->flags & ATTR_USE_CLOCKID)
		return errbuf_set(eb, -EINVAL, "'%s' cannot use clock %d for its times: use -k mono or -k mono_raw", spec->name,
				  a->clockid);
	if (attr_precise_ip(a))
		return error_not_possible(spec, -EINVAL, eb);
	if (spec->pmu && a->sample_period)
		return errbuf_set(eb, -EINVAL, "'%s' cannot be sampled%s, only counted: 'assay stat -a -e %s'", spec->name,
				  pid != -1 ? " for tasks" : "", spec->name);
	if (spec->pmu && pid != -1)
		return errbuf_set(eb, -EINVAL, "'%s' counts for whole CPUs, not for tasks: use -a", spec->name);
	if (spec->group_leader >= 0)
		return errbuf_set(eb, -EINVAL,
				  "the kernel refuses '%s' in its group: there may be too few counters for all of them at once, or they "
				  "are of different PMUs; use fewer events, or :W to count them apart where need be",
				  spec->name);
	return errbuf_set(eb, -EINVAL, "the kernel refuses the settings of '%s' (type %u, config %#llx%s): 'dmesg | tail' may say why",
			  spec->name, a->type, (unsigned long long)a->config, cpu >= 0 ? ", on a CPU" : "");
}

static int error_no_device(const struct event_spec *spec, int cpu, int err, struct errbuf *eb)
{
	struct cpu_list online = { 0 };
	bool offline;

	cpu_list_online(&online);
	offline = cpu >= 0 && !cpu_list_has(&online, (uint32_t)cpu);
	cpu_list_fini(&online);
	if (offline)
		return errbuf_set(eb, err, "CPU %d is not online any more: choose others with -C", cpu);
	return error_unsupported(spec, err, eb);
}

int event_open_error(const struct event_spec *spec, pid_t pid, int cpu, int err, struct errbuf *eb)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		return error_denied(spec, pid, err, eb);
	case ENOENT:
		return error_unsupported(spec, err, eb);
	case EOPNOTSUPP:
		return error_not_possible(spec, err, eb);
	case ENODEV:
	case ENXIO:
		return error_no_device(spec, cpu, err, eb);
	case EINVAL:
		return error_invalid(spec, pid, cpu, eb);
	case ESRCH:
		return errbuf_set(eb, err, "process %d is gone", pid);
	case ENOSYS:
		return errbuf_set(eb, err, "this kernel has no perf events (CONFIG_PERF_EVENTS)");
	case EMFILE:
		return errbuf_set(eb, err,
				  "the limit of %llu open files is too low for one event per thread and CPU: "
				  "'ulimit -Hn' shows how far 'ulimit -n' may go; as root, 'ulimit -n 65536'",
				  (unsigned long long)sysctl_nofile());
	case ENFILE:
		return errbuf_set(eb, err, "the system's limit of open files is reached: 'sysctl fs.file-max' shows it");
	case EBUSY:
		return errbuf_set(eb, err,
				  "the hardware counter that '%s' needs is in use: 'sudo sysctl kernel.nmi_watchdog=0' "
				  "frees one, or stop the other profiler",
				  spec->name);
	case EOVERFLOW:
		return errbuf_set(eb, err,
				  "call chains of %u frames are more than the kernel allows: 'sudo sysctl kernel.perf_event_max_stack=%u'",
				  spec->attr.sample_max_stack, spec->attr.sample_max_stack);
	case ENOSPC:
		return errbuf_set(eb, err, "all of the CPU's debug registers are in use: fewer breakpoints than '%s' needs are free",
				  spec->name);
	}
	return errbuf_set(eb, err, "cannot open event '%s': %s", spec->name, strerror(-err));
}

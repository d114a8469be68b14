/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of perf's commands that this version of assay lacks, each with the commands of ours
 * that come nearest. cmd.c asks when it knows no command of a name. A command that is written
 * leaves this table and enters that of cmd.c (tests/unit/test_cmd.c sees to it); what stands here
 * is typed by people as it is, so tests/oracle/perf_commands.sh runs it.
 */
#include "cmd/perf_commands.h"

#include <stddef.h>
#include <string.h>

static const struct perf_command table[] = {
	{ "annotate", "'assay report -s sym,srcline' shows the time of source lines" },
	{ "archive", "copy the binaries, and let 'assay report --symfs DIR' read them there" },
	{ "bench", "'assay stat -r 10 -- COMMAND' measures a command, with its spread over several runs" },
	{ "buildid-cache", "binaries are read where they are, and 'assay cache' shows what is "
			   "remembered of their symbols" },
	{ "buildid-list", "'assay report -D' prints the records that hold them" },
	{ "c2c", "'assay record -d -W -e EVENT' records addresses and weights of accesses, and 'assay script -F +addr,+weight,+data_src' prints them" },
	{ "check", "'assay version --build-options' shows what was compiled in" },
	{ "config", "assay reads no configuration file, every setting is an option" },
	{ "daemon", "'assay record -a --switch-output=1h --switch-max-files 24' records all the time and keeps the last day" },
	{ "data",
	  "'assay export --format list' names the formats that a recording can be turned into" },
	{ "ftrace", "'assay record -a -e GROUP:EVENT -- sleep 5', then 'assay script', print tracepoints of the kernel" },
	{ "inject", "maps of JITs (/tmp/perf-PID.map) are read without it" },
	{ "iostat", "'assay stat -a -I 1000 -e block:block_rq_issue,block:block_rq_complete' counts I/O each second" },
	{ "kallsyms", "'grep -w NAME /proc/kallsyms' finds where a kernel symbol is" },
	{ "kmem", "'assay record -ag -e kmem:kmalloc -- sleep 5', then 'assay report', show who "
		  "allocates" },
	{ "kvm",
	  "'assay record -a -e kvm:kvm_exit -e kvm:kvm_entry -- sleep 5', then 'assay heatmap "
	  "--from kvm:kvm_exit --to kvm:kvm_entry', draw how long exits take" },
	{ "kwork",
	  "'assay record -a -e irq:softirq_entry -e irq:softirq_exit -- sleep 5', then 'assay "
	  "heatmap --from irq:softirq_entry --to irq:softirq_exit --key cpu,vec', draw how "
	  "long such work takes" },
	{ "lock",
	  "'assay record -a -e lock:contention_begin -e lock:contention_end -- sleep 5', then "
	  "'assay heatmap --from lock:contention_begin --to lock:contention_end', draw how "
	  "long locks are waited for" },
	{ "mem", "'assay record -d -W -e EVENT' records addresses and weights of accesses, and 'assay script -F +addr,+weight,+data_src' prints them" },
	{ "probe", "a probe that was written to /sys/kernel/tracing/kprobe_events is an event for "
		   "'assay record -e kprobes:NAME'" },
	{ "sched", "'assay record -a -e sched:sched_wakeup -e sched:sched_switch -- sleep 5', then "
		   "'assay heatmap --from sched:sched_wakeup --to sched:sched_switch --key "
		   "pid:next_pid', draw how long tasks wait for a CPU" },
	{ "test", "'assay doctor' checks what this machine allows" },
	{ "timechart", "'assay export --format chrome -o FILE.json' shows samples over time, in "
		       "Perfetto or Chrome" },
	{ "top", "'assay record -ag -- sleep 5', then 'assay report', show where the time goes" },
	{ "trace",
	  "'assay record -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -- COMMAND', then "
	  "'assay script', print system calls" },
	{ NULL, NULL },
};

const struct perf_command *perf_command_table(void)
{
	return table;
}

const struct perf_command *perf_command_find(const char *name)
{
	for (const struct perf_command *c = table; c->name; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tables of what perf has and this version of assay lacks. A command that is written leaves the table here and enters that of cmd.c
 * (tests/unit/test_cmd.c checks that).
 */
#include "cmd/perf_compat.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cmd/cmd.h"

static const struct perf_word absent_commands[] = {
	{ "archive", "copy the binaries, and let 'assay report --symfs DIR' read them there" },
	{ "bench", "'assay stat -r 10 -- COMMAND' measures a command, with its spread over several runs" },
	{ "buildid-cache", "binaries are read where they are, and 'assay cache' shows what is "
			   "remembered of their symbols" },
	{ "buildid-list", "'assay report -D' prints the records that hold them" },
	{ "c2c",
	  "'assay record -d -W -e EVENT' records addresses and weights of accesses, and 'assay script -F +addr,+weight,+data_src' prints them" },
	{ "check", "'assay version --build-options' shows what was compiled in" },
	{ "daemon", "'assay record -a --switch-output=1h --switch-max-files 24' records all the time and keeps the last day" },
	{ "data", "'assay export --format list' names the formats that a recording can be turned into" },
	{ "iostat", "'assay stat -a -I 1000 -e block:block_rq_issue,block:block_rq_complete' counts I/O each second" },
	{ "kallsyms", "'grep -w NAME /proc/kallsyms' finds where a kernel symbol is" },
	{ "kvm", "'assay record -a -e kvm:kvm_exit -e kvm:kvm_entry -- sleep 5', then 'assay heatmap "
		 "--from kvm:kvm_exit --to kvm:kvm_entry', draw how long exits take" },
	{ "mem",
	  "'assay record -d -W -e EVENT' records addresses and weights of accesses, and 'assay script -F +addr,+weight,+data_src' prints them" },
	{ "test", "'assay doctor' checks what this machine allows" },
	{ NULL, NULL },
};

const struct perf_word *perf_command_table(void)
{
	return absent_commands;
}

const struct perf_word *perf_command_find(const char *name)
{
	for (const struct perf_word *c = absent_commands; c->name; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}

#define HARDWARE_TRACES "traces of the hardware (Intel PT, CoreSight) are neither recorded nor decoded"
#define NO_GUESTS "guests of KVM are recorded inside of them"
#define NO_DISASSEMBLY "'assay annotate' shows the code of functions"
#define NO_BRANCHES "branches are not recorded; 'assay report -b' shows those of perf's recordings"
#define NO_SCRIPTS "scripts are not run; 'assay script --json' and 'assay script' print what they read"
#define OWN_LINES "lines and inlined functions are read by assay itself, without a tool"
#define OWN_UNWINDER "stacks are unwound by assay itself"
#define TIMES "'assay report --time FROM,TO' takes a part of a recording by time"

#define NO_LOCK_MAPS "waits are recorded and summed up by assay itself, live, too"

const struct option_absent perf_lock_absent[] = {
	{ 'b', "use-bpf", NO_LOCK_MAPS },
	{ 0, "map-nr-entries", NO_LOCK_MAPS },
	{ 0, "stack-skip", "functions of locks are known by their names, and skipped as such" },
	{ 'c', "combine-locks", "-l has a row for each lock" },
	{ 'D', "dump-raw-trace", "'assay script -D' prints all records" },
	{ 0, NULL, NULL },
};

#define TOP_OF_TEXT "'assay record -- COMMAND', then 'assay annotate', show the code of a function"

const struct option_absent perf_top_absent[] = {
	{ 'b', "branch-any", NO_BRANCHES },
	{ 'j', "branch-filter", NO_BRANCHES },
	{ 'D', "dump-symtab", "'assay report -v' tells where symbols come from" },
	{ 0, "asm-raw", TOP_OF_TEXT },
	{ 0, "source", TOP_OF_TEXT },
	{ 0, "sym-annotate", TOP_OF_TEXT },
	{ 0, "objdump", TOP_OF_TEXT },
	{ 0, "addr2line", OWN_LINES },
	{ 0, "prefix", TOP_OF_TEXT },
	{ 0, "prefix-strip", TOP_OF_TEXT },
	{ 0, "fields", "-s, -n and --show-total-period choose the columns" },
	{ 0, "group", "each event has rows of its own" },
	{ 0, "group-sort-idx", "each event has rows of its own" },
	{ 'H', "hierarchy", "-s has a row for each combination of keys" },
	{ 0, "ignore-callees", "'assay record -g', then 'assay flame', draw the callers" },
	{ 0, "ignore-vmlinux", "--kallsyms FILE takes kernel symbols from there" },
	{ 0, "overwrite", "rings are read as they fill" },
	{ 0, "percentage", "shares are of all samples that are not hidden" },
	{ 0, "raw-trace", "'assay record -e EVENT', then 'assay report --raw-trace', show fields of tracepoints" },
	{ 0, "show-on-off-events", "'assay trace --switch-on EVENT' begins at an event" },
	{ 0, "stitch-lbr", NO_BRANCHES },
	{ 0, "switch-on", "'assay trace --switch-on EVENT' begins at an event" },
	{ 0, "switch-off", "'assay trace --switch-off EVENT' ends at an event" },
	{ 0, "branch-history", NO_BRANCHES },
	{ 0, "off-cpu-thresh", "'assay record --off-cpu' records times off the CPU" },
	{ 0, "off-cpu", "'assay record --off-cpu' records times off the CPU" },
	{ 0, NULL, NULL },
};

const struct option_absent perf_kwork_absent[] = {
	{ 'b', "use-bpf", NO_LOCK_MAPS },
	{ 'D', "dump-raw-trace", "'assay script -D' prints all records" },
	{ 0, NULL, NULL },
};

const struct option_absent perf_kwork_timehist_absent[] = {
	{ 'D', "dump-raw-trace", "'assay script -D' prints all records" },
	{ 'g', "call-graph", "'assay record -g -e irq:softirq_entry -a' and 'assay script' show what work interrupts" },
	{ 0, "max-stack", "'assay record -g -e irq:softirq_entry -a' and 'assay script' show what work interrupts" },
	{ 0, "symfs", "work of the kernel has no other files: --vmlinux and --kallsyms name them" },
	{ 0, NULL, NULL },
};

const struct option_absent perf_sched_absent[] = {
	{ 'D', "dump-raw-trace", "'assay script -D' prints all records" },
	{ 0, NULL, NULL },
};

#define ONE_TASK "that a task comes back is an event of another one: record all, then 'assay sched timehist -p PID'"
#define OWN_EVENTS                                                                                                                         \
	"'assay record -a -c 1 -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup_new -e sched:sched_stat_runtime' takes it, and 'assay sched' reads that"

/* Those of record that make sense there. */
const struct option_absent perf_sched_record_absent[] = {
	{ 'p', "pid", ONE_TASK },
	{ 't', "tid", ONE_TASK },
	{ 'u', "uid", ONE_TASK },
	{ 'G', "cgroup", ONE_TASK },
	{ 'e', "event", OWN_EVENTS },
	{ 0, "filter", OWN_EVENTS },
	{ 'k', "clockid", OWN_EVENTS },
	{ 'z', "compression-level", OWN_EVENTS },
	{ 'D', "delay", OWN_EVENTS },
	{ 'r', "realtime", OWN_EVENTS },
	{ 'B', "no-buildid", OWN_EVENTS },
	{ 0, "max-size", OWN_EVENTS },
	{ 0, "switch-output", OWN_EVENTS },
	{ 0, "timestamp-filename", OWN_EVENTS },
	{ 0, NULL, NULL },
};

const struct option_absent perf_timechart_absent[] = {
	{ 0, "symfs", "a time chart has no names of functions" },
	{ 0, NULL, NULL },
};

#define NO_SYMBOLS "a copy has no names of functions; 'assay report' takes it when they are shown"

const struct option_absent perf_inject_absent[] = {
	{ 's', "sched-stat", "'assay sched timehist' shows where and how long tasks slept" },
	{ 0, "itrace", HARDWARE_TRACES },
	{ 0, "strip", "it drops what --itrace was made of, and " HARDWARE_TRACES },
	{ 0, "guest-data", NO_GUESTS },
	{ 0, "guestmount", NO_GUESTS },
	{ 0, "vm-time-correlation", HARDWARE_TRACES },
	{ 0, "known-build-ids", "build-ids are read from the files, and those that the recording has are kept" },
	{ 'k', "vmlinux", NO_SYMBOLS },
	{ 0, "ignore-vmlinux", NO_SYMBOLS },
	{ 0, "kallsyms", NO_SYMBOLS },
	{ 'B', "mmap2-buildids", "--buildid-all lists build-ids in the header" },
	{ 0, "mmap2-buildid-all", "--buildid-all lists build-ids in the header" },
	{ 0, "convert-callchain", "'assay report' unwinds stacks as it reads them" },
	{ 0, NULL, NULL },
};

const struct option_absent perf_record_absent[] = {
	{ 'b', "branch-any", NO_BRANCHES },
	{ 'j', "branch-filter", NO_BRANCHES },
	{ 'I', "intr-regs", "registers are recorded with --call-graph dwarf only" },
	{ 0, "user-regs", "registers are recorded with --call-graph dwarf only" },
	{ 0, "aux-sample", HARDWARE_TRACES },
	{ 0, "clang-opt", "events are not compiled from BPF source" },
	{ 0, "clang-path", "events are not compiled from BPF source" },
	{ 0, "control", "-D MS begins later, Ctrl-C or SIGINT ends, and SIGUSR2 begins another file with --switch-output" },
	{ 0, "debuginfod", "'debuginfod-find debuginfo BUILD-ID' fetches debug files, which are then read" },
	{ 0, "group", "braces make a group, as in -e '{cycles,instructions}'" },
	{ 0, "kcore", "'assay report --kallsyms' and 'assay report -k' name files with the kernel's symbols" },
	{ 0, "overwrite", "--switch-output with --switch-max-files keeps the last of a long recording" },
	{ 0, "per-thread", "-p and -t follow each thread without it" },
	{ 0, "switch-output-event", "--switch-output=signal, =SIZE or =TIME begin another file" },
	{ 0, "vmlinux", "'assay report -k FILE' takes it" },
	{ 0, "data-mmap", NULL },
	{ 0, "sample-mem-info", "-d and -W record addresses and weights" },
	{ 0, "setup-filter", NULL },
	{ 0, NULL, NULL },
};

const struct option_absent perf_stat_absent[] = {
	{ 'g', "group", "braces make a group, as in -e '{cycles,instructions}'" },
	{ 'T', "transaction", "the events can be named with -e, as in -e cpu/tx-start/" },
	{ 0, "control", "-D MS begins later, -I MS prints in between, and Ctrl-C or SIGINT ends" },
	{ 0, "cputype", "the PMU is named with the event, as in -e cpu_core/cycles/" },
	{ 0, "for-each-cgroup", "-G NAME counts in a cgroup; -e and -G may be repeated" },
	{ 0, "hybrid-merge", "the PMU is named with the event, as in -e cpu_core/cycles/" },
	{ 0, "iostat", NULL },
	{ 0, "percore-show-thread", "-A shows each CPU" },
	{ 0, "smi-cost", "the events can be named with -e, as in -e msr/smi/,msr/aperf/" },
	{ 0, "td-level", "--topdown shows the first level" },
	{ 0, "affinity", NULL },
	{ 0, "metric-no-threshold", "metrics are shown without thresholds" },
	{ 0, "per-cache", "--per-core, --per-die, --per-socket and --per-node are there" },
	{ 0, "per-cluster", "--per-core, --per-die, --per-socket and --per-node are there" },
	{ 0, "pmu-filter", "the PMU is named with the event, as in -e cpu_core/cycles/" },
	{ 0, "record-tpebs", NULL },
	{ 0, "tpebs-mode", NULL },
	{ 0, NULL, NULL },
};

const struct option_absent perf_annotate_absent[] = {
	{ 'D', "dump-raw-trace", "'assay report -D' prints every record" },
	{ 0, "itrace", HARDWARE_TRACES },
	{ 0, "demangle-kernel", "names of the kernel are shown as they are" },
	{ 0, "ignore-vmlinux", "a vmlinux is used where its build-id is the recorded one, and no other" },
	{ 0, "stdio2", "'--arrows' shows jumps in the text" },
	{ 0, "gtk", "'assay annotate' prints text" },
	{ 0, "data-type", "'assay annotate' is about code" },
	{ 0, "type-stat", "'assay annotate' is about code" },
	{ 0, "insn-stat", "'assay annotate' is about code" },
	{ 0, "code-with-type", "'assay annotate' is about code" },
	{ 0, "addr2line", "lines are read without another program" },
	{ 0, "addr2line-style", "lines are read without another program" },
	{ 0, NULL, NULL },
};

const struct option_absent perf_report_absent[] = {
	{ 0, "asm-raw", NO_DISASSEMBLY },
	{ 0, "objdump", NO_DISASSEMBLY },
	{ 0, "source", NO_DISASSEMBLY },
	{ 0, "prefix", NO_DISASSEMBLY },
	{ 0, "prefix-strip", NO_DISASSEMBLY },
	{ 0, "percent-type", NO_DISASSEMBLY },
	{ 0, "samples", "'assay script -S NAME' prints the samples of a function" },
	{ 'm', "modules", "symbols of kernel modules are looked for without it" },
	{ 'p', "parent", "'assay report --symbols NAME' and 'assay script -S NAME' take the samples of a function" },
	{ 0, "exclude-other", "'assay report --symbols NAME' takes the samples of a function" },
	{ 'T', "threads", "'assay report -s tid' has a row for each thread" },
	{ 'H', "hierarchy", "rows below rows: not in this version; 'assay report -s comm,dso,sym' has one row for each" },
	{ 0, "branch-history", "'assay report -b' shows branches, and -g call chains" },
	{ 0, "total-cycles", "'assay report -b -s cycles' shows the cycles of branches" },
	{ 0, "stitch-lbr", "--call-graph dwarf records stacks that need no stitching" },
	{ 0, "demangle-kernel", "kernels have no C++ names" },
	{ 0, "disable-order", "records are always put in order" },
	{ 0, "group-sort-idx", "each event of a group has a table of its own" },
	{ 0, "ignore-callees", "'assay flame --bottom-up' merges the callers of each function" },
	{ 0, "ignore-vmlinux", "a vmlinux is read only where -k names it" },
	{ 0, "itrace", HARDWARE_TRACES },
	{ 0, "mem-mode", "'assay script -F +addr,+data_src,+weight' prints what memory was accessed" },
	{ 0, "ns", "'assay script --ns' prints times in nanoseconds" },
	{ 0, "percentage", "'assay diff --percentage' is there; shares are of what the filters keep" },
	{ 0, "pretty", "-t CHAR separates columns for programs, and --json prints JSON" },
	{ 0, "show-on-off-events", TIMES },
	{ 0, "switch-on", TIMES },
	{ 0, "switch-off", TIMES },
	{ 0, "show-ref-call-graph", NULL },
	{ 0, "skip-empty", "events without samples are left out" },
	{ 0, "socket-filter", "--cpu takes the CPUs of a socket" },
	{ 0, "symbol-filter", "--symbols takes names of functions" },
	{ 0, "time-quantum", "'assay heatmap --offset' shows samples over time" },
	{ 0, "addr2line", OWN_LINES },
	{ 0, "addr2line-style", OWN_LINES },
	{ 0, "unwind-style", OWN_UNWINDER },
	{ 0, NULL, NULL },
};

const struct option_absent perf_script_absent[] = {
	{ 'a', "all-cpus", "'assay record -a' records all CPUs, 'assay script' prints it" },
	{ 'd', "debug-mode", "losses and records out of order are reported without it" },
	{ 'g', "gen-script", NO_SCRIPTS },
	{ 'l', "list", NO_SCRIPTS },
	{ 's', "script", NO_SCRIPTS },
	{ 0, "dlfilter", NO_SCRIPTS },
	{ 0, "dlarg", NO_SCRIPTS },
	{ 0, "list-dlfilters", NO_SCRIPTS },
	{ 'L', "Latency", "'assay script -F +misc' prints the mode that a sample was taken in" },
	{ 0, "addr-range", "-S NAME takes samples of a function" },
	{ 0, "call-ret-trace", HARDWARE_TRACES },
	{ 0, "call-trace", HARDWARE_TRACES },
	{ 0, "insn-trace", HARDWARE_TRACES },
	{ 0, "graph-function", HARDWARE_TRACES },
	{ 0, "itrace", HARDWARE_TRACES },
	{ 0, "xed", HARDWARE_TRACES },
	{ 0, "deltatime", "times are absolute; 'assay heatmap' draws the time between events" },
	{ 0, "reltime", "times are absolute; 'assay heatmap' draws the time between events" },
	{ 0, "demangle-kernel", "kernels have no C++ names" },
	{ 0, "dump-unsorted-raw-trace", "-D prints the bytes and fields of every record" },
	{ 0, "guest-code", NO_GUESTS },
	{ 0, "guestkallsyms", NO_GUESTS },
	{ 0, "guestmodules", NO_GUESTS },
	{ 0, "guestmount", NO_GUESTS },
	{ 0, "guestvmlinux", NO_GUESTS },
	{ 0, "max-blocks", "instructions of branches are not printed; 'assay report -b' shows branches" },
	{ 0, "per-event-dump", "one text has all events, each line with the name of its own" },
	{ 0, "show-kernel-path", "-F ip,sym,srcline prints file and line" },
	{ 0, "show-on-off-events", TIMES },
	{ 0, "switch-on", TIMES },
	{ 0, "switch-off", TIMES },
	{ 0, "show-text-poke-events", "-D prints the bytes and fields of every record" },
	{ 0, "stitch-lbr", "--call-graph dwarf of 'assay record' needs no stitching" },
	{ 0, "stop-bt", "--max-stack N cuts call chains" },
	{ 0, "addr2line", OWN_LINES },
	{ 0, "unwind-style", OWN_UNWINDER },
	{ 0, "merge-callchains", NULL },
	{ 0, NULL, NULL },
};

const struct option_absent perf_list_absent[] = {
	{ 'j', "json", "--raw-dump prints names only, for programs" },
	{ 'o', "output", "the list goes to standard output" },
	{ 0, "unit", "a word names what is listed, as in 'assay list pmu'" },
	{ 0, NULL, NULL },
};

static const struct perf_word sort_keys[] = {
	{ "parent", "--symbols NAME takes the samples of a function" },
	{ "socket", "the key cpu and the option --cpu are there" },
	{ "time", "'assay heatmap --offset' shows samples over time, and --time takes a part of it" },
	{ "cgroup", NULL },
	{ "cgroup_id", NULL },
	{ "local_weight", "'assay script -F +weight' prints weights" },
	{ "weight", "'assay script -F +weight' prints weights" },
	{ "ins_lat", NULL },
	{ "local_ins_lat", NULL },
	{ "p_stage_cyc", NULL },
	{ "local_p_stage_cyc", NULL },
	{ "retire_lat", NULL },
	{ "local_retire_lat", NULL },
	{ "transaction", NULL },
	{ "ipc_lbr", NULL },
	{ "ipc_null", NULL },
	{ "simd", NULL },
	{ "type", NULL },
	{ "typeoff", NULL },
	{ "typecln", NULL },
	{ "symoff", "'assay script -F ip,sym,symoff' prints where in a function" },
	{ "callchain_branch_predicted", NULL },
	{ "callchain_branch_abort", NULL },
	{ "callchain_branch_cycles", NULL },
	{ "comm_nodigit", "the key comm is there" },
	{ "tgid", "the key pid is there" },
	{ "op", "'assay script -F +data_src' prints it" },
	{ "cache", "'assay script -F +data_src' prints it" },
	{ "memory", "'assay script -F +data_src' prints it" },
	{ "dtlb", "'assay script -F +data_src' prints it" },
	{ "symbol_size", NULL },
	{ "dso_size", NULL },
	{ "code_page_size", "'assay script -F +code_page_size' prints it" },
	{ "data_page_size", "'assay script -F +data_page_size' prints it" },
	{ "addr", "'assay script -F +addr' prints addresses of data" },
	{ "addr_from", "the keys symbol_from, dso_from and srcline_from are there" },
	{ "addr_to", "the keys symbol_to, dso_to and srcline_to are there" },
	{ "symbol_daddr", "'assay script -F +addr' prints addresses of data" },
	{ "dso_daddr", "'assay script -F +addr' prints addresses of data" },
	{ "symbol_iaddr", NULL },
	{ "phys_daddr", "'assay script -F +phys_addr' prints it" },
	{ "dcacheline", "'assay script -F +addr' prints addresses of data" },
	{ "locked", "'assay script -F +data_src' prints it" },
	{ "tlb", "'assay script -F +data_src' prints it" },
	{ "mem", "'assay script -F +data_src' prints it" },
	{ "snoop", "'assay script -F +data_src' prints it" },
	{ "blocked", "'assay script -F +data_src' prints it" },
	{ "overhead_guest_sys", NO_GUESTS },
	{ "overhead_guest_us", NO_GUESTS },
	{ "weight1", NULL },
	{ "weight2", NULL },
	{ "weight3", NULL },
};

static const struct perf_word scripts[] = {
	{ "flamegraph", "'assay flame' draws flame graphs" },
	{ "stackcollapse", "'assay export --format folded' prints folded stacks" },
	{ "gecko", "'assay export --format firefox' is read by the Firefox Profiler" },
	{ "event_analyzing_sample", "'assay report' and 'assay script --json' show samples" },
	{ "export-to-sqlite", "'assay script --json' prints all samples for programs" },
	{ "export-to-postgresql", "'assay script --json' prints all samples for programs" },
	{ "wakeup-latency", "'assay heatmap --from sched:sched_wakeup --to sched:sched_switch --key pid:next_pid' draws it" },
	{ "sched-migration", "'assay record -a -e sched:sched_migrate_task' records migrations" },
	{ "failed-syscalls", "'assay record -a -e raw_syscalls:sys_exit' records what calls return" },
	{ "failed-syscalls-by-pid", "'assay record -a -e raw_syscalls:sys_exit' records what calls return" },
	{ "syscall-counts", "'assay stat -a -e raw_syscalls:sys_enter' counts calls" },
	{ "syscall-counts-by-pid", "'assay record -a -e raw_syscalls:sys_enter' and 'assay report -s pid' count calls" },
	{ "sctop", "'assay stat -a -I 1000 -e raw_syscalls:sys_enter' counts calls" },
	{ "rwtop", "'assay stat -a -I 1000 -e syscalls:sys_enter_read' counts them" },
	{ "rw-by-pid", "'assay record -a -e syscalls:sys_enter_read' and 'assay report -s pid' count them" },
	{ "rw-by-file", "'assay record -a -e syscalls:sys_enter_read' and 'assay script' print them" },
	{ "net_dropmonitor", "'assay record -a -g -e skb:kfree_skb' records where packets are dropped" },
	{ "netdev-times", "'assay heatmap --from net:net_dev_queue --to net:net_dev_xmit --key skbaddr' draws times of packets" },
	{ "compaction-times", "'assay heatmap --from compaction:mm_compaction_begin --to compaction:mm_compaction_end' draws them" },
	{ "futex-contention", "'assay heatmap --from syscalls:sys_enter_futex --to syscalls:sys_exit_futex' draws how long calls take" },
	{ "mem-phys-addr", "'assay script -F +phys_addr' prints physical addresses" },
	{ "intel-pt-events", HARDWARE_TRACES },
	{ "arm-cs-trace-disasm", HARDWARE_TRACES },
	{ "powerpc-hcalls", NULL },
	{ "task-analyzer",
	  "'assay heatmap --from sched:sched_switch --to sched:sched_switch --key next_pid:prev_pid' draws how long tasks run" },
	{ "check-perf-trace", NULL },
	{ "stat-cpi", "'assay stat -e cycles,instructions' shows instructions per cycle" },
	{ "libxed", HARDWARE_TRACES },
	{ "exported-sql-viewer", NULL },
	{ "parallel-perf", "reports use all CPUs without it" },
};

static const struct perf_word *find(const struct perf_word *table, size_t nr, const char *word, size_t len)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(table[i].name) == len && !memcmp(table[i].name, word, len))
			return &table[i];
	return NULL;
}

static int refuse_unknown_key(const char *where, const char *word, size_t len, enum hist_column end, unsigned flags, struct errbuf *eb)
{
	char *all = column_words(' ', end, flags);
	struct suggest s;
	int err;

	suggest_init_part(&s, word, len);
	for (enum hist_column col = 0; col < end; col++) {
		if ((columns[col].flags & flags) != flags)
			continue;
		suggest_offer(&s, columns[col].name);
		if (columns[col].alias)
			suggest_offer(&s, columns[col].alias);
	}
	err = suggest_refuse(&s, where, "key", all, eb);
	free(all);
	return err;
}

bool perf_sort_key_is_known(const char *word, size_t len)
{
	return find(sort_keys, sizeof(sort_keys) / sizeof(sort_keys[0]), word, len);
}

int perf_sort_key_refuse(const char *where, const char *word, size_t len, enum hist_column end, unsigned flags, struct errbuf *eb)
{
	const struct perf_word *w = find(sort_keys, sizeof(sort_keys) / sizeof(sort_keys[0]), word, len);

	if (!w)
		return refuse_unknown_key(where, word, len, end, flags, eb);
	return errbuf_set(eb, -EINVAL, "%s: perf's key '%s' is not in this version of assay%s%s", where, w->name, w->instead ? ": " : "",
			  w->instead ? w->instead : "");
}

int perf_sort_fields_check(struct field_keys *k, enum hist_column end, unsigned flags, struct errbuf *eb)
{
	const struct field_word *w = k->words.nr ? field_keys_unknown(k) : NULL;
	char *list, *nearest;

	if (!w)
		return 0;
	list = field_keys_list(k, w, &nearest);
	if (list)
		errbuf_set(eb, CMD_USAGE, "%s: there is no key or field '%s'%s%s%s (%s)", w->where, w->text,
			   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", list);
	else if (w->field && !w->event)
		perf_sort_key_refuse(w->where, w->text, strlen(w->text), end, flags, eb);
	else
		errbuf_set(eb, CMD_USAGE, "%s: '%s' is about tracepoints, and this recording has none%s", w->where, w->text,
			   w->event ? " of that name" : "");
	free(list);
	free(nearest);
	return CMD_USAGE;
}

int perf_script_refuse(const char *word, const char *next, struct errbuf *eb)
{
	bool runs = !strcmp(word, "record") || !strcmp(word, "report");
	const char *name = runs && next ? next : word;
	const struct perf_word *w = find(scripts, sizeof(scripts) / sizeof(scripts[0]), name, strlen(name));

	if (!w && !runs)
		return 0;
	return errbuf_set(eb, -EINVAL, "script: perf's script%s%s%s not in this version of assay: %s", w ? " '" : "s", w ? w->name : "",
			  w ? "' is" : " are", w && w->instead ? w->instead : NO_SCRIPTS);
}

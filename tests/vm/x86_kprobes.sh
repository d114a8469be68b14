# timeout: 1000
# An x86_64 guest with Linux 6.1: a kernel that knows fewer attr bits than the newest, has kprobes and no PMU.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
[ "$(uname -m)" = x86_64 ] || skip "there is no x86_64 build"

cat >script <<'END'
. /test/lib
tracing=/sys/kernel/tracing

echo "== the modules that talk with the kernel"
for t in event_open ring proc_scan kallsyms; do
	/test/test_$t >out.txt 2>&1 || { cat out.txt; fail "test_$t"; }
done

echo "== record: falls back to cpu-clock; report names the function"
assay record -g -o burn.data /test/seventy_thirty 1 >record.txt 2>&1 || { cat record.txt; fail "record -g"; }
assay evlist -i burn.data >evlist.txt
expect evlist.txt '^cpu-clock' "the event is not cpu-clock"
assay report --stdio --no-children -i burn.data >report.txt
expect report.txt '^ +[0-9.]+% +seventy_thirty +seventy_thirty +\[\.\] seventy' "the report does not name seventy"
expect report.txt '^ +.*main$' "the stacks lack main"

echo "== record -a on two CPUs"
assay record -a -o all.data /test/seventy_thirty 0.3 >record.txt 2>&1 || { cat record.txt; fail "record -a"; }
assay script -i all.data -F comm,ip,sym >script.txt
expect script.txt 'seventy_thirty +[0-9a-f]+ seventy' "record -a has not seen the program"

echo "== attrs that 6.1 does not know or allow are left out, with a reason where it matters"
for options in "-d" "--phys-data" "--data-page-size" "--code-page-size" "-W" "-s" "--switch-events" \
	"--all-cgroups" "--namespaces" "--buildid-mmap" "-k mono" "-e page-faults -c 1"; do
	assay record -q $options -o opt.data /test/seventy_thirty 0.05 >record.txt 2>&1 ||
		{ cat record.txt; fail "record $options"; }
	assay script -i opt.data >/dev/null || fail "script of record $options"
done

echo "== groups that are read with their samples do not follow tasks before 6.12: said, and recorded as far as it goes"
assay record -e '{cpu-clock,cs}:S' -o group.data /test/seventy_thirty 0.2 >record.txt 2>&1 || { cat record.txt; fail "record of a group with S"; }
expect record.txt 'do not follow tasks on this kernel' "nothing is said of it"
assay record -e cpu-clock:S -o group.data /test/seventy_thirty 0.2 >record.txt 2>&1 || { cat record.txt; fail "record of an event with S"; }
expect record.txt 'do not follow tasks on this kernel' "nothing is said of it"
assay script -i group.data -F comm,event >script.txt
expect script.txt 'seventy_thirty +cpu-clock' "the first task of a group with S"
for options in -i -a; do
	assay record $options -e '{cpu-clock,cs}:S' -o group.data /test/seventy_thirty 0.2 >record.txt 2>&1 || { cat record.txt; fail "record $options of a group"; }
	grep -q 'do not follow' record.txt && fail "record $options: a warning about tasks that are not to be followed"
done

echo "== tracepoints: nothing mounted tracefs yet"
assay record -e sched:sched_process_exit -a -o tp.data sh -c 'true; /bin/true; /bin/true' >record.txt 2>&1 ||
	{ cat record.txt; fail "record of a tracepoint"; }
assay script -i tp.data >script.txt
expect script.txt 'sched:sched_process_exit: comm=true pid=[0-9]+ prio=120' "the tracepoint's fields"

echo "== kprobes: made in tracefs, recorded"
[ -e $tracing/kprobe_events ] || mount -t tracefs nodev $tracing
echo 'p:foo do_sys_openat2 flags=%si' >$tracing/kprobe_events
echo 'r:bar do_sys_openat2 ret=$retval' >>$tracing/kprobe_events
assay record -q -e kprobes:foo -o kp.data cat /etc/passwd >record.txt 2>&1 || { cat record.txt; fail "record kprobes:foo"; }
assay script -i kp.data >script.txt
expect script.txt 'kprobes:foo: \([0-9a-f]+\) flags=0x[0-9a-f]+' "the fields of a kprobe"

echo "== and counted"
cat >open.sh <<'EOF'
i=0
while [ $i -lt 100 ]; do
	: </etc/passwd
	i=$((i + 1))
done
EOF
none=$(count_of kprobes:foo sh -c :)
n=$(count_of kprobes:foo sh open.sh)
[ $((n - none)) -eq 101 ] || fail "kprobes:foo: $none for nothing, $n for 100 opens and the script's"
assay stat -x, -o count.csv -e kprobes:foo,kprobes:bar,syscalls:sys_enter_openat sh open.sh
[ "$(sed -n '/^[0-9<]/{s/,.*//;p}' count.csv | sort -u | wc -l)" -eq 1 ] ||
	{ cat count.csv; fail "the entry and the return of a function differ"; }
assay stat -e 'kprobes:*' sh open.sh 2>stat.txt || fail "stat -e 'kprobes:*'"
expect stat.txt ' +[0-9]+ +kprobes:foo' "kprobes by a glob: foo"
expect stat.txt ' +[0-9]+ +kprobes:bar' "kprobes by a glob: bar"

echo "== stat without a PMU"
assay stat /test/seventy_thirty 0.3 2>stat.txt || fail "stat: status $?"
expect stat.txt 'task-clock.*CPUs utilized' "task-clock"
expect stat.txt '<not supported> +cycles' "cycles"
assay stat -a -e context-switches,cpu-clock sleep 0.2 2>stat.txt || fail "stat -a: status $?"
expect stat.txt 'context-switches' "stat -a"
echo "NOTE: Linux $(uname -r)"
END
unit=$(dirname "$WORKLOADS")/unit
"$vm/run-guest" amd64 script "$ASSAY" "$WORKLOADS/seventy_thirty" \
	"$unit"/test_{event_open,ring,proc_scan,kallsyms}

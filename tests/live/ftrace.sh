# assay ftrace: latencies of two events against perf's counts, by BPF and without; and the sentence where the kernel refuses to trace functions.
. "$(dirname "$0")/../lib.sh"
need perf
[ "$(id -u)" -eq 0 ] || skip "only root may trace"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
tracing=/sys/kernel/tracing
[ -e $tracing/current_tracer ] || mount -t tracefs nodev $tracing || skip "tracefs cannot be mounted"
instances_of() { # those of a process that is gone
	ls $tracing/instances | grep "^assay-$1-" || true
}
# member NAME FILE: a number of the JSON
member() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[2]))[sys.argv[1]])' "$1" "$2"
}

neighbours=()
echo "== pairs of a system call: as many as perf counts"
work=(dd if=/dev/zero of=/dev/null bs=512 count=500) # what is recorded of it fits into the rings
pair=syscalls:sys_enter_read,syscalls:sys_exit_read
"$PERF" stat -x, -o perf.csv -e syscalls:sys_enter_read "${work[@]}" 2>/dev/null || skip "perf cannot count syscalls:sys_enter_read here"
want=$(sed -n 's/^\([0-9][0-9]*\),.*sys_enter_read.*/\1/p' perf.csv)
[ "$want" -ge 500 ] || fail "perf counts '$want': $(cat perf.csv)"
# measured NAME LEAST OPTIONS… -- COMMAND…: as many as perf counts of the same run, into NAME.json. A BPF program that returned 0 at these events would
# keep them from perf.
measured() {
	local name=$1 least=$2 counted found
	shift 2
	"$PERF" stat -x, -o $name.csv -e syscalls:sys_enter_read --filter 'comm == "dd"' -- "$ASSAY" ftrace latency -j "$@" >$name.json 2>$name.err ||
		fail "$name: $(cat $name.err)"
	counted=$(sed -n 's/^\([0-9][0-9]*\),.*sys_enter_read.*/\1/p' $name.csv)
	found=$(member count $name.json)
	[ "$counted" -ge "$least" ] && [ "$found" -eq "$counted" ] || fail "$name: $found, perf counts $counted: $(cat $name.json $name.err)"
}
measured bpf 500 -v -b -e $pair -- "${work[@]}"
grep -q 'measuring by BPF: tracepoints with fields' bpf.err || fail "which way: $(cat bpf.err)"
# Who counts the same events meanwhile sees all of them.
"$ASSAY" ftrace latency -j -e $pair -- "$ASSAY" stat -x, -o beside.csv -e syscalls:sys_enter_read,syscalls:sys_exit_read "${work[@]}" >beside.json \
	2>beside.err || fail "stat below ftrace latency: $(cat beside.err)"
for event in enter exit; do
	beside=$(sed -n "s/^\([0-9][0-9]*\),.*sys_${event}_read.*/\1/p" beside.csv)
	[ "${beside:-0}" -ge 500 ] || fail "beside ftrace latency, stat counts '$beside' of sys_${event}_read instead of $want"
done
# Ends of other tasks with this key come from all CPUs at once: each begin is counted once.
for ((i = 0; i < $(nproc); i++)); do
	dd if=/dev/zero of=/dev/null bs=1 status=none &
	neighbours+=($!)
done
measured busy 20000 --key __syscall_nr -e $pair -- dd if=/dev/zero of=/dev/null bs=512 count=20000
kill "${neighbours[@]}"
wait "${neighbours[@]}" || true
measured key 500 --key __syscall_nr -e $pair -- "${work[@]}"
measured recorded 500 --no-use-bpf -e $pair -- "${work[@]}"
python3 - bpf.json key.json recorded.json <<'END'
import json, sys
for name in sys.argv[1:]:
    j = json.load(open(name))
    assert sum(b["count"] for b in j["buckets"]) == j["count"], name
    assert 0 < j["min_ns"] <= j["total_ns"] / j["count"] <= j["max_ns"], (name, j)
    assert j["lost_events"] == j["dropped"] == 0, (name, j)
END

echo "== by type: as many as by recording"
"$ASSAY" ftrace latency -v -j -b -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- "${work[@]}" >bpf.json 2>bpf.err
grep -q 'measuring by BPF: tracepoints by type' bpf.err || fail "which way: $(cat bpf.err)"
"$ASSAY" ftrace latency -j --no-use-bpf -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -- "${work[@]}" >recorded.json 2>/dev/null
[ "$(member count bpf.json)" -eq "$(member count recorded.json)" ] ||
	fail "all calls: $(member count bpf.json) by BPF, $(member count recorded.json) recorded"

echo "== durations are those of the calls; children with --inherit only"
sleeps='sleep 0.05; sleep 0.05; sleep 0.05; :'
"$ASSAY" ftrace latency -j --inherit -e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep -- sh -c "$sleeps" >sleeps.json
[ "$(member count sleeps.json)" -eq 3 ] || fail "three sleeps: $(cat sleeps.json)"
[ "$(member min_ns sleeps.json)" -ge 50000000 ] || fail "a sleep of 50 ms: $(cat sleeps.json)"
[ "$(member total_ns sleeps.json)" -lt 10000000000 ] || fail "sleeps of 50 ms: $(cat sleeps.json)"
"$ASSAY" ftrace latency -j -e syscalls:sys_enter_clock_nanosleep,syscalls:sys_exit_clock_nanosleep -- sh -c "$sleeps" >none.json 2>none.err
[ "$(member count none.json)" -eq 0 ] || fail "children without --inherit: $(cat none.json)"
grep -q 'nothing was measured' none.err || fail "that nothing was measured is not said: $(cat none.err)"

echo "== pairs that end in another task, of one process, and of a CPU"
"$ASSAY" ftrace latency -j -a -e sched:sched_waking,sched:sched_switch --key pid:next_pid -- sleep 0.3 >waits.json 2>/dev/null
[ "$(member count waits.json)" -gt 0 ] || fail "waits for a CPU: $(cat waits.json)"
"$ASSAY" ftrace latency -n -C 0 -e irq:softirq_entry,irq:softirq_exit --key sample.cpu,vec -- sleep 0.3 >soft.txt 2>/dev/null
grep -q '^ *0 - 1    ns |' soft.txt || fail "rows of nanoseconds: $(cat soft.txt)"

echo "== Ctrl-C shows what there is"
"$ASSAY" ftrace latency -v -a -e raw_syscalls:sys_enter,raw_syscalls:sys_exit >int.txt 2>int.err &
pid=$!
for ((i = 0; i < 300; i++)); do
	grep -q 'measuring by BPF' int.err && break
	sleep 0.1
done
ls / >/dev/null
kill -INT $pid
status=0
wait $pid || status=$?
[ $status -eq 130 ] || fail "status $status after Ctrl-C: $(cat int.err)"
grep -q 'count:' int.txt || fail "nothing is shown after Ctrl-C"

echo "== what is wrong is said, with status 2 for the command line and 1 for the rest"
refuses() { # STATUS PATTERN ARGS…
	local want=$1 pattern=$2 status=0
	shift 2
	"$ASSAY" ftrace "$@" >out.txt 2>err.txt || status=$?
	[ $status -eq "$want" ] || fail "status $status instead of $want: ftrace $*: $(cat err.txt)"
	grep -q -- "$pattern" err.txt || fail "ftrace $*: $(cat err.txt)"
}
refuses 2 'give a function (-T vfs_read) or two events' latency true
refuses 2 'not both' latency -T vfs_read -e $pair true
refuses 2 'takes two events' latency -e sched:sched_waking true
refuses 2 'both events are' latency -e sched:sched_waking,sched:sched_waking true
refuses 2 'names one function' latency -T 'vfs_*' true
refuses 2 'is for pairs of events' latency -T vfs_read --key pid true
refuses 1 "no tracepoint 'sched:sched_wakin'" latency -e sched:sched_wakin,sched:sched_switch true
refuses 1 "has no field 'nosuch'.*prio" latency -e sched:sched_waking,sched:sched_switch --key nosuch:next_pid true
refuses 1 'no process' latency -p 4194300 -e $pair
refuses 127 'nosuchprogram' latency -e $pair nosuchprogram
refuses 2 'is no name or pattern of a function' trace -T 'schedule:traceoff' true
refuses 2 'is no size with a suffix' trace -m 4 true
refuses 2 "there is no option 'nosleep'.*nosleep-time" trace --graph-opts nosleep true
refuses 2 "'depth' takes a number" trace --graph-opts depth true
refuses 2 "unknown tracer 'blk'" trace -t blk true
refuses 2 'name the functions with -T' trace --func-opts call-graph true
refuses 2 'are of the tracer function_graph' trace -t function -G vfs_read true
refuses 2 'are about lines of' profile --graph-opts tail true

echo "== where functions may not be traced: why, and what works instead; nothing is left"
mkdir $tracing/instances/assay-test-$$
if ! echo function 2>/dev/null >$tracing/instances/assay-test-$$/current_tracer; then
	for command in "-T vfs_read true" "-t function true" "-F" "-a -t function"; do
		# shellcheck disable=SC2086
		refuses 1 'Operation not permitted: this kernel lists function tracers but does not let them be used' $command
		grep -q "'assay record -e SYSTEM:EVENT'.*'assay trace'.*'assay ftrace latency -e EVENT,EVENT'" err.txt || fail "what works instead: $(cat err.txt)"
	done
	grep -q function_graph $tracing/available_tracers || refuses 1 "no tracer 'function_graph'.*'assay record -e" profile true
else
	echo "NOTE: functions can be traced here"
fi
rmdir $tracing/instances/assay-test-$$

echo "== an instance of a process that is gone is removed, those of others are not"
sh -c 'exit 0' &
gone=$!
wait $gone
mkdir "$tracing/instances/assay-$gone-1" "$tracing/instances/assay-$$-$(awk '{ print $22 }' /proc/$$/stat)" "$tracing/instances/assay-$gone-1-other"
"$ASSAY" ftrace -T vfs_read true >out.txt 2>err.txt || true
left=$(ls $tracing/instances)
rmdir "$tracing/instances/assay-$$-"* "$tracing/instances/assay-$gone-1-other"
[ -z "$(instances_of "$gone")" ] || rmdir "$tracing/instances/assay-$gone-1"
grep -q "removed the tracefs instance of an 'assay ftrace' that was killed (process $gone)" err.txt || fail "the repair is not reported: $(cat err.txt)"
[[ $left != *"assay-$gone-1"$'\n'* ]] || fail "the instance is still there"
[[ $left == *"assay-$gone-1-other"* ]] || fail "an instance of another name was removed"
[[ $left == *"assay-$$-"* ]] || fail "the instance of a process that lives was removed"

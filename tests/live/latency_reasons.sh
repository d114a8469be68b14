# alone: loads BPF programs, and measures
# latency on a function that is slow for a known reason: it is named for each slow call, parts add up, percentiles are exact, calls that do not
# return are counted, and a recording says the same again.
. "$(dirname "$0")/../lib.sh"
need python3
[ "$(id -u)" -eq 0 ] || skip "probes need root"
"$ASSAY" version --build-options 2>/dev/null | grep -qi 'bpf.*on' || skip "built without BPF"
prog=./slow$$
cp "$WORKLOADS/slow_calls" "$prog"

cat >check.py <<'PY'
import json
import sys

reason, wanted = sys.argv[1], sys.argv[2]
lines = [l for l in open("out")]
truth = [tuple(int(x) for x in l.split()[1:]) for l in lines if l.startswith("slow ")]
figures = json.loads("".join(l for l in lines if not l.startswith(("slow ", "calls "))))
calls = figures["slowest"]
assert len(calls) == figures["count"] == 300, figures["count"]
for c in calls:
    assert abs(sum(c["times_ns"].values()) - c["took_ns"]) <= 0.001 * c["took_ns"] + 10, c
# Nearest ranks.
took = sorted(c["took_ns"] for c in calls)
for name, share in ("p50", 500), ("p90", 900), ("p99", 990), ("p99.9", 999), ("max", 1000):
    rank = (len(took) * share + 999) // 1000
    assert figures["percentiles_ns"][name] == took[rank - 1], (name, figures["percentiles_ns"])
assert sum(b["count"] for b in figures["buckets"]) == 300
assert figures["slow"]["count"] == sum(t > figures["percentiles_ns"]["p99"] for t in took)
slower = json.load(open("slower"))
assert len(slower["slowest"]) == slower["slow"]["count"] == sum(t > 5e6 for t in took) >= 3, slower["slow"]
assert len(truth) == 3, truth
for begin, ns in truth:
    # The program looked at its clock right before and right behind.
    found = [c for c in calls if begin <= c["begin_ns"] < begin + ns]
    assert len(found) == 1, (begin, ns)
    c = found[0]
    times = c["times_ns"]
    assert c["took_ns"] <= ns and c["took_ns"] >= 9e6, (c, ns)
    # On a busy machine it may have had no CPU for longer than that; nothing else is more.
    others = {k: v for k, v in times.items() if k not in (wanted, "runnable")}
    assert times[wanted] > max(others.values()), c
    assert c["reason"] in (wanted, "runnable"), c
    if reason == "preempt":
        assert times["runnable"] >= 9e6 and max(t["ns"] for t in c["preempted_by"] if t["comm"] == "spinner") >= 9e6, c
    if reason == "lock":
        assert times["futex"] >= 5e6 and c["woken_by"][0]["comm"] == "holder", c
        assert c["waited_in"][-2:] == c["called_at"][-2:], c
    if reason == "fault":
        assert c["major_faults"] > 0 and c["fault_file"].endswith("/slow_calls.cold"), c
        assert "touch_cold" in c["waited_in"], c
    if reason == "sleep":
        assert times["sleep"] >= 9e6, c
    if reason == "spin":
        assert c["samples"] and "long_way" in c["ran_in"] and "main" in c["ran_in"], c
    assert c["called_at"][:2] == ["work", "main"], c
PY

for how in preempt/runnable lock/futex sleep/sleep spin/user fault/page_fault; do
	reason=${how%/*}
	echo "== $reason"
	case $reason in fault) [ "$(stat -f -c %T .)" != tmpfs ] || continue ;; esac
	"$ASSAY" latency -q -x "$prog" work -n 10000 --json -o $reason.data -- "$prog" $reason 300 100 >out 2>err || fail "$reason: $(cat err)"
	"$ASSAY" latency -q -i $reason.data --slower 5ms -n 10000 --json >slower 2>err || fail "--slower: $(cat err)"
	python3 check.py $reason "${how#*/}" || fail "$reason: $(head -c 3000 out)"
	"$ASSAY" latency -q -i $reason.data -n 10000 --json >again 2>err || fail "-i: $(cat err)"
	diff <(grep -v '^slow \|^calls \|"of":' out) <(grep -v '"of":' again) >differs || fail "read again: $(head -5 differs)"
done
rm -f slow_calls.cold

echo "== text, without --slower, and a heat map"
"$ASSAY" latency -x "$prog" work --heatmap work.svg -n 20 -- "$prog" lock 300 100 >out 2>err || fail "text: $(cat err)"
grep -q "^work() in $prog: 300 calls in " out || fail "head: $(cat out)"
grep -q '^p50 .* p99.9 .* max ' out || fail "percentiles: $(cat out)"
grep -q 'blocked: lock (futex)  ended by holder (' out || fail "reason: $(cat out)"
grep -q 'wrote work.svg' err && grep -q 'Latency heat map' work.svg || fail "heat map: $(cat err)"

echo "== recursion, and calls that do not return"
count() { python3 -c 'import json,sys; d=json.load(open("json")); print(*[d[k] for k in sys.argv[1:]])' "$@"; }
measure() { # OPTIONS… -- ARGS…: figures into "json"
	"$ASSAY" latency -x "$prog" work --json "$@" >out 2>err || true
	sed '/^slow \|^calls /d' out >json
}
measure -- "$prog" recurse 50
[ "$(count count begun nested left)" = "50 250 200 0" ] || fail "recurse: $(cat json)"
grep -q '200 calls inside of others (recursion)' err || fail "recurse: $(cat err)"
measure --nested -- "$prog" recurse 50
[ "$(count count begun)" = "250 250" ] || fail "recurse --nested: $(cat json)"
measure -- "$prog" recurse 5 80
[ "$(count count begun left)" = "5 405 0" ] || fail "a deep recursion: $(cat json)"
measure -- "$prog" longjmp 100 10
[ "$(count count begun left ended_inside)" = "90 100 9 1" ] || fail "longjmp: $(cat json)"
if command -v g++ >/dev/null; then
	cat >throws.cc <<'CC'
#include <cstdio>
__attribute__((noinline)) static int other(int i)
{
	if (i % 3 == 0)
		throw i;
	asm volatile("");
	return i + 1;
}
extern "C" __attribute__((noinline)) int work(int i)
{
	return other(i) + 1;
}
/* The last call is a jump: where it returns is not known from its code. */
extern "C" __attribute__((noinline)) int jumps(int i)
{
	asm volatile("");
	return work(i * 3 + 1);
}
int main()
{
	int caught = 0, sum = 0;

	for (int i = 0; i < 30; i++)
		try {
			sum += jumps(i) + work(i);
		} catch (int) {
			caught++;
		}
	printf("calls caught %d\n", caught);
	return sum < 0;
}
CC
	g++ -O2 -o throws throws.cc
	"$ASSAY" latency -x ./throws work --json -- ./throws >out 2>err || fail "exceptions: $(cat err)"
	grep -q 'calls caught 10' out || fail "exceptions end the program: $(cat out err)"
	sed '/^calls /d' out >json
	[ "$(count count begun left)" = "50 60 10" ] || fail "exceptions: $(cat json)"
	"$ASSAY" latency -x ./throws jumps --json -- ./throws >out 2>err || fail "a tail call: $(cat err)"
	grep -q 'exception (or panic) that passes through jumps' err || fail "no warning: $(cat err)"
	sed '/^calls /d' out >json
	[ "$(count count begun left)" = "30 30 0" ] || fail "a tail call: $(cat json)"
fi
status=0
"$ASSAY" latency -q -x "$prog" work --json -- "$prog" exit 20 >json 2>err || status=$?
[ $status -eq 3 ] || fail "the command's status: $status"
[ "$(count count begun ended_inside)" = "19 20 1" ] || fail "exit: $(cat json)"

echo "== a running process; a thread alone, which is preempted by one that is not recorded"
"$prog" preempt 100000000 200 >/dev/null &
pid=$!
for _ in $(seq 200); do
	[ "$(find /proc/$pid/task -maxdepth 1 2>/dev/null | wc -l)" -gt 2 ] && break
	sleep 0.02
done
"$ASSAY" latency -q -x "$prog" work -t $pid --slower 8ms -n 50 --json -o thread.data >json 2>err &
recorder=$!
spent() { # by its first thread, in ticks of 10 ms
	awk '{ print $14 + $15 }' "/proc/$pid/task/$pid/stat"
}
until [ -s thread.data ]; do
	kill -0 $recorder || fail "-t: $(cat err)"
	sleep 0.1
done
from=$(spent)
until [ $(($(spent) - from)) -ge 50 ]; do sleep 0.1; done
kill -INT $recorder
wait $recorder || true
kill $pid
wait $pid 2>/dev/null || true
python3 - <<'PY' || fail "-t: $(cat err) $(head -c 2000 json)"
import json

figures = json.load(open("json"))
assert figures["count"] > 200, figures["count"]
assert any(t["comm"] == "spinner" for c in figures["slowest"] for t in c["preempted_by"]), figures["slowest"]
PY

echo "== system calls and pairs of events"
"$ASSAY" latency -q clock_nanosleep --json -n 100 -- "$WORKLOADS/latencies" 5 >json 2>err || fail "clock_nanosleep: $(cat err)"
python3 - <<'PY' || fail "clock_nanosleep: $(cat json)"
import json

calls = json.load(open("json"))["slowest"]
assert len(calls) == 15, len(calls)
assert sum(c["took_ns"] >= 20e6 for c in calls) >= 5 and all(c["took_ns"] >= 1e6 for c in calls), calls
# Where a kernel leaves out a switch, what it did then is unknown, and never that it ran.
reasons = [c["reason"] for c in calls if not c["times_ns"]["unknown"]]
assert len(reasons) >= 8 and set(reasons) <= {"sleep", "runnable"}, calls
assert all(c["times_ns"]["running"] < 0.5 * c["took_ns"] for c in calls), calls
PY
for by in --bpf --no-bpf; do
	"$ASSAY" latency -q $by syscalls:sys_enter_clock_nanosleep syscalls:sys_exit_clock_nanosleep --json -- "$WORKLOADS/latencies" 5 >json 2>err ||
		fail "two events $by: $(cat err)"
	[ "$(count count open)" = "15 0" ] || fail "two events $by: $(cat json)"
done
"$ASSAY" record -q -o pair.data -e syscalls:sys_enter_clock_nanosleep -e syscalls:sys_exit_clock_nanosleep "$WORKLOADS/latencies" 5 || fail record
"$ASSAY" latency -i pair.data --json >json 2>err || fail "a recording without switches: $(cat err)"
[ "$(count count)" = 15 ] && grep -q 'where the time went is not known' err || fail "a recording without switches: $(cat err)"

echo "== what cannot be measured"
refused() { # STATUS PATTERN COMMAND…
	local status=$1 pattern=$2 got=0
	shift 2
	"$@" >out 2>err || got=$?
	[ $got -eq "$status" ] || fail "$*: exit status $got: $(cat err)"
	grep -q -- "$pattern" err || fail "$*: no '$pattern': $(cat err)"
}
refused 1 "has no function 'wrk'; did you mean 'work'" "$ASSAY" latency -x "$prog" wrk -- "$prog" sleep 1
cp "$prog" stripped
strip stripped
refused 1 'it was stripped of its symbols' "$ASSAY" latency -x ./stripped work -- ./stripped sleep 1
if command -v go >/dev/null; then
	printf 'package main\n\nfunc main() {}\n' >tiny.go
	GOCACHE=$TMPDIR/gocache GO111MODULE=off go build -o tiny tiny.go
	refused 1 'is a Go program' "$ASSAY" latency -x ./tiny main.main -- ./tiny
fi
refused 1 'no call was seen' "$ASSAY" latency -x "$prog" work -- true
# A call of nothing takes as long as its probes.
"$ASSAY" latency -x "$WORKLOADS/probe_calls" take --json -- "$WORKLOADS/probe_calls" 500 >out 2>err || fail "short calls: $(cat err)"
half=$(sed -n '/^{/,$p' out | python3 -c 'import json, sys; print(json.JSONDecoder().raw_decode(sys.stdin.read())[0]["percentiles_ns"]["p50"])')
if [ "$half" -lt 20000 ]; then
	grep -q 'less than 20 µs: .* the cost of the probes' err || fail "no warning of calls of $half ns: $(cat err)"
else
	! grep -q 'cost of the probes' err || fail "a warning of calls of $half ns"
fi
"$ASSAY" latency -x "$prog" work -- "$prog" sleep 5 >out 2>err && ! grep -q 'cost of the probes' err || fail "long calls: $(cat err)"
refused 1 "'assay latency EVENT EVENT' takes their names" "$ASSAY" latency --no-bpf -x "$prog" work -- "$prog" sleep 1
refused 2 'a command follows behind --' "$ASSAY" latency -x "$prog" work "$prog"
refused 2 'is no system call' "$ASSAY" latency nothing
refused 2 'name the one that ends it' "$ASSAY" latency sched:sched_switch -- true
refused 2 'a time with its unit' "$ASSAY" latency read --slower 5 -- true
refused 2 'say what to measure' "$ASSAY" latency -- true
refused 2 'reads a recording' "$ASSAY" latency -i pair.data -- true
"$ASSAY" record -q -o clock.data -e cpu-clock true
refused 1 'has no two events' "$ASSAY" latency -i clock.data
chmod 755 "$prog" .
cp "$ASSAY" own-assay
refused 1 'need root' setpriv --reuid=65534 --regid=65534 --clear-groups ./own-assay latency -x "$prog" work -- "$prog" sleep 1

echo "== the advice for machines without BPF"
if [ -w /sys/kernel/tracing/uprobe_events ]; then
	"$ASSAY" probe -q -x "$prog" work work%return || fail "probe"
	# shellcheck disable=SC2064
	trap "'$ASSAY' probe -q -d 'probe_slow$$:*' || true" EXIT
	"$ASSAY" latency -q --no-bpf "probe_slow$$:work" "probe_slow$$:work__return" --json -- "$prog" sleep 20 10 >out 2>err || fail "events: $(cat err)"
	sed '/^slow \|^calls /d' out >json
	[ "$(count count)" = 20 ] || fail "events of probes: $(cat json)"
fi
exit 0

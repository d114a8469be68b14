# alone: records all CPUs
# sched record on threads of known behaviour: run times, sleeps and switches are those that the kernel counted for them, and what is lost is
# said. Also through a pipe, with call chains, and on one CPU.
. "$(dirname "$0")/../lib.sh"
need python3
"$ASSAY" sched record -q -o probe.data -- true 2>err || skip "no tracepoints of the scheduler: $(cat err)"

check() { # RECORDING
	"$ASSAY" sched summary --json -i "$1" >rows.json 2>err || fail "summary: $(cat err)"
	"$ASSAY" sched latency -p -i "$1" >latency.txt 2>err || fail "latency: $(cat err)"
	"$ASSAY" sched timehist -s -i "$1" >sums.txt 2>err || fail "timehist: $(cat err)"
	python3 - truth <<'PY' || fail "$1: $(cat truth)"
import json
import re
import sys

rows = {r["tid"]: r for r in json.load(open("rows.json"))}
latency = open("latency.txt").read()
sums = open("sums.txt").read()
for line in open(sys.argv[1]):
    name, tid, run, slept, voluntary, preempted = [w if i == 0 else int(w) for i, w in enumerate(line.split())]
    row = rows[tid]
    assert row["comm"] == name and row["tid"] != row["pid"], row
    # Where this machine hides switches, the time is not known, or one of waiting for a CPU; it is never more than there was.
    assert 0.98 * run <= row["running_ns"] + row["unknown_ns"] + row["woken_ns"] and row["running_ns"] <= 1.02 * run + 3e6, (line, row)
    assert row["sleep_ns"] <= slept * 1.02 + 2e6, (line, row)
    assert row["voluntary"] <= voluntary + 4 and row["preemptions"] <= preempted + 4, (line, row)
    if row["gaps"]:
        continue
    # What the thread did after it looked is in the recording, too: its end.
    assert 0.98 * run - 5e6 <= row["running_ns"] <= 1.02 * run + 3e6, (line, row)
    assert voluntary <= row["voluntary"] <= voluntary + 4, (line, row)
    assert preempted - 1 <= row["preemptions"] <= preempted + 4, (line, row)
    away = row["sleep_ns"] + row["woken_ns"]
    assert slept * 0.98 - 1e6 <= away + row["preempted_ns"], (line, row)
    if name == "reader":
        assert row["sleep_ns"] >= 120e6 and row["wakes"] >= 1, (line, row)
    if name == "napper":
        assert row["sleep_ns"] >= 40 * 4e6 and row["wakes"] >= 40, (line, row)
    # Its life is the sum of its states.
    known = sum(v for k, v in row.items() if k.endswith("_ns") and k != "unknown_ns")
    assert row["unknown_ns"] <= 0.002 * known + 1e6, (line, row)
    runtime = re.search(rf"  {name}:{tid} +\|(.*?) ms", latency)
    assert runtime and abs(float(runtime[1]) * 1e6 - row["running_ns"]) <= 0.02 * row["running_ns"] + 1e6, (runtime, row)
    total = re.search(rf"{name}\[{tid}/{row['pid']}\] +\d+ +\d+ +([\d.]+)", sums)
    assert total and abs(float(total[1]) * 1e6 - row["running_ns"]) <= 1000, (total, row)
PY
}

"$ASSAY" sched record -q -o naps.data -- "$WORKLOADS/naps" >truth 2>err || fail "sched record: $(cat err)"
[ "$(wc -l <truth)" = 3 ] || fail "the program: $(cat truth)"
check naps.data

# The reader was woken by the main thread, and the line says so.
"$ASSAY" sched timehist -w -i naps.data 2>none | grep -q ' naps\[[0-9]*\] .*awakened: reader\[' || fail "nobody woke the reader"
# The spinner never sleeps: its line is preempted, or its end.
"$ASSAY" sched timehist --state -i naps.data 2>none | grep ' spinner\[' | grep -vq ' [RDXZS] *$' && fail "a state of the spinner"

# Through a pipe; with stacks.
"$ASSAY" sched record -q -o - -- "$WORKLOADS/naps" 2>err >pipe.data || fail "sched record -o -: $(cat err)"
"$ASSAY" sched map -i pipe.data 2>err | grep -q ' => naps' || fail "map of a pipe: $(cat err)"
"$ASSAY" sched record -q -g -o chains.data -- "$WORKLOADS/naps" >truth 2>err || fail "sched record -g: $(cat err)"
check chains.data
"$ASSAY" sched timehist -i chains.data 2>none >lines
if grep -q 'do_nanosleep' lines; then
	grep ' napper\[' lines | grep -q 'do_nanosleep <- ' || fail "stack of the napper: $(grep napper lines | head -3)"
	"$ASSAY" sched timehist --no-call-graph -i chains.data 2>none | grep -q ' <- ' && fail "--no-call-graph"
	"$ASSAY" sched timehist --max-stack 1 -i chains.data 2>none | grep -v '?' | grep ' <- .* <- .* <- ' && fail "--max-stack 1"
fi

# One CPU alone.
"$ASSAY" sched record -q -C 0 -o one.data -- true 2>err || fail "sched record -C: $(cat err)"
"$ASSAY" sched timehist -i one.data 2>none | sed -n '4,$p' | grep -vq '\[0000\]' && fail "-C 0 has other CPUs"

# What a task did on a CPU that was not recorded is not known, and not counted as waiting.
if [ "$(nproc)" -ge 2 ] && taskset -c 0,1 true 2>none; then
	cat >move.py <<'PY'
import os, time
def spin(cpu, seconds):
    os.sched_setaffinity(0, [cpu])
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        pass
print(os.getpid())
for _ in range(10):
    spin(1, 0.02)
    spin(0, 0.01)
PY
	"$ASSAY" sched record -q -C 0 -o one.data -- python3 move.py >pid 2>err || fail "sched record -C: $(cat err)"
	"$ASSAY" sched summary --json -i one.data >rows.json 2>err || fail "summary: $(cat err)"
	grep -q 'has 1 of [0-9]* CPUs: what tasks did on the others is not known' err || fail "-C 0: $(cat err)"
	python3 - "$(cat pid)" <<'PY' || fail "times on a CPU that was not recorded: $(grep -w "$(cat pid)" rows.json)"
import json, sys
row = next(r for r in json.load(open("rows.json")) if r["tid"] == int(sys.argv[1]))
# Where it came from the other CPU for the first time nothing was known before.
assert row["gaps"] >= 9 and row["unknown_ns"] >= 9 * 20e6, row
PY
	"$ASSAY" sched latency -p -i one.data 2>none | grep ":$(cat pid) .*(incomplete)$" >none || fail "latency does not say that its row is incomplete"
	"$ASSAY" sched summary -i naps.data 2>&1 >none | grep 'CPUs:' && fail "CPUs are said to be missing where all were recorded"
fi

# What is advised for other options of record makes a recording that has all figures.
"$ASSAY" sched record -z -- true 2>err && fail "sched record -z: exit status 0"
advised=$(sed -n "s/.*: 'assay \(record [^']*\)' takes it.*/\1/p" err)
[ -n "$advised" ] || fail "no advice: $(cat err)"
# Of several, as the kernel of some machines leaves out switches at times.
# shellcheck disable=SC2086
"$ASSAY" $advised -q -z -k monotonic -o advised.data -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.02; done' 2>err || fail "$advised: $(cat err)"
"$ASSAY" sched latency -q -p -i advised.data >out 2>err || fail "latency: $(cat err)"
grep -Eq '^  sleep:[0-9]+ +\| +[0-9.]*[1-9][0-9.]* ms \|' out || fail "no run time of sleep: $(cat out)"

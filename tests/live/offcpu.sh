# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
# record --off-cpu on threads that measure their own waits: the sums of each are theirs, in the function where it waited, with stacks of code
# without frame pointers; states; below and above the threshold; every target; nothing stays in the kernel.
. "$(dirname "$0")/../lib.sh"
need python3
[ "$(id -u)" -eq 0 ] || skip "BPF programs need root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" record -q --off-cpu -o probe.data true 2>err || skip "--off-cpu: $(cat err)"

# check RECORDING: samples of offcpu-time against the program's own figures in `truth`.
check() {
	"$ASSAY" script -q --json -i "$1" >rows.json 2>err || fail "script of $1: $(cat err)"
	python3 - "$1" <<'PY' || fail "$1: the program said: $(cat truth)"
import json
import sys

rows = [r for r in json.load(open("rows.json"))["samples"] if r["event"] == "offcpu-time"]
assert rows, "no samples"
for line in open("truth"):
    name, tid, ns, function = line.split()
    own = [r for r in rows if r["tid"] == int(tid)]
    there = [r for r in own if any(f.get("symbol") == function for f in r["chain"])]
    total = sum(r["period"] for r in there)
    if name == "spinner":
        assert all(f.get("symbol") != "wait_in_sleep" for r in own for f in r["chain"]), own
    elif name == "writer":
        assert total <= 1.02 * int(ns), (line, total)
    else:
        # The clock is read before the wait begins and after it has ended. On a busy machine it may be preempted in between, also outside
        # the function, or before and after, which is no part of what it measured.
        preempted = sum(r["period"] for r in own if r not in there and r["addr"] == "0x0")
        blocked = sum(r["period"] for r in there if r["addr"] != "0x0")
        assert blocked <= 1.02 * int(ns), (line, blocked)
        assert total + preempted >= 0.98 * int(ns), (line, total, preempted)
        assert all("start_thread" in [f.get("symbol") for f in r["chain"]] for r in there), there
PY
}

waits() { # OPTIONS…
	"$ASSAY" record -q -e cpu-clock -F 1000 --off-cpu --call-graph dwarf "$@" -o waits.data -- "$WORKLOADS/unwind_waits" >truth 2>err ||
		fail "record $*: $(cat err)"
	[ "$(wc -l <truth)" -eq 5 ] || fail "the program: $(cat truth)"
}
for thresh in 500 0; do
	waits --off-cpu-thresh $thresh
	check waits.data
done

# ---- one graph of both, in ns ----
"$ASSAY" flame -q --by state,comm -i waits.data -o states.svg 2>err || fail "flame --by state: $(cat err)"
for text in 'on CPU' 'runnable' 'blocked, interruptible' 'spinner' 'wait_for_byte'; do
	grep -qF "$text" states.svg || fail "no '$text' in the graph"
done
"$ASSAY" flame -q -e offcpu-time -i waits.data -o blocked.svg 2>err || fail "flame -e offcpu-time: $(cat err)"
! grep -qF 'on CPU' blocked.svg || fail "blocked time alone has time on a CPU"
"$ASSAY" export --format folded --weight period -e offcpu-time -i waits.data -o waits.folded 2>err || fail "export: $(cat err)"
grep -q '^sleeper;.*wait_in_sleep;' waits.folded || fail "folded: $(head -3 waits.folded)"
"$ASSAY" report --stdio -i waits.data >report.txt 2>err || fail "report: $(cat err)"
grep -q "of event 'offcpu-time'" report.txt || fail "report: $(head -20 report.txt)"

# What counts something else than time, or has none off the CPU, is refused.
"$ASSAY" record -q -e cpu-clock,page-faults --off-cpu -o mixed.data true 2>err || fail "record: $(cat err)"
! "$ASSAY" flame --by state -i mixed.data -o mixed.svg 2>err || fail "page faults and times in one graph"
grep -q 'page-faults, which counts something else than time' err || fail "the sentence: $(cat err)"
"$ASSAY" record -q -e cpu-clock -o on.data true 2>err || fail "record: $(cat err)"
! "$ASSAY" flame --by state -i on.data -o on.svg 2>err || fail "a graph of states without times off the CPU"
grep -q 'record with --off-cpu' err || fail "the sentence: $(cat err)"

# ---- through a pipe, and raw stacks ----
"$ASSAY" record -q -e cpu-clock --off-cpu --call-graph dwarf -o - -- "$WORKLOADS/unwind_waits" 2>err >pipe.data || fail "a pipe: $(cat err)"
waits --call-graph dwarf,keep
check waits.data

# ---- targets ----
# sum RECORDING TID: ns off the CPU of that thread.
sum() {
	"$ASSAY" script -q -F tid,period,event -i "$1" 2>none | awk -v tid="$2" '$1 == tid && $3 ~ /^offcpu/ { s += $2 } END { printf "%.0f\n", s }'
}
# A loop of sleeps in a child: known by its parent alone.
sh -c 'while [ ! -e stop ]; do sleep 0.02; done' &
loop=$!
group=
clean() {
	touch stop
	wait $loop || true
	[ -z "$group" ] || rmdir "$group" 2>/dev/null || true
}
trap clean EXIT
# seen OPTIONS…: records for a second; the loop must be in it.
seen() {
	"$ASSAY" record -q -e dummy --off-cpu --off-cpu-thresh 0 "$@" -o target.data -- sleep 1 2>err || fail "record $*: $(cat err)"
	ns=$(sum target.data $loop)
	[ "$ns" -ge 500000000 ] || fail "record $*: $ns ns of the loop; $(cat err)"
}
seen -p $loop
"$ASSAY" script -q -F comm -i target.data 2>none | grep -q sleep || fail "-p does not follow children"
seen -t $loop
"$ASSAY" script -q -F tid -i target.data 2>none | awk -v tid=$loop '$1 && $1 != tid { exit 1 }' || fail "-t has other tasks"
seen -p $loop --no-inherit
seen -a
seen -a --call-graph dwarf
! "$ASSAY" script -q -F comm,event -i target.data 2>none | grep -q '^ *swapper.*offcpu' || fail "-a: the idle task is off its CPU"
seen -u 0
"$ASSAY" record -q -e dummy --off-cpu --off-cpu-thresh 0 -C 0 -o target.data -- sleep 0.5 2>err || fail "-C 0: $(cat err)"
expect_exit 2 "$ASSAY" record --off-cpu-thresh 5 true
expect_exit 2 "$ASSAY" record --off-cpu -k realtime true
for dir in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ "$(stat -fc %T $dir 2>/dev/null)" = cgroup2fs ] && mkdir "$dir/assay-offcpu-$$" 2>/dev/null && group=$dir/assay-offcpu-$$ && break
done
if [ -n "$group" ] && echo $loop >"$group/cgroup.procs"; then
	seen -a -G "assay-offcpu-$$"
	"$ASSAY" script -q -F comm,event -i target.data 2>none | awk '/offcpu/ && $1 != "sh" && $1 != "sleep" { exit 1 }' || fail "-G: tasks of others"
fi
# Only from a delay on; without children that are not asked for.
"$ASSAY" record -q -e dummy --off-cpu --off-cpu-thresh 0 -D 2000 -p $loop -o late.data -- sleep 4 2>err || fail "-D: $(cat err)"
ns=$(sum late.data $loop)
[ "$ns" -gt 0 ] && [ "$ns" -lt 3000000000 ] || fail "-D 2000: $ns ns of 4 s"

# ---- a wait that does not end is in it, too ----
sleep 600 &
sleeper=$!
"$ASSAY" record -q -e dummy --off-cpu -p $sleeper -o open.data 2>err &
recorder=$!
for _ in $(seq 200); do [ ! -s open.data ] || break; sleep 0.1; done
switches() {
	sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p' "/proc/$sleeper/status"
}
before=$(switches)
kill -STOP $sleeper
kill -CONT $sleeper
for _ in $(seq 600); do [ "$(switches)" -eq "$before" ] || break; sleep 0.1; done # it waits anew
sleep 0.7
kill -INT $recorder
wait $recorder || true
kill $sleeper
[ "$(sum open.data $sleeper)" -ge 500000000 ] || fail "a wait that has not ended: $(sum open.data $sleeper) ns"

# ---- what is lost is counted: the recorder does not run, and the buffer fills up ----
"$WORKLOADS/paced_switches" 1000000000 1 >paced &
paced=$!
"$ASSAY" record -e dummy --off-cpu --call-graph dwarf -p $paced -o lost.data 2>err &
recorder=$!
for _ in $(seq 200); do [ ! -s lost.data ] || break; sleep 0.1; done
kill -STOP $recorder
spent() {
	awk '{ print $14 + $15 }' "/proc/$paced/stat"
}
from=$(spent)
for _ in $(seq 600); do [ $(($(spent) - from)) -lt 400 ] || break; sleep 0.1; done
kill -INT $recorder
kill -CONT $recorder
wait $recorder || true
kill $paced
wait $paced || true
nr=$(sed -n 's/.*off-CPU times was full: \([0-9]*\) of its records.*/\1/p' err)
[ "${nr:-0}" -gt 0 ] || fail "nothing is lost, or it is not said: $(cat err)"
lost=$("$ASSAY" script -q --show-lost-events -i lost.data 2>none | sed -n 's/.*PERF_RECORD_LOST lost \([0-9]*\).*/\1/p' | awk '{ s += $1 } END { print s + 0 }')
[ "$lost" -eq "$nr" ] || fail "$nr are lost, and the file has $lost"

# ---- nothing stays ----
if bpftool=$(command -v bpftool || command -v /usr/sbin/bpftool); then
	# Those of this recorder, by the fds that it has: others may run the same program.
	own_programs() {
		sed -n 's/^prog_id:[[:space:]]*//p' "/proc/$recorder/fdinfo/"* 2>/dev/null | sort -u
	}
	nr_left() {
		"$bpftool" prog show 2>/dev/null | sed -n 's/^\([0-9]*\):.*/\1/p' | grep -cxF "$programs" || true
	}
	"$ASSAY" record -q --off-cpu -o killed.data sleep 100 2>err &
	recorder=$!
	for _ in $(seq 200); do [ -z "$(own_programs)" ] || [ -z "$(pgrep -x -P $recorder sleep)" ] || break; sleep 0.1; done
	programs=$(own_programs)
	[ -n "$programs" ] && [ "$(nr_left)" -ge 1 ] || fail "the program is not there while it runs: $(cat err)"
	child=$(pgrep -P $recorder || true)
	kill -KILL $recorder
	wait $recorder || true
	[ -z "$child" ] || kill $child || true
	for _ in $(seq 100); do
		[ "$(nr_left)" -gt 0 ] || break
		sleep 0.1
	done
	[ "$(nr_left)" -eq 0 ] || fail "after SIGKILL $(nr_left) programs are still there"
fi

# ---- without privileges: what is missing, and what works instead; nothing that would not work either ----
if command -v setpriv >/dev/null; then
	mkdir -m 777 open
	chmod 755 .
	cp "$ASSAY" open/assay # the build directory may be closed to others
	as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	advised=0
	"${as_nobody[@]}" test -r /sys/kernel/tracing/events/sched/sched_switch/id || advised=1
	for words in "record --off-cpu -e cpu-clock:u -o open/u.data true" "wall -- true"; do
		# shellcheck disable=SC2086
		! "${as_nobody[@]}" open/assay $words 2>err || fail "$words: it may use BPF"
		[ "$(wc -l <err)" = 1 ] && grep -q 'CAP_BPF' err || fail "$words: the sentence: $(cat err)"
		got=0
		grep -qe 'sched:sched_switch' -e '--no-bpf' err || got=1
		[ $got = $advised ] || fail "$words: the remedy: $(cat err)"
	done
	for words in "wall --no-bpf -- true" "sched record -- true" "timechart record -- true" "timechart record -I -- true"; do
		# shellcheck disable=SC2086
		! (cd open && "${as_nobody[@]}" ./assay $words 2>err) || fail "$words: without privileges"
		grep -q 'sudo' open/err || fail "$words: no command that helps: $(cat open/err)"
	done
fi

# Stacks that are larger than what is dumped of waits: not by the size of the dumps of samples.
cat >deep.py <<'PY'
import time
def deep(n):
    return time.sleep(0.02) if n == 0 else max([n], key=lambda _: deep(n - 1) or 0)
for _ in range(20):
    deep(100)
PY
"$ASSAY" record -e cpu-clock -F 99 --off-cpu --call-graph dwarf -o deep.data -- python3 deep.py 2>err || fail "deep stacks: $(cat err)"
cut=$(sed -n 's/.*, \([0-9]*\) truncated where threads wait \]$/\1/p' err)
[ "${cut:-0}" -ge 20 ] || fail "20 deep waits are not told from samples: $(cat err)"

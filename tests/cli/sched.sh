# sched on recordings whose truth is known (tools/make_sched.py), each of which also shows where perf 6.1 or 7.2 errs: assay-sched(1) has the
# list. What is missing is marked and never made up; command lines are checked.
. "$(dirname "$0")/../lib.sh"
need python3

made() { python3 "$TOOLS/make_sched.py" "$1" "$1.data"; }
# lines KIND OPTIONS…: name, wait, delay and run of each line of timehist
lines() {
	local kind=$1
	shift
	"$ASSAY" sched timehist "$@" -i "$kind.data" 2>err | sed -n '4,$p' | awk '{ print $3, $4, $5, $6 }'
}
expect() {
	diff - "$1" >differ || fail "$2: $(cat differ)"
}

# perf 7.2 forgets a task at its EXIT record: 0.000 0.000 in the third line.
made exits
lines exits >out
expect out exits <<'TXT'
child[12] 0.000 0.000 0.000
parent[11] 0.000 0.000 4.000
child[12] 4.000 1.000 2.000
parent[11] 2.000 ? 1.000
TXT

# perf takes the run of task13 for one of 7 ms, since the switch to another task.
made missing
lines missing >out
expect out missing <<'TXT'
task11[11] 0.000 0.000 0.000
task13[13] ? ? ?
task11[11] 7.000 ? 1.000
task12[12] ? ? 1.000
TXT
grep -q '1 of 4 switches do not follow' err || fail "missing: $(cat err)"
"$ASSAY" sched timehist -s -i missing.data 2>none | grep -q 'task13.* (incomplete)$' || fail "a sum is not marked"
"$ASSAY" sched timehist -s -i missing.data 2>none | grep -q 'task12.* (incomplete)$' || fail "a run that has no end is not marked"
"$ASSAY" sched timehist -s -i missing.data 2>none | grep -q 'CPU  0 idle for .* (incomplete)$' || fail "the CPU is not marked"
"$ASSAY" sched timehist -s --time 1000.008,1000.009 -i missing.data 2>none >out
! grep 'task11.*incomplete' out || fail "a row is marked for what is not in the window: $(cat out)"
"$ASSAY" sched map -i missing.data 2>none >out
expect out "map of missing" <<'TXT'
  *A0    1000.000000 secs A0 => task12:12
  *B0    1000.007000 secs B0 => task11:11 (switches are missing)
  *A0    1000.008000 secs 
  *B0    1000.009000 secs 
TXT
"$ASSAY" sched summary --json -i missing.data 2>none >missing.json
python3 - missing.json <<'PY' || fail "missing: $(cat missing.json)"
import json, sys
rows = {r["tid"]: r for r in json.load(open(sys.argv[1]))}
assert (rows[12]["running_ns"], rows[12]["unknown_ns"], rows[13]["running_ns"], rows[13]["unknown_ns"]) == (1000000, 8000000, 0, 7000000), rows
assert all(r["gaps"] for r in rows.values()), rows
PY
"$ASSAY" sched summary -i missing.data 2>none | grep -q '^CPU   0: idle  *0.000 msec (0.00%), not known: 7.000 msec$' || fail "idle time of missing"
"$ASSAY" sched latency -i missing.data 2>none | grep -q 'task12:12 .* (incomplete)$' || fail "a row of latency is not marked"

# perf counts 2 ms of CPU 0 as idle, and a wait of 2 ms, though records were lost.
made lost
"$ASSAY" sched timehist -i lost.data 2>none | grep -q '^    1000.002000 lost 5 events on cpu 0$' || fail "lost: no line"
lines lost | grep -v ^events >out
expect out lost <<'TXT'
task11[11] 0.000 0.000 0.000
task12[12] 0.000 0.000 0.000
task13[13] 0.000 0.000 1.000
5 events on cpu
<idle> ? ? ?
task11[11] 0.000 ? 4.000
task13[13] ? ? 2.000
TXT
"$ASSAY" sched timehist -s -i lost.data 2>none >out
grep -q 'task12.* (incomplete)$' out && grep -q 'task13.* (incomplete)$' out || fail "tasks that may have run while records were lost are not marked: $(cat out)"
! grep 'task11.*incomplete' out || fail "a task is marked that ran elsewhere meanwhile"
grep -q 'CPU  0 idle for .* (incomplete)$' out && ! grep -q 'CPU  1 idle for .*incomplete' out || fail "idle times of lost: $(cat out)"
"$ASSAY" sched map -i lost.data 2>none | cut -c1-30 >out
expect out "map of lost" <<'TXT'
  *A0    1000.000000 secs A0 =
   A0 *B0    1000.000000 secs 
  *.   B0    1000.001000 secs 
  *A0  B0    1000.003000 secs 
   A0 *C0    1000.004000 secs 
  *.   C0    1000.005000 secs 
TXT
"$ASSAY" sched map -i lost.data 2>none | grep -q '^  \*A0 .* (switches are missing)$' || fail "map of lost marks nothing"
"$ASSAY" sched latency -i lost.data 2>none >out
grep -q 'task13:13 .* (incomplete)$' out && grep -q 'INFO: 5 events were lost' out || fail "latency of lost: $(cat out)"
"$ASSAY" sched summary -i lost.data 2>none >out
grep -q '^CPU   0: .*, not known: 2.000 msec$' out && grep -q '^CPU   1: .*0.00%)$' out || fail "CPUs of lost: $(cat out)"
# What is lost at the end leaves nothing known, either; on other CPUs all goes on.
made lost-end
"$ASSAY" sched summary --json -i lost-end.data 2>none >lost-end.json
python3 - lost-end.json <<'PY' || fail "lost at the end: $(cat lost-end.json)"
import json, sys
rows = {r["tid"]: r for r in json.load(open(sys.argv[1]))}
assert (rows[11]["running_ns"], rows[11]["unknown_ns"]) == (0, 4000000) and rows[11]["gaps"] == 1, rows[11]
assert rows[13]["sleep_ns"] == 0 and rows[13]["gaps"] == 1 and rows[12]["running_ns"] == 3000000, rows
PY
"$ASSAY" sched map -i lost-end.data 2>none | tail -1 | grep -q '^   ?  \*\.   ' || fail "map shows what runs on a CPU whose records were lost"
"$ASSAY" sched summary --json -i lost.data 2>none >lost.json
python3 - lost.json <<'PY' || fail "lost: $(cat lost.json)"
import json, sys
rows = {r["tid"]: r for r in json.load(open(sys.argv[1]))}
assert rows[13]["running_ns"] == 3000000 and rows[13]["unknown_ns"] == 2000000 and rows[13]["sleep_ns"] == 0, rows[13]
assert rows[11]["running_ns"] == 4000000, rows[11]
assert all(r["gaps"] for r in rows.values()), rows
PY

# A tid that is used again: two rows, and no wait since the other one left.
made wrap
lines wrap | grep -e ^new -e ^old >out
expect out wrap <<'TXT'
old[12] 0.000 0.000 0.000
old[12] 1.000 0.000 1.000
new[12] 0.000 1.000 4.000
TXT
[ "$("$ASSAY" sched summary --csv -i wrap.data 2>none | grep -c ',12,12,')" = 2 ] || fail "wrap: not two tasks"

"$ASSAY" sched latency -p -i wrap.data 2>none >out
grep -q 'new:12 .* 1 | avg:   1.000 ms | max:   1.000 ms ' out && grep -q 'old:12 .* 1 | avg:   0.000 ms ' out || fail "latency of wrap: $(cat out)"
"$ASSAY" sched timehist -s -i wrap.data 2>none >out
grep -q 'new\[12\] *11 *1 *4.000 ' out && sed -n '/^Terminated/,$p' out | grep -q 'old\[12\] *-1 *2 *1.000 ' || fail "summary of wrap: $(cat out)"
"$ASSAY" sched map -i wrap.data 2>none | cut -c1-40 >out
expect out "map of wrap" <<'TXT'
  *A0    1000.001000 secs A0 => parent:1
  *B0    1000.002000 secs B0 => old:12
  *A0    1000.003000 secs 
  *C0    1000.014000 secs C0 => parent:1
  *A0    1000.018000 secs 
  *.     1000.019000 secs .  => swapper:
TXT

# The same without the records of that: sums of two tasks are not one.
made reused
"$ASSAY" sched summary --json -i reused.data 2>none >reused.json
python3 - reused.json <<'PY' || fail "reused: $(cat reused.json)"
import json, sys
runs = sorted((r["tid"], r["comm"], r["running_ns"] / 1e6) for r in json.load(open(sys.argv[1])) if r["tid"] != 11)
assert runs == [(12, "new", 4), (12, "old", 1), (13, "gone", 2), (13, "parent", 5)], runs
gone = next(r for r in json.load(open(sys.argv[1])) if r["comm"] == "gone")
assert gone["sleep_ns"] == 0 and gone["unknown_ns"] == 14000000 and gone["gaps"] == 1, gone  # its end is missing
PY
"$ASSAY" sched map -i reused.data 2>none | sed 's/.*secs //' >out
expect out "map of reused" <<'TXT'
A0 => gone:13
B0 => old:12
C0 => parent:11
D0 => new:12
E0 => parent:13
.  => swapper:0
TXT
"$ASSAY" sched latency -p -i reused.data 2>none >out
grep -q 'parent:13 .* 1 | avg:   1.000 ms ' out && grep -q 'new:12 ' out && grep -q 'gone:13 .* (incomplete)$' out || fail "latency of reused: $(cat out)"

# A CPU that appears later: how long its task ran is not known, and not a run of 7 ms.
made late
lines late | grep task12 >out
expect out late <<'TXT'
task12[12] 0.000 0.000 0.000
TXT
"$ASSAY" sched summary --csv -i late.data 2>none | grep -q '^task12,12,12,0,' || fail "late: a run is made up"
"$ASSAY" sched timehist -s -i late.data 2>none >out
grep -q 'CPU  1 had no switch' out || fail "late: $(cat out)"
grep -q 'CPU  0 idle for      6.000  msec  ( 75.00%)' out || fail "late: $(cat out)"
! grep 'entire time window' out || fail "late: $(cat out)"
grep -q 'CPU  3 idle for .* (incomplete)$' out && grep -q 'task12.* (incomplete)$' out && ! grep 'task11.*incomplete' out || fail "late: $(cat out)"
"$ASSAY" sched summary -i late.data 2>none | grep -q '^CPU   3: idle  *1.000 msec (12.50%), not known: 7.000 msec$' || fail "late: idle time"
"$ASSAY" sched map -i late.data 2>none >out
expect out "map of late" <<'TXT'
  *.     1000.000000 secs .  => swapper:0
  *A0    1000.006000 secs A0 => task11:11
   A0         *.     1000.007000 secs 
  *.           .     1000.008000 secs 
TXT
"$ASSAY" sched latency -p -i late.data 2>none >out
grep -q 'task11:11 .* 1 | avg:   1.000 ms ' out && ! grep -q task12 out || fail "latency of late: $(cat out)"

# perf 7.2 counts the part of a run before the window as delay: 10 and 6 ms.
made window
lines window --time 1000.010,1000.012 >out
expect out window <<'TXT'
task11[11] 5.000 1.000 2.000
TXT

# perf counts the delay from the event of a run time, 6 ms; the wake was 1 ms before.
made runtime
"$ASSAY" sched latency -i runtime.data 2>err >out || fail "runtime: $(cat err)"
grep -q 'task12:12  .* 1 | avg:   1.000 ms | max:   1.000 ms | max start:  1000.005000 s' out || fail "runtime: $(cat out)"

# Without wakes it says so, once; switches are known.
made no-wakes
"$ASSAY" sched latency -i no-wakes.data 2>err >none || fail "no-wakes: $(cat err)"
[ "$(grep -c 'has no wakes' err)" = 1 ] || fail "no-wakes: $(cat err)"
"$ASSAY" sched map -i no-wakes.data 2>err >no-wakes.map
[ ! -s err ] || fail "map needs no wakes: $(cat err)"
made whole
"$ASSAY" sched map -i whole.data >whole.map
cmp whole.map no-wakes.map || fail "map needs only switches"

# Tasks sum up to the time of the recording, and CPUs to what runs on them.
"$ASSAY" sched summary --json -i whole.data >whole.json
python3 - whole.json <<'PY' || fail "whole: $(cat whole.json)"
import json, sys
rows = json.load(open(sys.argv[1]))
times = [k for k in rows[0] if k.endswith("_ns")]
assert len({sum(r[k] for k in times) for r in rows}) == 1, rows
assert rows[0]["comm"] == "other-name" and rows[0]["running_ns"] == 10592000 and rows[0]["preempted_ns"] == 3220000, rows[0]
two = next(r for r in rows if r["comm"] == "two")
assert two["migrations"] == 4 and two["voluntary"] == 5 and two["wakes"] == 4, two
PY

# perf moves mark and name of a migration to the right with -V: the mark of CPU 0 is below CPU 1.
"$ASSAY" sched timehist -MV -i whole.data 2>none | grep -q '^    1000.003085 \[0000\]  m     one\[11\]  .* migrated: two\[12\] cpu 1 => 0$' ||
	fail "the mark of a migration is not below its CPU"

# Idle time by the task that ran before and by where it left. perf leaves the first switch of each CPU out of the number of switches: 48.
made idle
python3 "$TOOLS/make_sched.py" kallsyms idle.symbols
"$ASSAY" sched timehist -Is --kallsyms idle.symbols -i idle.data 2>none | sed -n '/by callchain/,$p' >out
expect out "idle times" <<'TXT'
Idle stats by callchain:
  CPU  0:    38.271  msec
  Idle time (msec)     Count  Callchains
  ----------------  --------  --------------------------------------------------
            25.471         8  do_nanosleep <- hrtimer_nanosleep <- do_syscall_64 <- entry_64
            12.800         4  futex_wait <- do_futex <- do_syscall_64 <- entry_64

  CPU  1:    41.240  msec
  Idle time (msec)     Count  Callchains
  ----------------  --------  --------------------------------------------------
            41.240        12  pipe_read <- vfs_read <- ksys_read <- do_syscall_64 <- entry_64


    Total number of unique tasks: 3
Total number of context switches: 50
           Total run time (msec): 79.511 
    Total scheduling time (msec): 43.641  (x 2)
TXT
! "$ASSAY" sched timehist -Is --no-call-graph --kallsyms idle.symbols -i idle.data 2>none | grep callchain || fail "stacks with --no-call-graph"

# Numbers that make no sense.
made hostile
for words in map "map --compact" latency "latency -p" timehist "timehist -MVwnS --state -P" "timehist -Is" summary "summary --json" "summary --csv"; do
	# shellcheck disable=SC2086
	"$ASSAY" sched $words -i hostile.data >out 2>err || fail "$words: $(cat err)"
	! grep -q "$(printf '\033')" out || fail "$words: an escape sequence"
done
grep -q 'events on CPUs from 16384 on were left out' err || fail "hostile: $(cat err)"
grep -q 'do not hold the fields' err || fail "hostile: $(cat err)"

# Many losses, and as many CPUs as there can be: the cost does not grow with both.
made losses
for words in "sched summary" "sched latency" "timechart -q -o losses.svg" wall; do
	# shellcheck disable=SC2086
	python3 "$(dirname "$0")/bounded.py" 1 256 losses "$ASSAY" $words -i losses.data >out 2>err || fail "$words: $(tail -1 err)"
done

# Of many threads wall shows those with the most time, and the others in one row.
"$ASSAY" wall -q -n 0 -i losses.data >out 2>err || fail "wall: $(cat err)"
[ "$(grep -c ' ([0-9]*)' out)" = 50 ] || fail "wall: not 50 threads: $(wc -l <out)"
rest=$(sed -n 's/.* \([0-9]*\) more threads (--all shows them)$/\1/p' out)
grep -q " total of $((50 + rest)) threads$" out || fail "wall: $(tail -3 out)"
"$ASSAY" wall -q -n 0 --all -i losses.data >out 2>err || fail "wall --all: $(cat err)"
[ "$(grep -c ' ([0-9]*)' out)" = $((50 + rest)) ] || fail "wall --all: $(wc -l <out) lines"

# 9 MB, of which each line of the map would be 64 kB: what it costs is bounded.
made cpus
for words in map "map --compact" "timehist -V" summary; do
	# shellcheck disable=SC2086
	status=$(python3 "$(dirname "$0")/measure.py" $((640 << 20)) "$ASSAY" sched $words -i cpus.data) || fail "sched $words of 16,384 CPUs: $status"
	case $words in
	map*) [ "$status" = 1 ] && grep -q 'the output is more than [0-9]* MB' err.txt || fail "sched $words of 16,384 CPUs: $status, $(cat err.txt)" ;;
	*) [ "$status" = 0 ] || fail "sched $words of 16,384 CPUs: $status, $(cat err.txt)" ;;
	esac
done

# Where damage is the reason that there is nothing, the damage is said.
head -c 2500 whole.data >cut.data
for words in "sched latency" "sched map" "sched summary" timechart "heatmap --off-cpu"; do
	# shellcheck disable=SC2086
	"$ASSAY" $words -i cut.data >out 2>err && fail "$words of a file that is cut: exit status 0"
	grep -q 'cut.data is cut short: its data should end at offset' err || fail "$words of a file that is cut: $(cat err)"
done

# Command lines: perf's, and mistakes.
"$ASSAY" sched -i whole.data lat >out
cmp out <("$ASSAY" sched latency whole.data) || fail "options before the command"
"$ASSAY" sched -i whole.data >out
cmp out <("$ASSAY" sched summary -i whole.data) || fail "summary is the default"
"$ASSAY" sched script -i whole.data | grep -q 'sched:sched_switch: prev_comm=one' || fail "script"
"$ASSAY" sched latency -C 0 -i whole.data | grep -q 'thread:13' && fail "latency -C 0 has a task of CPU 2"
expect_exit 1 "$ASSAY" sched map --task-name nobody -i whole.data
expect_exit 1 "$ASSAY" sched timehist --tid 4711 -i whole.data
expect_exit 1 "$ASSAY" sched latency -C 9 -i whole.data
expect_exit 2 "$ASSAY" sched latency -s speed -i whole.data
expect_exit 2 "$ASSAY" sched map --fuzzy-name -i whole.data
expect_exit 2 "$ASSAY" sched summary --json --csv -i whole.data
expect_exit 2 "$ASSAY" sched timehist --time '1000.001,1000.002 1000.003,1000.004' -i whole.data
expect_exit 2 "$ASSAY" sched timehist -D -i whole.data
expect_exit 2 "$ASSAY" sched latencies
python3 "$TOOLS/make_records.py" records other.data
expect_exit 1 "$ASSAY" sched map -i other.data

# What nothing passes is one sentence, and no heading.
says_alone() { # WORDS, OPTIONS…
	local words=$1
	shift
	"$ASSAY" sched "$@" >out 2>err && fail "sched $*: exit status 0"
	grep -q -- "$words" err || fail "sched $*: $(cat err)"
	[ ! -s out ] || fail "sched $*: output before the error: $(cat out)"
}
says_alone 'none of the 110 samples of whole.data passes --pid 99999' timehist --pid 99999 -i whole.data
says_alone 'passes --cpu 7' timehist -s --cpu 7 -i whole.data
says_alone 'passes --time 1,2' timehist --time 1,2 -i whole.data
says_alone 'no switch of whole.data is of a task that passes --prio$' timehist --prio 3 -i whole.data
says_alone 'passes --cpu 9' latency -C 9 -i whole.data
python3 "$TOOLS/make_parallel.py" phases phases.data
says_alone 'has no events sched:sched_switch' timehist -i phases.data
says_alone "^assay: --cpus: 'x' is no list" map --cpus x -i whole.data
says_alone "^assay: --color-cpus: 'x' is no list" map --color-cpus x -i whole.data
says_alone "^assay: --CPU: 'x' is no list" latency -C x -i whole.data
says_alone "^assay: --prio: 'x' is no list of priorities" timehist --prio x -i whole.data

# Counts of lost records that a file makes up do not wrap: no share is above 100%.
made hostile
"$ASSAY" sched summary -i hostile.data >none 2>err || true
grep -q '100% of samples are missing' err || fail "lost records of a hostile file are not reported: $(cat err)"
! grep -qE '[0-9]{4,}% of samples|18446744073709' err || fail "lost records of a hostile file: $(grep '% of samples' err)"

# Options of perf that are not there are named, each with what serves instead.
for option in "record -p 1" "record -e cycles" "record -z" "record -k mono" "record --max-size 1M" "summary -D" "latency -D"; do
	# shellcheck disable=SC2086
	"$ASSAY" sched $option >out 2>err && fail "sched $option: exit status 0"
	grep -q "perf's option -.* is not in this version of assay: " err || fail "sched $option: $(cat err)"
done

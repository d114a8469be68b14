# sched replay: steps of tasks on recordings whose truth is known (tools/make_sched.py), and rounds of them: CPU times are the recorded ones, and a
# round is not shorter than the chain of runs and sleeps in it.
. "$(dirname "$0")/../lib.sh"
need python3

made() { python3 "$TOOLS/make_sched.py" "$1" "$1.data"; }

made replay
"$ASSAY" sched replay -v -r 3 -i replay.data >out 2>err || fail "replay: $(cat err)"
[ ! -s err ] || fail "replay: $(cat err)"
grep -qx 'run measurement overhead: [0-9]* nsecs' out || fail "no cost of the clock: $(head -4 out)"
grep -qx 'sleep measurement overhead: [0-9]* nsecs' out || fail "no cost of sleeps: $(head -4 out)"
sed -n '5,/^---/p' out >steps
diff - steps <<'TXT' || fail "other steps"
nr_run_events:        20
nr_sleep_events:      10 (9 until woken by a task)
nr_wakeup_events:     9
task      0 (               timer:        13), nr_events: 7
    run   1000000 nsecs
    wake  #1 of 11
    run   1000000 nsecs
    sleep 18000000 nsecs
    run   500000 nsecs
    wake  #4 of 11
    run   1500000 nsecs
task      1 (                ping:        11), nr_events: 18
    wait  #1
    run   5000000 nsecs
    wake  #1 of 12
    run   1000000 nsecs
    wait  #2
    run   5000000 nsecs
    wake  #2 of 12
    run   1000000 nsecs
    wait  #3
    run   1600000 nsecs
    wait  #4
    run   5000000 nsecs
    wake  #3 of 12
    run   1000000 nsecs
    wait  #5
    run   1000000 nsecs
    wake  #1 of 14
    run   2000000 nsecs
task      2 (                pong:        12), nr_events: 12
    wait  #1
    run   2000000 nsecs
    wake  #2 of 11
    run   1000000 nsecs
    wait  #2
    run   2000000 nsecs
    wake  #3 of 11
    run   1000000 nsecs
    wait  #3
    run   2000000 nsecs
    wake  #5 of 11
    run   1000000 nsecs
task      3 (                ping:        14), nr_events: 2
    wait  #1
    run   3000000 nsecs
------------------------------------------------------------
TXT

# The CPU time is that of the steps however busy the machine is. The longest chain: run until #1 of 11, then runs of 11 and 12 that wait for
# each other, 33 ms in all; a busy machine takes longer.
cat >check.py <<'PY'
import re
import sys

text = open("out").read()
span, cpu = map(float, re.search(r"^recorded: ([\d.]+), cpu: ([\d.]+)$", text, re.M).groups())
rounds = [list(map(float, m)) for m in re.findall(r"^#\d+ *: ([\d.]+), ravg: ([\d.]+), cpu: ([\d.]+) / ([\d.]+)$", text, re.M)]
longest, nr = float(sys.argv[1]), int(sys.argv[2])
assert len(rounds) == nr, text
for i, (wall, mean, used, mean_used) in enumerate(rounds):
    assert cpu * 0.99 <= used <= cpu * 1.05 + 5, (cpu, rounds)
    assert wall >= longest * 0.95, (longest, rounds)
    assert abs(mean - sum(r[0] for r in rounds[:i + 1]) / (i + 1)) < 0.02, rounds
    assert abs(mean_used - sum(r[2] for r in rounds[:i + 1]) / (i + 1)) < 0.02, rounds
assert (span, cpu) == (36.0, 38.6), text
PY
python3 check.py 30 3 || fail "rounds"

# Ten rounds without -r. What is missing is counted and not replayed.
made missing
"$ASSAY" sched replay -i missing.data >out 2>err || fail "missing: $(cat err)"
[ "$(grep -c '^#' out)" = 10 ] || fail "not ten rounds: $(cat out)"
grep -q 'nr_unknown_runs:      2 ' out || fail "missing: $(cat out)"
grep -q 'nr_unknown_wakeups:   1 ' out || fail "missing: $(cat out)"
grep -q '1 of 4 switches do not follow' err || fail "missing: $(cat err)"

# Without an end, until a signal.
for n in 0 -1; do
	: >endless # the shell truncates it in the background: the rounds of the last turn must not be taken for this one's
	"$ASSAY" sched replay -r $n -i replay.data >endless 2>err &
	for _ in $(seq 600); do
		grep -q '^#12 ' endless && break
		sleep 0.1
	done
	grep -q '^#12 ' endless || fail "-r $n: $(tail -3 endless)"
	kill -TERM $!
	wait $! && fail "-r $n ended by itself"
done

# Numbers that make no sense: the steps never wait for each other for good.
made hostile
timeout 60 "$ASSAY" sched replay -r 2 -i hostile.data >out 2>err || fail "hostile: $(cat err)"
! grep -q "$(printf '\033')" out || fail "an escape sequence"
[ "$(grep -c '^#' out)" = 2 ] || fail "hostile: $(tail -3 out)"
for kind in whole exits lost wrap late idle no-wakes; do
	made $kind
	timeout 60 "$ASSAY" sched replay -q -r 1 -i $kind.data >out 2>err || fail "$kind: $(cat err)"
	grep -q '^#1 ' out || fail "$kind: $(cat out)"
done

# A round of an hour: that is said before it begins. Names are padded as they are shown.
made hour
: >err
"$ASSAY" sched replay -i hour.data >out 2>err &
for _ in $(seq 600); do
	grep -q 'takes' err && break
	sleep 0.1
done
kill -TERM $!
wait $! && fail "a sleep of an hour ended"
grep -q 'a round takes 3600 s at least, .*; -r 1 replays it once, Ctrl-C ends it$' err || fail "hour: $(cat err)"
grep -q '^task      0 (  *a.*b: *11), nr_events: 3$' out || fail "hour: $(cat out)"
[ "$(grep -c '^task      0 (.\{20\}:        11),' out)" = 1 ] || fail "a name that is escaped is padded wrongly: $(grep ^task out)"

expect_exit 2 "$ASSAY" sched replay -r often -i replay.data
expect_exit 2 "$ASSAY" sched replay -r -2 -i replay.data
python3 "$TOOLS/make_records.py" records other.data
expect_exit 1 "$ASSAY" sched replay -i other.data
exit 0

# alone: it measures what a stop costs
# What `assay stack` does to its target (next to nothing), repeated snapshots, and what it says when it cannot look.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
pids=
trap 'kill -9 $pids 2>/dev/null || true' EXIT

state_of() {
	sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f1
}
ticks_of() {
	sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f12
}
# expect_running PID: it uses the CPU
expect_running() {
	local before i
	before=$(ticks_of "$1")
	for i in $(seq 100); do
		[ "$(ticks_of "$1")" -gt "$before" ] && return
		sleep 0.05
	done
	fail "$1 does not run any more: state $(state_of "$1")"
}
# fails_with PATTERN COMMAND…: exit status 1 and that sentence
fails_with() {
	local pattern=$1
	shift
	expect_exit 1 "$@" >fails.out 2>fails.err
	grep -q "$pattern" fails.err || fail "$*: $(cat fails.err)"
}

"$WORKLOADS/seventy_thirty" 60 &
burn=$!
pids="$pids $burn"
# It must move between two snapshots also where others want the CPUs.
renice -n -15 -p "$burn" >/dev/null 2>&1 || echo "NOTE: no higher priority"
sleep 0.1
"$ASSAY" stack -p "$burn" >/dev/null 2>try.err || ! grep -q 'looked into' try.err || skip "$(cat try.err)"

# 70/30. Where the target gets no CPU, all snapshots show the place where it was: shares of a time in which it ran for the most part count.
cpu_ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }
# snapshots FILE OPTION…: until it has run meanwhile: $has_run, or empty
snapshots() {
	local file=$1 began ran took i
	shift
	has_run=
	for i in 1 2 3 4 5 6; do
		began=$(date +%s%N) ran=$(cpu_ticks "$burn")
		"$ASSAY" stack -p "$burn" "$@" >"$file"
		took=$(($(date +%s%N) - began)) ran=$(($(cpu_ticks "$burn") - ran))
		[ $((ran * 1000000000 / $(getconf CLK_TCK))) -lt $((took * 6 / 10)) ] || has_run=$i
		[ -z "$has_run" ] || return 0
	done
	echo "NOTE: the target got less than 60% of a CPU in each of $i turns of $*"
}
# share_between LOW HIGH: if it did not run, it is in whichever function
share_between() {
	[ -n "$has_run" ] || return 0
	awk -v s="${share:-0}" -v low="$1" -v high="$2" 'BEGIN { exit !(s >= low && s <= high) }'
}
snapshots fifty.txt --samples 50 --interval 10
head -1 fifty.txt | grep -q "^PID $burn - process, 50 snapshots 10 ms apart" || fail "heading: $(head -1 fifty.txt)"
share=$(awk '$3 == "seventy" { print int($1) }' fifty.txt)
share_between 38 96 || fail "seventy has $share% of 50 snapshots"
snapshots folded.txt --samples 1000 --interval 2 --folded
awk '{ n += $NF } END { exit n != 1000 }' folded.txt || fail "not 1000 stacks: $(cat folded.txt)"
! grep -v '^seventy_thirty;.*;main\(;[^ ]*\)* [0-9]*$' folded.txt || fail "stacks that do not go through main"
share=$(awk '/;seventy [0-9]+$/ { a = $NF } END { printf "%.1f", a / 10 }' folded.txt)
share_between 59 81 || fail "seventy has $share% of 1000 snapshots"
expect_running "$burn"

# pauses, as the target feels them: a busy machine adds waits for a CPU
pause=$(python3 -c '
import json, os, resource, subprocess, sys
d = json.loads(subprocess.run([*sys.argv[1:], "--samples", "200", "--interval", "1"], stdout=subprocess.PIPE, check=True).stdout)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
assert d["snapshots"] == 200 and d["stops"] >= 200, d["stops"]
assert sum(t["count"] for t in d["threads"]) == 200
mean = d["pause_us"] / d["stops"]
cost = (used.ru_utime + used.ru_stime) * 1e6 / d["stops"]
assert cost < 1000, cost
assert mean < 3000 or os.getloadavg()[0] > len(os.sched_getaffinity(0)) + 2, mean
print("%.0f us a stop, %.0f at most" % (mean, d["longest_pause_us"]))' "$ASSAY" stack --json -p "$burn") || fail "pauses"

# killed at any moment, it leaves the target running
for i in $(seq 15); do
	"$ASSAY" stack -p "$burn" --samples 10000000 --interval 0 >/dev/null 2>&1 &
	looker=$!
	sleep "0.0$((RANDOM % 6 + 2))$((RANDOM % 10))"
	kill -9 "$looker"
	wait "$looker" 2>/dev/null || true
	case $(state_of "$burn") in t | T) sleep 0.05 ;; esac
	case $(state_of "$burn") in t | T) fail "a killed assay left the target stopped" ;; esac
done
expect_running "$burn"
# Ctrl-C shows what there is
"$ASSAY" stack -p "$burn" --samples 10000000 --interval 1 >int.txt 2>&1 &
looker=$!
sleep 0.4
kill -INT "$looker"
wait "$looker" || fail "interrupted: status $?"
grep -q ' main$' int.txt || fail "nothing shown after Ctrl-C: $(cat int.txt)"

# stopped by job control: shown, and left as it was
kill -STOP "$burn"
sleep 0.1
"$ASSAY" stack -p "$burn" >stopped.txt
grep -q ' main at ' stopped.txt && grep -q "^TID $burn: # seventy_thirty, stopped" stopped.txt || fail "stopped: $(cat stopped.txt)"
sleep 0.1
[ "$(state_of "$burn")" = T ] || fail "it was stopped and is now $(state_of "$burn")"
kill -CONT "$burn"
expect_running "$burn"

# asleep where nothing wakes it: other tools wait for ever
mkfifo fifo
"$WORKLOADS/unwind_parked" spawn fifo >spawn.out &
spawner=$!
pids="$pids $spawner"
for i in $(seq 100); do
	[ "$(state_of "$spawner")" = D ] && break
	sleep 0.02
done
if [ "$(state_of "$spawner")" = D ]; then
	timeout 10 "$ASSAY" stack -p "$spawner" >asleep.txt || [ $? -eq 1 ] || fail "a thread in D: $(cat asleep.txt)"
	grep -q '# unwind_parked, uninterruptible in clone' asleep.txt || fail "its state: $(head -2 asleep.txt)"
	[ "$(uname -m)" != x86_64 ] || grep -q ' main at ' asleep.txt || fail "its stack: $(cat asleep.txt)"
fi
: <>fifo || true

# names from the target do not reach the terminal
hostile=$(printf '\033[2Jx')
cp "$WORKLOADS/burn" "$hostile"
"./$hostile" 60 &
pids="$pids $!"
sleep 0.1
"$ASSAY" stack -m -p $! >hostile.txt
! grep -q "$(printf '\033')" hostile.txt || fail "an escape sequence came through"
grep -q '# \\e\[2Jx' hostile.txt || fail "the name is not shown: $(head -2 hostile.txt)"

# why not
fails_with 'there is no process' "$ASSAY" stack -p 999999999
fails_with 'is not a core file' "$ASSAY" stack --core /etc/passwd
fails_with 'is not a core file' "$ASSAY" stack --core "$WORKLOADS/burn"
fails_with 'assay itself\|is assay' bash -c 'exec "$ASSAY" stack -p $$'
expect_exit 2 "$ASSAY" stack 2>/dev/null
expect_exit 2 "$ASSAY" stack -p 1 --core x 2>/dev/null
expect_exit 2 "$ASSAY" stack -p 1 --interval 5 2>/dev/null
# what a form of the output has no place for is not dropped silently
for o in -l -b -m -a -s --state; do
	for shape in "--samples 2" --folded; do
		expect_exit 2 "$ASSAY" stack -p "$burn" $shape $o >usage.out 2>usage.err
		grep -q -- "$o does not go together with ${shape% 2}" usage.err || fail "$shape $o: $(cat usage.err)"
	done
done
for o in -l -b "--samples 2 --state"; do
	expect_exit 2 "$ASSAY" stack -p "$burn" --json $o >usage.out 2>usage.err
done
expect_exit 2 "$ASSAY" stack -p "$burn" --plain --state 2>usage.err
"$ASSAY" stack -p "$burn" --json -a -m -s >usage.out || fail "--json has what -a, -m and -s show"
"$ASSAY" stack -p "$burn" --samples 2 --no-state --no-source -v >usage.out || fail "what is left out anyway may be left out"
if [ -d /proc/2 ] && [ ! -e /proc/2/exe ] && grep -q kthreadd /proc/2/comm; then
	fails_with 'thread of the kernel' "$ASSAY" stack -p 2
fi
bash -c 'sleep 0 & exec sleep 30' &
parent=$!
pids="$pids $parent"
for i in $(seq 100); do
	zombie=$(cat "/proc/$parent/task/$parent/children" 2>/dev/null || true)
	[ -n "$zombie" ] && [ "$(state_of ${zombie% })" = Z ] && break
	sleep 0.02
done
[ -z "$zombie" ] || fails_with 'a zombie' "$ASSAY" stack -p ${zombie% }
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && cp "$ASSAY" assay-copy && chmod 755 assay-copy . 2>/dev/null &&
	setpriv --reuid 65534 --clear-groups ./assay-copy version >/dev/null 2>&1; then
	fails_with 'run this with sudo' setpriv --reuid 65534 --clear-groups ./assay-copy stack -p "$burn"
fi

# code of a JIT in memory that the kernel calls a deleted file; and a frame pointer that leads nowhere
if [ "$(uname -m)" = x86_64 ]; then
	python=$(python3 -c 'import sys; print(sys.executable)')
	for kind in zero memfd nowhere; do
		: >jit-$kind.out
		"$python" "$here/jit_memory.py" $kind >jit-$kind.out &
		jit=$!
		pids="$pids $jit"
		for i in $(seq 300); do
			grep -q ready jit-$kind.out && break
			sleep 0.02
		done
		expect_running "$jit"
		"$ASSAY" stack --plain -p "$jit" >jit.txt 2>jit.err || [ $kind = nowhere ] || fail "JIT in $kind: $(cat jit.err)"
		grep -q '^#0 .* jitted_loop$' jit.txt || fail "no name of JIT code in $kind: $(head -3 jit.txt)"
		# what leads nowhere is not looked for by stopping the thread again
		"$ASSAY" stack --json --samples 10 --interval 1 -p "$jit" >jit.json 2>/dev/null
		python3 -c 'import json; d = json.load(open("jit.json")); assert d["stops"] == 10, d["stops"]' || fail "stopped too often ($kind)"
		rm -f "/tmp/perf-$jit.map"
		kill -9 "$jit"
	done
fi

# speed: 100 threads
if command -v eu-stack >/dev/null; then
	"$WORKLOADS/unwind_parked" 100 >many.out &
	many=$!
	pids="$pids $many"
	for i in $(seq 300); do
		grep -q ready many.out && break
		sleep 0.02
	done
	speed=$(python3 - "$ASSAY" "$many" <<'PY'
import os, resource, subprocess, sys
assay, pid = sys.argv[1:]
env = dict(os.environ, XDG_CACHE_HOME=os.getcwd())

def run(argv):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(argv, capture_output=True, env=env).stdout
    assert out.count(b"TID ") == 100, out[:200]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3

# CPU time, by turns, and the best of each: others use the machine, too.
tools = [["eu-stack", "-p", pid], [assay, "stack", "--plain", "-p", pid], [assay, "stack", "-p", pid]]
for rounds in range(1, 4):
    times = [[run(t) for t in tools] for _ in range(5 * rounds)]
    theirs, ours, full = map(min, zip(*times))
    if theirs > 5 * ours:
        break
print("100 threads: eu-stack %.0f ms of CPU, ours %.0f ms (%.1f times), with inlines and lines %.0f ms" % (theirs, ours, theirs / ours, full))
sys.exit(theirs < 3 * ours)
PY
	) || fail "slow: $speed"
fi
echo "NOTE: share of seventy $share% in 1000 snapshots; $pause; ${speed-no eu-stack}"

# alone: it compares shares of time
# Java with nothing but frame pointers: the methods of a program by name, with the shares that it measures itself, attached to and started;
# and whom the recorder does not ask, or not for long.
. "$(dirname "$0")/../lib.sh"
need python3
need java
need javac
here=$(cd "$(dirname "$0")" && pwd)
javac -d . "$here/JavaSplit.java"
pids=
trap 'kill -9 $pids 2>/dev/null || true; rm -f /tmp/perf-fake-$$.map' EXIT
wait_for() { # WHAT COMMAND…
	local what=$1
	shift
	for _ in $(seq 600); do
		! "$@" || return 0
		sleep 0.05
	done
	fail "waited for $what"
}
is_gone() { [ ! -e "$1" ]; } # at once, but for those of another recorder that asks at this moment
has_line() { grep -q -- "$1" "$2" 2>/dev/null; }
start() { # OPTION…: of java; in the background, once it is at work: $pid
	: >out # the shell truncates it in the background: lines of the last one must not be taken for this one's
	java -XX:+PreserveFramePointer "$@" -cp . JavaSplit 300 >out 2>java.err &
	pid=$!
	pids="$pids $pid"
	wait_for "JavaSplit" has_line '^cpu' out
}
end() {
	kill -9 "$pid"
	rm -f /tmp/.java_pid"$pid" /tmp/hsperfdata_*/"$pid"
	wait "$pid" 2>/dev/null || true
}

# NAME LINE-BEFORE LINE-AFTER: compares report, folded stacks and script with the lines of the program.
check() {
	local name=$1
	"$ASSAY" report -i "$name.data" --json --no-children >report.json 2>/dev/null
	"$ASSAY" export --format folded -i "$name.data" -o folded.txt 2>/dev/null
	"$ASSAY" flame -i "$name.data" -o flame.svg 2>/dev/null
	"$ASSAY" script -i "$name.data" -F comm,tid,ip,sym,dso >script.txt 2>/dev/null
	python3 - "$name" "$2" "$3" <<'END' || fail "$name"
import json, math, re, sys
name, before, after = sys.argv[1], sys.argv[2].split(), sys.argv[3].split()
heavy, light = (int(after[i]) - int(before[i]) for i in (1, 2))
truth = heavy / (heavy + light)

def which(symbol):
    m = re.search(r"\bJavaSplit\.(heavy|light)\b", symbol or "")
    return m and m[1]

def compare(what, counts):
    n = counts.get("heavy", 0) + counts.get("light", 0)
    assert n > 500, (what, n)
    share, error = counts["heavy"] / n, math.sqrt(truth * (1 - truth) / n)
    print(f"{name}, {what}: {n} samples, share {share:.4f}, truth {truth:.4f}, {(share - truth) / error:+.2f} standard errors")
    assert abs(share - truth) < 4 * error, what

def add(counts, key, nr=1):
    counts[key] = counts.get(key, 0) + nr

counts = {}
for e in json.load(open("report.json"))["events"][0]["entries"]:
    add(counts, which(e.get("symbol")), e["self"]["samples"])
compare("report", counts)
counts = {}
for line in open("folded.txt"):
    stack, nr = line.rstrip("\n").rsplit(" ", 1)
    for frame in reversed(stack.split(";")):
        if which(frame):
            add(counts, which(frame), int(nr))
            break
compare("folded", counts)
counts, in_jit, named, stacks, whole = {}, 0, 0, 0, 0
for block in open("script.txt").read().split("\n\n"):
    frames = [re.match(r"\s+[0-9a-f]+ (.*) \((.*?)\)$", l) for l in block.splitlines() if l[:1] in " \t"]
    frames = [(f[1], f[2]) for f in frames if f]
    if not frames:
        continue
    user = next((f for f in frames if not f[1].startswith("[kernel")), frames[0])
    stacks += 1
    whole += frames[-1][0] in ("start_thread", "clone3", "__clone3", "_start", "clone", "thread_start") or frames[-1][1].startswith("[kernel")
    add(counts, which(user[0]))
    if "/perf-" in user[1] or "JIT" in user[1]:
        in_jit += 1
        named += user[0] != "[unknown]"
compare("script", counts)
print(f"{name}: {named} of {in_jit} samples in generated code have names, {whole} of {stacks} stacks lead to the start of their thread")
assert in_jit > 500 and named >= 0.99 * in_jit
assert whole >= 0.95 * stacks
svg = open("flame.svg").read()
assert "JavaSplit.heavy" in svg and "JavaSplit.light" in svg
END
}

# (a) It runs already.
start
for mode in fp dwarf; do
	"$ASSAY" record -F 2000 -e cpu-clock --call-graph $mode -p $pid -o attached-$mode.data 2>err &
	recorder=$!
	pids="$pids $recorder"
	wait_for "the recording" test -s attached-$mode.data # a busy machine may take longer to begin than the CPU time that is waited for
	before=$(tail -1 out)
	done_ns=$(($(echo "$before" | cut -d' ' -f2) + 1500000000))
	is_enough() { [ "$(tail -1 out | cut -d' ' -f2 | grep -E '^[0-9]+$' || echo 0)" -gt $done_ns ]; }
	wait_for "CPU time of JavaSplit" is_enough
	kill -INT $recorder
	wait $recorder || [ $? -eq 130 ] || fail "record: $(cat err)"
	! grep -q Java err || fail "it says: $(cat err)"
	lines=$(grep -c '^cpu' out)
	has_another() { [ "$(grep -c '^cpu' out)" -gt "$lines" ]; }
	wait_for "another line" has_another
	after=$(grep '^cpu' out | sed -n "$((lines + 1))p")
	wait_for "the map to be removed" is_gone /tmp/perf-$pid.map
	wait_for "the trigger to be removed" is_gone /tmp/.attach_pid$pid
	[ $mode = fp ] || end # so that nothing can be asked any more
	check attached-$mode "$before" "$after"
done
! grep -q 'Full thread dump' out java.err || fail "the program printed its stacks"

# (b) Started by the recorder, ends by itself.
"$ASSAY" record -F 2000 -e cpu-clock --call-graph dwarf -o started.data -- java -XX:+PreserveFramePointer -cp . JavaSplit 6 >out 2>err ||
	fail "record: $(cat err)"
check started "cpu 0 0" "$(tail -1 out)"
grep -q ' Interpreter (' script.txt || fail "no interpreted code"

# Asked for no names, it is not asked.
start
"$ASSAY" record --no-attach -F 500 -e cpu-clock -g -p $pid -o none.data -- sleep 0.5 2>err || fail "--no-attach: $(cat err)"
# A recorder of all CPUs that runs beside this test may have asked it: what counts is that this one has no names.
"$ASSAY" report --stdio -i none.data >shown 2>/dev/null
grep -q '\[JIT\]' shown || fail "--no-attach: $(cat shown)"
! grep -q 'JavaSplit\.' shown || fail "--no-attach has attached: $(grep JavaSplit shown)"
# A link at the place of the map is left alone: the virtual machine would follow it.
echo precious >/tmp/perf-fake-$$.map
ln -s /tmp/perf-fake-$$.map /tmp/perf-$pid.map
"$ASSAY" record -F 500 -e cpu-clock -g -p $pid -o link.data -- sleep 0.5 2>err || fail "link: $(cat err)"
rm /tmp/perf-$pid.map
grep -q "/tmp/perf-$pid.map of process $pid (Java) is a symbolic link" err || fail "link: $(cat err)"
[ "$(cat /tmp/perf-fake-$$.map)" = precious ] || fail "the virtual machine wrote through a link"
# A stopped one costs a second.
kill -STOP $pid
timeout 20 "$ASSAY" record -F 500 -e cpu-clock -g -p $pid -o stopped.data -- sleep 0.5 2>err || fail "stopped: $(cat err)"
grep -q "process $pid (Java) is stopped" err || fail "stopped: $(cat err)"
kill -CONT $pid
end

# Those that must not get SIGQUIT: they would print their stacks.
refused() { # MESSAGE OPTION…
	local message=$1
	shift
	start "$@"
	"$ASSAY" record -F 500 -e cpu-clock -g -p $pid -o refused.data -- sleep 0.5 2>err || fail "$*: $(cat err)"
	kill -0 $pid || fail "$*: it was killed"
	grep -q -- "process $pid (Java) $message" err || fail "$*: $(cat err)"
	! grep -q 'Full thread dump' out java.err || fail "$*: it printed its stacks"
	end
}
refused 'does not allow to be attached to' -XX:+DisableAttachMechanism
refused 'does not allow to be attached to' -XX:+DisableAttachMechanism -XX:-UsePerfData
# The first dies of SIGQUIT, but listens without; so does one that is told to.
for option in -Xrs -XX:+StartAttachListener; do
	start $option
	"$ASSAY" record -F 500 -e cpu-clock -g -p $pid -o listener.data -- sleep 0.5 2>err || fail "$option: $(cat err)"
	kill -0 $pid || fail "$option: it was killed"
	"$ASSAY" report --stdio -i listener.data 2>/dev/null | grep 'JavaSplit.heavy' >/dev/null || fail "$option: $(cat err)"
	end
done
# The advice for those that cannot be attached to.
java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+DisableAttachMechanism -cp . JavaSplit 0.2 >out 2>&1 &
pid=$!
wait $pid || fail "DumpPerfMapAtExit: $(cat out)"
grep -q JavaSplit /tmp/perf-$pid.map || fail "DumpPerfMapAtExit writes no map"
rm -f /tmp/perf-$pid.map

# wall has the names, too, of its command and no others that start meanwhile, whose maps it records, and leaves no map behind.
"$ASSAY" wall -n 5 -- java -XX:+PreserveFramePointer -cp . JavaSplit 8 >wall.out 2>wall.err &
recorder=$!
pids="$pids $recorder"
wait_for "JavaSplit" has_line '^cpu' wall.out
start -XX:+DisableAttachMechanism
wait $recorder || fail "wall: $(cat wall.err)"
grep -q ': JavaSplit\.heavy <- ' wall.out || fail "wall has no names: $(cat wall.out)"
! grep -q "process $pid (Java)" wall.err || fail "wall has asked another: $(cat wall.err)"
end
java=$(sed -n 's/^ .*  *java (\([0-9]*\)).*/\1/p' wall.out | head -1)
[ -n "$java" ] || fail "wall has no row of java: $(cat wall.out)"
wait_for "the map to be removed" is_gone "/tmp/perf-$java.map"
"$ASSAY" wall --no-attach -n 5 -- java -XX:+PreserveFramePointer -cp . JavaSplit 0.5 >wall.out 2>wall.err || fail "wall --no-attach: $(cat wall.err)"
! grep -q 'JavaSplit\.' wall.out || fail "wall --no-attach has asked: $(cat wall.out)"

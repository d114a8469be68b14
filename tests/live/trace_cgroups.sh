# System calls of a cgroup: -G traces its tasks and those below it and no others, --summary-mode cgroup sums up by cgroup.
#
# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"
root=
for dir in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ "$(stat -fc %T $dir 2>/dev/null)" != cgroup2fs ] || root=$dir
done
[ -n "$root" ] || skip "cgroup v2 is not mounted"
group=assay-test-$$
mkdir -p "$root/$group/inner" 2>/dev/null || skip "cgroups cannot be made here"
loop=
clean() {
	touch stop
	[ -z "$loop" ] || wait "$loop" || true
	rmdir "$root/$group/inner" "$root/$group" 2>/dev/null || true
}
trap clean EXIT

# It reads a file of its own name, over and over.
echo text >inside
(echo $BASHPID >"$root/$group/inner/cgroup.procs" && while [ ! -e stop ]; do cat inside >/dev/null; done) &
loop=$!
for _ in $(seq 100); do ! grep -q . "$root/$group/inner/cgroup.procs" || break; sleep 0.1; done

"$ASSAY" trace -G "$group" --max-events 2000 -o lines sleep 30 2>err &
tracer=$!
for _ in $(seq 300); do [ "$(wc -l <lines 2>/dev/null || echo 0)" -lt 2000 ] || break; sleep 0.1; done
pkill -P $tracer -x sleep || true
wait $tracer || true
[ "$(wc -l <lines)" -eq 2000 ] || fail "-G: $(wc -l <lines) lines: $(cat err)"
grep -q 'openat(dfd: CWD, filename: "inside"' lines || fail "its calls are missing: $(head -3 lines)"
! grep -q ' sleep/' lines || fail "calls of tasks outside: $(grep ' sleep/' lines | head -3)"

"$ASSAY" trace -s -a --summary-mode cgroup -o sums sleep 1 2>err || fail "cgroup sums: $(cat err)"
grep -q "^ cgroup /$group/inner, [0-9]* events" sums && [ "$(grep -c '^ cgroup ' sums)" -ge 2 ] || fail "sums by cgroup: $(grep cgroup sums)"
"$ASSAY" trace -s -G "$group/inner" --summary-mode cgroup -o sums sleep 1 2>err || fail "sums of one: $(cat err)"
[ "$(grep -c '^ cgroup ' sums)" -eq 1 ] && grep -q "^ cgroup /$group/inner, [0-9]* events, 100.0%" sums || fail "sums of one: $(grep cgroup sums)"
# A call counts in the cgroup that its task is in then: 300 in one, 500 in another, 200 in the first again.
cat >move.py <<'END'
import os, sys
root, group = sys.argv[1:]
def move_to(name):
    with open(f"{root}/{name}/cgroup.procs", "w") as f:
        f.write(str(os.getpid()))
for name, nr in ((group, 300), (f"{group}/inner", 500), (group, 200)):
    move_to(name)
    for _ in range(nr):
        os.getppid()
move_to("")
END
"$ASSAY" trace -s -e getppid --summary-mode cgroup -o sums python3 move.py "$root" "$group" 2>err || fail "a task that moves: $(cat err)"
of_cgroup() { # PATH: calls of getppid
	awk -v path="$1," '$1 == "cgroup" { on = $2 == path } on && $1 == "getppid" { print $2 }' sums
}
[ "$(of_cgroup "/$group")" = 500 ] && [ "$(of_cgroup "/$group/inner")" = 500 ] || fail "a task that moves: $(cat sums)"
expect_exit 1 "$ASSAY" trace -G no-such-cgroup true
expect_exit 2 "$ASSAY" trace -G "$group" -p 1
expect_exit 2 "$ASSAY" trace -S --summary-mode cgroup true

# A name that does not exist is reported once, and nothing is tried without BPF.
expect_exit 1 "$ASSAY" trace -G no-such-cgroup true 2>err
[ "$(wc -l <err)" -eq 1 ] && grep -q "no cgroup 'no-such-cgroup'" err || fail "-G no-such-cgroup: $(cat err)"

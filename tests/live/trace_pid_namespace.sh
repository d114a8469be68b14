# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# Tracing from inside a PID namespace, as in a container, and of a command that makes one: the numbers are those that strace has.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
command -v strace >/dev/null || skip "no strace"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
unshare -pf --mount-proc true || skip "no PID namespaces here"
inside() { unshare -pf --mount-proc "$@"; }
inside "$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

same() { # NAME: of two files
	python3 "$here/trace_compare.py" "$1.strace" "$1.assay" >"$1.result" || fail "$1: $(cat "$1.result")"
}
workload=(sh -c '/bin/true; cat /etc/passwd | tail -1; kill -0 $$; :')
inside strace -f -y -o in.strace "${workload[@]}" >/dev/null
inside "$ASSAY" trace --strace -f -y -o in.assay "${workload[@]}" >/dev/null || fail "inside"
same in
# The same numbers, not only the same lines.
numbers() { sed -n 's/^\([0-9]*\) .*/\1/p' "$1" | sort -nu | wc -l; }
[ "$(numbers in.strace)" -eq "$(numbers in.assay)" ] || fail "inside: $(numbers in.assay) tasks"
pid=$(sed -n 's/.* getpid() *= //p' in.assay | head -1)
[ "$pid" -lt 100 ] && grep -q "^$pid  *kill($pid, 0)" in.assay || fail "the number of the namespace: $pid: $(grep kill in.assay)"

workload=(sh -c '/bin/true; cat /etc/passwd; kill -0 $$; :') # one after the other: outside, calls return numbers that name no task
strace -f -o out.strace unshare -pf --mount-proc "${workload[@]}" >/dev/null
"$ASSAY" trace --strace -f -o out.assay unshare -pf --mount-proc "${workload[@]}" >/dev/null || fail "a command that makes a namespace"
same out

# ---- a process of the namespace, its threads, one of which executes a program ----
inside bash -c 'while :; do sleep 0.1; done & target=$!
	"$0" trace --strace -f -p $target -o attached & tracer=$!
	until grep -qs "nanosleep(" attached; do kill -0 $tracer || exit 1; sleep 0.1; done
	kill $target; wait $tracer' "$ASSAY" || fail "attached inside: $(cat attached)"
inside "$ASSAY" trace --strace -f -e trace=execve,exit_group -o threads.assay python3 -S -c 'import _thread, os, time
_thread.start_new_thread(os.execv, ("/bin/true", ["true"]))
time.sleep(30)' || fail "a thread that executes a program: $(tail -3 threads.assay)"
grep -q '^[0-9]* *execve("/bin/true".* = 0$\|resumed>) *= 0$' threads.assay && tail -1 threads.assay | grep -q 'exited with 0' ||
	fail "a thread that executes a program: $(cat threads.assay)"

# ---- execve() is seen, though it is not shown ----
inside "$ASSAY" trace --strace -e exit_group -o lines true || fail "-e inside"
grep -q '^exit_group(0) *= ?$' lines || fail "-e inside: $(cat lines)"

# ---- sums, and the lines of perf ----
inside "$ASSAY" trace -s -o sums true || fail "-s inside"
grep -q execve sums || fail "-s inside: $(cat sums)"
inside "$ASSAY" trace -o lines true || fail "trace inside"
grep -q 'true/[0-9]\{1,2\} ' lines || fail "trace inside: $(head -3 lines)"
echo "NOTE: inside $(cat in.result); from outside $(cat out.result)"

# `assay trace --strace` writes what strace writes: each line of each task, of a program that makes some 200 different calls.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
command -v strace >/dev/null || skip "no strace"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

compared() { # NAME COMMAND…: the same command under both, and its lines
	local name=$1
	shift
	strace -f -o "$name.strace" "$@" >out.strace 2>&1 || fail "strace $*: $(cat out.strace)"
	"$ASSAY" trace --strace -o "$name.assay" "$@" >out.assay 2>&1 || fail "trace $*: $(cat out.assay)"
	python3 "$here/trace_compare.py" "$name.strace" "$name.assay" >"$name.result" || fail "$name: $(cat "$name.result")"
}

compared calls "$WORKLOADS/syscalls"
compared pipes sh -c 'cat /etc/passwd | tr a-z A-Z | cut -c 1-3; kill -0 $$'
compared files find /etc/apt -newer /etc/passwd
compared python python3 -S -c 'import os; os.system("echo x"); print(os.listdir("/"))'
calls=$(sed -n 's/ different calls.*//p' calls.result)
[ "$calls" -ge 80 ] || fail "only $calls different calls: $(cat calls.result)"

# ---- threads: where malloc() puts what they have is chance, so not all lines ----
"$ASSAY" trace --strace -e clone3,clone -o lines python3 -S -c 'import _thread; a = _thread.allocate_lock(); a.acquire(); _thread.start_new_thread(a.release, ()); a.acquire()' || fail "threads"
strace -f -e clone3,clone -o strace.lines python3 -S -c 'import _thread; a = _thread.allocate_lock(); a.acquire(); _thread.start_new_thread(a.release, ()); a.acquire()' || fail "threads under strace"
parent_tids() { grep -c 'parent_tid=\[\([0-9]*\)\].* = \1$' "$1" || true; }
[ "$(parent_tids lines)" -eq "$(parent_tids strace.lines)" ] || fail "a thread: $(cat strace.lines lines)"

# ---- whose line it is ----
"$ASSAY" trace --strace sh -c '/bin/true; /bin/true; :' 2>lines || fail "to standard error: $(cat lines)"
head -1 lines | grep -q '^execve(' || fail "one task, but it is named: $(head -1 lines)"
grep -q '^\[pid [ 0-9]*[0-9]\] execve("/bin/true"' lines || fail "several tasks, not named: $(grep execve lines)"
tail -1 lines | grep -q '^+++ exited with 0 +++$' || fail "the last task is alone, but named: $(tail -1 lines)"
"$ASSAY" trace --strace --no-inherit -o lines sh -c '/bin/true; :' || fail "--no-inherit"
head -1 lines | grep -q '^execve(' && ! grep -q 'execve("/bin/true"' lines || fail "--no-inherit: $(cat lines)"
echo "NOTE: strace and trace --strace agree: $(cat calls.result)"

# timeout: 1000
# An x86_64 guest with Linux 5.10, of Debian 11: the oldest kernel that tests trace system calls on (5.8 is the first with all that BPF needs).
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
[ "$(uname -m)" = x86_64 ] || skip "there is no x86_64 build"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"

cat >script <<'END'
. /test/lib
echo "== $(uname -r)"
echo "== trace: by BPF, with the memory of arguments"
assay trace -o lines.txt cat /etc/passwd >out.txt 2>err.txt || { cat err.txt; fail "trace"; }
expect_not err.txt 'tracing by tracepoints' "no BPF: $(cat err.txt)"
expect lines.txt 'execve\(filename: "[^"]*cat", argv: \["cat", "/etc/passwd"\]' "execve"
expect lines.txt 'open(at)?\(.*"/etc/passwd".* = 3$' "open"
expect lines.txt 'close\(fd: 3</etc/passwd>\) += 0$' "the path of a descriptor"
expect lines.txt 'exit_group\(' "the end"

echo "== trace --strace -yy: what descriptors stand for"
assay trace --strace -yy -o lines.txt cat /dev/null 2>err.txt || { cat err.txt; fail "trace -yy"; }
expect_not err.txt 'tracing by tracepoints' "no BPF with -yy: $(cat err.txt)"
expect lines.txt 'openat.*"/dev/null".* = 3</dev/null<char 1:3>>$' "a device: $(grep null lines.txt)"

echo "== in a PID namespace"
if unshare -pf true 2>/dev/null; then
	unshare -pf --mount-proc assay trace --strace -e getppid,exit_group -o lines.txt sh -c : 2>err.txt || { cat err.txt; fail "trace in a PID namespace"; }
	expect_not err.txt 'tracing by tracepoints' "no BPF in a PID namespace: $(cat err.txt)"
	expect lines.txt 'exit_group' "calls in a PID namespace: $(cat lines.txt err.txt)"
fi

echo "== trace -s: the same numbers"
assay trace -s -o sums.txt dd if=/dev/zero of=/dev/null bs=1 count=1000 2>err.txt || { cat err.txt; fail "trace -s"; }
expect sums.txt '^ +read +100[0-9] ' "reads of dd"
expect sums.txt '^ +write +100[0-9] ' "writes of dd"

echo "== stacks, by dumps and by frame pointers"
assay trace -g -e write -o lines.txt unwind_syscalls 2 >out.txt 2>err.txt || { cat err.txt; fail "trace -g"; }
expect_not err.txt 'tracing by tracepoints' "no BPF with stacks: $(cat err.txt)"
[ "$(grep -c '^ *write_deep ' lines.txt)" -eq 20 ] || { cat lines.txt; fail "ten frames of each write"; }
expect lines.txt '^ *thread_body ' "the thread"
assay trace --call-graph fp -e write -o lines.txt unwind_syscalls 2 2>err.txt || { cat err.txt; fail "trace --call-graph fp"; }
expect_not err.txt 'tracing by tracepoints' "no BPF with frame pointers: $(cat err.txt)"

echo "== wall and latency: what threads do, by BPF; of functions, that this kernel is too old"
assay wall -j -- slow_calls sleep 4 2 >out.txt 2>err.txt || { cat err.txt; fail "wall"; }
expect_not err.txt 'by tracepoints' "no BPF: $(cat err.txt)"
assay latency clock_nanosleep -- slow_calls sleep 4 2 >out.txt 2>err.txt || { cat err.txt; fail "latency"; }
expect out.txt '^system call clock_nanosleep: 2 pairs in ' "latency"
expect out.txt 'waited in  .*clock_nanosleep ' "the wait of a call"
assay latency -x /test/slow_calls work -- slow_calls sleep 4 2 >out.txt 2>err.txt && fail "latency -x"
expect err.txt 'need Linux 5.15' "latency -x"

echo "== a recording, read again"
assay trace record -q -o calls.data cat /etc/passwd >out.txt 2>err.txt || { cat err.txt; fail "trace record"; }
assay trace -i calls.data >lines.txt
expect lines.txt 'open(at)?\(.*"/etc/passwd".* = 3$' "open in a recording"
END

GUEST_SUITE=bullseye GUEST_SECONDS=${GUEST_SECONDS:-800} "$vm/run-guest" amd64 script "$ASSAY" "$WORKLOADS/unwind_syscalls" "$WORKLOADS/slow_calls"

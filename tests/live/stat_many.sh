# noisy: compares durations with perf's
# Many events: a thousand on all CPUs under default limits, and all system calls beside real perf.
# waits: a thousand events take the kernel long to close
. "$(dirname "$0")/../lib.sh"

events=$(printf 'context-switches,page-faults,task-clock,cpu-clock,cpu-migrations,%.0s' $(seq 200))
(
	ulimit -Sn 1024
	"$ASSAY" stat -a -e "${events%,}" sleep 0.05 2>out || fail "1000 events: $(tail -1 out)"
)
[ "$(grep -c -E 'context-switches|page-faults|-clock|cpu-migrations' out)" -eq 1000 ] || fail "not 1000 rows"
! grep -q '<not' out || fail "not all were counted: $(grep '<not' out | head -3)"
# the command does not inherit the raised limit
[ "$(ulimit -Sn 1024; "$ASSAY" stat -a -e "${events%,}" sh -c 'ulimit -n' 2>/dev/null)" = 1024 ] || fail "the limit reaches the command"
got=0
(ulimit -n 1000; "$ASSAY" stat -a -e "${events%,}" true) 2>out || got=$?
[ $got -eq 1 ] && grep -q 'hard limit is 1000.*ulimit' out || fail "a low hard limit: $(tail -1 out)"

# in one group
g=$(printf 'context-switches,page-faults,%.0s' $(seq 10))
"$ASSAY" stat -e "{${g%,}}" true 2>out
[ "$(grep -c -E 'context-switches|page-faults' out)" -eq 20 ] && ! grep -q '<not' out || fail "a group of 20: $(cat out)"

# 350 tracepoints on two million system calls
"$ASSAY" stat -e syscalls:sys_enter_read true 2>/dev/null || skip "no tracepoints of system calls here (the rest passed)"
dd=(dd if=/dev/zero of=/dev/null bs=512 count=1000k status=none)
wall() {
	local start
	start=$(date +%s%N)
	"$@" 2>err >/dev/null || fail "$*: $(tail -3 err)"
	echo $((($(date +%s%N) - start) / 1000000))
}
ours=$(wall "$ASSAY" stat --no-big-num -e 'syscalls:sys_enter_*' "${dd[@]}")
grep -q -E ' 102400[0-9] *syscalls:sys_enter_read ' err || fail "reads: $(grep sys_enter_read err)"
grep -q -E ' 102400[0-9] *syscalls:sys_enter_write ' err || fail "writes: $(grep sys_enter_write err)"
# what we leave to the kernel must not delay the next user for long
sleep 15
if [ -n "$PERF" ]; then
	theirs=$(wall "$PERF" stat -e 'syscalls:sys_enter_*' "${dd[@]}")
	echo "dd with all system calls counted: $ours ms, perf $theirs ms"
	[ $ours -le $((theirs + theirs / 10)) ] || fail "slower than perf: $ours ms instead of $theirs ms"
	best() {
		local n
		for n in 1 2 3 4 5 6 7; do wall "$@"; done | sort -n | head -1
	}
	a=$(best "$ASSAY" stat true)
	p=$(best "$PERF" stat true)
	echo "stat true: $a ms, perf $p ms"
	[ $a -le $p ] || fail "stat true: $a ms instead of $p ms"
fi

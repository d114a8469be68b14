# Events among system calls: tracepoints as script prints them, page faults as perf trace shows them, in order of time; switched on and off.
#
# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"
"$ASSAY" trace -e sched:sched_process_exit -o probe true 2>err || skip "no tracepoints: $(cat err)"

names_of() { # FILE: what each line is, without times
	sed -E 's/^ *-?[0-9.]+ \([^)]*\): [^ ]* //; s/[ (].*//' "$1"
}

# ---- events alone, and with system calls ----
"$ASSAY" trace -e 'sched:sched_process_e*' -o lines sh -c /bin/true 2>err || fail "events alone: $(cat err)"
[ "$(names_of lines | tr '\n' ' ')" = "sched:sched_process_exec sched:sched_process_exec sched:sched_process_exit sched:sched_process_exit " ] ||
	fail "exec and exit of sh and true: $(cat lines)"
grep -q 'sched:sched_process_exec(filename=/bin/true pid=[0-9]* old_pid=[0-9]*)$' lines || fail "fields: $(cat lines)"
"$ASSAY" trace -e 'clock_nanosleep,sched:sched_process_exit' -o lines sleep 0.01 2>err || fail "call and event: $(cat err)"
[ "$(names_of lines | tr '\n' ' ')" = "clock_nanosleep sched:sched_process_exit " ] || fail "a call and an event: $(cat lines)"
"$ASSAY" trace --syscalls -e sched:sched_process_exit -o lines true 2>err || fail "--syscalls: $(cat err)"
[ "$(names_of lines | tail -2 | tr '\n' ' ')" = "exit_group sched:sched_process_exit " ] || fail "--syscalls: $(tail -3 lines)"
names_of lines | grep -q '^execve$' || fail "--syscalls without calls: $(cat lines)"
"$ASSAY" trace --json -e 'close,sched:sched_process_exit' -o lines true 2>err || fail "--json: $(cat err)"
grep sched:sched_process_exit lines | python3 -c 'import json, sys; e = json.loads(sys.stdin.read()); assert "comm=true" in e["text"], e' || fail "json: $(cat lines)"
# With their stacks.
"$ASSAY" trace -g -e sched:sched_switch -o lines "$WORKLOADS/unwind_syscalls" 3 2>err || fail "stacks of events: $(cat err)"
[ "$(grep -c '^ *slow_caller ' lines)" -ge 3 ] || fail "stacks of events: $(cat lines)"

# ---- page faults: as many as the program makes ----
"$ASSAY" trace -F all -o lines "$WORKLOADS/unwind_syscalls" 1 2>err || fail "-F all: $(cat err)"
grep -qE '(min|maj)fault \[_start\+0x0\] => [^ ]*/ld[^ ]*@0x[0-9a-f]+ \(x\.\)$' lines || fail "the first instruction: $(head -5 lines)"
grep -q 'fault \[.*\] => .* (d\.)$' lines || fail "no data: $(cat lines)"
! names_of lines | grep -qv '^m..fault$' || fail "calls among page faults: $(cat lines)"
"$ASSAY" trace -F min --syscalls -o lines cat /etc/hostname >/dev/null 2>err || fail "-F and calls: $(cat err)"
names_of lines | grep -q '^minfault$' && names_of lines | grep -q '^openat$' && ! grep -q majfault lines || fail "-F min --syscalls: $(cat lines)"

# ---- switches ----
"$ASSAY" trace --syscalls --switch-on syscalls:sys_enter_exit_group -o lines true 2>err || fail "--switch-on: $(cat err)"
[ "$(names_of lines)" = exit_group ] || fail "--switch-on: $(cat lines)"
"$ASSAY" trace --syscalls --switch-off syscalls:sys_exit_brk --show-on-off-events -o lines true 2>err || fail "--switch-off: $(cat err)"
[ "$(names_of lines | tail -1)" = syscalls:sys_exit_brk ] && names_of lines | grep -q '^execve$' && ! grep -q 'exit_group' lines || fail "--switch-off: $(cat lines)"

# ---- recorded ----
"$ASSAY" trace record -q -F all -e 'openat,sched:sched_process_exit' -o mixed.data true 2>err || fail "record: $(cat err)"
"$ASSAY" trace -i mixed.data >lines || fail "-i: $?"
names_of lines | grep -q '^minfault$' && names_of lines | grep -q '^openat$' && [ "$(names_of lines | tail -1)" = sched:sched_process_exit ] || fail "-i: $(cat lines)"
sort -n -c <(sed -E 's/^ *(-?[0-9.]+) \( *([0-9.]*)[^)]*\).*/\1 \2/' lines | awk '{ printf "%.3f\n", $1 + $2 }' | awk '{ if ($1 + 0.002 < last) print "late", $0; last = $1 > last ? $1 : last }') || fail "not in order"
"$ASSAY" trace -e openat -i mixed.data >lines || fail "-i -e: $?"
! names_of lines | grep -v '^openat$' || fail "-e openat shows others"
"$ASSAY" script -i mixed.data 2>/dev/null | grep -q 'sched:sched_process_exit: comm=true' || fail "script"

expect_exit 1 "$ASSAY" trace -e cycles:u true
expect_exit 1 "$ASSAY" trace -e sched:nosuchevent true
expect_exit 2 "$ASSAY" trace --no-syscalls true
expect_exit 2 "$ASSAY" trace -s -e sched:sched_switch true
expect_exit 2 "$ASSAY" trace -F some true
expect_exit 2 "$ASSAY" trace --show-on-off-events true

# ---- of a recording, what is named ----
"$ASSAY" trace record -q --syscalls -F all -e sched:sched_process_exit -o mixed.data true 2>err || fail "trace record of events: $(cat err)"
"$ASSAY" trace -i mixed.data -e 'sched:*' >lines 2>err || fail "-i -e sched:*: $(cat err)"
[ "$(names_of lines | sort -u)" = sched:sched_process_exit ] || fail "-i -e sched:* has more: $(head -5 lines)"
"$ASSAY" trace -i mixed.data -F min >lines 2>err || fail "-i -F min: $(cat err)"
[ "$(names_of lines | sort -u)" = minfault ] || fail "-i -F min has more: $(head -5 lines)"
"$ASSAY" trace -i mixed.data --no-syscalls -F all >lines 2>err || fail "-i --no-syscalls: $(cat err)"
! names_of lines | grep -v fault || fail "-i --no-syscalls has calls: $(head -5 lines)"
for options in "--call-graph lbr" "-G x -p 1" "-e status=unfinished"; do
	# shellcheck disable=SC2086
	expect_exit 2 "$ASSAY" trace record -o no.data $options true
done
expect_exit 2 "$ASSAY" trace -s -S true
expect_exit 2 "$ASSAY" trace -z --failure true
expect_exit 2 "$ASSAY" trace --errno-summary true
expect_exit 2 "$ASSAY" trace --call-graph dwarf,65528 true

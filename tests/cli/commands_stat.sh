# The counting lines of COMMANDS.md (what the documents tell people to type), word for word but for names of commands and for
# durations. A line that needs what this machine lacks is noted, not failed.
. "$(dirname "$0")/../lib.sh"

mkdir bin
ln -s "$ASSAY" bin/assay
PATH=$TMPDIR/bin:$PATH
nr=0

# counts COMMAND…: exit status 0; what was counted is in err.
counts() {
	"$@" >out 2>err </dev/null || fail "exit status $?: $*: $(cat err)"
	nr=$((nr + 1))
}

# row NAME: there is one, with a number or with the reason why there is none.
row() {
	grep -q -E "([0-9]|<not supported>|<not counted>) .*$1" err || fail "no row of $1: $(cat err)"
}

cat >my_programme <<'EOF'
#!/bin/sh
exit 0
EOF
chmod +x my_programme

counts assay stat ls
for e in task-clock context-switches page-faults cycles instructions 'seconds time elapsed'; do row "$e"; done
counts assay stat ./my_programme
row task-clock
counts assay stat -e r0 ls
row r0
counts assay stat -e task-clock,cpu-clock ls
row task-clock && row cpu-clock
counts assay stat -e cache-misses,L1-dcache-loads,mem-loads ls
row cache-misses && row L1-dcache-loads && row mem-loads
# what the machine lacks is a row and a notice; recording it is an error
if [ ! -e /sys/bus/event_source/devices/cpu/events/mem-loads ]; then
	grep -q '<not supported> .*mem-loads' err || fail "mem-loads: $(cat err)"
	grep -q "^assay: .*'mem-loads'" err || fail "no notice about mem-loads: $(cat err)"
	! assay record -e mem-loads true 2>err || fail "record -e mem-loads"
	grep -q "'mem-loads'" err || fail "record -e mem-loads: $(cat err)"
fi
! assay stat -e mem-laods true 2>err || fail "a mistyped name is taken"
counts assay stat -B ls
row task-clock
counts assay stat -I 1000 -e r0 sleep 1.2
row r0
counts assay stat -I 1000 -a --per-core -e r0 sleep 1.2
grep -q 'S0-D0-C0.*r0' err || fail "no row of a core: $(cat err)"
if assay stat -e syscalls:sys_enter_read true 2>/dev/null; then
	counts assay stat -e 'syscalls:sys_enter_*' dd if=/dev/zero of=/dev/null bs=512 count=1000k
	row syscalls:sys_enter_read
	[ "$(grep -c syscalls:sys_enter_ err)" -gt 100 ] || fail "few system calls: $(grep -c syscalls: err)"
	# an event that cannot be opened, after hundreds: no waiting for the kernel to close those
	start=$SECONDS
	! assay stat -e 'syscalls:*,ftrace:function' true 2>err || fail "ftrace:function is counted"
	grep -q 'ftrace:function cannot be counted by perf_event_open; use the function tracer' err || fail "ftrace:function: $(cat err)"
	[ $((SECONDS - start)) -le 15 ] || fail "failing took $((SECONDS - start)) s"
else
	echo "NOTE: no tracepoints of system calls here"
fi
echo "$nr lines"

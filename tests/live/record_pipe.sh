# -o -: through a pipe into real perf; a reader that goes away; a terminal.
. "$(dirname "$0")/../lib.sh"
need perf

n=$("$ASSAY" record -q -o - "$WORKLOADS/burn" 0.5 | "$PERF" script -i - -F comm,ip,sym 2>perf.err | grep -c burn)
[ "$n" -gt 200 ] || fail "only $n samples came through the pipe"
[ ! -s perf.err ] || fail "perf warns: $(head -3 perf.err)"

for options in "-g" "-e cpu-clock,page-faults" "-z" "-a"; do
	# shellcheck disable=SC2086
	"$ASSAY" record -q $options -o - -- "$WORKLOADS/burn" 0.3 >pipe.data
	n=$("$PERF" script -i - -F ip,sym <pipe.data 2>perf.err | grep -c .)
	[ "$n" -gt 100 ] || fail "$options: only $n lines came through the pipe"
	[ ! -s perf.err ] || fail "$options: perf warns: $(head -3 perf.err)"
done

# the workload's own output goes to stderr
"$ASSAY" record -q -o - echo hello 2>err | "$PERF" script -i - >/dev/null 2>&1
[ "$(cat err)" = hello ] || fail "the workload's output went elsewhere: $(cat err)"

# the reader goes away: the workload runs on
status=0
{ "$ASSAY" record -F 10000 -g -o - sh -c "'$WORKLOADS/burn' 1; touch survived" 2>err || echo $? >status; } |
	head -c 100000 >/dev/null
[ -e survived ] || fail "the workload did not survive the end of the pipe"
[ "$(cat status)" = 141 ] || fail "exit status $(cat status) instead of 141"
grep -q 'reader of the pipe' err || fail "nothing was said: $(cat err)"

# a named pipe
mkfifo fifo
"$PERF" script -i - <fifo >fifo.out 2>/dev/null & reader=$!
"$ASSAY" record -q -o fifo "$WORKLOADS/burn" 0.2
wait $reader
grep -q burn fifo.out || fail "nothing came through a named pipe"

# a terminal
if command -v script >/dev/null; then
	script -qec "'$ASSAY' record -o - true" /dev/null >tty.out 2>&1 && fail "wrote to a terminal"
	grep -q 'terminal' tty.out || fail "a terminal: $(cat tty.out)"
fi

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

# a named pipe without a reader: a signal ends the wait, and the workload was not started
"$ASSAY" record -q -o fifo touch started & rec=$!
sleep 0.5
kill -TERM $rec
status=0
wait $rec || status=$?
[ $status -eq 143 ] || fail "waiting for a reader, ended by SIGTERM: $status instead of 143"
[ ! -e started ] || fail "the workload was started without a reader"

# a reader that does not read: so does one here, within seconds
sleep 60 <fifo & reader=$!
"$ASSAY" record -F 20000 -g -o fifo "$WORKLOADS/burn" 30 2>err & rec=$!
sleep 1.5
start=$SECONDS
kill -TERM $rec
status=0
wait $rec || status=$?
[ $((SECONDS - start)) -le 5 ] || fail "a stuck reader holds the recorder for $((SECONDS - start)) s"
[ $status -eq 1 ] || fail "a stuck reader: exit status $status instead of 1"
grep -q 'stopped reading' err || fail "a stuck reader: $(cat err)"
kill $reader
wait $reader 2>/dev/null || true

# other names of stdout; links of the system are never replaced
before=$(readlink /dev/stdout || true)
"$ASSAY" record -q -o /dev/stdout "$WORKLOADS/burn" 0.1 >stdout.data
[ "$("$PERF" script -i - -F ip <stdout.data 2>/dev/null | wc -l)" -gt 50 ] || fail "nothing came through /dev/stdout"
[ "$(readlink /dev/stdout || true)" = "$before" ] || fail "/dev/stdout was replaced"
status=0
"$ASSAY" record -q -o /dev/fd/7 true 7>seven 2>err || status=$?
[ $status -eq 1 ] || fail "-o /dev/fd/7: exit status $status instead of 1"
grep -q 'open elsewhere' err || fail "-o /dev/fd/7: $(cat err)"
ln -s /dev/fd/7 to-seven
"$ASSAY" record -q -o to-seven true 7>seven 2>/dev/null && fail "a link to /dev/fd/7 was written"
[ -L to-seven ] || fail "a link to /dev/fd/7 was replaced"

# a terminal
if command -v script >/dev/null; then
	script -qec "'$ASSAY' record -o - true" /dev/null >tty.out 2>&1 && fail "wrote to a terminal"
	grep -q 'terminal' tty.out || fail "a terminal: $(cat tty.out)"
fi

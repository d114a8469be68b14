# Exit statuses of stat, Ctrl-C, and the sentences of what cannot be done.
. "$(dirname "$0")/../lib.sh"

# fails CODE PATTERN OPTIONS…
fails() {
	local want=$1 pattern=$2 got=0
	shift 2
	"$ASSAY" stat "$@" 2>err >/dev/null || got=$?
	[ "$got" -eq "$want" ] || fail "exit status $got instead of $want: stat $* ($(cat err))"
	grep -q -E -- "$pattern" err || fail "stat $*: the message has no '$pattern': $(cat err)"
}

st() {
	"$ASSAY" stat -e context-switches "$@" 2>err
}
expect_exit 0 st true
expect_exit 3 st sh -c 'exit 3'
expect_exit 7 st -a -- sh -c 'exit 7'
expect_exit 143 st sh -c 'kill -TERM $$'
grep -q Terminated err || fail "the signal is not named: $(cat err)"
grep -q context-switches err || fail "no counts of a command that was killed: $(cat err)"
expect_exit 5 st -r 3 sh -c 'exit 5'
grep -q '(3 runs)' err || fail "-r and a failing command: $(cat err)"

fails 127 '^assay: ./nope: No such file or directory$' ./nope
echo text >not-runnable
fails 126 'not-runnable: Permission denied' ./not-runnable
fails 1 "no event 'no-such-event'" -e no-such-event true
fails 1 'no process 4194303' -p 4194303
fails 1 'no thread 4194303' -t 4194303
fails 1 '9999' -C 9999 true
fails 1 'nonexistent-dir' -o /nonexistent-dir/x true
fails 1 'log-fd 77' --log-fd 77 true
fails 2 'did you mean' --per-coer true
fails 2 'needs|use it with -a' -A true
fails 2 'exclude' -a -A --per-core true
fails 2 'exclude' --all-user --all-kernel true
fails 2 'interval-count' --interval-count 3 true
fails 2 'per-thread' --per-thread true
fails 2 "'x'" -I x true
fails 4 'ended with status 4' --pre 'sh -c "exit 4"' true
fails 127 'no-such-hook' --post no-such-hook true

# a signal to us alone: the command hears of it, what was counted is shown
for sig in INT TERM HUP; do
	"$ASSAY" stat -e context-switches -- sleep 30 2>err &
	pid=$!
	sleep 0.3
	kill -$sig $pid
	got=0
	wait $pid || got=$?
	[ $got -ge 129 ] || fail "SIG$sig: exit status $got"
	grep -q 'context-switches' err && grep -q 'elapsed' err || fail "SIG$sig: nothing is shown: $(cat err)"
done
# without a command
for target in -a "-p $$" "-I 100 -a"; do
	"$ASSAY" stat -e context-switches $target 2>err &
	pid=$!
	sleep 0.3
	kill -INT $pid
	expect_exit 130 wait $pid
	grep -q 'context-switches' err || fail "Ctrl-C with $target: nothing is shown: $(cat err)"
done
# Ctrl-C on a terminal: both hear it, once
if command -v tmux >/dev/null; then
	cat >hears <<'END'
trap 'echo heard >>heard' INT
sleep 30
sleep 0.5
exit 9
END
	cat >in_terminal <<END
trap : INT
'$ASSAY' stat -o counts -e context-switches sh hears
echo \$? >status
END
	tmux -L stat-$$ new-session -d -x 120 -y 40 "sh $PWD/in_terminal"
	sleep 1
	tmux -L stat-$$ send-keys C-c
	for i in $(seq 50); do [ -s status ] && break; sleep 0.1; done
	[ "$(cat status)" = 9 ] || fail "Ctrl-C: exit status $(cat status)"
	[ "$(cat heard)" = heard ] || fail "the command heard Ctrl-C $(wc -l <heard) times"
	grep -q context-switches counts || fail "Ctrl-C: nothing is shown"
fi

# ended by --timeout: that is what was asked for
start=$(date +%s%N)
expect_exit 0 st --timeout 300 sleep 30
took=$((($(date +%s%N) - start) / 1000000))
[ $took -lt 3000 ] || fail "--timeout 300 took $took ms"
expect_exit 0 st -a --timeout 100
expect_exit 3 st --timeout 300 sh -c 'trap "exit 3" TERM; sleep 5 & wait'
expect_exit 2 st -n -e page-faults true
expect_exit 2 st -n -M ipc true
expect_exit 0 st --no-merge -e page-faults true
# --topdown is -M TopdownL1: the same outcome, whatever the PMU has.
by_name=0 by_option=0
st -M TopdownL1 true || by_name=$?
st --topdown true || by_option=$?
[ $by_name -eq $by_option ] || fail "--topdown: status $by_option, -M TopdownL1: $by_name"
# Nowhere to print to is no success.
expect_exit 1 sh -c '"$1" stat -e page-faults true 2>&-' - "$ASSAY"
expect_exit 1 sh -c '"$1" version >&- 2>/dev/null' - "$ASSAY"
expect_exit 0 st -a -I 50 --interval-count 3
[ "$(grep -c context-switches err)" -eq 3 ] || fail "--interval-count 3: $(cat err)"

# the command is left as it was: no fds of ours, signals as usual
"$ASSAY" stat -e context-switches,page-faults ls /proc/self/fd 2>/dev/null >with
ls /proc/self/fd 2>/dev/null >without
expect_same without with "the command's fds"
"$ASSAY" stat -e context-switches grep -E '^Sig(Blk|Ign)' /proc/self/status 2>/dev/null >with
grep -E '^Sig(Blk|Ign)' /proc/self/status >without
expect_same without with "the command's signals"

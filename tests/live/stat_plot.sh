# stat -I … --plot in a real terminal: a chart for each event, drawn again and again in one place, that
# follows the terminal's size and leaves it usable; in a pipe, rows and a sentence.
. "$(dirname "$0")/../lib.sh"

# In a pipe: the rows of -I.
"$ASSAY" stat -I 50 --plot -e page-faults sleep 0.12 2>err.txt
grep -q -- '--plot needs a terminal' err.txt || fail "in a pipe: no sentence"
grep -q '^ *0\.[0-9]* .*page-faults' err.txt || fail "in a pipe: no rows"
expect_exit 2 "$ASSAY" stat --plot true 2>/dev/null
expect_exit 2 "$ASSAY" stat -I 50 --plot -j true 2>/dev/null

need tmux
sock=$TMPDIR/tmux.sock
tm() { tmux -S "$sock" -f /dev/null "$@"; }
trap 'tm kill-server 2>/dev/null || :' EXIT
tm new-session -d -x 90 -y 24 "env -u LC_ALL LANG=C.UTF-8 PS1='ready> ' bash --norc" 2>/dev/null || skip "tmux does not start here"
show() { tm capture-pane -p >screen.txt; }
wait_for() { # PATTERN SECONDS
	local n=$(($2 * 10))
	while [ $n -gt 0 ]; do
		show
		grep -q -- "$1" screen.txt && return
		sleep 0.1
		n=$((n - 1))
	done
	cat screen.txt >&2
	fail "the screen never showed: $1"
}

tm send-keys "clear; '$ASSAY' stat -a -I 100 --plot -e cpu-clock,page-faults,context-switches -- sleep 60" Enter
wait_for 'every 100 ms' 10
wait_for '2\.[0-9] s, every 100 ms' 10
show
[ "$(grep -c 'every 100 ms' screen.txt)" -eq 1 ] || fail "it is not redrawn in place"
for e in cpu-clock page-faults context-switches; do
	[ "$(grep -c "^$e " screen.txt)" -eq 1 ] || fail "no single chart of $e"
done
grep -q '█' screen.txt || fail "no blocks"
[ "$(grep -c 'now ' screen.txt)" -ge 3 ] || fail "no current values"
[ "$(grep -c 'max ' screen.txt)" -eq 3 ] || fail "no highest values"
grep -q '└ .* ago ─.* now ┘' screen.txt || fail "no axis"
# It speaks of the time that was charted, not of what the width could hold.
grep -q '└ [2-4]\.[0-9] s ago ─' screen.txt || fail "the axis' time: $(grep ago screen.txt)"
# The clock of two CPUs in 100 ms.
grep 'cpu-clock' screen.txt | grep -q 'max *[0-9.]*K\?$' || fail "max of cpu-clock"

# Narrower and lower: one line each, and nothing wraps.
tm resize-window -x 60 -y 8
sleep 0.5
show
[ "$(grep -c 'every 100 ms' screen.txt)" -eq 1 ] || fail "after a change of size: not one picture"
grep -q '^cpu-clock msec ' screen.txt || fail "lower: no flat charts"
LC_ALL=C.UTF-8 grep -E '^.{60,}$' screen.txt && fail "lines fill the last column"

# Ctrl-C: the picture stays, the prompt follows below it.
tm send-keys C-c
wait_for '^ready>' 5
show
grep -q 'cpu-clock' screen.txt || fail "the picture is gone after Ctrl-C"
tm resize-window -x 90 -y 24

# Without UTF-8: plain characters.
tm send-keys "clear; LANG=C '$ASSAY' stat -I 100 --interval-count 5 --plot -e page-faults -a" Enter
wait_for '[1-9][0-9]* ms, every 100 ms' 5
wait_for '^ready>' 5
show
grep -q '[▁▂▃▄▅▆▇█]' screen.txt && fail "blocks without UTF-8"
grep -q '#' screen.txt || fail "no ASCII chart"

# What has no chart is named.
tm send-keys "clear; '$ASSAY' stat -I 100 --interval-count 3 --plot -e page-faults,r0,r1 -a" Enter
wait_for 'every 100 ms' 5
wait_for '^ready>' 5
show
if "$ASSAY" stat -x, --log-fd 1 -e r0 true | grep -q 'not supported'; then
	grep -q '^r0, r1  <not supported>' screen.txt || fail "an unsupported event is left out"
fi
[ "$(grep -c 'every 100 ms' screen.txt)" -eq 1 ] || fail "with an unsupported event: not one picture"

# Names from targets do no harm.
p=$(printf 'x\033[41mY')
cp "$(command -v sleep)" "$p"
tm send-keys "clear; '$ASSAY' stat -I 100 --plot -e page-faults -- ./x*Y 1" Enter
wait_for 'every 100 ms' 5
show
grep -q 'x\\e\[41mY' screen.txt || fail "an escape sequence of a command's name reached the terminal"
wait_for '^ready>' 5
echo "charts are drawn, in place, in any size"

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
# python sets LC_CTYPE for what it starts, where there is no locale.
tm new-session -d -x 90 -y 24 "env -u LC_ALL -u LC_CTYPE LANG=C.UTF-8 PS1='ready> ' bash --norc" 2>/dev/null || skip "tmux does not start here"
# A stable screen: captured twice with the same content, because a capture may fall in the middle of a redraw.
show() {
	local n=50
	tm capture-pane -p >screen.txt
	while sleep 0.02 && tm capture-pane -p >screen.next && ! cmp -s screen.txt screen.next && [ $n -gt 0 ]; do
		mv screen.next screen.txt
		n=$((n - 1))
	done
}
wait_until() { # WHAT CONDITION…
	local what=$1 n=300
	shift
	while [ $n -gt 0 ]; do
		show
		"$@" && return
		sleep 0.1
		n=$((n - 1))
	done
	cat screen.txt >&2
	fail "the screen never showed: $what"
}
wait_for() { # PATTERN
	wait_until "$1" grep -q -- "$1" screen.txt
}
count() { # PATTERN
	grep -c -- "$1" screen.txt || true
}
is_at_prompt() { grep -q '^ready>$' screen.txt; }
is_cleared() { is_at_prompt && ! grep -q 'every 100 ms' screen.txt; }
run() { # COMMAND LINE: on a screen that shows nothing of the one before
	tm send-keys clear Enter
	wait_until "an empty screen" is_cleared
	tm send-keys "$1" Enter
}
is_one_picture() { [ "$(count 'every 100 ms')" -eq 1 ]; }

charts_of_three() {
	local e
	for e in cpu-clock page-faults context-switches; do
		[ "$(count "^$e ")" -eq 1 ] || return
	done
	is_one_picture && grep -q '█' screen.txt && [ "$(count 'now ')" -ge 3 ] && [ "$(count 'max ')" -eq 3 ] &&
		grep 'cpu-clock' screen.txt | grep -q 'max *[0-9.]*K\?$' # the clock of all CPUs in 100 ms
}
# The axis shows the time that was charted, until that is more than the width can hold (61 columns of 0.1 s or, with late ones, more).
axis_of_charted_time() {
	sed -nE 's/^([0-9.]+) s, every 100 ms.*/shown \1/p; s/^ *└ ([0-9.]+) s ago ─.* now ┘.*/axis \1/p' screen.txt |
		awk '{ v[$1] = $2 } END { least = v["shown"] < 6 ? v["shown"] - 0.3 : 6; exit !(NR == 2 && v["axis"] >= least && v["axis"] <= v["shown"] + 0.1) }'
}
flat_charts() {
	is_one_picture && grep -q '^cpu-clock msec ' screen.txt && ! LC_ALL=C.UTF-8 grep -Eq '^.{60,}$' screen.txt
}

run "'$ASSAY' stat -a -I 100 --plot -e cpu-clock,page-faults,context-switches -- sleep 60"
wait_for '[2-9]\.[0-9] s, every 100 ms'
wait_until "one chart of each event, drawn in place" charts_of_three
wait_until "an axis of the time charted" axis_of_charted_time

# Narrower and lower: one line each, and nothing wraps.
tm resize-window -x 60 -y 8
wait_until "flat charts, none as wide as the last column" flat_charts

# Ctrl-C: the picture stays, the prompt follows below it.
tm send-keys C-c
wait_until "a prompt" is_at_prompt
grep -q 'cpu-clock' screen.txt || fail "the picture is gone after Ctrl-C"
tm resize-window -x 90 -y 24

# Without UTF-8: plain characters.
run "LANG=C '$ASSAY' stat -I 100 --interval-count 5 --plot -e page-faults -a"
wait_for 'every 100 ms'
wait_until "a prompt" is_at_prompt
grep -q '[▁▂▃▄▅▆▇█]' screen.txt && fail "blocks without UTF-8"
grep -q '#' screen.txt || fail "no ASCII chart"

# What has no chart is named.
run "'$ASSAY' stat -I 100 --interval-count 3 --plot -e page-faults,r0,r1 -a"
wait_for 'every 100 ms'
wait_until "a prompt" is_at_prompt
if "$ASSAY" stat -x, --log-fd 1 -e r0 true | grep -q 'not supported'; then
	grep -q '^r0, r1  <not supported>' screen.txt || fail "an unsupported event is left out"
fi
is_one_picture || fail "with an unsupported event: not one picture"

# Names from targets do no harm.
p=$(printf 'x\033[41mY')
cp "$(command -v sleep)" "$p"
run "'$ASSAY' stat -I 100 --plot -e page-faults -- ./x*Y 1"
wait_for 'x\\e\[41mY' # its escape sequence does not reach the terminal
wait_until "a prompt" is_at_prompt
echo "charts are drawn, in place, in any size"

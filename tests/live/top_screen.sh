# assay top on a terminal: rows, help, callers, the flame view, a smaller window, stopping and going on; the terminal is given back at each end.
. "$(dirname "$0")/../lib.sh"
need tmux
work=
session=top-$$
t() {
	tmux -L "$session" "$@"
}
trap 'kill -9 $work 2>/dev/null || true; t kill-server 2>/dev/null || true' EXIT

# shows TEXT: waits until the screen does.
shows() {
	local i
	for i in $(seq 300); do
		t capture-pane -p >screen
		! grep -q -- "$1" screen || return 0
		sleep 0.1
	done
	fail "never shows '$1': $(cat screen)"
}
keys() {
	t send-keys "$@"
}

"$WORKLOADS/seventy_thirty" 600 >none 2>&1 &
work=$!
unset NO_COLOR
# No bash with its own idea of the terminal: what stty says before and after is compared.
cat >run <<END
stty -g >before
while read -r line; do
	[ "\$line" != end ] || exit 0
	eval "\$line"
	echo "status \$?"
	stty -g >after
	cmp before after && echo "terminal as before"
done
END
t -f /dev/null new-session -d -x 100 -y 30 "sh ./run"
start() {
	t clear-history
	keys "clear; $ASSAY top -g -d 0.5 -p $work" Enter
	shows 'Children  *Self  Shared Object'
	shows '\[\.\] seventy'
}
gone() {
	shows "status $1"
	shows 'terminal as before'
	! grep -q 'own cost' screen || fail "the screen of before is not there: $(cat screen)"
}

start
keys h
shows 'seconds between refreshes'
keys x
shows '\[\.\] seventy'
keys Down
keys Down
keys Enter
shows '%  *[a-z_]*$'
keys x
keys f
shows '^main\|^ *seventy\|^ *_start\|^ *__libc_start'
keys x
shows 'Shared Object'
t resize-window -x 60 -y 12
shows 'q quit  z zero'
[ "$(wc -l <screen)" = 12 ] || fail "12 lines: $(cat screen)"
keys d
shows 'Seconds between refreshes:'
keys 1 Enter
shows 'refresh: 1 s'
keys ' '
shows 'FROZEN'
t resize-window -x 100 -y 30
keys q
gone 0

# Signals: to end, and to stop and go on.
start
kill -INT "$(pgrep -P "$(t display-message -p '#{pane_pid}')" -f 'assay top')"
gone 0
start
kill -TERM "$(pgrep -P "$(t display-message -p '#{pane_pid}')" -f 'assay top')"
gone 143
start
pid=$(pgrep -P "$(t display-message -p '#{pane_pid}')" -f 'assay top')
kill -SEGV "$pid"
gone 139
start
pid=$(pgrep -P "$(t display-message -p '#{pane_pid}')" -f 'assay top')
kill -TSTP "$pid"
for _ in $(seq 300); do
	[ "$(cut -d' ' -f3 "/proc/$pid/stat")" != T ] || break
	sleep 0.1
done
[ "$(cut -d' ' -f3 "/proc/$pid/stat")" = T ] || fail "SIGTSTP does not stop it"
for _ in $(seq 100); do
	t capture-pane -p >screen
	grep -q 'own cost' screen || break
	sleep 0.1
done
! grep -q 'own cost' screen || fail "stopped, and the screen is not given back: $(cat screen)"
kill -CONT "$pid"
shows 'own cost'
keys q
gone 0

# assay top on a terminal: rows, callers, filter, zooms, annotated functions, the flame view and what of it a refresh keeps; sizes, the mouse, stopping
# and going on; the terminal is given back at each end.
. "$(dirname "$0")/../lib.sh"
need tmux
"$ASSAY" version --build-options | grep -q 'ncurses: \[ on' || skip "assay is built without ncurses"
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
set -m
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
# hides TEXT: waits until the screen does not show it.
hides() {
	local i
	for i in $(seq 300); do
		t capture-pane -p >screen
		grep -q -- "$1" screen || return 0
		sleep 0.1
	done
	fail "'$1' stays: $(cat screen)"
}
# What each refresh changes: the figures of cost and of the samples.
figures() {
	t capture-pane -p | grep -o 'own cost.*\|[0-9.]* samples.*lost'
}
# refreshed: waits until the screen was refreshed.
refreshed() {
	local i before
	before=$(figures)
	for i in $(seq 300); do
		[ "$(figures)" = "$before" ] || return 0
		sleep 0.1
	done
	fail "no refresh: $(t capture-pane -p)"
}
start() {
	t clear-history
	keys "clear; $ASSAY top -g -s comm,dso,sym -d 0.2 -p $work" Enter
	shows 'Children  *Self  Command  *Shared Object'
	shows '\[\.\] seventy'
	shows 'own cost'
}
gone() {
	shows "status $1"
	shows 'terminal as before'
	! grep -q 'own cost' screen || fail "the screen of before is not there: $(cat screen)"
}

start
keys h
shows 'seconds between refreshes'
shows 'Everywhere'
keys q
shows '\[\.\] seventy'
# Rows with a word; the callers of a function; both outlive refreshes, and so does the cursor.
keys /
shows 'only rows with:'
keys '] sevent'
shows 'only rows with: \] sevent'
refreshed
shows 'only rows with: \] sevent'
keys y Enter
hides '\[\.\] thirty'
keys /
shows 'only rows with: \] seventy'
keys C-u '] thirty' Enter
hides '\[\.\] seventy'
keys Escape
shows '\[\.\] seventy'
keys /
shows 'only rows with:'
keys '[.] seventy' Enter
hides '\[\.\] thirty'
keys Enter
shows '^- .*\[\.\] seventy'
shows '% main'
keys Escape
shows '\[\.\] thirty'
refreshed
refreshed
shows '^- .*\[\.\] seventy'
shows '% main'
# The cursor is still there: c closes it.
keys c
hides '% main'
keys E
shows '^- .*\[\.\] thirty'
keys C
hides '% main'
# Annotate: with the samples that go on coming.
keys a
shows 'seventy (seventy_thirty), [0-9]* samples'
shows ' %rsp\|%eax\|%r[a-d]x\|  ret'
samples=$(grep -o '[0-9]* samples' screen | head -1)
hides "thirty), $samples"
keys q
shows 'own cost.*refresh'
shows 'Shared Object'
# Zooms.
keys d
shows ', module: seventy_thirty'
hides 'kernel.kallsyms'
refreshed
shows ', module: seventy_thirty'
keys t
shows ', thread: seventy_thirty'
keys q
hides ', module'
shows '\[\.\] thirty'
# The flame view, its zoom and its cursor.
keys f
shows '100.00% all'
keys /
shows 'mark frames with:'
keys seventy Enter
shows 'marked'
keys Enter
hides '100.00% all'
shows '% seventy'
refreshed
refreshed
shows '% seventy.*marked'
keys Escape
shows '100.00% all\|% seventy'
keys q
shows 'Shared Object'
# The mouse: a click selects a row.
line=$(printf '%x' $((32 + $(t capture-pane -p | grep -n '\[\.\] thirty' | cut -d: -f1))))
keys -H 1b 5b 4d 20 2a "$line" 1b 5b 4d 23 2a "$line"
for _ in $(seq 300); do
	! t capture-pane -pe | grep -q '47m.*\[\.\] thirty' || break
	sleep 0.1
done
t capture-pane -pe | grep -q '47m.*\[\.\] thirty' || fail "a click selects nothing: $(t capture-pane -pe)"
keys e
shows '^- .*\[\.\] thirty'
keys c
hides '^- .*\[\.\] thirty'
# Saving, freezing, hiding, a delay.
keys P
shows 'saved as assay.top.0'
grep -q '%  *seventy_thirty  *seventy_thirty  *\[\.\] seventy$' assay.top.0 || fail "what was saved: $(cat assay.top.0)"
keys ' '
shows 'FROZEN'
keys ' '
hides 'FROZEN'
keys U
shows 'hidden: user'
keys U
hides 'hidden: user'
t resize-window -x 60 -y 12
shows 'h:help'
[ "$(wc -l <screen)" = 12 ] || fail "12 lines: $(cat screen)"
keys D
shows 'Seconds between refreshes:'
keys 1000 0 Enter
shows 'is not a number of seconds'
keys D
shows 'Seconds between refreshes:'
keys 1 Enter
shows 'refresh: 1 s'
t resize-window -x 20 -y 5
shows 'h:help'
t resize-window -x 100 -y 30
shows 'Shared Object'
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
gone 148
[ "$(cut -d' ' -f3 "/proc/$pid/stat")" = T ] || fail "SIGTSTP does not stop it"
keys fg Enter
shows 'own cost'
refreshed
keys q
gone 0

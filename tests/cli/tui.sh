# The terminal UI in tmux: views and keys, sizes, and a terminal that is as before, however the program ends.
. "$(dirname "$0")/../lib.sh"
need tmux
"$ASSAY" version --build-options | grep -q 'ncurses: \[ on' || skip "assay is built without ncurses"
data=$(cd "$(dirname "$0")/../golden/recordings" && pwd)
cp "$data/parallel.data" "$data/assay-chains.data" "$data/assay-plain.data" "$data/assay-release2.data" .

mux() {
	tmux -S "$TMPDIR/tmux.socket" -f /dev/null "$@"
}
trap 'mux kill-server 2>/dev/null' EXIT
export -n LC_ALL
LC_ALL=C.UTF-8 TERM=xterm mux new-session -d -s ui -x 80 -y 24 "LC_ALL=C.UTF-8 PS1='ready> ' HISTFILE= bash --norc --noprofile"
mux set-option -g default-terminal screen-256color >/dev/null

screen() {
	mux capture-pane -p -t ui
}
keys() {
	mux send-keys -t ui "$@"
}
# shows TEXT: waits until it is on the screen, and the screen the same twice.
shows() {
	local i last='' now
	for ((i = 0; i < 600; i++)); do
		now=$(screen)
		if [ "$now" = "$last" ] && grep -qF -- "$1" <<<"$now"; then
			return
		fi
		last=$now
		sleep 0.1
	done
	fail "'$1' does not come: $(screen)"
}
# hides TEXT: the same until it is gone.
hides() {
	local i
	for ((i = 0; i < 600; i++)); do
		screen | grep -qF -- "$1" || return 0
		sleep 0.1
	done
	fail "'$1' stays: $(screen)"
}
# The shell has its terminal back: the normal screen, a cursor, no mouse, its modes.
modes() {
	mux display-message -p -t ui '#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_cursor_flag}'
}
is_restored() {
	local i now=
	for ((i = 0; i < 600; i++)); do
		now=$(modes)
		[ "$now" != "0 1 0 0" ] || break
		sleep 0.1
	done
	[ "$now" = "0 1 0 0" ] || fail "$1: the terminal is '$now': $(screen)"
	keys C-l
	keys "stty -g >modes.now; echo modes=\$?" Enter
	shows 'modes=0'
	cmp -s modes.before modes.now || fail "$1: the modes are $(cat modes.now), not $(cat modes.before)"
	keys C-l
	hides 'modes=0'
}
start() {
	keys "'$ASSAY' $1 --symfs '${data%recordings}files' ${*:2}" Enter
}
pid_of_ui() {
	local i pid=
	for ((i = 0; i < 600 && ${#pid} == 0; i++)); do
		pid=$(ps -o pid= --ppid "$(mux display-message -p -t ui '#{pane_pid}')" | tr -d ' ' | head -1)
		sleep 0.05
	done
	echo "$pid"
}

shows 'ready>'
keys 'stty -g >modes.before; echo done=$?' Enter
shows 'done=0'

# Open, expand, collapse.
start report -i parallel.data
shows 'h:help'
shows "Samples: 205 of event 'cpu-clock'"
shows 'Quality: 100.0% of stacks complete'
keys Enter
shows '- 37.16% _start'
shows '+ 27.18% run'
keys Down Down Enter
shows '- 27.18% run'
keys C
hides '- 37.16% _start'
keys E
shows '- 27.18% run'
keys C
# Filter; the way back is Esc.
keys /
shows 'only rows with:'
keys pause Enter
shows "[only 'pause']"
hides '_start'
keys Escape
shows '_start'
# Letters large or small; each changes what is shown, and a word that is taken back letter by letter does, too.
keys / PAUX
shows 'no row has this word in it'
keys BSpace S E
shows 'pause_ms'
keys BSpace BSpace BSpace BSpace BSpace Enter
shows '_start'
# Zoom into a module and a thread, out again.
keys Home d
shows 'module: shop1'
keys t
shows 'thread: sell'
hides 'bake'
keys q
hides 'thread: sell'
keys q
hides 'module: shop1'
# Callers and callees.
keys b
shows 'Callers and callees of _start'
shows 'callee  run'
keys q
# Annotate.
keys / ; keys pause Enter
shows "[only 'pause']"
keys a
shows 'pause_ms (shop1)'
shows 'H:hottest'
keys q
shows "[only 'pause']"
keys Escape
# Flame: search, zoom, back.
keys f
shows '100.00% all'
keys /
keys recurse Enter
shows "[marked: 'recurse']"
keys Enter
hides '100.00% all'
keys Escape Escape
shows 'Children'
# Sequences that no key of this terminal sends are no keys, and no Esc; cursor keys are known in both modes of a keypad.
keys -H 1b 5b 39 39 7e 1b 5b 31 3b 39 51
keys Home
keys -H 1b 5b 42
keys Enter
shows '- 33.28% _start'
keys C Home
hides '- 33.28% _start'
# Help, header, notes, save, other file.
keys h
shows 'Everywhere'
keys q
shows 'Children'
keys i
shows 'How and where it was recorded'
keys q
shows 'Children'
keys P
shows 'saved as assay.hist.0'
[ "$(grep -c '%.*\[\.\] recurse' assay.hist.0)" -ge 3 ] || fail "what was saved: $(cat assay.hist.0)"
keys s
shows 'Recordings of this directory'
shows 'assay-plain.data'
keys q
shows 'Children'
# Threads over time; a range of it, and back to all.
keys T
shows 'Threads over 0.193 s'
keys Space Right Right Right Right Right Right Right Right Enter
shows ', time: '
hides 'Samples: 205'
keys q
shows 'Samples: 205'
# Another recording, and back.
keys s
shows 'Recordings of this directory'
keys Home Enter
shows 'file: assay-chains.data'
keys q
shows 'file: parallel.data'
# Sizes.
for size in '200 50' '20 5' '80 24'; do
	# shellcheck disable=SC2086
	mux resize-window -t ui -x ${size% *} -y ${size#* }
	shows 'Samples'
	[ "$(screen | wc -l)" -le "${size#* }" ] || fail "$size: $(screen)"
	keys f
	shows 'all'
	keys q
	shows 'Samples'
	keys h
	shows 'keys'
	keys q
	shows 'Samples'
done
shows 'Quality:'
# Quit.
keys q
shows 'ready>'
is_restored quit

# Started where the screen is small.
mux resize-window -t ui -x 20 -y 5
start report -i parallel.data
shows 'Sampl'
keys Down Down Enter Down PageDown End Home q
shows 'ready>'
is_restored 'a small screen'
mux resize-window -t ui -x 80 -y 24

# Signals: each gives the terminal back, and the shell sees what ended the program.
for signal in INT TERM HUP QUIT SEGV ABRT BUS; do
	start report -i parallel.data
	shows 'h:help'
	kill "-$signal" "$(pid_of_ui)"
	shows 'ready>'
	keys 'echo status=$?' Enter
	shows "status=$((128 + $(kill -l $signal)))"
	is_restored "SIG$signal"
done
start report -i parallel.data
shows 'h:help'
keys C-c
shows 'ready>'
is_restored 'Ctrl-C'

# Stopped and continued.
start report -i parallel.data
shows 'h:help'
keys Enter
shows '- 37.16% _start'
keys C-z
shows 'Stopped'
is_restored 'Ctrl-Z'
keys fg Enter
shows '- 37.16% _start'
keys C
hides '- 37.16% _start'
pid=$(pid_of_ui)
kill -TSTP "$pid"
shows 'Stopped'
is_restored SIGTSTP
keys fg Enter
shows 'h:help'
kill -STOP "$pid"
shows 'Stopped'
keys fg Enter
shows 'h:help'
keys q
shows 'ready>'
is_restored 'after fg'

# Text where it is asked for, in a pipe, and where the terminal cannot.
"$ASSAY" report -i parallel.data >plain 2>/dev/null
"$ASSAY" report --stdio -i parallel.data 2>/dev/null | expect_same plain - "--stdio in a pipe"
start report "--stdio -i parallel.data | tail -3; echo end=\$?"
shows 'end=0'
shows 'Tip:'
keys C-l
keys "TERM=dumb '$ASSAY' report -i parallel.data | tail -1; TERM=dumb '$ASSAY' report -i parallel.data --tui; echo dumb=\$?" Enter
shows 'dumb=1'
shows "TERM is 'dumb'"
"$ASSAY" report --tui -i parallel.data >out 2>err </dev/null && fail "--tui without a terminal"
grep -q 'report: --tui: standard .* is no terminal; without --tui there is text' err || fail "--tui: $(cat err)"

# Of a file that is cut short the screen says so, not the last message alone.
head -c $(($(stat -c %s parallel.data) * 2 / 3)) parallel.data >cut.data
start report -i cut.data
shows 'The file is damaged (n: how)'
keys n
shows 'WARNING: cut.data is cut short'
keys q
shows 'h:help'
keys q
shows 'ready>'
is_restored 'a damaged file'
start annotate -i cut.data
shows 'functions with samples'
shows 'The file is damaged (n: how)'
keys n
shows 'WARNING: cut.data is cut short'
keys q
shows 'functions with samples'
keys Enter
shows 'H:hottest'
shows 'The file is damaged (n: how)'
keys q
shows 'functions with samples'
keys q
is_restored 'annotate of a damaged file'
start diff assay-chains.data cut.data
shows 'cut.data is damaged (n: how)'
keys n
shows 'assay-chains.data:'
shows 'WARNING: cut.data is cut short'
keys q
shows 'Baseline'
keys q
is_restored 'diff of a damaged file'

# Names that would move the cursor, turn the direction, or are wide.
printf 'main;evil\033]0;x\007\033[2J;\xe2\x80\xaeturned 70\nmain;\xe6\xbc\xa2\xe5\xad\x97 30\n' >names.folded
start report --no-children -i names.folded
shows 'h:help'
shows '\xe2\x80\xaeturned'
shows '漢字'
keys E
shows 'evil\e]0'
shows 'x\x07\e[2J'
keys f
shows 'turned'
keys q q
shows 'ready>'
is_restored 'hostile names'

# Annotate: a list of functions, one that is asked for, jumps, saving.
start annotate -i parallel.data
shows 'functions with samples'
keys / ; keys pause Enter
shows "[only 'pause']"
keys Enter
shows 'pause_ms (shop1)'
keys H P
shows 'saved as assay.annotate.0'
grep -q 'Disassembly\|:' assay.annotate.0 || fail "what was saved: $(cat assay.annotate.0)"
grep -q $'\033' assay.annotate.0 && fail "escape sequences were saved"
keys q
shows 'functions with samples'
keys q
is_restored annotate
start annotate -i parallel.data pause_ms
shows 'pause_ms (shop1)'
keys Down
shows 'Quality: 205 samples, 0 lost, 0 throttled'
keys n
shows 'a timer samples where the program is interrupted'
keys q
shows 'pause_ms (shop1)'
keys q
is_restored 'annotate SYMBOL'

# The syntax of code, and colours, by options and by the configuration: neither asks for text.
"$ASSAY" annotate --stdio -q -M intel -s pause_ms --symfs "${data%recordings}files" -i parallel.data >intel
"$ASSAY" annotate --stdio -q -s pause_ms --symfs "${data%recordings}files" -i parallel.data >att
! cmp -s intel att || fail "both syntaxes are the same: $(head intel)"
word=$(grep -o '[a-z]* *r[a-z]*,r[a-z]*$' intel | head -1)
[ -n "$word" ] && ! grep -qF "$word" att || fail "no instruction tells the syntaxes apart: $(cat intel)"
printf '[annotate]\n\tdisassembler_style = intel\n[report]\n\tcolor = never\n' >config
for how in "-M intel" ""; do
	[ -n "$how" ] || keys "export ASSAY_CONFIG='$PWD/config'" Enter
	start report -i parallel.data "$how"
	shows 'h:help'
	keys / ; keys pause Enter
	shows "[only 'pause']"
	keys a
	shows "$word"
	keys q
	shows "[only 'pause']"
	keys q
	shows 'ready>'
done
keys 'unset ASSAY_CONFIG' Enter
is_restored 'a configuration'

# Colours: those of the configuration, none with report.color=never or NO_COLOR, and always in spite of that. 31 is red, 34 blue, 45 magenta.
colours() {
	mux capture-pane -e -p -t ui | grep -o $'\033\[[0-9;]*m' | tr -c '0-9\n' '\n' | sort -u | tr '\n' ' '
}
# coloured WORDS PATTERN ABSENT: with a configuration there are colours like PATTERN, and none like ABSENT.
coloured() {
	printf '%b' "$1" >config
	start report -i parallel.data
	shows 'h:help'
	echo " $(colours)" >colours
	grep -q "$2" colours && ! grep -q "$3" colours || fail "colours with $1: $(colours)"
	keys q
	shows 'ready>'
	keys C-l
	hides 'h:help'
}
keys "unset NO_COLOR; export ASSAY_CONFIG='$PWD/config'; clear" Enter
hides 'unset'
coloured '' ' 31 ' ' 34 '
coloured '[colors]\n\ttop = blue, magenta\n' ' 34 .*45 ' ' 31 '
coloured '[colors]\n\ttop = blue\n' ' 34 ' ' 31 '
coloured '[report]\n\tcolor = never\n[colors]\n\ttop = blue\n' ' 7 ' ' [34][0-8] '
keys "export NO_COLOR=1; clear" Enter
hides 'NO_COLOR'
coloured '[colors]\n\ttop = blue\n' ' 7 ' ' [34][0-8] '
coloured '[report]\n\tcolor = always\n' ' 31 ' ' 34 '
keys 'unset ASSAY_CONFIG; clear' Enter
hides 'ASSAY_CONFIG'

# Threads over time: those that run count, not those that wait; waits count where there is nothing else.
python3 "$TOOLS/make_records.py" waits waits.data
python3 "$TOOLS/make_records.py" offcpu offcpu.data
start report -i waits.data
shows "Samples: 3 of event 'cpu-clock"
keys T
shows 'Threads over 0.052 s'
screen | grep -A1 '^thread' | tail -n 1 | grep -q '^two  *101 ' || fail "the busiest thread: $(screen)"
keys q
shows 'Overhead'
keys q
is_restored 'a strip of busy threads'
start report -i offcpu.data
shows "Samples: 4 of event 'offcpu-time'"
keys T
shows 'Threads over 0.120 s'
keys q
shows 'Overhead'
keys q
is_restored 'a strip of waits'

# Diff: rows, filter, saving.
start diff assay-chains.data assay-release2.data
shows 'Differences of event cpu-clock'
shows 'Quality of assay-chains.data: 100.0% of stacks complete'
shows 'Baseline'
keys / ; keys render Enter
shows "[only 'render']"
hides '[.] recurse'
keys P
shows 'saved as assay.diff.0'
grep -q '^# Baseline' assay.diff.0 || fail "what was saved: $(cat assay.diff.0)"
keys q
is_restored diff
"$ASSAY" diff --tui assay-chains.data assay-release2.data >out 2>err </dev/null && fail "diff --tui without a terminal"
grep -q 'diff: --tui: standard' err || fail "diff --tui: $(cat err)"
"$ASSAY" annotate --tui -i parallel.data >out 2>err </dev/null && fail "annotate --tui without a terminal"
grep -q 'annotate: --tui: standard' err || fail "annotate --tui: $(cat err)"

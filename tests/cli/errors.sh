# Errors of use: one sentence on stderr, with the fix where there is one; exit status 1, of usage 2.
# (Workloads that cannot be started and recordings that fail half-way: live/record_exit.sh.)
. "$(dirname "$0")/../lib.sh"

# fails CODE PATTERN COMMAND…
fails() {
	local want=$1 pattern=$2 got=0
	shift 2
	timeout 60 "$@" >out 2>err </dev/null || got=$?
	[ "$got" -eq "$want" ] || fail "exit status $got instead of $want: $*: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || fail "not one sentence: $*: $(cat err)"
	grep -q '^assay: ' err || fail "$*: who speaks? $(cat err)"
	grep -q -E -- "$pattern" err || fail "$*: no '$pattern': $(cat err)"
	[ ! -s out ] || fail "$*: something on stdout"
}

# no perf.data yet
for command in report "report --stdio --header" script "script -D" evlist; do
	fails 1 "no perf.data here: record first with 'assay record" "$ASSAY" $command
	fails 1 'no file other.data' "$ASSAY" $command -i other.data
done

# each command names the recorder that makes what it reads
while IFS='|' read -r command recorder; do
	fails 1 "no perf.data here: record first with '$recorder -- COMMAND'" "$ASSAY" $command
	fails 1 "no file other.data; '$recorder -- COMMAND' records" "$ASSAY" $command -i other.data
done <<'TXT'
sched latency|assay sched record
sched timehist|assay sched record
sched map|assay sched record
sched summary|assay sched record
sched replay|assay sched record
timechart|assay timechart record
timechart -I|assay timechart record -I
heatmap --off-cpu|assay sched record
heatmap --run-queue|assay sched record
heatmap --syscall read|assay trace record
flame --by state|assay record --off-cpu --call-graph dwarf
report --latency|assay record --latency
report -s parallelism|assay record --latency
kmem stat|assay kmem record
kwork report|assay kwork record
lock report|assay lock record
wall|assay wall record
TXT
fails 1 "no perf.data here: record first with 'assay stat record" "$ASSAY" stat report
fails 1 "no file perf.data; 'assay sched stats record" "$ASSAY" sched stats report

# whom to record
rec="$ASSAY record -e cpu-clock -o x.data"
fails 1 "no process 4194303; 'ps -e' lists" $rec -p 4194303
fails 1 'no process 4194303' $rec -p 1,4194303
fails 1 "no thread 4194303; 'ps -eL' lists" $rec -t 4194303
fails 1 "no user 'nobody-of-this-name'" $rec -u nobody-of-this-name
fails 1 'CPU 9999 is not online; online are' $rec -C 9999 true
fails 1 'cannot create /nonexistent/x: No such file' "$ASSAY" record -e cpu-clock -o /nonexistent/x true

# which events
rec="$ASSAY record -o x.data"
fails 1 "no event 'no-such-event'; 'assay list' shows all" $rec -e no-such-event true
fails 1 "no event 'cycels'; did you mean 'cycles'" $rec -e cycels true
fails 1 "column 11: there is no event 'page-fautls'; did you mean 'page-faults'" $rec -e cpu-clock,page-fautls true
fails 1 "no modifier 'z'; they are" $rec -e cpu-clock:z true
fails 1 "no-such-system" $rec -e no-such-system:event true
[ ! -e x.data ] || fail "a recording that failed left a file"

# usage
fails 2 "no command 'recrod'; did you mean 'record'" "$ASSAY" recrod
fails 2 "no command 'xyzzy'.*'assay --help' lists" "$ASSAY" xyzzy
fails 2 "unknown option --nope .*'assay --help' lists" "$ASSAY" --nope
for command in report script evlist record; do
	fails 2 "unknown option --no-such-option .*'assay $command --help' lists" "$ASSAY" $command --no-such-option
	fails 2 "unknown option -[^ ]" "$ASSAY" $command -%
done
fails 2 'did you mean --children' "$ASSAY" report --childern
fails 2 'did you mean --fields' "$ASSAY" script --feilds comm
for command in report script evlist; do
	fails 2 '-i needs an argument' "$ASSAY" $command -i
done
# A key may be a field of the recording.
golden=$(dirname "$0")/../golden/recordings
fails 2 "no key 'nope' \(comm " "$ASSAY" report --sort nope -i "$golden/perf-plain.data"
fails 2 "no key or field 'fla'; did you mean 'flags'. \(syscalls:sys_enter_clock_nanosleep has .* flags" \
	"$ASSAY" report --sort fla -i "$golden/perf-sleeps.data"
fails 2 "'xyzzy.b' is about tracepoints, and this recording has none of that name" "$ASSAY" report --sort xyzzy.b -i "$golden/perf-sleeps.data"
fails 2 "'trace' is about tracepoints, and this recording has none$" "$ASSAY" report --sort trace -i "$golden/perf-plain.data"
fails 2 "'trace' is about tracepoints, and this recording has none$" "$ASSAY" diff --sort trace "$golden/perf-plain.data" "$golden/assay-plain.data"
fails 2 "behind the '/' of a field there is raw or name" "$ASSAY" report --sort flags/hex
fails 2 "no field 'nope' \(comm " "$ASSAY" script -F nope
fails 2 "'x' is no time range; write" "$ASSAY" script --time x
fails 2 "'x' is no list of CPUs such as" "$ASSAY" script --cpu x
fails 2 "report: unexpected argument 'b'" "$ASSAY" report a b
fails 2 "there is no recording 'a'" "$ASSAY" script a
fails 2 "evlist: unexpected argument 'b'" "$ASSAY" evlist a b
fails 2 'samples per second' "$ASSAY" record -F abc true
fails 2 "'abc' has something else at column 1" "$ASSAY" record -p abc

# options that would spoil one another, and what perf has and this version has not
for option in --header --header-only --stats --tasks --mmaps -D '-t ,'; do
	fails 2 '--json does not go together with --' "$ASSAY" report --json $option
done
for option in --header --header-only -D '-F comm' -G --show-task-events --show-mmap-events --show-lost-events --show-round-events; do
	fails 2 '--json does not go together with --' "$ASSAY" script --json $option
done
fails 2 '--group: .* not in this version' "$ASSAY" report --group
fails 2 '--hierarchy: .* not in this version' "$ASSAY" report --hierarchy
fails 2 "unknown value 'blue'" "$ASSAY" report --stdio-color blue
fails 2 "'8,x' is no list of at most" "$ASSAY" report -w 8,x
if "$ASSAY" record -q -e cpu-clock -g -o no-cpu.data true 2>/dev/null; then
	for command in report script; do
		fails 1 '--cpu: this recording does not say .* --sample-cpu' "$ASSAY" $command -C 0 -i no-cpu.data
	done
	"$ASSAY" report --stdio-color always --no-group --no-inline -i no-cpu.data >out 2>err || fail "report --stdio-color: $(cat err)"
	fails 1 'report: --tui: .* without --tui there is text' "$ASSAY" report --tui -i no-cpu.data
	"$ASSAY" record -q -e cpu-clock -o no-chains.data true
	"$ASSAY" report -g caller -i no-chains.data >out 2>err || fail "report -g without chains: $(cat err)"
	grep -q 'no call chains (record with --call-graph dwarf)' err || fail "report -g without chains: no reason given"
	"$ASSAY" report -g none -i no-chains.data >out 2>err
	[ ! -s err ] || fail "report -g none: $(cat err)"
	rm no-cpu.data no-chains.data
fi

# files that options name; and what a terminal must not see
head -c 0 /dev/null >empty
for option in --kallsyms --vmlinux --symfs; do
	fails 1 "$option: cannot read /nonexistent/f: No such file" "$ASSAY" report $option /nonexistent/f -i empty
done
for argument in "$(printf 'a\033[31mb')" "$(printf 'a\nb')"; do
	fails 1 'no file a' "$ASSAY" report -i "$argument"
	fails 1 'no event' $rec -e "$argument" true
	fails 2 'no command' "$ASSAY" "$argument"
	! grep -q "$(printf '\033')" err || fail "an escape sequence reached the terminal"
done

# without permission
nobody="setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	let_others_run
	mkdir closed open
	echo secret >closed/data
	echo secret >own.data
	chmod 755 .
	chmod 700 closed
	chmod 600 own.data
	chmod 777 open
	$nobody test -x . || skip "the directory of the test is closed to other users"
	for command in report script evlist; do
		fails 1 'no permission to read own.data: run as root' $nobody "$ASSAY" $command -i own.data
		fails 1 'no permission to read closed: run as root' $nobody "$ASSAY" $command -i closed
		fails 1 'no permission to read closed/data: run as root' $nobody "$ASSAY" $command -i closed/data
	done
	rec="$nobody $ASSAY record -e cpu-clock:u -o"
	fails 1 'cannot create closed/x: Permission denied; name a file' $rec closed/x true
	fails 1 'cannot create own.data: Permission denied; name a file' $rec own.data true
	fails 1 "no permission to profile process 1, .*'sudo setcap" $rec open/x -p 1
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
		fails 1 "perf_event_paranoid is [0-9].*'sudo sysctl" $rec open/x -a -- true
		fails 1 "perf_event_paranoid is [0-9].*'sudo sysctl" $nobody "$ASSAY" record -o open/x -e cpu-clock:k true
	fi
	[ "$(ls open; cat own.data)" = secret ] || fail "files were touched"
fi

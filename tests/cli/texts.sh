# What is said beside the figures: tips that fit, why there are no samples, notices once and not before errors, names of columns and of perf.
. "$(dirname "$0")/../lib.sh"
need python3

burn=$WORKLOADS/seventy_thirty
"$ASSAY" record -q -o flat.data -- "$burn" 0.1 2>/dev/null
"$ASSAY" record -q --call-graph dwarf -o deep.data -- "$burn" 0.1 2>/dev/null
"$ASSAY" record -o none.data -F 1 -- true 2>none.err

# tips fit the recording
tip() { # OPTIONS…
	"$ASSAY" report "$@" 2>/dev/null </dev/null | grep '^# (Tip: .*assay script' || fail "report $*: there is no tip"
}
tip flat.data | grep -q 'callers.*assay record --call-graph dwarf; every sample: assay script -i flat.data)' || fail "without stacks: $(tip flat.data)"
tip deep.data | grep -q 'own time alone: assay report --no-children -i deep.data; ' || fail "with stacks: $(tip deep.data)"
tip --no-children deep.data | grep -q 'all they called: assay report --children -i deep.data; ' || fail "--no-children: $(tip --no-children deep.data)"
"$ASSAY" report none.data >none.txt 2>report.err </dev/null
! grep '^# (.*assay \(script\|report\)' none.txt || fail "a tip shows samples, and there are none"

# a recording without samples says why, and what to try
grep -q 'assay: no samples of c.*: the program slept or ended before the first sample was due: record longer, or .*-F max' none.err ||
	fail "record without samples: $(cat none.err)"
for command in report script "export --format folded" "flame -o none.svg"; do
	# shellcheck disable=SC2086
	"$ASSAY" $command none.data >/dev/null 2>why.err </dev/null || fail "$command of a recording without samples: exit status $?"
	grep -q 'none.data has no samples of .*: record longer, or ' why.err || fail "$command of a recording without samples: $(cat why.err)"
done
"$ASSAY" record -o rare.data -e page-faults -c 1000000 -- true 2>rare.err
grep -q "no samples of page-faults.*did not happen often enough: 'assay stat'" rare.err || fail "an event that does not happen: $(cat rare.err)"
# Sampled each time already: -c 1 changes nothing.
"$ASSAY" record -o never.data -e alignment-faults -c 1 -- true 2>never.err
grep -q 'no samples of alignment-faults.*did not happen in what was recorded' never.err || fail "an event that never happens: $(cat never.err)"
! grep -q -e '-c 1' never.err || fail "-c 1 is advised where it was given: $(cat never.err)"
"$ASSAY" record -n -o counted.data -- true 2>counted.err
! grep -q 'no samples of' counted.err || fail "-n asks for no samples: $(cat counted.err)"

# without a command: all CPUs, until Ctrl-C
until_stopped() { # COMMAND…: runs it until it says that it runs, then stops it
	: >stopped.err
	"$ASSAY" "$@" >stopped.out 2>>stopped.err </dev/null &
	local pid=$! i
	for i in $(seq 300); do
		! grep -q 'until Ctrl-C' stopped.err || break
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill -INT $pid 2>/dev/null || true
	wait $pid || true
}
can_watch=$("$ASSAY" stat -a -e task-clock -- true >/dev/null 2>&1 && echo yes || true)
if [ "$can_watch" ]; then
	until_stopped record -o all.data
	grep -q '^assay: recording all CPUs, until Ctrl-C$' stopped.err || fail "record alone says: $(cat stopped.err)"
	until_stopped record -C 0 -o all.data
	grep -q '^assay: recording CPUs 0, until Ctrl-C$' stopped.err || fail "record -C 0 says: $(cat stopped.err)"
	until_stopped stat -e task-clock
	grep -q '^assay: counting all CPUs, until Ctrl-C$' stopped.err || fail "stat alone says: $(cat stopped.err)"
	"$ASSAY" stat -a -e task-clock -x, --timeout 100 2>csv.err || true
	! grep -q assay csv.err || fail "what programs read has a sentence in it: $(cat csv.err)"
fi

# what was done instead of what was asked for: once, and not before an error
"$ASSAY" record -e cycles -e cycles:u -e '{cycles,page-faults}' -o once.data -- true 2>once.err
[ "$(grep -c 'hardware PMU' once.err)" -le 1 ] || fail "the missing PMU is named more than once: $(cat once.err)"
expect_exit 127 "$ASSAY" record -o x.data ./nowhere 2>nowhere.err
[ "$(wc -l <nowhere.err)" -eq 1 ] || fail "record of what is not there: $(cat nowhere.err)"
expect_exit 1 "$ASSAY" record -o /nowhere/x.data true 2>nowhere.err
[ "$(wc -l <nowhere.err)" -eq 1 ] || fail "record to where nothing can be written: $(cat nowhere.err)"
expect_exit 127 "$ASSAY" stat ./nowhere 2>nowhere.err
[ "$(wc -l <nowhere.err)" -eq 1 ] || fail "stat of what is not there: $(cat nowhere.err)"

# columns: the last one stays, and numbers are aligned
"$ASSAY" report --sort comm --comm seventy_thirty -g none deep.data 2>/dev/null </dev/null >comm.txt
grep -q '%  seventy_thirty *$' comm.txt || fail "--sort comm --comm x has no name in its rows: $(cat comm.txt)"
"$ASSAY" report --sort comm,dso --comm seventy_thirty -g none deep.data 2>/dev/null </dev/null >both.txt
! grep -q 'Self  Command' both.txt || fail "a name that is in the heading is a column"
"$ASSAY" diff -s comm -C seventy_thirty flat.data deep.data 2>/dev/null | grep -q 'seventy_thirty' || fail "diff -s comm -C x has no name in its rows"
printf '%s\n' 'aa 7 1.000000: 1 cpu-clock: 1000 f (/x)' 'aa 123456 1.000001: 1 cpu-clock: 1000 f (/x)' 'aa 42 1.000002: 1 cpu-clock: 1000 f (/x)' >tids.txt
"$ASSAY" report --sort tid,sym tids.txt 2>/dev/null </dev/null >tids.report
[ "$(grep -c ' f *$' tids.report)" -eq 3 ] || fail "--sort tid has no three rows: $(cat tids.report)"
[ "$(grep ' f *$' tids.report | sed 's/f *$//' | awk '{ print length }' | sort -u | wc -l)" -eq 1 ] || fail "--sort tid is not aligned: $(cat tids.report)"
"$ASSAY" diff -s tid,sym tids.txt tids.txt 2>/dev/null | grep ' f *$' | sed 's/f *$//' | awk '{ print length }' | sort -u | wc -l | grep -qx 1 ||
	fail "diff -s tid is not aligned: $("$ASSAY" diff -s tid,sym tids.txt tids.txt 2>/dev/null)"

# under the name of perf
ln -s "$ASSAY" perf
for words in --version version -v; do
	./perf $words >version.txt
	grep -q '^perf version [0-9]' version.txt || fail "perf $words says: $(cat version.txt)"
done
"$ASSAY" --version | grep -q '^assay version [0-9]' || fail "assay --version says: $("$ASSAY" --version)"

# diff complains of what was named
expect_exit 1 "$ASSAY" diff nowhere.data 2>diff.err
grep -q "there is no recording 'nowhere.data'" diff.err || fail "diff nowhere.data says: $(cat diff.err)"

# maps that may not be read: processes, not threads, and -v names them
if [ "$can_watch" ]; then
	"$ASSAY" record -v -a -o denied.data -- true 2>denied.err
	named=$(grep -o 'the maps of process [0-9]*' denied.err | sort -u | wc -l)
	if [ "$named" -gt 0 ] || grep -q 'may not be read: ' denied.err; then
		[ "$(grep -c 'the maps of process [0-9]' denied.err)" -eq "$named" ] || fail "a process is named for each of its threads: $(cat denied.err)"
		grep -q "the maps of $named process.* may not be read: " denied.err || fail "$named are named, but: $(grep 'may not be read:' denied.err)"
	else
		echo "NOTE: the maps of all processes may be read here"
	fi
fi

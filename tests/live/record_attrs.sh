# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# The attrs of every option, bit for bit as real perf sets them; no warning from perf on any of the files.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

# perf waits a second whenever it ends, so several comparisons run at a time, each in a directory of its own.
JOBS=8

compare() {
	compare_as "$*" "$@"
}

# compare_as OURS OPTION…: ours are written otherwise than perf's, in words without blanks.
compare_as() {
	started=$((started + 1))
	while [ "$(jobs -r | wc -l)" -ge $JOBS ]; do wait -n || true; done
	mkdir job.$started
	(
		cd job.$started || exit
		export HOME=$PWD # perf 6.1 aborts at times where two of them share a cache
		compare_one "$@" >said 2>&1
		touch ended
	) &
}

# Writes the word `same` into `result`, and nothing where this perf or kernel has no such option.
compare_one() {
	local label="$1" ours=("${@:2}") i
	[ "$label" = "${*:2}" ] || read -ra ours <<<"$label"
	shift
	# Ours asks for build-ids in maps by default.
	[[ " $* " == *" --buildid-mmap "* ]] || ours=(--no-buildid-mmap "${ours[@]}")
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$ASSAY" record -q "${ours[@]}" -o ours.data -- "$WORKLOADS/burn" 0.02 || fail "$label: status $?"
		# perf aborts at maps that another comparison marked
		python3 "$TOOLS/stray_build_ids.py" ours.data || break
	done
	"$PERF" record -B -q "$@" -o theirs.data -- "$WORKLOADS/burn" 0.02 >/dev/null 2>&1 || return 0
	"$PERF" evlist -v -i ours.data >ours.txt 2>perf.err
	"$PERF" evlist -v -i theirs.data >theirs.txt 2>/dev/null
	"$PERF" evlist -g -i ours.data >>ours.txt 2>>perf.err
	"$PERF" evlist -g -i theirs.data >>theirs.txt 2>/dev/null
	# On some machines (Intel's, seen with 6.1.192) perf leaves guests out of its default event, on others not; ours counts them.
	sed -i '/^[a-z-]*:[a-z]*ppp/{s/pppH/ppp/;s/, exclude_guest: 1//}' theirs.txt
	expect_same ours.txt theirs.txt "the attrs of '$label'"
	"$PERF" script -F pid -i ours.data >/dev/null 2>>perf.err # names would cost a parse of kallsyms each time
	# what a busy machine loses is no matter here: samples, or the maps of a process that takes long to read
	sed -i '/map information files for pre-existing threads were/,/--proc-map-timeout/d' perf.err
	grep -v -E '^(Warning:|Processed [0-9]+ (events|samples) and lost [0-9.]+( chunks|%)!|Check IO/CPU overload!|)$' perf.err >warnings || true
	[ ! -s warnings ] || fail "perf warns about '$label': $(head -3 warnings)"
	echo same >result
}

"$ASSAY" record -q -o default.data "$WORKLOADS/burn" 0.02
"$ASSAY" record -q --buildid-mmap -o asked.data "$WORKLOADS/burn" 0.02
for f in default asked; do "$PERF" evlist -v -i $f.data >$f.txt; done
grep -q "build_id: 1" default.txt || fail "no build-ids in maps: $(cat default.txt)"
expect_same default.txt asked.txt "the attrs with and without --buildid-mmap"

started=0
compare
compare -e cpu-clock
compare -e cpu-clock,page-faults
compare -e page-faults -c 1
compare -e cpu-clock:u -e task-clock
compare -F 999
compare -F max
compare -c 100000
compare -c 100000 -P
compare -g
compare --call-graph fp
compare --call-graph fp,32
# -g leaves a mode that was chosen: cargo-flamegraph writes --call-graph dwarf,SIZE -g
compare -g --call-graph fp,32
compare --call-graph fp,32 -g
compare_as '--call-graph dwarf,64000,keep -g' --call-graph dwarf,64000 -g
compare_as '-g --call-graph dwarf,64000,keep' -g --call-graph dwarf,64000
compare --no-call-graph -g
compare -g --user-callchains
compare -g --kernel-callchains
# raw stacks, kept as perf keeps them
compare_as '--call-graph dwarf,keep' --call-graph dwarf
compare_as '--call-graph dwarf,16384,keep' --call-graph dwarf,16384
compare_as '--call-graph dwarf,keep,100' --call-graph dwarf,100
compare_as '-a --call-graph dwarf,keep' -a --call-graph dwarf
compare_as '-e cpu-clock,cs --call-graph dwarf,keep' -e cpu-clock,cs --call-graph dwarf
compare_as '-e cpu-clock/call-graph=dwarf,stack-size=4096/ --call-graph dwarf,keep' \
	-e cpu-clock/call-graph=dwarf,stack-size=4096/ --call-graph dwarf
compare -a
compare -a -g
compare -C 0
compare -i
compare -D 5
compare -d
compare --phys-data
compare -T
compare --no-timestamp
compare --no-period
compare -s
compare -n
compare -k CLOCK_MONOTONIC
compare -k mono_raw
compare -R
compare -W
compare -z
compare -m 16
compare --sample-cpu
compare --sample-identifier
compare --switch-events
compare --all-user
compare --all-kernel
compare --namespaces
compare --all-cgroups
compare --buildid-mmap
compare --no-bpf-event
compare --data-page-size
compare --code-page-size
compare --running-time
compare -e bpf-output
compare -e bpf-output -c 5
# groups, terms, tracepoints by patterns, breakpoints
while read -r events; do
	# perf 6.1 does not let events with S follow tasks, which newer ones do where the kernel can (record_group_reads)
	case $events in
	*:S*) compare -i -e "$events" ;;
	*) compare -e "$events" ;;
	esac
done <<'END'
{cpu-clock,cs}
{cpu-clock,cs}:S
{cpu-clock:u,cs}:Sp
{cpu-clock,sched:sched_switch}:S
{cpu-clock,cs}:S,faults
{cpu-clock,cs},{faults,migrations}:S
{cpu-clock:u,cs}:k
{cpu-clock:p,cs:u}:G
{cpu-clock,cs}:D
{cpu-clock,cs}:e
{cs,faults}:W
here{cpu-clock,cs}:u,faults
cpu-clock:S
cpu-clock/period=100000/
cpu-clock/freq=99/u
cpu-clock/freq=10,period=100000/
cpu-clock/call-graph=fp/u
cpu-clock/max-stack=5/
cpu-clock/max-stack=5,call-graph=no/
cpu-clock/time=0/,cs/time/
cpu-clock/no-inherit/
cpu-clock/name=a-b.c/
cpu-clock/config=1/
sched:sched_switch/call-graph=fp/
sched:sched_w*,cs
{sched:sched_w*}
mem:0x1000:rw
mem:0x1000/8:w:u
mem:0x1000:x
duration_time
1:2/period=3/
END
compare -a -e '{cpu-clock,cs}:S'
compare -i -D 5 -e '{cpu-clock,cs}:S'
compare -c 100000 -e 'cpu-clock/period=40000/' -e cs
compare -g -e 'cpu-clock/call-graph=no/,cs'
compare -e sched:sched_switch --filter 'prev_pid == 0'
compare -c 100 -e mem:0x1000:w
wait
for ((i = 1; i <= started; i++)); do
	[ -e job.$i/ended ] || fail "$(cat job.$i/said)"
done
nr=$(cat job.*/result | wc -l)
[ "$nr" -gt 65 ] || fail "only $nr option sets could be compared"
echo "NOTE: $nr option sets"

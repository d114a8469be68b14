# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# The records a file begins with: those of real perf, in its order, with its contents where they do not depend on the run.
. "$(dirname "$0")/../lib.sh"
need perf

# opening FILE: types up to FINISHED_INIT; runs of one type count once. perf writes units of clocks, for `stat report`,
# which a recording of samples has no use for, and the BPF programs that others have loaded, whose names kallsyms has.
opening() {
	"$PERF" script -D -i "$1" 2>/dev/null | grep -a -o 'PERF_RECORD_[A-Z0-9_]*' |
		sed '/FINISHED_INIT/q; /EVENT_UPDATE/d; /KSYMBOL/d; /BPF_EVENT/d' | uniq
}

# what does not depend on the run
contents() {
	"$PERF" script -D -i "$1" 2>/dev/null |
		grep -a -E -o 'PERF_RECORD_(MMAP -1.*|CPU_MAP.*|CGROUP.*|THREAD_MAP nr: [0-9]*|ID_INDEX nr: [0-9]*)'
}

nr=0
for options in "" "-e cpu-clock,page-faults" "--namespaces" "--all-cgroups" "--all-user" "-C 0" "-D 5"; do
	# shellcheck disable=SC2086
	"$ASSAY" record -q $options -o ours.data -- "$WORKLOADS/burn" 0.01
	# shellcheck disable=SC2086
	perf_record $options -o theirs.data -- "$WORKLOADS/burn" 0.01
	if [ "$options" != "-C 0" ]; then
		opening ours.data >ours.txt
		opening theirs.data >theirs.txt
		expect_same ours.txt theirs.txt "the opening records of '$options'"
	fi
	contents ours.data >ours.txt
	contents theirs.data >theirs.txt
	expect_same ours.txt theirs.txt "the contents of opening records of '$options'"
	nr=$((nr + 1))
done

# a running process: its threads and maps are those that perf tells
"$WORKLOADS/sleepers" 5 20 >ready & target=$!
trap 'kill $target 2>/dev/null || true' EXIT
sleep 0.5
for options in "-p $target" "-p $target --namespaces" "-p $target -d" "-t $target"; do
	# shellcheck disable=SC2086
	"$ASSAY" record -q $options -o ours.data -- sleep 0.01
	# shellcheck disable=SC2086
	perf_record --buildid-mmap $options -o theirs.data -- sleep 0.01
	for who in ours theirs; do
		"$PERF" script -i $who.data --show-task-events --show-mmap-events --show-namespace-events 2>/dev/null |
			grep -a -o 'PERF_RECORD_.*' | grep -a " $target/\|:$target/\|($target:" | grep -a ' 0.000000\|' |
			sed '/PERF_RECORD_EXIT/d' >$who.txt
	done
	expect_same ours.txt theirs.txt "the records of a running process with '$options'"
	nr=$((nr + 1))
done

# tracepoints: perf reads their fields from our file, as a file and through a pipe
if try_perf_record -o tp.data -e sched:sched_switch true; then
	"$ASSAY" record -q -o tp.data -e sched:sched_switch,sched:sched_wakeup -a -- sleep 0.2
	"$PERF" script -i tp.data >tp.txt 2>perf.err
	[ ! -s perf.err ] || fail "perf warns about tracepoints: $(head -3 perf.err)"
	grep -q 'sched:sched_switch: prev_comm=.* ==> next_comm=' tp.txt || fail "perf reads no fields of tracepoints"
	"$ASSAY" record -q -o - -e sched:sched_switch -- sleep 0.1 | "$PERF" script -i - 2>/dev/null |
		grep -q 'prev_comm=sleep' || fail "tracepoints through a pipe have no fields"
	nr=$((nr + 1))
fi
echo "NOTE: $nr option sets"

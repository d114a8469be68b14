# The text of perf script with all kinds of fields (-F): what is imported are the stacks, tasks, events, times and periods of the recording
# itself, as far as the fields tell them.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

record() { # NAME OPTIONS…
	local name=$1
	shift
	# Not with a sample in a BPF program of a neighbour: without its module, such a line tells too little.
	for _ in 1 2 3 4 5 6 7 8; do
		"$ASSAY" record -q -o "$name.data" "$@" >/dev/null 2>record.err || fail "record $*: $(cat record.err)"
		"$PERF" script -i "$name.data" -F ip,sym,dso 2>/dev/null | grep -q 'ffff[0-9a-f]* \[unknown\] (\[unknown\])' || return 0
	done
}
record chains -F 500 -g -- "$WORKLOADS/mixed" 0.2
record plain -F 500 -- "$WORKLOADS/mixed" 0.2
record threads -F 200 -g --sample-cpu -- "$WORKLOADS/threads" 3 0.2
record threads_plain -F 200 --sample-cpu -- "$WORKLOADS/threads" 3 0.2
record events -F 500 -g -e cpu-clock,page-faults -- "$WORKLOADS/mixed" 0.1
record events_plain -F 500 -e cpu-clock,page-faults -- "$WORKLOADS/mixed" 0.1
record data -e page-faults -c 1 -d -g -- "$WORKLOADS/mixed" 0.05
record data_plain -e page-faults -c 1 -d -- "$WORKLOADS/mixed" 0.05
recordings="chains.data plain.data threads.data threads_plain.data events.data events_plain.data data.data data_plain.data"
if try_perf_record -W -d --user-regs=ax,bx --intr-regs=ax -F 500 -g -o regs.data -- "$WORKLOADS/mixed" 0.2 &&
	try_perf_record -W -d --user-regs=ax,bx --intr-regs=ax -F 500 -o regs_plain.data -- "$WORKLOADS/mixed" 0.2; then
	recordings="$recordings regs.data regs_plain.data"
fi
# shellcheck disable=SC2086
nr=$(python3 "$(dirname "$0")/import_fields.py" "$ASSAY" "$PERF" $recordings) || fail "texts of other fields are imported wrongly"
echo "NOTE: $nr texts of perf script with other fields, $(echo "$recordings" | wc -w) recordings"

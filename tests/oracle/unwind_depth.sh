# A recursion 10,000 deep: of raw stacks all that the dump holds, as many frames as perf finds in it, and so for stacks walked while recording;
# of a stopped thread and of a core file all of it.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
deep=$WORKLOADS/unwind_deep

depth() { # PROGRAM FILE: the most frames of a sample
	"$1" script --max-stack 65535 --no-inline -i "$2" -F ip,sym 2>/dev/null | awk -v RS= -F '\n' 'NF > most { most = NF } END { print most + 0 }'
}

perf_record -F 400 --call-graph dwarf,65528 -o raw.data -- "$deep" 0.3 10000
for tool in perf ours; do
	[ $tool = perf ] && program=$PERF || program=$ASSAY
	"$program" script --max-stack 65535 --no-inline -i raw.data -F comm,tid,time,ip,sym,dso >raw.$tool 2>script.err || fail "script: $(cat script.err)"
done
python3 "$TOOLS/unwind_compare.py" depth raw.perf raw.ours >compare.txt || fail "the frames of a deep dump differ from perf's: $(head -1 compare.txt)"
perfs=$(depth "$PERF" raw.data) ours=$(depth "$ASSAY" raw.data)
# frame by frame they were compared above; perf may end with a mark that is no frame
[ "$ours" -ge $((perfs - 1)) ] && [ "$ours" -gt 4000 ] || fail "$ours frames of a dump in which perf finds $perfs"

"$ASSAY" record -q -F 400 --call-graph dwarf,65528 -o walked.data -- "$deep" 0.3 10000 2>record.err || fail "record: $(cat record.err)"
walked=$(depth "$ASSAY" walked.data)
# another run: the sampled place below leaf() decides a few frames
[ "$walked" -ge $((perfs - 16)) ] || fail "$walked frames of a stack walked while recording, where perf finds $perfs in a dump"
[ "$(depth "$PERF" walked.data)" -eq "$walked" ] || fail "perf does not read all of a deep chain"
for data in raw walked; do
	"$ASSAY" report --stdio --max-stack 65535 -i $data.data >report.txt 2>report.err || fail "report of $data: $(cat report.err)"
	[ "$(grep -c 'down$' report.txt)" -gt 4000 ] || fail "the report of $data does not show the stack"
	# Samples of the start are complete; on a busy machine there are few others.
	grep -Eq '^# Quality: .* ([89][0-9]|100)\.[0-9]% truncated' report.txt || fail "not said to be truncated: $(grep Quality report.txt)"
	cat report.txt report.err | grep -q 'dumps no more than 65,528 bytes of a stack' || fail "$data: not said why: $(grep Quality report.txt; cat report.err)"
	"$ASSAY" flame --max-stack 65535 -i $data.data -o $data.svg 2>flame.err || fail "flame of $data: $(cat flame.err)"
done

"$deep" 60 10000 &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
full() { # FILE: of `assay stack`
	[ "$(grep -c ' down' "$1")" -eq 10001 ] && grep -q ' _start' "$1" && ! grep -q incomplete "$1"
}
for i in $(seq 100); do # until it has arrived
	"$ASSAY" stack -n 0 -p $pid >stack.txt 2>stack.err && full stack.txt && break
	sleep 0.1
done
full stack.txt || fail "the stack of a stopped thread is not whole: $(tail -2 stack.txt) $(cat stack.err)"
if command -v gcore >/dev/null && gcore -o core $pid >gcore.out 2>&1; then
	"$ASSAY" stack -n 0 --core core.$pid -e "$deep" >stack.txt 2>stack.err || fail "stack --core: $(cat stack.err)"
	full stack.txt || fail "the stack in a core file is not whole: $(tail -2 stack.txt)"
fi
echo "NOTE: $ours frames of a dump (perf $perfs), $walked while recording, 10,000 of a stopped thread"

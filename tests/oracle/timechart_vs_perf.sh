# Time charts of recordings of perf and of assay, against the events as perf prints them: each run of each task is where its switches are, and each
# system call of -I is as long as between its two events. perf draws what 'assay timechart record' recorded.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
[ "$(id -u)" = 0 ] || skip "needs root: all CPUs are recorded"
export PYTHONPATH=$TOOLS

work() {
	printf '%s\n' '"$1" 3 >/dev/null; dd if=/dev/zero of=written bs=64k count=40 conv=fsync 2>/dev/null; sleep 0.05; cat written written >/dev/null'
}
by_perf() { # FILE OPTIONS…: it writes to perf.data alone
	local file=$1
	shift
	for _ in 1 2 3; do
		"$PERF" timechart record "$@" sh -c "$(work)" sh "$WORKLOADS/naps" >log 2>&1 </dev/null && [ -s perf.data ] && break
	done
	mv perf.data "$file" || fail "perf timechart record: $(cat log)"
}

by_perf perf-tasks.data
by_perf perf-io.data -I
"$ASSAY" timechart record -q -o assay-tasks.data -- sh -c "$(work)" sh "$WORKLOADS/naps" 2>err || fail "record: $(cat err)"
"$ASSAY" timechart record -q -I -o assay-io.data -- sh -c "$(work)" sh "$WORKLOADS/naps" 2>err || fail "record -I: $(cat err)"
for by in perf assay; do
	for kind in tasks io; do
		name=$by-$kind
		"$ASSAY" timechart -q -i $name.data -o $name.svg -n 10000 --io-merge-dist 0 2>err || fail "$name: $(cat err)"
		"$PERF" script -i $name.data -F tid,cpu,time,event,trace --ns 2>/dev/null >$name.txt
		python3 "$(dirname "$0")/timechart_compare.py" $kind $name.svg $name.txt || fail "$name"
	done
done
for kind in tasks io; do
	only=
	[ $kind = tasks ] || only=-I
	for _ in 1 2 3 4 5; do
		status=0
		"$PERF" timechart -i assay-$kind.data -o by-perf.svg >log 2>&1 || status=$?
		# perf gives up, also on its own files, where the end of a call is the first that it sees of a thread: it was in that call
		# when recording began.
		grep -q '^Invalid pidcomm' log || break
		"$ASSAY" timechart record -q $only -o assay-$kind.data -- sh -c "$(work)" sh "$WORKLOADS/naps" 2>err || fail "record: $(cat err)"
	done
	[ $status -eq 0 ] || fail "perf cannot read assay-$kind.data: $(cat log)"
	grep -q '<rect' by-perf.svg || fail "perf draws nothing of assay-$kind.data"
done

# Rows that options choose: CPUs in perf's order of --topology, and C-states and frequencies that -T leaves out and -P keeps.
python3 "$TOOLS/make_timechart.py" topology topology.data
python3 "$TOOLS/make_timechart.py" power power.data
"$PERF" timechart -t -i topology.data -o topology-perf.svg >log 2>&1 || fail "perf timechart -t: $(cat log)"
"$ASSAY" timechart -q -t -i topology.data -o topology.svg
for option in -T -P; do
	"$PERF" timechart $option -i power.data -o power$option-perf.svg >log 2>&1 || fail "perf timechart $option: $(cat log)"
	"$ASSAY" timechart -q $option -i power.data -o power$option.svg
done
python3 - <<'PY' || fail "other rows than perf's"
import re, timechart_svg
order = lambda path: [label for label, kind, _ in timechart_svg.rows(path) if kind == "cpu"]
places = re.findall(r'y="([\d.]+)">(CPU \d+)<', open("topology-perf.svg").read())
assert order("topology.svg") == [label for _, label in sorted(places, key=lambda place: float(place[0]))] != sorted(order("topology.svg")), places
for option in "-T", "-P":
    picture = open(f"power{option}-perf.svg").read().split("</defs>")[-1]
    kinds = {kind for _, kind, _ in timechart_svg.rows(f"power{option}.svg")}
    assert ("frequency" in kinds) == (picture.count('class="pstate"') > 1), (option, kinds)
    assert "cpu" in kinds and 'class="cpu"' in picture, (option, kinds)
    assert ("task" in kinds) == (picture.count('class="process"') > 0), (option, kinds)
PY

# stat -j beside perf's: the same keys in the same order with the same blanks, for every aggregation
# mode; each line valid JSON; and on a recording with a PMU's counts, the same to the last digit.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
here=$(cd "$(dirname "$0")" && pwd)
events=cpu-clock,page-faults,context-switches,cycles

# Every line of the file is an object: perf 6.1 begins with a line that is not.
only_json() { # WHAT
	python3 -c 'import json
for line in open("ours.json"):
    assert isinstance(json.loads(line), dict), line' 2>json.err || fail "$1: not JSON lines: $(head -2 ours.json)"
}

live() { # OPTIONS…
	for ((try = 0; try < 20; try++)); do
		"$PERF" stat -j -o perf.json "$@" >/dev/null 2>perf.err || fail "perf stat -j $*: $(cat perf.err)"
		"$ASSAY" stat -j -o ours.json "$@" >/dev/null || fail "stat -j $*"
		# A thread that had no CPU in an interval has rows of another kind.
		[[ "$*" == *--per-thread* ]] && grep -q '<not counted>' perf.json ours.json || break
	done
	grep -v '^# started on' perf.json | python3 "$here/stat_shape.py" json >perf.shape
	only_json "stat -j $*"
	python3 "$here/stat_shape.py" json <ours.json >ours.shape || fail "stat -j $*: not JSON"
	[ -s ours.shape ] || fail "stat -j $*: no rows"
	expect_same perf.shape ours.shape "stat -j $*"
}

live true
live -e "$events" -r 3 true
live -e cpu-clock:u,duration_time true
for mode in "" -A --per-core --per-socket --per-die --per-node; do
	live -a -e "$events" $mode sleep 0.05
	live -a -e "duration_time,$events,user_time" $mode "$WORKLOADS/burn" 0.05
	live -a -e "$events" -I 100 $mode sleep 0.25
	live -a -e "$events" -I 100 --summary $mode sleep 0.25
done
"$WORKLOADS/burn" 20 >/dev/null 2>&1 &
burn=$!
live --per-thread -p $burn -e "$events" sleep 0.05
live --per-thread -p $burn -e "$events" -I 100 sleep 0.25
kill $burn 2>/dev/null || :
wait $burn 2>/dev/null || :

name() { echo "page-faults/name=$1/"; }
painted="task-clock,$(name cycles),$(name instructions),$(name stalled-cycles-frontend),$(name branches)"
painted="$painted,$(name branch-misses),context-switches"
"$PERF" stat record -a -o plain.data -e "$painted" sleep 0.05 >/dev/null 2>&1 || fail "perf stat record"
python3 "$here/stat_repaint.py" plain.data pmu.data 1:1:100000000 0:0:200000000 0:1:300000000 \
	0:7:50000000:50 0:4:60000000 0:5:1200000
for mode in "" -A --per-core --per-socket --per-die --per-node; do
	"$PERF" stat -j report $mode -i pmu.data >perf.json 2>&1
	"$ASSAY" stat -j report $mode -i pmu.data >ours.json
	expect_same perf.json ours.json "stat -j report $mode"
	# What perf 6.1 prints with --metric-only is no JSON; ours is.
	"$ASSAY" stat -j --metric-only report $mode -i pmu.data >ours.json
	python3 - $mode <<'PY' || fail "stat -j --metric-only report $mode"
import json
rows = [json.loads(line) for line in open("ours.json")]
assert rows, "no rows"
for row in rows:
    assert row["GHz"] == "2.000" and row["insn per cycle"] == "1.50", row
    assert row["branch-misses of all branches"] == "2.00", row
PY
done
# A counter that never ran gives no value that is not JSON. Nor is there anything else in the file, run after run.
rm ours.json
for options in "" "-r 2" "-I 20" "-I 20 --interval-count 2" "-I 20 --summary" --metric-only "-a -A" "-r 2 --table" -d; do
	# shellcheck disable=SC2086
	"$ASSAY" stat -j --append -o ours.json $options -e cycles,instructions,page-faults:k,task-clock sleep 0.05 2>/dev/null
	only_json "stat -j --append $options"
done
[ "$(wc -l <ours.json)" -gt 30 ] || fail "--append: only $(wc -l <ours.json) lines"
# The table and CSV have their line, as perf's do.
for options in "" -x,; do
	"$ASSAY" stat $options -o dated.txt true
	head -1 dated.txt | grep -q '^# started on ' || fail "stat $options -o: $(head -1 dated.txt)"
done
echo "the keys of -j are perf's in every mode, and every line is JSON"

# stat -x beside perf's: the same rows in the same order, the same fields in each, the same words.
# Live for every aggregation mode; and on recordings that are given a PMU's counts, to the last digit.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
here=$(cd "$(dirname "$0")" && pwd)
events=cpu-clock,page-faults,context-switches,cycles

live() { # SEPARATOR OPTIONS…
	local sep=$1
	shift
	for ((try = 0; try < 20; try++)); do
		"$PERF" stat -x "$sep" -o perf.csv "$@" >/dev/null 2>perf.err || fail "perf stat -x $*: $(cat perf.err)"
		"$ASSAY" stat -x "$sep" -o ours.csv "$@" >/dev/null || fail "stat -x $*"
		# A thread that had no CPU in an interval has rows of another kind, and so has a time of which no tick of the clock saw anything.
		[[ "$*" == *--per-thread* ]] && grep -q '<not counted>' perf.csv ours.csv && continue
		grep -q ',0,ns,user_time,' perf.csv ours.csv || break
	done
	grep -v '^# started on' perf.csv | python3 "$here/stat_shape.py" csv "$sep" >perf.shape
	grep -v '^# started on' ours.csv | python3 "$here/stat_shape.py" csv "$sep" >ours.shape
	[ -s ours.shape ] || fail "stat -x $*: no rows"
	expect_same perf.shape ours.shape "stat -x '$sep' $*"
}

# The same spinning process for all that counts tasks: what it does is known.
live , true
live ';' -e "$events" true
live '\t' -e "$events:u" true
live , -e "$events" -r 3 true
live , -e cpu-clock,duration_time true
for mode in "" -A --per-core --per-socket --per-die --per-node; do
	live , -a -e "$events" $mode sleep 0.05
	live , -a -e "duration_time,$events,user_time" $mode "$WORKLOADS/burn" 0.05
	live , -a -e "$events" -I 100 $mode sleep 0.25
	live , -a -e "$events" -I 100 --summary $mode sleep 0.25
	live , -a -e "$events" -I 100 --summary --no-csv-summary $mode sleep 0.25
done
live , -C 0 -e "$events" sleep 0.05
"$WORKLOADS/burn" 20 >/dev/null 2>&1 &
burn=$!
live , -p $burn -e "$events" sleep 0.05
live , --per-thread -p $burn -e "$events" sleep 0.05
live , --per-thread -p $burn -e "$events" -I 100 sleep 0.25
live , --per-thread -p $burn -e cpu-clock,duration_time sleep 0.05
kill $burn 2>/dev/null || :
wait $burn 2>/dev/null || :

# Times of the run: in the first core, and no CPU of the others was counted.
"$ASSAY" stat -x, --log-fd 1 -a --per-core -e duration_time sleep 0.01 | tail -n +2 >cores.csv
grep -qv ',0,<not counted>,ns,duration_time,0,100.00,,$' cores.csv && fail "duration_time of other cores: $(cat cores.csv)"

# With a PMU's counts: multiplexed ones, events with two metrics, all kinds of metrics.
name() { echo "page-faults/name=$1/"; }
painted="task-clock,$(name cycles),$(name instructions),$(name stalled-cycles-frontend),$(name branches)"
painted="$painted,$(name branch-misses),$(name LLC-load-misses),$(name LLC-loads),context-switches"
"$PERF" stat record -a -o plain.data -e "$painted" sleep 0.05 >/dev/null 2>&1 || fail "perf stat record"
python3 "$here/stat_repaint.py" plain.data pmu.data 1:1:100000000 0:0:200000000 0:1:300000000 \
	0:7:50000000:50 0:4:60000000 0:5:1200000:25 3:0x10002:1000 3:2:50000
for mode in "" -A --per-core --per-socket --per-die --per-node; do
	"$PERF" stat -x, report $mode -i pmu.data >perf.csv 2>&1
	"$ASSAY" stat -x, report $mode -i pmu.data >ours.csv
	expect_same perf.csv ours.csv "stat -x, report $mode"
	# --metric-only: perf forgets most headings, but -A has them; rows are the same.
	"$PERF" stat -x, --metric-only report $mode -i pmu.data 2>&1 | grep '^[CSN]\?[P0-9].*\.' >perf.csv
	"$ASSAY" stat -x, --metric-only report $mode -i pmu.data | grep '^[CSN]\?[P0-9].*\.' >ours.csv
	expect_same perf.csv ours.csv "stat -x, --metric-only report $mode"
	# (perf widens columns of text by colours that it does not print.)
	"$PERF" stat --metric-only report $mode -i pmu.data 2>&1 | grep '2\.000 .*1\.50 ' | tr -s ' ' >perf.txt
	"$ASSAY" stat --metric-only report $mode -i pmu.data | grep '2\.000 .*1\.50 ' | tr -s ' ' >ours.txt
	expect_same perf.txt ours.txt "stat --metric-only report $mode"
done
grep -c . ours.csv >/dev/null || fail "--metric-only: nothing was compared"
"$ASSAY" stat -x, --metric-only report -A -i pmu.data | head -1 >ours.csv
echo "cpu,GHz,insn per cycle,stalled cycles per insn,frontend cycles idle,branch-misses of all branches,LLC-load-misses of all LL-cache accesses," >want.csv
expect_same want.csv ours.csv "the heading of --metric-only"

# A name with the separator in it stays one field (perf's does not).
"$ASSAY" stat -x: -o quoted.csv -e page-faults:u true
python3 - <<'PY' || fail "a name with the separator in it: $(cat quoted.csv)"
import csv
row = [r for r in csv.reader(open("quoted.csv"), delimiter=":") if r and not r[0].startswith("#")][0]
assert len(row) == 7 and row[2] == "page-faults:u", row
PY
echo "the words and fields of -x are perf's in every mode"

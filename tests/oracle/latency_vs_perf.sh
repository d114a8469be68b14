# Latency and parallelism as perf 7.2 shows them, on recordings that are made up, on perf's and on ours. Where threads ran already when
# the recording began, and of periods of a few units, perf errs: tests/cli/latency.sh has the truth. Its "Children" next to the key parallelism are left out: they exceed 100%.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
"$PERF" report -h 2>&1 | grep -q -- --parallelism || skip "this perf is older than 6.15 and has no latency"
files=$(cd "$(dirname "$0")/../golden/files" && pwd)
cp -r "$files" files

nr=0
same() { # FILE OPTIONS…
	local f=$1
	shift
	"$PERF" report --stdio --no-inline --symfs "$PWD/files" -i "$PWD/$f" "$@" 2>perf.err </dev/null >perf.raw || fail "perf report $* of $f: $(cat perf.err)"
	"$ASSAY" report --stdio --bare-addresses --no-inline --symfs "$PWD/files" -i "$f" "$@" 2>ours.err </dev/null >ours.raw || fail "report $* of $f: $(cat ours.err)"
	for side in perf ours; do
		# Modifiers of events are other ones in each version of perf.
		grep -v '^# (\|^# Quality\|^# To display' $side.raw | sed "/^# Samples/s/:[A-Zp]*'/'/" >$side.txt
	done
	nr=$((nr + 1))
	cmp -s perf.txt ours.txt || python3 "$TOOLS/same_report.py" perf.txt ours.txt || fail "report $* of $f differs: $(diff perf.txt ours.txt | head -20)"
}

for kind in phases phases-g mixed many serial exits events; do
	python3 "$TOOLS/make_parallel.py" $kind $kind.data
	same $kind.data
	same $kind.data --latency
	same $kind.data --no-children -s parallelism
	same $kind.data --no-children -s latency,parallelism
	same $kind.data --latency -g none -n
done
while read -r options; do
	for kind in phases mixed many; do
		# shellcheck disable=SC2086
		same $kind.data -g none $options
	done
done <<-'END'
	-s sym --latency
	-s comm,sym
	-s comm --latency
	-s latency,sym
	-s sym,latency
	-s latency,overhead,sym
	-s overhead,latency,sym
	-s latency,sym,overhead
	-s overhead,sym
	-s latency,sym --latency
	-s +latency
	-s latency_children,sym
	-s latency,period,sym
	-s latency,sym -n
	-s period,sym
	-F latency,sym
	-F sym,latency
	-F overhead,latency,sym
	-F latency,overhead,sym -s sym
	-F latency,sym -s overhead
	-F overhead,sym -s latency
	-F latency_children,overhead_children,latency,overhead,sym
	-F overhead,sym --latency
	-F latency,sym --latency
	-F +latency
	-F +latency --latency
	-n --latency
	--show-total-period --latency
	--show-cpu-utilization --latency
	--no-children --latency
	--no-children -F parallelism,latency
	--no-children -F parallelism
	--no-children -F sample,parallelism
	--no-children -F +parallelism
	--no-children -s parallelism,comm --latency
	--no-children -s comm,parallelism
	--no-children --parallelism 12-14,1
	--no-children --parallelism 1,13 --latency
	--parallelism 4,14 -n
	--percent-limit 20 --latency
	-t , --latency
	-t ,
	-t , -F latency_children,latency -s comm
	-c shop --latency
	--no-children -S render --latency
	-w 10,9,8,12
END
[ $nr -ge 120 ] || fail "only $nr comparisons"

"$PERF" record -q --latency -F 1000 -o "$PWD/perfs.data" "$WORKLOADS/threads" 2>err >none || fail "perf record --latency: $(cat err)"
"$ASSAY" record -q --latency -F 1000 -o ours.data "$WORKLOADS/threads" 2>err >none || fail "record --latency: $(cat err)"
rm -rf files && mkdir files
for f in perfs.data ours.data; do
	"$ASSAY" evlist -v -i $f | grep -q 'context_switch: 1' || fail "$f has no context switches"
	for by in assay perf; do
		program=$PERF
		[ $by = perf ] || program=$ASSAY
		"$program" report --stdio -i "$PWD/$f" -F sample,period,parallelism -s parallelism 2>err | grep -v '^#' >$by.rows || fail "$by: $(cat err)"
	done
	expect_same perf.rows assay.rows "parallelism of $f"
done

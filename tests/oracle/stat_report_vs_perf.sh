# stat record and stat report, both ways: perf shows our recordings with our numbers, we show perf's as
# perf does, and both show ours alike.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
events=cpu-clock,page-faults,context-switches,cycles

# same FILE [OPTIONS…]: the reports of perf and of assay
same() {
	local f=$1
	shift
	"$PERF" stat report "$@" -i "$f" >perf.txt 2>&1 || fail "perf stat report $* -i $f: $(cat perf.txt)"
	"$ASSAY" stat report "$@" -i "$f" >ours.txt || fail "stat report $* -i $f"
	expect_same perf.txt ours.txt "stat report $* of $f"
}

# With -I perf divides by clocks of other intervals, and by none for "CPUs utilized": counts only.
same_counts() {
	local f=$1
	shift
	"$PERF" stat report "$@" -i "$f" 2>&1 | sed 's/ *#  .*//; s/ *$//' >perf.txt
	"$ASSAY" stat report "$@" -i "$f" | sed 's/ *#  .*//; s/ *$//' >ours.txt
	[ -s ours.txt ] || fail "stat report $* of $f: nothing"
	expect_same perf.txt ours.txt "counts of stat report $* of $f"
}

# 1. perf's recordings
"$PERF" stat record -o p1.data -e "$events" true >/dev/null 2>&1
same p1.data
"$PERF" stat record -o p2.data -e "{cpu-clock,page-faults}:u,duration_time" true >/dev/null 2>&1
same p2.data
"$PERF" stat record -a -o p3.data -e "$events" sleep 0.05 >/dev/null 2>&1
for mode in "" -A --per-core --per-socket --per-die --per-node; do
	same p3.data $mode
done
"$PERF" stat record -a -A -o p4.data -e "$events" sleep 0.05 >/dev/null 2>&1
same p4.data
"$PERF" stat record -a --per-core -o p5.data -e "$events" sleep 0.05 >/dev/null 2>&1
same p5.data
"$PERF" stat record -a -I 50 -o p6.data -e "$events" sleep 0.18 >/dev/null 2>&1
for mode in "" -A --per-core; do
	same_counts p6.data $mode
done
"$PERF" stat record -o - true 2>/dev/null >p7.data
"$PERF" stat report -i - <p7.data >perf.txt 2>&1
"$ASSAY" stat report -i - <p7.data >ours.txt
expect_same perf.txt ours.txt "stat report of a pipe"

# 2. ours: perf shows the numbers that were printed live, and so do we
live() { # FILE OPTIONS…
	local f=$1
	shift
	"$ASSAY" stat -o live.txt record -o "$f" "$@" >/dev/null || fail "stat record $*"
	# The heading names another command, and the times of the command are not in the file.
	sed -n '/Performance counter/,/time elapsed/p' live.txt | sed 1d >live.counts
	"$PERF" stat report -i "$f" >perf.txt 2>&1 || fail "perf stat report -i $f: $(cat perf.txt)"
	sed -n '/Performance counter/,/time elapsed/p' perf.txt | sed 1d >perf.counts
	[ -s live.counts ] || fail "stat record $*: nothing was printed"
	expect_same live.counts perf.counts "perf stat report of ours ($*)"
	same "$f"
}
live o1.data -e "$events" true
live o2.data -e "{cpu-clock,page-faults}:u,context-switches" true
live o3.data -a -e "$events" sleep 0.05
for mode in -A --per-core --per-socket --per-node; do
	same o3.data $mode
	live o4.data -a $mode -e "$events" sleep 0.05
done
"$WORKLOADS/burn" 30 >/dev/null 2>&1 &
burn=$!
"$PERF" stat record --per-thread -p $burn -o p8.data -e "$events" sleep 0.05 >/dev/null 2>&1
same p8.data
live o6.data --per-thread -p $burn -e "$events" sleep 0.05
kill $burn
wait $burn 2>/dev/null || :
"$ASSAY" stat -o live.txt record -a -I 50 -o o5.data -e "$events" sleep 0.18
same_counts o5.data
grep -v '^# started\|^$' live.txt | sed 's/ *#  .*//; s/ *$//' >live.counts
expect_same live.counts ours.txt "the intervals of a recording and those shown live"
"$ASSAY" stat record -o - -e "$events" true 2>/dev/null | "$PERF" stat report -i - >perf.txt 2>&1 ||
	fail "perf does not read our pipe"
grep -q 'page-faults' perf.txt || fail "perf reads no counts from our pipe"
"$ASSAY" report --header-only -i o1.data | grep -q 'contains stat data' || fail "no FEAT_STAT"
"$PERF" report --header-only -i o1.data 2>/dev/null | grep -q 'contains stat data' || fail "no FEAT_STAT for perf"

# 3. what cannot be shown
cp o3.data cut.data
truncate -s $(($(stat -c %s cut.data) / 2)) cut.data
"$ASSAY" stat report -i cut.data >/dev/null 2>err.txt && fail "a cut file is shown as whole"
[ -s err.txt ] || fail "a cut file: no sentence"
perf_record -o samples.data true
expect_exit 1 "$ASSAY" stat report -i samples.data >/dev/null 2>err.txt
grep -q 'holds no counts' err.txt || fail "a file of samples: $(cat err.txt)"
expect_exit 3 "$ASSAY" stat record -o o7.data sh -c 'exit 3' 2>/dev/null
same o7.data
expect_exit 1 "$ASSAY" stat record -o /nowhere/x.data true 2>/dev/null
expect_exit 2 "$ASSAY" stat record -r 2 true 2>/dev/null
expect_exit 1 "$ASSAY" stat report nothing 2>/dev/null
echo "recordings of counts go both ways"

# alone: it counts what is lost
# Samples + lost = events, exactly: in the summary, and as real perf reads the file.
. "$(dirname "$0")/../lib.sh"
need perf

for try in 1 2 3 4 5; do
	# One sample per fault into a ring of one page; the recorder is kept busy elsewhere.
	taskset -c 0 "$ASSAY" record -e page-faults -c 1 -m 1 -o loss.data "$WORKLOADS/faults" 100000 2>err
	samples=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' err)
	lost=$(sed -n 's/.* samples, \([0-9]*\) lost).*/\1/p' err)
	[ -z "$lost" ] || break
done
[ -n "$lost" ] || skip "nothing was lost in five tries"

# how many there are: the same workload, counted; the first faults happen before the exec is through, and some happen twice while the
# kernel looks for pages that are idle. System calls are counted exactly below.
"$PERF" stat -x, -o stat.csv -e page-faults "$WORKLOADS/faults" 100000
events=$(awk -F, '/page-faults/ { print $1 }' stat.csv)
difference=$((samples + lost - events))
[ ${difference#-} -le 20 ] || fail "$samples samples + $lost lost, but $events events"

"$PERF" report -i loss.data --stats >stats.txt 2>/dev/null
perf_samples=$(awk '/^ *SAMPLE events:/ { print $3; exit }' stats.txt)
[ "$perf_samples" = "$samples" ] || fail "perf counts $perf_samples samples, the summary says $samples"
perf_lost=$("$PERF" report -i loss.data --stdio 2>/dev/null | sed -n 's/^# Total Lost Samples: //p')
[ "$perf_lost" = "$lost" ] || fail "perf reads $perf_lost lost samples, the summary says $lost"

# Lost records about maps are no lost samples: one sample per munmap, one map between two of them.
if "$PERF" stat -x, -o maps.csv -e syscalls:sys_enter_munmap "$WORKLOADS/maps" 100000 2>/dev/null; then
	events=$(awk -F, '/munmap/ { print $1 }' maps.csv)
	for try in 1 2 3 4 5; do
		taskset -c 0 "$ASSAY" record -e syscalls:sys_enter_munmap -c 1 -m 1 -o maps.data \
			"$WORKLOADS/maps" 100000 2>err
		n=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' err)
		l=$(sed -n 's/.* samples, \([0-9]*\) lost).*/\1/p' err)
		maps=$(sed -n 's/.*full: \([0-9]*\) records about maps.*/\1/p' err)
		[ -z "$maps" ] || break
	done
	[ -n "$maps" ] || skip "no records about maps were lost in five tries"
	[ $((n + ${l:-0})) -eq "$events" ] || fail "$n samples + $l lost (and $maps maps), but $events munmap calls"
	perf_lost=$("$PERF" report -i maps.data --stdio 2>/dev/null | sed -n 's/^# Total Lost Samples: //p')
	[ "$perf_lost" = "${l:-0}" ] || fail "perf reads $perf_lost lost samples, the summary says $l"
	[ "$("$ASSAY" script -i maps.data -F ip 2>/dev/null | wc -l)" -eq "$n" ] || fail "assay reads other than $n samples"
	echo "NOTE: $n samples + $l lost; $maps maps lost"
fi

# Nothing lost: nothing said of it.
"$ASSAY" record -e page-faults -c 1 -o none.data "$WORKLOADS/faults" 1000 2>err
grep -q ' lost' err && fail "a loss where there was none: $(cat err)"
echo "NOTE: $samples samples + $lost lost"

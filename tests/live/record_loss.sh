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

# how many there are: the same workload, counted; the first faults happen before the exec is through
"$PERF" stat -x, -o stat.csv -e page-faults "$WORKLOADS/faults" 100000
events=$(awk -F, '/page-faults/ { print $1 }' stat.csv)
difference=$((samples + lost - events))
[ ${difference#-} -le 3 ] || fail "$samples samples + $lost lost, but $events events"

"$PERF" report -i loss.data --stats >stats.txt 2>/dev/null
perf_samples=$(awk '/^ *SAMPLE events:/ { print $3; exit }' stats.txt)
[ "$perf_samples" = "$samples" ] || fail "perf counts $perf_samples samples, the summary says $samples"
perf_lost=$("$PERF" report -i loss.data --stdio 2>/dev/null | sed -n 's/^# Total Lost Samples: //p')
[ "$perf_lost" = "$lost" ] || fail "perf reads $perf_lost lost samples, the summary says $lost"

# Nothing lost: nothing said of it.
"$ASSAY" record -e page-faults -c 1 -o none.data "$WORKLOADS/faults" 1000 2>err
grep -q ' lost' err && fail "a loss where there was none: $(cat err)"
echo "NOTE: $samples samples + $lost lost"

# 300 threads under a hard limit of 256 open files: all of them are recorded.
# waits: for threads that start and end
. "$(dirname "$0")/../lib.sh"
need perf

"$WORKLOADS/sleepers" 300 20 >ready & target=$!
trap 'kill $target 2>/dev/null || true' EXIT
for _ in $(seq 100); do
	[ ! -s ready ] || break
	sleep 0.1
done
(ulimit -n 256 && exec "$ASSAY" record -q -F 5000 -o many.data -p $target -- sleep 3)
"$PERF" script -i many.data -F tid 2>perf.err | sort -u >tids
[ ! -s perf.err ] || fail "perf warns: $(head -3 perf.err)"
n=$(wc -l <tids)
[ "$n" -gt 250 ] || fail "samples of $n threads only"

# and their counts are read: losses of all of them are known
(ulimit -n 256 && exec "$ASSAY" record -F 20000 -m 1 -o loss.data -p $target -- sleep 1) 2>err
grep -q 'samples' err || fail "no summary: $(cat err)"

# a limit that is too low even for the rings says what to do
(ulimit -n 9 && exec "$ASSAY" record -q -o low.data -p $target -- true) 2>err && fail "9 files suffice?"
grep -q 'ulimit -n' err || fail "no advice: $(cat err)"

# The lines of COMMANDS.md (what the documents tell people to type) that record and read, word for word but for names of files,
# processes and durations. A line that needs what this machine lacks is noted, not failed.
. "$(dirname "$0")/../lib.sh"

mkdir bin
ln -s "$ASSAY" bin/assay
ln -s "$ASSAY" bin/perf
command -v python >/dev/null || ln -s "$(command -v python3)" bin/python
PATH=$TMPDIR/bin:$PATH
nr=0

# runs COMMAND…: exit status 0, or that of the workload.
runs() {
	"$@" >out 2>err </dev/null || fail "exit status $?: $*: $(cat err)"
	nr=$((nr + 1))
}

# interrupted COMMAND…: one that ends with Ctrl-C.
interrupted() {
	local pid
	"$@" >out 2>err </dev/null &
	pid=$!
	sleep 0.6
	kill -INT "$pid" 2>/dev/null || fail "$*: ended by itself: $(cat err)"
	wait "$pid" || [ $? -eq 130 ] || fail "$*: exit status $?: $(cat err)"
	[ -s perf.data ] || fail "$*: no perf.data"
	nr=$((nr + 1))
}

has_samples() { # FILE
	[ "$(assay script -i "$1" -F comm | wc -l)" -gt 0 ] || fail "$1 has no samples"
}

# Sampling
head -c 80000000 /dev/zero >FILES
runs assay record -F 49 -e cpu-cycles -o ./perf.data -- md5sum FILES
has_samples perf.data
"$WORKLOADS/threads" 2 60 >/dev/null 2>&1 &
PID=$!
trap 'kill $PID 2>/dev/null || true' EXIT
set +m
runs assay record -ag -- sleep 0.3
has_samples perf.data
runs assay record -F 99 -g -p $PID -- sleep 0.5
has_samples perf.data
rm perf.data
interrupted assay record -g -t "$PID" -F 99
if [ -d /sys/kernel/tracing/events/workqueue ] || [ -d /sys/kernel/debug/tracing/events/workqueue ]; then
	rm perf.data
	interrupted assay record -e workqueue:workqueue_queue_work
else
	echo "NOTE: no tracepoints of workqueues here"
fi
kill $PID
# -F 9999 is above what a kernel that has throttled before may allow.
if [ "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" -ge 9999 ] && command -v python >/dev/null; then
	runs assay record -F 9999 -g -o perf.data python -c "import hashlib as np; [np.sha256(b'x' * 10000000) for _ in range(20)]"
else
	runs assay record -F 999 -g -o perf.data "$WORKLOADS/mixed" 0.4
fi
has_samples perf.data
# Unwound while recording: `record -F99 --call-graph=dwarf -- ./pi 1000`, `record -F 999 --sample-cpu … -- python`.
runs assay record -F99 --call-graph=dwarf -o dwarf.data -- "$WORKLOADS/burn" 0.2
has_samples dwarf.data
runs assay record -F 999 --sample-cpu --call-graph dwarf --aio -o dwarf.data -- "$WORKLOADS/burn" 0.2
has_samples dwarf.data

# Reading
runs assay report --stdio --header
grep -q '^# cmdline : ' out || fail "no header"
grep -q '^ .*%' out || fail "no rows"
runs assay report -n -g
grep -q '^# Children.*Self.*Samples.*Command' out || fail "-n -g: $(head -12 out)"
# The awk of the document takes the share and the seventh word: the function.
assay report --stdio -n -g | grep '\[k\]\|\[\.\]' | awk '{printf "%-10s %s\n", $1, $7}' >out 2>err
grep -q -E '^[0-9.]+% +[^ ]' out || fail "the pipe through awk: $(head -3 out)"
runs assay script
cp out micro
runs assay script -ns
head -1 out | grep -q -E ' [0-9]+\.[0-9]{9}: ' || fail "script -ns: no nanoseconds: $(head -1 out)"
runs assay script --ns
runs perf script -ns
[ "$(wc -l <micro)" -eq "$(wc -l <out)" ] || fail "script and script -ns print different numbers of lines"
assay script | awk 'NF == 0 { stacks++ } END { exit !stacks }' || fail "no stacks for stackcollapse"
runs assay evlist
runs assay evlist -v
echo "NOTE: $nr command lines"

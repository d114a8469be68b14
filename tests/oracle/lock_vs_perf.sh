# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# The kernel's lock contention as perf shows it, on perf's recording and on ours: equal rows by thread and by caller.
. "$(dirname "$0")/../lib.sh"
need perf
"$ASSAY" record -q -a -e lock:contention_begin -o probe.data true 2>err || skip "no tracepoints of locks: $(cat err)"

# Threads that map and unmap memory fight for the lock of their address space.
cat >fight.py <<'PY'
import mmap
import threading
import time

def work(end):
    while time.time() < end:
        m = mmap.mmap(-1, 1 << 20)
        m[0] = 1
        m.close()

end = time.time() + 0.5
threads = [threading.Thread(target=work, args=(end,)) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
PY
perf_record --no-bpf-event -a -m 1024 -c 1 -R -g -e lock:contention_begin/max-stack=8/,lock:contention_end/max-stack=8/ -o perf.data -- python3 fight.py
"$ASSAY" lock record -q -a -o ours.data -- python3 fight.py 2>err || fail "lock record: $(cat err)"
# A row without any time is perf's for a wait whose end it did not see.
rows() { grep -v '^[^ ]' "$1" | sed '/^ *$/d; / 0 ns  *0 ns  *0 ns /d' | sed -E 's/ +/ /g; s/ $//' | sort; }
for data in perf.data ours.data; do
	"$PERF" lock contention -t -i $data >perf.txt 2>&1 || fail "perf lock contention -t: $(cat perf.txt)"
	"$ASSAY" lock contention -t -i $data >ours.txt 2>err || fail "by thread: $(cat err)"
	[ "$(wc -l <ours.txt)" -ge 3 ] || skip "no contention"
	# perf forgets the names of threads that have ended.
	diff <(rows perf.txt | sed 's/ [^ ]*$//') <(rows ours.txt | sed 's/ [^ ]*$//') >diff.txt || fail "$data by thread: $(cat diff.txt)"
	# perf skips three frames that its own kernels have in front, unless told otherwise, and its idea of what is a lock is another:
	# figures are compared, and the callers that both name.
	"$PERF" lock contention --stack-skip 0 -i $data >perf.txt 2>&1 || fail "perf lock contention: $(cat perf.txt)"
	"$ASSAY" lock contention -i $data >ours.txt 2>err || fail "by caller: $(cat err)"
	sum() { rows "$1" | awk '$1 ~ /^[0-9]+$/ { n += $1 } END { print n }'; }
	[ "$(sum perf.txt)" = "$(sum ours.txt)" ] || fail "$data by caller: perf has $(sum perf.txt) waits, assay $(sum ours.txt)"
	same=$(comm -12 <(rows perf.txt) <(rows ours.txt) | wc -l)
	[ "$same" -gt $(($(wc -l <perf.txt) * 2 / 3)) ] || fail "$data: only $same rows are perf's: $(diff perf.txt ours.txt)"
done

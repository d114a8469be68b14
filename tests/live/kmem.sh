# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# `assay kmem` on programs that make the kernel allocate known numbers of objects, free them on another CPU, and touch known numbers of pages.
. "$(dirname "$0")/../lib.sh"
need python3
"$ASSAY" record -q -a -e kmem:kmalloc -o probe.data true 2>err || skip "no tracepoints of memory: $(cat err)"
[ "$(nproc)" -ge 2 ] || skip "one CPU"

cat >eventfds.py <<'PY'
import ctypes
import os

libc = ctypes.CDLL(None)
cpus = sorted(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpus[0]})
fds = [libc.eventfd(0, 0) for _ in range(500)]
assert min(fds) >= 0
for fd in fds[:200]:
    os.close(fd)
os.sched_setaffinity(0, {cpus[1]})
for fd in fds[200:450]:
    os.close(fd)
os.kill(os.getpid(), 19)
PY
# The last 50 are open when recording ends: the program stops itself and is killed then.
cat >run.sh <<'SH'
python3 eventfds.py &
pid=$!
until grep -q '^State:.T' /proc/$pid/status; do sleep 0.01; done
echo $pid >pid
SH
check() {
	python3 - "$1" <<'PY'
import json
import sys

d = json.load(open(sys.argv[1]))
rows = [r for r in d["slab_callers"] if "eventfd" in r.get("symbol", "") and r["hits"] >= 500]
assert len(rows) == 1, [r for r in d["slab_callers"] if "eventfd" in r.get("symbol", "")]
r = rows[0]
# Other programs may make a few.
assert 500 <= r["hits"] < 600 and 450 <= r["freed"] < 550 and 50 <= r["hits"] - r["freed"] < 100, r
assert 250 <= r["freed_on_other_cpu"] < 300, r
assert r["bytes_allocated"] % r["hits"] == 0 and r["bytes_allocated"] >= r["bytes_requested"] >= 500 * 8, r
assert r["bytes_freed"] == r["bytes_allocated"] // r["hits"] * r["freed"] and r["avg_lifetime_ns"] > 0, r
PY
}
clean_up() { kill -9 "$(cat pid)"; }
"$ASSAY" kmem stat --caller --json -- sh run.sh >live.json 2>err || fail "live: $(cat err)"
clean_up
# All allocations of the machine are recorded: where it is busy, that may be too many.
skip_if_lost() { ! grep -Eq 'missing|lost' err || skip "$(cat err)"; }
skip_if_lost
check live.json || fail "live"
"$ASSAY" kmem record -m 16M -q -o slab.data -- sh run.sh 2>err || fail "kmem record: $(cat err)"
clean_up
"$ASSAY" kmem --caller --json -i slab.data stat >file.json 2>err || fail "kmem stat: $(cat err)"
skip_if_lost
check file.json || fail "from a file"
# Text, and rows of each table.
"$ASSAY" kmem stat --caller -s hit -l 2 --alloc -l 3 -q -i slab.data >text || fail "text"
[ "$(grep -c '|.*%$' text)" -eq 5 ] || fail "-l: $(cat text)"
[ "$(grep -c '^SUMMARY (SLAB allocator)$' text)" -eq 1 ] || fail "sums: $(cat text)"
# The last -l of a table counts; one in front of all tables is for all.
[ "$("$ASSAY" kmem stat --caller -l 5 -l 2 -q -i slab.data | grep -c '|.*%$')" -eq 2 ] || fail "-l 5 -l 2"
[ "$("$ASSAY" kmem stat -l 2 --caller -q -i slab.data | grep -c '|.*%$')" -eq 2 ] || fail "-l 2 --caller"
# Without a table, the sums alone.
"$ASSAY" kmem stat --json -q -i slab.data >sums.json || fail "sums as JSON"
! grep -q slab_callers sums.json || fail "a table that was not asked for: $(head sums.json)"
# By time: the two halves are the whole.
hits() { "$ASSAY" kmem stat --json -q -i slab.data "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["slab_sums"]["hits"])'; }
[ $(($(hits --time 0%-50%) + $(hits --time 50%-100%))) -ge "$(hits)" ] || fail "--time"

rows=$("$ASSAY" kmem stat -l 2 --page --caller -q -- true | grep -c '| \(Unm\|M\)ovable ')
[ "$rows" -eq 2 ] || fail "-l 2 --page: $rows rows"
"$ASSAY" kmem stat --page --caller --json -- "$WORKLOADS/touch" f.bin 300 5000 >page.json 2>err || fail "--page: $(cat err)"
skip_if_lost
python3 - <<'PY' || fail "pages: $(cat page.json)"
import json
import os
rows = json.load(open("page.json"))["page_callers"]
touched = [r for r in rows if r["order"] == 0 and r["migratetype"] == "Movable" and r["hits"] >= 5000]
# Other programs touch memory, too.
assert any(r["bytes_allocated"] == r["hits"] * os.sysconf("SC_PAGESIZE") and r["freed"] >= 4500 for r in touched), rows
assert not any("alloc_pages" in r.get("symbol", "") for r in touched), touched
PY

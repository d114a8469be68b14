# only recorder: records all CPUs
# The scheduler's events in a PID namespace, where they have other numbers than all other records: it is said, before and after, tasks have
# the names that the events tell, and what would pick its threads by the wrong numbers is refused.
. "$(dirname "$0")/../lib.sh"
need python3
need unshare
"$ASSAY" sched record -q -o probe.data -- true 2>err || skip "no tracepoints of the scheduler: $(cat err)"
[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || skip "this is not the first PID namespace"
unshare -pf --mount-proc true 2>err || skip "no PID namespaces: $(cat err)"
inside() { unshare -pf --mount-proc "$@"; }

# Its processes have the numbers that threads of the kernel have outside.
inside "$ASSAY" sched record -o ns.data -- sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done' 2>err || fail "record: $(cat err)"
grep -q 'this is a PID namespace .*outside' err || fail "sched record does not say it: $(cat err)"
inside "$ASSAY" timechart record -T -o chart.data -- true 2>err || fail "timechart record: $(cat err)"
grep -q 'this is a PID namespace' err || fail "timechart record does not say it: $(cat err)"

"$ASSAY" sched summary --json -i ns.data >rows.json 2>err || fail "summary: $(cat err)"
grep -q 'was recorded in a PID namespace' err || fail "summary does not say it: $(cat err)"
python3 - <<'PY' || fail "names of threads of the kernel"
import json

seen = 0
for row in json.load(open("rows.json")):
    try:
        parent = open(f"/proc/{row['tid']}/stat").read().rsplit(")", 1)[1].split()[1]
        name = open(f"/proc/{row['tid']}/comm").read().strip()
    except OSError:
        continue
    # Workers take other names as they go.
    if row["tid"] < 300 and parent == "2" and "worker" not in name:
        assert row["comm"] == name, (row, name)
        seen += 1
print(f"NOTE: {seen} threads of the kernel")
PY
"$ASSAY" wall -n 0 -i ns.data >none 2>err
grep -q 'was recorded in a PID namespace' err || fail "wall does not say it: $(cat err)"

inside "$ASSAY" wall --no-bpf -- true >none 2>err && fail "wall --no-bpf picks threads by the wrong numbers"
grep -q 'the first PID namespace.*outside' err || fail "wall: $(cat err)"

# In the first namespace there is nothing to say.
"$ASSAY" sched latency -i probe.data >none 2>err
grep -q 'PID namespace' err && fail "said of a recording of the first namespace: $(cat err)"
exit 0

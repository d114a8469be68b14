# `assay diff` by fields of tracepoints: rows of two recordings with known numbers are matched by what fields and calls show.
. "$(dirname "$0")/../lib.sh"
need python3
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null ||
	skip "tracefs is not mounted on $tracing, and cannot be"
[ -r $tracing/events/raw_syscalls/sys_enter/format ] || skip "only root may read tracepoints here"

for n in 100 300; do
	"$ASSAY" record -q -c 1 -e raw_syscalls:sys_exit,sched:sched_switch -o $n.data dd if=/dev/zero of=/dev/null bs=512 count=$n 2>/dev/null ||
		fail "record failed"
done
"$ASSAY" diff --json -s comm,syscall,ret 100.data 300.data >calls.json 2>err || fail "diff: $(cat err)"
"$ASSAY" diff --json -s id/raw 100.data 300.data >ids.json 2>err || fail "diff -s id/raw: $(cat err)"
python3 - <<'END' || fail "rows: $(head -c 3000 calls.json)"
import json, platform
def rows(path):
    return [e for e in json.load(open(path))["events"] if e["name"] == "raw_syscalls:sys_exit"][0]["rows"]
of = {(r["comm"], r["fields"]["syscall"], r["fields"]["ret"]): [s["period"] for s in r["sides"]] for r in rows("calls.json")}
assert of["dd", "read", 512] == [100, 300] and of["dd", "write", 512] == [100, 300], of
assert of["dd", "close", 0][0] == of["dd", "close", 0][1], of
if platform.machine() == "x86_64":
    by_id = {r["fields"]["id/raw"]: [s["period"] for s in r["sides"]] for r in rows("ids.json")}
    assert 1 in by_id and by_id[1][1] - by_id[1][0] == 200, by_id
END

# A column is in the tables of events that have the field.
"$ASSAY" diff -s comm,syscall,prev_state 100.data 300.data >diff 2>err || fail "diff: $(cat err)"
grep -A3 "Event 'raw_syscalls:sys_exit'" diff | grep -q 'Command  syscall' || fail "columns of calls: $(cat diff)"
! grep -A3 "Event 'raw_syscalls:sys_exit'" diff | grep -q prev_state || fail "a column of another event: $(cat diff)"
grep -qE '[-+][0-9.]+% +dd +write' diff || fail "no write: $(cat diff)"
"$ASSAY" diff -s trace 100.data 300.data | grep -q 'NR 1 = 512' || [ "$(uname -m)" != x86_64 ] || fail "-s trace"
# What is compared is what the first recording has.
"$ASSAY" diff -s nosuch 100.data 300.data 2>err && fail "a field that is not there"
grep -q "there is no key or field 'nosuch'.*raw_syscalls:sys_exit has id ret" err || fail "$(cat err)"
expect_exit 2 "$ASSAY" diff -s rett 100.data 300.data
expect_exit 2 "$ASSAY" diff -s trace_fields 100.data 300.data
expect_exit 2 "$ASSAY" diff -s 'sched_switch.*' 100.data 300.data
expect_exit 2 "$ASSAY" diff -s ret/hex 100.data 300.data

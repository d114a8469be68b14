# record --latency on a program with a serial and a parallel phase: shares of CPU time are those that the program used, and shares of elapsed
# time those that follow from the times of the context switches, however busy the machine is.
. "$(dirname "$0")/../lib.sh"
need python3

check() { # RECORDING
	"$ASSAY" script -i "$1" --ns --show-switch-events --show-task-events -F tid,time,event,period >records 2>err || fail "script: $(cat err)"
	"$ASSAY" report -i "$1" --json --no-children -s parallelism >rows.json 2>err || fail "report: $(cat err)"
	"$ASSAY" report -i "$1" --json --no-children -s sym >functions.json 2>err || fail "report: $(cat err)"
	python3 - <<'PY' || fail "$1: shares are not those of the switches"
import collections
import json
import re

running, since, elapsed = set(), None, collections.Counter()
for line in open("records"):
    m = re.search(r"(-?\d+)\s+(\d+)\.(\d{9}):\s+(.*)$", line)
    if not m or not int(m[2]):
        continue
    tid, now, what = int(m[1]), int(m[2]) * 10**9 + int(m[3]), m[4]
    before = len(running)
    if "PERF_RECORD_SWITCH" in what:
        (running.discard if " OUT" in what else running.add)(tid)
    elif "PERF_RECORD_EXIT" in what:
        running.discard(int(re.search(r"EXIT\((\d+):(\d+)\)", what)[2]))
    elif "PERF_RECORD_COMM exec" in what:
        running.add(tid)
    if since is not None:
        elapsed[before] += now - since
    since = now
del elapsed[0]
whole = sum(elapsed.values())
event = next(e for e in json.load(open("rows.json"))["events"] if e["samples"])
rows = {row["parallelism"]: row["self"] for row in event["entries"]}
for number in set(rows) | set(elapsed):
    share = rows[number]["latency_percent"] if number in rows else 0
    assert abs(share - 100 * elapsed[number] / whole) < 2, (number, rows, elapsed)
event = next(e for e in json.load(open("functions.json"))["events"] if e["samples"])
shares = {row.get("symbol"): row["self"]["percent"] for row in event["entries"]}
serial, parallel = (shares[name + "_phase"] for name in ("serial", "parallel"))
assert abs(serial / (serial + parallel) - 0.5) < 0.02, shares
print(dict(elapsed), rows)
PY
}

"$ASSAY" record -q --latency -F 2000 -e cpu-clock:u -o one.data "$WORKLOADS/phases" 0.6 0.3 2>err || fail "record --latency: $(cat err)"
check one.data
"$ASSAY" evlist -v -i one.data | grep -q 'context_switch: 1' || fail "no context switches in the event"
"$ASSAY" record -q --latency -F 2000 -e cpu-clock:u -o - "$WORKLOADS/phases" 0.6 0.15 4 2>err >pipe.data || fail "record --latency -o -: $(cat err)"
check pipe.data

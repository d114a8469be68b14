# The Chrome export of a recording with the scheduler's events has states of tasks and what ran on CPUs, on tracks of their own; a filtered one has not.
. "$(dirname "$0")/../lib.sh"
need python3

python3 "$TOOLS/make_timechart.py" states states.data
"$ASSAY" export -q --format chrome -i states.data -o states.json
"$ASSAY" export -q --format chrome -i states.data -o part.json --comms one
"$ASSAY" export -q --format chrome -i states.data -o event.json -e sched:sched_switch
python3 - <<'PY' || fail "states.json"
import collections, json
names, slices = {}, collections.defaultdict(list)
for e in json.load(open("states.json"))["traceEvents"]:
    if e["ph"] == "M":
        names[e["name"], e["pid"], e["tid"]] = e["args"]["name"]
    elif e.get("cat") == "sched":
        slices[e["pid"], e["tid"]].append(e)
tracks = {(names["process_name", pid, pid], names["thread_name", pid, tid]): [(e["ts"] / 1000 - 10**6, e["dur"] / 1000, e["name"]) for e in v]
          for (pid, tid), v in slices.items()}
assert sorted(tracks) == [("CPUs", "CPU 0"), ("CPUs", "CPU 1"), ("task states", "one 11"), ("task states", "three 13"), ("task states", "two 12")], tracks.keys()
assert tracks["task states", "one 11"] == [(0, 10, "running"), (10, 8, "sleeping (S)"), (18, 2, "runnable (woken)"), (20, 10, "running"),
                                           (30, 30, "runnable (preempted)"), (60, 20, "running"), (80, 20, "blocked (D)")], tracks["task states", "one 11"]
assert tracks["CPUs", "CPU 0"] == [(0, 10, "one"), (20, 10, "one"), (30, 30, "two"), (60, 20, "one")], tracks["CPUs", "CPU 0"]
for part in "part.json", "event.json":
    assert not [e for e in json.load(open(part))["traceEvents"] if e.get("cat") == "sched"], part
PY

# The Chrome and Firefox exports of a recording with the scheduler's events have states of tasks and what ran on CPUs; filtered ones have not. What is missing
# stays a hole, and a note says so.
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

# firefox: tests/oracle/export_readers.sh has the profiler read it
"$ASSAY" export -q --format firefox -i states.data -o states.firefox
"$ASSAY" export -q --format firefox -i states.data -o part.firefox --comms one
"$ASSAY" export -q --format firefox -i states.data -o event.firefox -e sched:sched_switch
python3 "$TOOLS/make_timechart.py" names names.data
"$ASSAY" export -q --format firefox -i names.data -o names.firefox
for kind in missing lost wrap late hostile; do
	python3 "$TOOLS/make_sched.py" $kind $kind.data
	for format in chrome firefox; do
		"$ASSAY" export -q --format $format -i $kind.data -o $kind.$format 2>err || fail "$kind, $format: $(cat err)"
		python3 -m json.tool $kind.$format >/dev/null || fail "$kind.$format is no JSON"
	done
done
# What wall's program recorded has states, too, with what was waited for; other tasks may have run on the CPUs meanwhile.
python3 "$TOOLS/make_timechart.py" waits waits.data
for format in chrome firefox; do
	"$ASSAY" export -q --format $format -i waits.data -o waits.$format 2>err || fail "waits, $format: $(cat err)"
done
"$ASSAY" heatmap --off-cpu --json -i waits.data >waits.json 2>err || fail "heatmap of waits.data: $(cat err)"
# Of some of the switches there are no states.
python3 "$TOOLS/make_sched.py" sampled sampled.data
"$ASSAY" export --format firefox -i sampled.data -o sampled.firefox 2>err || fail "sampled: $(cat err)"
grep -q 'sched:sched_switch was sampled.*period=1' err || fail "switches that were sampled are not told of: $(cat err)"
python3 "$TOOLS/make_timechart.py" dense dense.data
"$ASSAY" export -q --format firefox -i dense.data -o dense.firefox
python3 - <<'PY' || fail "firefox"
import json
def load(path):
    profile = json.load(open(path))
    threads = {}
    for t in profile["threads"]:
        m, names = t["markers"], profile["shared"]["stringArray"]
        columns = [m[key] for key in ("name", "startTime", "endTime", "phase", "category", "data")]
        assert {len(c) for c in columns} == {m["length"]}, (path, t["name"])
        threads[t["processName"], t["name"], t["tid"]] = [(names[n], b, e, d) for n, b, e, _, _, d in zip(*columns)]
    return profile, threads
profile, threads = load("states.firefox")
marked = {key: spans for key, spans in threads.items() if spans}
# One thread of each task has its states, whatever events there are.
assert sorted(key[2] for key in marked if key[0] != "CPUs") == [11, 12, 13], marked.keys()
one = next(spans for key, spans in marked.items() if key[2] == 11)
assert [(name, b, e) for name, b, e, _ in one] == [("running", 0, 10), ("sleeping (S)", 10, 18), ("runnable (woken)", 18, 20), ("running", 20, 30),
    ("runnable (preempted)", 30, 60), ("running", 60, 80), ("blocked (D)", 80, 100)], one
assert [(d["task"], b, e) for _, b, e, d in marked["CPUs", "CPU 0", 0]] == [("one", 0, 10), ("one", 20, 30), ("two", 30, 60), ("one", 60, 80)]
schemas = {s["name"]: [f["key"] for f in s["fields"]] for s in profile["meta"]["markerSchema"]}
for spans in marked.values():
    for name, _, _, data in spans:
        assert set(data) - {"type"} <= set(schemas[data["type"]]), data
for part in "part.firefox", "event.firefox":
    profile, threads = load(part)
    assert not any(threads.values()) and not profile["meta"]["markerSchema"], part
_, names = load("names.firefox")
assert any(d.get("task") == "</script><b>" for spans in names.values() for *_, d in spans)
notes = lambda path: {n["label"]: n["value"] for n in load(path)[0]["meta"]["extra"][0]["entries"]}
_, waits = load("waits.firefox")
waits = {key[2]: [(name, b, e) for name, b, e, _ in spans] for key, spans in waits.items() if spans}
truth = {11: [("blocked on a lock (futex)", 0, 30), ("runnable (woken)", 30, 32), ("running", 32, 40), ("asleep (timer)", 40, 90), ("runnable (woken)", 90, 95),
              ("running", 95, 96), ("blocked on a lock (futex)", 96, 100)],
         12: [("blocked on disk", 10, 20), ("running", 20, 50), ("runnable (preempted)", 50, 60), ("running", 60, 70), ("blocked on network", 70, 100)]}
assert waits == truth, waits
slices = {}
for e in json.load(open("waits.chrome"))["traceEvents"]:
    if e.get("cat") == "sched":
        slices.setdefault(e["pid"], []).append((e["name"], e["ts"] / 1000 - 10**6, (e["ts"] + e["dur"]) / 1000 - 10**6))
assert [sorted(v) for v in slices.values()] == [sorted(truth[11] + truth[12])], slices
heat = json.load(open("waits.json"))
assert (heat["count"], heat["percentiles_ns"]["min"], heat["percentiles_ns"]["max"]) == (3, 10 * 10**6, 50 * 10**6), heat["percentiles_ns"]
assert not any(load("sampled.firefox")[1].values()), "states of sampled switches"
assert "1 of " in notes("missing.firefox")["states"] and "states" not in notes("states.firefox"), notes("missing.firefox")
assert "do not follow" in json.load(open("missing.chrome"))["otherData"]["states"]
assert "merged" in notes("dense.firefox")["merged states"]
dense = [span for spans in load("dense.firefox")[1].values() for span in spans if span[0] == "several"]
assert dense and all("running" in d["shares"] for *_, d in dense), dense[:3]
PY

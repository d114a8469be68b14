# Time charts of recordings whose truth is known: every span is where it was, rows are chosen and marked as options say, files of any size make a picture of
# a bounded one, and names are escaped.
. "$(dirname "$0")/../lib.sh"
need python3
export PYTHONPATH=$TOOLS

make() {
	python3 "$TOOLS/make_timechart.py" "$@"
}
labels() {
	python3 - "$1" <<'PY'
import sys, timechart_svg
print("; ".join(label for label, _, _ in timechart_svg.rows(sys.argv[1])))
PY
}

make states states.data
"$ASSAY" timechart -i states.data >out 2>err || fail "states: $(cat err)"
grep -q '^assay: wrote 0.100 s of 5 rows to output.svg; open it in a browser$' err || fail "what it says: $(cat err)"
[ ! -s out ] || fail "standard output: $(cat out)"
python3 - <<'PY' || fail "spans of states.data"
import timechart_svg
MS = 10**6
rows = {label: [(b / MS, e / MS, s, v) for b, e, s, v, _ in spans] for label, _, spans in timechart_svg.rows("output.svg")}
want = {
    "CPU 0": [(0, 10, "running", "one 11"), (10, 20, "idle", None), (20, 30, "running", "one 11"), (30, 60, "running", "two 12"), (60, 80, "running", "one 11"),
              (80, 100, "idle", None)],
    "CPU 1": [(0, 50, "idle", None), (50, 90, "running", "three 13"), (90, 100, "idle", None)],
    "one 11": [(0, 10, "running", 0), (10, 18, "S", None), (18, 20, "woken", "(idle) 0"), (20, 30, "running", 0), (30, 60, "preempted", None),
               (60, 80, "running", 0), (80, 100, "D", None)],
    "two 12": [(25, 30, "woken", "one 11"), (30, 60, "running", 0), (60, 100, "S", None)],
    "three 13": [(0, 45, "S", None), (45, 50, "woken", "two 12"), (50, 90, "running", 1), (90, 100, "S", None)],
}
for label in want:
    assert rows[label] == want[label], (label, rows[label])
assert list(rows) == ["CPU 0", "CPU 1", "one 11", "three 13", "two 12"], list(rows)
PY

# rows
"$ASSAY" timechart -q -i states.data -o t.svg -T
[ "$(labels t.svg)" = "CPU 0; CPU 1; one 11; three 13; two 12" ] || fail "-T: $(labels t.svg)"
"$ASSAY" timechart -q -i states.data -o p.svg -p two -p 13
[ "$(labels p.svg)" = "CPU 0; CPU 1; three 13; two 12" ] || fail "-p: $(labels p.svg)"
"$ASSAY" timechart -i states.data -o n.svg -n 1 -T 2>/dev/null
[ "$(labels n.svg)" = "CPU 0; CPU 1; one 11" ] || fail "-n: $(labels n.svg)"
grep -q 'Not drawn: 2 tasks active for a shorter time; -n 3 draws all' n.svg || fail "-n says nothing of the others"
"$ASSAY" timechart -q -i states.data -o h.svg --highlight two
[ "$(grep -o 'class="label marked"' h.svg | wc -l)" = 1 ] || fail "--highlight NAME"
"$ASSAY" timechart -q -i states.data -o h.svg --highlight 35000000
[ "$(grep -o 'class="label marked"' h.svg | wc -l)" = 2 ] || fail "--highlight DURATION"
for what in "nobody:no task of the chart has the name 'nobody'" "1s:no task of the chart was active for so long"; do
	"$ASSAY" timechart -i states.data -o h.svg --highlight "${what%%:*}" 2>err || fail "--highlight ${what%%:*}: $(cat err)"
	grep -q -- "--highlight: ${what#*:}" err || fail "--highlight ${what%%:*} says: $(cat err)"
done
"$ASSAY" timechart -i states.data -o h.svg --highlight two 2>err
grep -q -- --highlight err && fail "--highlight of a task that is there: $(cat err)"
"$ASSAY" timechart -q -i states.data -o - | cmp - output.svg || fail "-o -"
cat states.data | "$ASSAY" timechart -q -i - -o s.svg || fail "a recording through a pipe"
! "$ASSAY" timechart -i states.data -o x.svg -p nobody 2>err || fail "-p of nobody"
grep -q 'no task has a name or number of -p' err && [ ! -e x.svg ] || fail "-p of nobody says: $(cat err)"

# power
make power power.data
"$ASSAY" timechart -q -i power.data -o power.svg -P
python3 - <<'PY' || fail "spans of power.data"
import timechart_svg
MS = 10**6
rows = {label: [(b / MS, e / MS, s, v) for b, e, s, v, _ in spans] for label, _, spans in timechart_svg.rows("power.svg")}
assert rows == {"CPU 0": [(0, 10, "running", "one 11"), (10, 20, "idle", None), (20, 40, "running", "one 11")],
                "C-state of 0": [(10, 20, "cstate", 1)], "C-state of 1": [(10, 40, "cstate", 3)],
                "MHz of 0": [(0, 5, "frequency", 1000000), (5, 40, "frequency", 2000000)]}, rows
PY
"$ASSAY" timechart -q -i power.data -o power-t.svg -T
[ "$(labels power-t.svg)" = "CPU 0; one 11" ] || fail "-T leaves out C-states and frequencies: $(labels power-t.svg)"
# What is not known is in the legend where there is some.
! grep -q '>not known<' power.svg || fail "a legend with what is not there"

# topology
make topology topology.data
"$ASSAY" timechart -q -i topology.data -o topology.svg -P
[ "$(labels topology.svg)" = "CPU 0; CPU 1; CPU 2; CPU 3" ] || fail "CPUs: $(labels topology.svg)"
"$ASSAY" timechart -q -i topology.data -o topology.svg -P --topology
[ "$(labels topology.svg)" = "CPU 0; CPU 2; CPU 1; CPU 3" ] || fail "--topology: $(labels topology.svg)"
"$ASSAY" timechart -i states.data -o topology.svg --topology 2>err
grep -q 'does not know the topology' err || fail "--topology without one says: $(cat err)"

# system calls
make io io.data
"$ASSAY" timechart -q -i io.data -o io.svg -I
python3 - <<'PY' || fail "spans of io.data"
import timechart_svg
MS = 10**6
rows = {label: [(b / MS, e / MS, s, v) for b, e, s, v, _ in spans] for label, _, spans in timechart_svg.rows("io.svg")}
assert rows["disk 11"][:5] == [(0, 4, "read", (4096, 1, False)), (5, 11, "write", (100, 1, False)), (12, 42, "sync", (0, 1, False)),
                               (43, 44, "read", (0, 1, True)), (45, 47, "write", (0, 1, True))], rows["disk 11"]
assert [(s, v) for _, _, s, v in rows["disk 11"][5:]] == [("write", (5120, 10, False))], rows["disk 11"][5:]
assert [(s, v) for _, _, s, v in rows["net 12"]] == [("receive", (1500, 1, False)), ("transmit", (700, 1, False)), ("poll", (0, 1, False))], rows["net 12"]
PY
"$ASSAY" timechart -q -i io.data -o io2.svg --io-skip-eagain --io-merge-dist 0
python3 - <<'PY' || fail "--io-skip-eagain, --io-merge-dist"
import timechart_svg
rows = {label: [s for _, _, s, _, _ in spans] for label, _, spans in timechart_svg.rows("io2.svg")}
assert rows["disk 11"] == ["read", "write", "sync", "write"] + ["write"] * 10, rows
PY
grep -q 'Left out: 1 call that returned EAGAIN (--io-skip-eagain)' io2.svg || fail "--io-skip-eagain says nothing"
"$ASSAY" timechart -q -i io.data -o io3.svg --io-min-time 50ms
grep -q '"least":50000000' io3.svg || fail "--io-min-time"

# missing data
for kind in lost missing wrap reused late no-wakes; do
	python3 "$TOOLS/make_sched.py" $kind $kind.data
	"$ASSAY" timechart -i $kind.data -o $kind.svg 2>err || fail "$kind: $(cat err)"
	python3 -c 'import sys, timechart_svg; timechart_svg.rows(sys.argv[1])' $kind.svg || fail "$kind.svg"
done
python3 - <<'PY' || fail "what is missing was made up"
import timechart_svg
rows = {label: spans for label, _, spans in timechart_svg.rows("lost.svg")}
at = [(b, e, s) for b, e, s, _, _ in rows["task13 13"]]
# It slept when records were lost, and may have run until it is seen again.
assert (0, 10**6, "running") in at and not any(b < 2 * 10**6 < e for b, e, _ in at), at
PY
python3 - <<'PY' || fail "missing switches, numbers that are used again, a CPU that appears later"
import timechart_svg
MS = 10**6
def load(kind):
    return {label: [(b / MS, e / MS, s) for b, e, s, _, _ in spans] for label, _, spans in timechart_svg.rows(f"{kind}.svg")}
rows = load("missing")  # from 0 on 12 ran, until a time that is not known
assert rows["CPU 0"] == [(7, 8, "running"), (8, 9, "running")], rows["CPU 0"]
assert rows["task12 12"] == [(8, 9, "running")] and rows["task13 13"] == [(7, 9, "S")], rows
rows = load("wrap")
assert rows["old 12"] == [(0, 1, "S"), (1, 2, "running")], rows["old 12"]
assert rows["new 12"] == [(12, 13, "woken"), (13, 17, "running"), (17, 18, "S")], rows["new 12"]
rows = load("reused")
assert [s for s in rows["old 12"] if s[2] == "running"] == [(2, 3, "running")] and [s for s in rows["new 12"] if s[2] == "running"] == [(7, 11, "running")], rows
assert rows["gone 13"] == [(0, 2, "running")] and (11, 16, "running") in rows["parent 13"], rows
rows = load("late")
assert rows["CPU 3"] == [(7, 8, "idle")] and rows["task12 12"] == [(7, 8, "S")], rows
PY
grep -q '1 of 4 switches do not follow' missing.svg || fail "missing.svg does not say that switches are missing"
# numbers that make no sense leave nothing to draw, or a chart
python3 "$TOOLS/make_sched.py" hostile hostile.data
"$ASSAY" timechart -i hostile.data -o hostile.svg 2>err || [ $? = 1 ] || fail "hostile: $(cat err)"
grep -q '>not known<' lost.svg || fail "lost.svg has no legend of what is not known"
grep -q 'records were lost while recording' lost.svg || fail "lost.svg does not say what was lost"

# many CPUs and tasks: the cost does not grow with both
make cpus cpus.data
python3 "$(dirname "$0")/bounded.py" 1 256 cpus "$ASSAY" timechart -q -n 10000 -i cpus.data -o cpus.svg 2>err || fail "cpus: $(tail -1 err)"

# names
make names names.data
"$ASSAY" timechart -q -i names.data -o names.svg
python3 -c 'import timechart_svg; timechart_svg.load("names.svg")' || fail "hostile names"
! grep -q '</script><b>' names.svg || fail "a name is markup"

# a picture of a bounded size, with all of the time in it
make dense dense.data
"$ASSAY" timechart -i dense.data -o dense.svg 2>err || fail "dense: $(cat err)"
[ "$(stat -c %s dense.svg)" -lt 20000000 ] || fail "a picture of $(stat -c %s dense.svg) bytes"
grep -q 'is merged with its neighbours' dense.svg || fail "dense.svg does not say what was merged"
"$ASSAY" sched summary -q -i dense.data --json >summary.json
python3 - <<'PY' || fail "sums of dense.svg are not those of sched summary"
import json, timechart_svg
rows = {label: spans for label, kind, spans in timechart_svg.rows("dense.svg") if kind == "task"}
tasks = {f"{task['comm']} {task['tid']}": task for task in json.load(open("summary.json")) if task["tid"]}
assert sorted(rows) == sorted(tasks) == ["task11 11", "task12 12"], (rows.keys(), tasks.keys())
for label, task in tasks.items():
    runs = sum(e - b if s == "running" else (shares or {}).get("running", 0) for b, e, s, _, shares in rows[label])
    assert runs == next(v for k, v in task.items() if k.startswith("run") and k.endswith("ns")), (task, runs)
assert any(s == "mixed" for _, _, s, _, _ in rows["task11 11"])
PY

# command lines
for words in "-P -T" "--width 3" "--io-min-time 5x" "--symfs /" "two words.data"; do
	set +e
	# shellcheck disable=SC2086
	"$ASSAY" timechart $words >out 2>err
	status=$?
	set -e
	[ $status = 2 ] || fail "'$words' exits with $status: $(cat err)"
done
! "$ASSAY" timechart -i /dev/null 2>err || fail "an empty file"
python3 - <<'PY'
open("plain.folded", "w").write("main;work 3\n")
PY
! "$ASSAY" timechart -i plain.folded -o y.svg 2>err || fail "a recording without such events"
grep -q "'assay timechart record' records them" err || fail "without events: $(cat err)"

# heatmap --state, --run-queue and --off-cpu on made-up recordings of the scheduler: waits for a CPU are the delays that `sched timehist` has of the same file,
# and each state has the lengths that make_timechart.py gave it; what is missing is not drawn.
. "$(dirname "$0")/../lib.sh"
need python3
for kind in whole window missing lost no-wakes hostile; do
	python3 "$TOOLS/make_sched.py" $kind $kind.data
	"$ASSAY" heatmap --run-queue --json -i $kind.data >$kind.json 2>err || [ $kind = hostile ] || fail "$kind: $(cat err)"
done
"$ASSAY" sched timehist -i whole.data >lines 2>err || fail "timehist: $(cat err)"
python3 - <<'PY' || fail "other waits than those of the time line"
import json
import re

rows = [re.match(r" *[\d.]+ \[\d+\]  (.*?) +([\d.]+) +([\d.]+) +([\d.]+) *$", line) for line in open("lines")]
waits = [round(float(m[3]) * 1e6) for m in rows if m and not m[1].startswith("<idle>") and float(m[3])]
heat = json.load(open("whole.json"))
ranks = heat["percentiles_ns"]
# timehist has a line when a run ends: of those at the end there is none.
assert len(waits) <= heat["count"] <= len(waits) + 3, (len(waits), heat["count"])
assert ranks["max"] == max(waits) and ranks["min"] == min(waits), (ranks, max(waits), min(waits))
window = json.load(open("window.json"))
assert window["count"] == 1 and window["percentiles_ns"]["max"] == 1000000, window["subtitle"]
missing = json.load(open("missing.json"))
assert missing["counts"]["missing_switches"] == 1 and "switches are missing" in missing["notes"][0], missing["notes"]
assert "no wakes" in json.load(open("no-wakes.json"))["notes"][0]
PY
"$ASSAY" heatmap --run-queue --comms two --json -i whole.data >two.json 2>err || fail "--comms: $(cat err)"
python3 -c 'import json; h = json.load(open("two.json")); assert h["percentiles_ns"]["max"] == 40000 and h["count"], h' || fail "--comms two"
"$ASSAY" heatmap --run-queue -o picture.svg -i whole.data >table 2>err || fail "picture: $(cat err)"
grep -q 'waits of tasks for a CPU' picture.svg || fail "no title in the picture"

# from one switch or wake to the next: make_timechart.py has the truth
python3 "$TOOLS/make_timechart.py" states states.data
for state in running runnable blocked; do
	"$ASSAY" heatmap --state $state --json -i states.data >$state.json 2>err || fail "--state $state: $(cat err)"
	"$ASSAY" heatmap --state $state --csv --scale linear --rows 100 --min 0ms --max 100ms --columns 1 -i states.data >$state.csv 2>err || fail "$state, CSV: $(cat err)"
	"$ASSAY" heatmap --state $state --json -i lost.data >lost-$state.json 2>err || fail "--state $state of lost.data: $(cat err)"
done
"$ASSAY" heatmap --off-cpu --json -i states.data | cmp - blocked.json || fail "--off-cpu is not --state blocked"
"$ASSAY" heatmap --run-queue --json -i states.data | cmp - runnable.json || fail "--run-queue is not --state runnable"
"$ASSAY" heatmap --off-cpu --json -i no-wakes.data >blocked-no-wakes.json
"$ASSAY" heatmap --off-cpu --comms three --json -i states.data >blocked-three.json
python3 - <<'PY' || fail "lengths of states"
import csv, json
truth = {"running": [10, 10, 20, 30, 40], "runnable": [2, 5, 5, 30], "blocked": [8, 10, 45]}
open_at_end = {"running": 0, "runnable": 1, "blocked": 2}
for state, lengths in truth.items():
    heat = json.load(open(f"{state}.json"))
    ranks = heat["percentiles_ns"]
    assert (heat["count"], ranks["min"], ranks["max"]) == (len(lengths), lengths[0] * 10**6, lengths[-1] * 10**6), (state, heat["count"], ranks)
    assert heat["counts"]["without_end"] == open_at_end[state], (state, heat["counts"])
    rows = sorted(round(float(row["from_ns"]) / 1e6) for row in csv.DictReader(open(f"{state}.csv")) for _ in range(int(row["count"])))
    assert rows == lengths, (state, rows)
three = json.load(open("blocked-three.json"))
assert (three["count"], three["percentiles_ns"]["min"]) == (2, 10**7), three["percentiles_ns"]
assert "until the task ran" in json.load(open("blocked-no-wakes.json"))["notes"][0]
# Records of CPU 0 are lost at 2 ms: no span of a task there goes on across that, and what ran then has no end. On CPU 1 nothing was lost: 4 ms.
for state in truth:
    heat = json.load(open(f"lost-{state}.json"))
    most = heat["percentiles_ns"]["max"] if heat["count"] else 0
    assert most == {"running": 4 * 10**6}.get(state, 0) and "lost" in heat["notes"][0] and (heat["count"] or state != "running"), (state, most, heat["notes"])
PY

# samples of off-CPU time instead of switches
python3 "$TOOLS/make_records.py" offcpu offcpu.data
python3 "$TOOLS/make_records.py" offcpu offcpu-perf.data perf
for state in runnable blocked; do
	"$ASSAY" heatmap --state $state --json -i offcpu.data >offcpu-$state.json 2>err || fail "off-CPU samples, $state: $(cat err)"
done
"$ASSAY" heatmap --off-cpu --tid 101 --json -i offcpu.data >offcpu-two.json 2>err || fail "off-CPU samples of a task: $(cat err)"
"$ASSAY" heatmap --off-cpu --json -i offcpu-perf.data >offcpu-perf.json 2>err || fail "perf's off-CPU samples: $(cat err)"
python3 - <<'PY' || fail "samples of off-CPU time"
import json
for name, lengths in ("blocked", [10, 20, 30]), ("runnable", [5]), ("two", [20, 30]), ("perf", [5, 10, 20, 30]):
    heat = json.load(open(f"offcpu-{name}.json"))
    ranks = heat["percentiles_ns"]
    assert (heat["count"], ranks["min"], ranks["max"]) == (len(lengths), lengths[0] * 10**6, lengths[-1] * 10**6), (name, heat["count"], ranks)
    assert any("--off-cpu-thresh 0" in note for note in heat["notes"]), heat["notes"]
PY

refused() { # WORDS, OPTIONS…
	local words=$1
	shift
	"$ASSAY" heatmap "$@" >out 2>err && fail "heatmap $* is not refused"
	grep -q -- "$words" err || fail "heatmap $*: $(cat err)"
}
refused 'different pictures' --run-queue --offset -i whole.data
refused 'different pictures' --run-queue --syscall read -i whole.data
refused 'does not apply' --run-queue --symbols main -i whole.data
python3 "$TOOLS/make_parallel.py" phases other.data
refused "'assay sched record' records them" --run-queue -i other.data
refused "do not say when tasks were running; 'assay sched record' records that" --state running -i offcpu.data
refused 'do not say when tasks were runnable' --run-queue -i offcpu-perf.data
refused 'different pictures' --run-queue --off-cpu -i whole.data
refused 'is none of' --state asleep -i whole.data
refused 'different pictures' --off-cpu --from a --to b -i whole.data

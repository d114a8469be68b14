# heatmap --run-queue on made-up recordings of the scheduler: the waits are the delays that `sched timehist` has of the same file.
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

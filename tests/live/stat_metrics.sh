# stat -M: metrics by name, in all forms; what is unknown or missing is reported.
. "$(dirname "$0")/../lib.sh"
need python3

"$ASSAY" stat -M fault-rate,switch-rate -o text.txt -- "$WORKLOADS/faults" >/dev/null 2>&1 || :
grep -q 'page-faults .*# .* faults per CPU second' text.txt || fail "text: $(cat text.txt)"
grep -q 'context-switches .*# .* switches per CPU second' text.txt || fail "text, second metric"
"$ASSAY" stat -j -M fault-rate -o rows.json true
python3 - <<'PY' || fail "the metric is not what its events say"
import json
rows = [json.loads(l) for l in open("rows.json") if l.startswith("{")]
faults, clock = float(rows[0]["counter-value"]), float(rows[1]["counter-value"])
rate = rows[0]["metric-value"]
assert rows[0]["metric-unit"] == "faults per CPU second"
assert abs(rate - 1000 * faults / clock) <= rate * 1e-4, (rate, faults, clock)
assert rows[1]["metric-unit"] == "", rows[1]
PY
# A group of metrics shares its events; -e beside -M keeps its own.
"$ASSAY" stat -x, -M OS -e page-faults -o rows.csv true
[ "$(grep -c 'per CPU second' rows.csv)" -eq 3 ] || fail "-M OS: $(cat rows.csv)"
grep -q 'page-faults,.*/sec$' rows.csv || fail "-e beside -M: $(cat rows.csv)"
"$ASSAY" stat -x, --metric-only -M OS -o rows.csv true
grep -q '^faults per CPU second,switches per CPU second,moves per CPU second,$' rows.csv ||
	fail "--metric-only: $(cat rows.csv)"
"$ASSAY" stat --metric-only -a -A -I 50 -M fault-rate -o text.txt sleep 0.12
grep -q '^ *0\.0[0-9]* CPU0 ' text.txt || fail "--metric-only -A -I: $(cat text.txt)"

code=0
"$ASSAY" stat -M fault-rat true 2>err.txt || code=$?
[ $code -ne 0 ] || fail "an unknown metric is accepted"
grep -q "did you mean 'fault-rate'" err.txt || fail "no suggestion: $(cat err.txt)"
# On a machine without a PMU the sentence says so; with one there is a value.
if "$ASSAY" stat -M ipc -o text.txt true 2>err.txt; then
	grep -q 'insn per cycle\|not counted\|not supported' text.txt || fail "ipc: $(cat text.txt)"
else
	grep -q "metric 'ipc' needs hardware counters" err.txt || fail "ipc: $(cat err.txt)"
fi
expect_exit 2 "$ASSAY" stat --metric-only -r 2 true 2>/dev/null
expect_exit 2 "$ASSAY" stat -x, -j true 2>/dev/null
echo "metrics are computed, named and explained"

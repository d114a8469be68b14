# The viewer's time line: waits that are samples, states and who woke whom of the scheduler's events, and where samples are missing.
. "$(dirname "$0")/../lib.sh"
need_browser

python3 "$TOOLS/make_records.py" waits waits.data
for kind in replay sampled missing; do
	python3 "$TOOLS/make_sched.py" $kind $kind.data
done
for kind in waits replay sampled missing; do
	"$ASSAY" view -q -i $kind.data -o $kind.html || fail "$kind"
done
"$ASSAY" view -i sampled.data -o sampled.html 2>err || fail "sampled"
grep -q 'sched:sched_switch was sampled.*period=1' err || fail "switches that were sampled are not told of: $(cat err)"
node "$(dirname "$0")/view_states.mjs"

# The viewer's time line: waits that are samples, states and who woke whom of the scheduler's events, and where samples are missing.
. "$(dirname "$0")/../lib.sh"
need_browser

python3 "$TOOLS/make_records.py" waits waits.data
python3 "$TOOLS/make_sched.py" replay replay.data
for kind in waits replay; do
	"$ASSAY" view -q -i $kind.data -o $kind.html || fail "$kind"
done
node "$(dirname "$0")/view_states.mjs"

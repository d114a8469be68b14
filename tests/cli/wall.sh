# wall on recordings whose truth is known (tools/make_sched.py, make_timechart.py): what is missing is unknown and marked, and no time is made up.
. "$(dirname "$0")/../lib.sh"
need python3

# rows KIND: lines of the table without heading, as words
rows() {
	"$ASSAY" wall -n 0 -i "$1.data" 2>err | sed 's/  */ /g; s/^ //'
}
for kind in missing lost wrap reused late; do
	python3 "$TOOLS/make_sched.py" $kind $kind.data
	rows $kind >$kind.rows || fail "$kind: $(cat err)"
	cp err $kind.err
done
has() { # KIND, LINE…: elapsed, running, then what the heading of that kind says
	local kind=$1 line
	shift
	for line in "$@"; do
		grep -qxF "$line" $kind.rows || fail "$kind: no line '$line': $(cat $kind.rows)"
	done
}
has missing "elapsed (ms) running other unknown thread" "9.000 11.11% - 88.89% task12 (12), incomplete" "9.000 - 22.22% 77.78% task13 (13), incomplete"
grep -q 'switches or wakes of the threads are missing' missing.err || fail "missing: $(cat missing.err)"
has lost "elapsed (ms) running other unknown thread" "5.000 80.00% 20.00% - task11 (11), incomplete" "5.000 20.00% - 80.00% task12 (12), incomplete" \
	"5.000 60.00% - 40.00% task13 (13), incomplete"
grep -q '5 samples were lost' lost.err || fail "lost: $(cat lost.err)"
has wrap "elapsed (ms) running runnable other thread" "6.000 66.67% 16.67% 16.67% new (12)" "2.000 50.00% - 50.00% old (12)"
has reused "16.000 12.50% - - 87.50% gone (13), incomplete" "9.000 44.44% - 55.56% - new (12)" "6.000 83.33% 16.67% - - parent (13)"
has late "elapsed (ms) running runnable other unknown thread" "8.000 25.00% 12.50% 62.50% - task11 (11)" "8.000 - - 12.50% 87.50% task12 (12)"
python3 "$TOOLS/make_timechart.py" waits waits.data
rows waits >waits.rows
has waits "elapsed (ms) running runnable disk futex network sleep unknown thread" "100.000 9.00% 7.00% - 34.00% - 50.00% - main (11)" \
	"100.000 40.00% 10.00% 10.00% - 30.00% - 10.00% other (12), incomplete"

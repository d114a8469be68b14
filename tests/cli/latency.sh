# report's latency and parallelism on recordings whose truth is known (tools/make_parallel.py): the numbers are those of the truth, what is
# missing is reported, what cannot be known is refused.
. "$(dirname "$0")/../lib.sh"
need python3
files=$(cd "$(dirname "$0")/../golden/files" && pwd)
for kind in phases phases-g mixed many serial attached exits units events lost none cpu-wide hostile; do
	python3 "$TOOLS/make_parallel.py" $kind $kind.data $kind.truth || fail "make_parallel.py $kind"
done
report() { "$ASSAY" report --stdio --symfs "$files" "$@"; }

# Each number of threads with its samples and periods, and its share of elapsed time, of all events together.
for kind in phases phases-g mixed many serial attached exits units events; do
	report -i $kind.data --json --no-children -s parallelism >rows.json 2>err || fail "$kind: $(cat err)"
	python3 - $kind.truth <<'PY' || fail "$kind: parallelism is not the truth"
import json
import sys

found = {}
total = 0
for event in json.load(open("rows.json"))["events"]:
    for row in event["entries"]:
        n, own = row["parallelism"], row["self"]
        period, samples = found.get(n, (0, 0))
        found[n] = period + own["period"], samples + own["samples"]
        assert abs(own["latency"] - own["period"] / n) <= 0.051, row
        assert abs(own["latency_percent"] - 100 * own["period"] / n / event["latency"]) < 0.51 / event["latency"] + 0.01, row
truth = {int(n): (int(period), int(samples)) for n, period, samples in (line.split() for line in open(sys.argv[1]))}
assert found == truth, (found, truth)
PY
done

# 600 ms alone, then 400 ms of CPU time in 100 ms.
report -i phases.data --latency >out 2>err || fail "--latency: $(cat err)"
grep -q '^ *85\.71% *60\.00% .* render$' out || fail "the serial phase: $(cat out)"
grep -q '^ *14\.29% *40\.00% .*pause_ms' out || fail "the parallel phase: $(cat out)"
report -i phases.data >out 2>err || fail "$(cat err)"
grep -q '^# Overhead   Latency  Command' out || fail "no column of latency by itself: $(cat out)"
report -i serial.data >out 2>err || fail "$(cat err)"
grep -q Latency out && fail "latency of one thread, which is its CPU time: $(cat out)"

# The filter leaves the shares as they are.
report -i phases.data --parallelism 2-4 --latency >out 2>err || fail "--parallelism: $(cat err)"
grep -q '^ *14\.29% *40\.00% .*pause_ms' out || fail "--parallelism 2-4: $(cat out)"
grep -q render out && fail "--parallelism 2-4 shows one thread"
refused() { # WORDS OF THE MESSAGE, OPTIONS…
	local words=$1 status=0
	shift
	report "$@" >out 2>err || status=$?
	[ $status -ne 0 ] || fail "report $* is not refused"
	grep -q -- "$words" err || fail "report $*: $(cat err)"
}
refused 'none of the 1000 samples' -i phases.data --parallelism 2
for list in 0 x 5- 3-1 ''; do
	refused "is no list of numbers of threads" -i phases.data --parallelism "$list"
done
for options in --latency '-s parallelism' '-F latency' '-F overhead,latency_children,sym' '--parallelism 1'; do
	# shellcheck disable=SC2086
	refused "'assay record --latency' records them" -i none.data $options
	# shellcheck disable=SC2086
	refused "recording of all CPUs" -i cpu-wide.data $options
done
report -i none.data >out 2>err || fail "$(cat err)"
report -i cpu-wide.data >out 2>err || fail "$(cat err)"
grep -q Latency out && fail "latency of all CPUs"

# Through a pipe, whose events are known late.
report -i - --latency -s parallelism <phases.data >piped 2>err || fail "pipe: $(cat err)"
report -i phases.data --latency -s parallelism >stored 2>err || fail "$(cat err)"
diff <(grep -v '^#' stored) <(grep -v '^#' piped) || fail "a pipe shows something else"
refused "'assay record --latency' records them" -i - --latency <none.data

# Lost records may be switches.
report -i lost.data --latency >out 2>err || fail "lost: $(cat err)"
grep -q 'latency and parallelism are estimates' err || fail "no word of lost switches: $(cat err)"
report -i lost.data -U -s parallelism,sym -n >out 2>err || fail "-U: $(cat err)"

# Numbers that make no sense end in a report.
for options in '' --latency '-s parallelism' '--json' '--parallelism 1-60000 -s parallelism'; do
	# shellcheck disable=SC2086
	report -i hostile.data $options >out 2>err || fail "hostile $options: $(cat err)"
done

for options in -a '-C 0' '-u root'; do
	# shellcheck disable=SC2086
	"$ASSAY" record --latency $options -o no.data true 2>err && fail "record --latency $options is not refused"
	grep -q -- '--latency counts the running threads' err || fail "record --latency $options: $(cat err)"
done

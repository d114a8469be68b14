# The profiles of Go's runtime, imported and exported again: go tool pprof says the same of both, types, units, default, labels and values.
# Views open them on their default type and say what it is counted in.
. "$(dirname "$0")/../lib.sh"
need go
need python3
here=$(cd "$(dirname "$0")" && pwd)

export HOME=$TMPDIR GOCACHE=$TMPDIR/go-cache GO111MODULE=off
go build -o work "$here/pprof_work.go" 2>err || skip "go cannot build here: $(head -1 err)"
./work
python3 "$here/pprof_odd.py" odd.pb

says() { # MODE FILE: what pprof says
	go tool pprof "$1" "$2" 2>pprof.err || fail "pprof $1 $2: $(cat pprof.err)"
}

nr=0
for name in cpu heap allocs mutex block threadcreate goroutine odd; do
	file=$name.pb
	[ -f $file ] || file=$name.pb.gz
	"$ASSAY" import -o $name.data $file 2>err.txt || fail "$name is not imported: $(cat err.txt)"
	! grep -v 'imported into' err.txt || fail "$name: something was left out"
	"$ASSAY" export -q --format pprof -o again-$name.pb.gz $name.data
	for mode in -raw -top -tags -traces -comments; do
		says $mode $file >want
		says $mode again-$name.pb.gz >got
		expect_same want got "$name: pprof $mode after import and export"
		nr=$((nr + $(wc -l <want)))
	done
	# The same without a file between; and what came out goes in once more.
	"$ASSAY" export -q --format pprof -o direct.pb.gz -i $file
	"$ASSAY" export -q --format pprof -o twice.pb.gz -i again-$name.pb.gz
	gunzip -kf again-$name.pb.gz direct.pb.gz twice.pb.gz
	cmp -s again-$name.pb direct.pb || fail "$name: export of the profile itself is another one"
	cmp -s again-$name.pb twice.pb || fail "$name: pprof is another one after a second time"
done
says -raw heap.pb.gz | grep -q 'bytes:\[4096\]' || fail "this heap has no labels to lose"
says -raw cpu.pb.gz | grep -q 'request:\[big\]' || fail "this CPU profile has no labels to lose"

# Views: the default type first, in its unit, as heavy as pprof says.
opens_on() { # NAME EVENT UNIT COLUMN: of values in pprof -raw
	local sum
	sum=$(says -raw $1.pb.gz | sed -n '/^Samples:/,/^Locations/p' | awk -v c="$4" '/: / && !/\[/ { sub(":", ""); n += $c } END { print n }')
	"$ASSAY" report --stdio -g none -i $1.pb.gz >report.txt 2>/dev/null
	[ "$(grep -m1 '^# Samples' report.txt | sed "s/.*'\(.*\)'/\1/")" = "$2" ] || fail "$1: report begins with $(grep -m1 '^# Samples' report.txt)"
	[ "$(grep -m1 '^# Event count' report.txt)" = "# Event count (approx.): $sum${3:+ $3}" ] ||
		fail "$1: pprof has $sum, report says $(grep -m1 '^# Event count' report.txt)"
	"$ASSAY" flame -q -i $1.pb.gz -o $1.svg
	[ "$(python3 "$TOOLS/flame_read.py" total $1.svg)" = "$sum" ] || fail "$1: the flame graph is not of $sum $3"
	[ -z "$3" ] || grep -q "\"unit\":\"$3\"" $1.svg || fail "$1: the flame graph does not say $3"
	opened="$sum $3"
}
opens_on allocs alloc_space bytes 2
opens_on mutex delay nanoseconds 2
opens_on goroutine goroutine "" 1
opens_on heap inuse_space bytes 4
"$ASSAY" evlist -i heap.data >events.txt
expect_same <(printf '%s\n' inuse_space alloc_objects alloc_space inuse_objects) events.txt "events of a heap"

# One of its types alone
"$ASSAY" export -q -e alloc_space --format pprof -o one.pb.gz heap.data
says -raw one.pb.gz | grep -A1 '^Samples:' | grep -qx 'alloc_space/bytes' || fail "one type alone: $(says -raw one.pb.gz | head -6)"
"$ASSAY" report --stdio -g none -i one.pb.gz 2>/dev/null | grep -q "of event 'alloc_space'" || fail "one type alone in a report"

# Folded sums: one type, which is what they are.
printf 'nginx;main;epoll_wait;schedule 48000000\nnginx;main;read;schedule 900\n' >off.folded
printf 'a;b 3\na;c 4\n' >few.folded
for name in off few; do
	"$ASSAY" export -q --format pprof -o $name.pb.gz -i $name.folded
	says -raw $name.pb.gz | sed -n '/^Samples:/,/^Locations/p' >raw.txt
	[ "$(sed -n 2p raw.txt)" = 'samples/count[dflt]' ] || fail "$name.folded has the types $(sed -n 2p raw.txt)"
	expect_same <(sed 's/.* //' $name.folded) <(sed -n '3,4s/ *\([0-9]*\):.*/\1/p' raw.txt) "values of $name.folded"
	[ -z "$(says -tags $name.pb.gz)" ] || fail "$name.folded has labels that the input lacks"
done

# Differences of two profiles
go tool pprof -proto -output diff.pb.gz -diff_base block.pb.gz mutex.pb.gz 2>/dev/null
"$ASSAY" import -o diff.data diff.pb.gz 2>err.txt || fail "$(cat err.txt)"
grep -q 'diff.pb.gz: [0-9]* of its samples have negative values and were left out.*differences cannot be imported' err.txt || fail "$(cat err.txt)"

if [ -n "$PERF" ]; then
	for tool in "report --stdio" "script" "evlist -v"; do
		# shellcheck disable=SC2086
		"$PERF" $tool -i heap.data >perf.txt 2>perf.err </dev/null || fail "perf $tool fails: $(cat perf.err)"
		[ -z "$(grep -v '^$' perf.err)" ] || fail "perf $tool warns: $(cat perf.err)"
	done
fi
echo "NOTE: $nr lines of pprof are the same after import and export; the heap opens on $opened"

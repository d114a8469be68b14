# Two tools that define 100 probes each at the same time: all are there, none is another's, and each removes only its own. What is killed half-way
# leaves whole lines.
# timeout: 300
# waits: the kernel takes its time to remove probes
. "$(dirname "$0")/../lib.sh"
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null || skip "tracefs is not mounted on $tracing, and cannot be"
[ -w $tracing/uprobe_events ] || skip "this user may not define probes, or the kernel has none"
one=one$$ two=two$$
cp "$WORKLOADS/probe_calls" $one
cp "$WORKLOADS/probe_calls" $two
count() { grep -c "^p:probe_$1/" $tracing/uprobe_events || true; }
# shellcheck disable=SC2064
trap "'$ASSAY' probe -q -d 'probe_$one:*,probe_$two:*' 2>/dev/null || true" EXIT

add_by_us() { # NAME: one command a probe, as a script would
	local i
	for i in $(seq 100); do "$ASSAY" probe -q -x "./$1" "p$i=take" || echo "probe $i of $1" >>failed; done
}
echo "== both are assay, one probe a command"
add_by_us $one &
first=$!
add_by_us $two
wait $first
[ ! -s failed ] || fail "$(cat failed)"
[ "$(count $one) $(count $two)" = "100 100" ] || fail "$(count $one) and $(count $two) of 100 probes each"
"$ASSAY" stat -x, -o counts -e "probe_$one:*" ./$one 2 >/dev/null
[ "$(grep -c '^8,' counts)" -eq 100 ] || fail "not all count: $(head -3 counts)"

echo "== each removes only its own, at the same time"
# stat is gone before the kernel has let go of all: on a busy machine that takes seconds
delete_one() {
	while [ "$(count $one)" -ne 0 ]; do
		"$ASSAY" probe -q -d "probe_$one:*" 2>err || grep -q 'in use' err || { cat err >&2; return 1; }
	done
}
delete_one &
first=$!
for i in $(seq 1 2 99); do "$ASSAY" probe -q -d "probe_$two:p$i" || fail "delete p$i"; done
wait $first || fail "delete of $one"
[ "$(count $one) $(count $two)" = "0 50" ] || fail "$(count $one) and $(count $two) are left of 0 and 50"
"$ASSAY" probe -q -d "probe_$two:*"

echo "== the same names in one group: each gets its own"
for _ in 1 2 3 4; do
	(for _ in $(seq 10); do "$ASSAY" probe -q -f -x ./$one same=take || exit 1; done) &
done
wait
[ "$(count $one)" -eq 40 ] || fail "$(count $one) of 40"
[ "$(grep "^p:probe_$one/" $tracing/uprobe_events | cut -d' ' -f1 | sort | uniq -d | wc -l)" -eq 0 ] || fail "two lines have one name"
"$ASSAY" probe -q -d "probe_$one:*"

if [ -n "$PERF" ]; then
	echo "== beside perf probe"
	# perf 6.1 refuses names that probes of other groups have
	(for i in $(seq 20); do timeout 60 "$PERF" probe -q -x ./$one "by_perf$i=take" || exit 1; done) &
	first=$!
	for i in $(seq 20); do "$ASSAY" probe -q -x ./$two "p$i=take" || fail "probe $i"; done
	wait $first || fail "perf probe"
	[ "$(count $one) $(count $two)" = "20 20" ] || fail "$(count $one) and $(count $two) of 20"
	"$ASSAY" probe -q -d "probe_$two:*"
	[ "$(count $one) $(count $two)" = "20 0" ] || fail "perf's probes were deleted, too"
	timeout 60 "$PERF" probe -q -d "probe_$one:*"
fi

echo "== killed at any time, lines are whole and can be deleted"
for i in $(seq 10); do
	args=()
	for k in $(seq 60); do args+=("k${i}_$k=take"); done
	"$ASSAY" probe -q -x ./$one "${args[@]}" &
	killed=$!
	sleep "0.0$i"
	kill -9 $killed 2>/dev/null || true
	wait $killed 2>/dev/null || true
done
"$ASSAY" probe -l "probe_$one:*" >list
[ "$(wc -l <list)" -eq "$(count $one)" ] || fail "lines that are not understood"
[ "$(count $one)" -eq 0 ] || "$ASSAY" probe -q -d "probe_$one:*"
[ "$(count $one)" -eq 0 ] || fail "left"

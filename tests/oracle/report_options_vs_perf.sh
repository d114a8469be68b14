# Options of report beside perf's that report_vs_perf.sh has not: separators and what they meet in names, -F next to --sort, -U, -w; events
# that never happened; names of code that no file or no function stands behind.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

nr=0
both() { # FILE OPTIONS…: leaves perf.txt and ours.txt
	local f=$1
	shift
	"$PERF" report --stdio --no-inline -i "$f" "$@" 2>perf.err </dev/null >perf.raw || fail "perf report $* of $f: $(cat perf.err)"
	"$ASSAY" report --stdio --bare-addresses --no-inline -i "$f" "$@" 2>ours.err </dev/null >ours.raw || fail "report $* of $f: $(cat ours.err)"
	# How far into an object: perf takes a file offset from a runtime address and prints the difference.
	for side in perf ours; do
		grep -v '^# (' $side.raw | sed -E 's/(code_object\+0x)[0-9a-f.]+/\1N/' >$side.txt
	done
	[ -s perf.txt ] || fail "perf shows nothing of $f"
	nr=$((nr + 1))
}
# With a separator there are no columns to read rows by: the same lines, and the same figures in the same order, so that only rows (and
# branches) of equal figures may have changed places.
separated() { # FILE SEPARATOR OPTIONS…
	both "$1" -t "${@:2}"
	cmp -s perf.txt ours.txt && return
	for side in perf ours; do
		sort $side.txt >$side.sorted
		sed -E "s/^ *([0-9.]+%).*/\\1/; t; s/^([ |]*--[0-9.]+%).*/\\1/; t; d" $side.txt >$side.figures
	done
	expect_same perf.sorted ours.sorted "lines of report -t $*"
	expect_same perf.figures ours.figures "order of report -t $*"
}
alike() { # but for ties
	both "$@"
	cmp -s perf.txt ours.txt || python3 "$TOOLS/same_report.py" perf.txt ours.txt || fail "report of $* differs from perf's"
}

try_perf_record -F 2000 -g -e cpu-clock:u -o names.data "$WORKLOADS/names" 0.4 || skip "perf cannot record here"
alike names.data
separated names.data ,
separated names.data , -n -g none
separated names.data a --no-children
separated names.data '[' -n --show-total-period -g none
separated names.data , --sort pid,comm,sym -n --no-children
alike names.data -w 20,8,10,12
alike names.data -w 0,30,4 --no-children
separated names.data , -w 10,8,30,10 -g none
grep -q 'op<unsigned char. 5>' ours.txt || fail "the separator in a name is still there"
grep -q 'code_object+0x' ours.txt || fail "code in an object is not distinguished from a function"

perf_record_to map -F 2000 -g -e cpu-clock:u -o jit.data "$WORKLOADS/jit" 0.4
trap 'rm -f "$(cat map)"' EXIT
alike jit.data
alike jit.data --no-children -g none
grep -q '\[JIT\] tid [0-9]* .*jitted_loop' ours.txt || fail "no name for code of a JIT"

# A stripped program of ours, and no shell: perf 6.1 has no names for stubs of .plt.got, which programs of the distribution call.
strip -o stripped "$WORKLOADS/mixed" || fail "strip"
perf_record -F 2000 -g -e cpu-clock,major-faults,minor-faults,alignment-faults -o events.data -- \
	"$WORKLOADS/in_turn" "$WORKLOADS/mixed" 0.3 ./stripped 0.2
alike events.data --no-children
[ "$(grep -c '^# Samples: 0 ' ours.txt)" -eq 0 ] || fail "tables of events that never happened"
alike events.data -U
alike events.data -U --no-children
alike events.data -U --no-children -g caller -n
while read -r options; do
	# shellcheck disable=SC2086
	alike events.data --no-children -g none $options
	# shellcheck disable=SC2086
	alike events.data --no-children $options
done <<-'END'
	-F overhead,sym -s sym
	-F overhead,comm,sym -s sym
	-F overhead,sample -s comm
	-F overhead,comm -s dso,sym
	-F sample,overhead -s comm,dso
	-F overhead,sym -s overhead,sym
	-F sym -s overhead,sym
	-F +period -s sym
	-F comm,overhead,sample -s sample
	-F overhead,overhead_children,comm -s comm
	-F sym,overhead
	-F overhead,dso -s +cpu
END
alike events.data -g none -F overhead,overhead_children,comm -s comm
perf_record -e alignment-faults,emulation-faults -o none.data true
"$ASSAY" report -i none.data >ours.txt || fail "a recording without samples"
grep -q "event 'alignment-faults'" ours.txt || fail "a recording without samples shows no event at all"
echo "NOTE: $nr reports beside perf's"

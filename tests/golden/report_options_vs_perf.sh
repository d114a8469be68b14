# timeout: 300
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
	"$ASSAY" report --stdio -i "$f" "$@" 2>ours.err </dev/null >ours.raw || fail "report $* of $f: $(cat ours.err)"
	# How far into an object: perf takes a file offset from a runtime address and prints the difference.
	for side in perf ours; do
		grep -v '^# (' $side.raw | sed -E 's/(code_object\+0x)[0-9a-f.]+/\1N/' >$side.txt
	done
	[ -s perf.txt ] || fail "perf shows nothing of $f"
	nr=$((nr + 1))
}
identical() {
	both "$@"
	expect_same perf.txt ours.txt "report of $*"
}
alike() { # but for ties
	both "$@"
	cmp -s perf.txt ours.txt || python3 "$(dirname "$0")/same_report.py" perf.txt ours.txt || fail "report of $* differs from perf's"
}

"$PERF" record -q -F 2000 -g -e cpu-clock:u -o names.data "$WORKLOADS/names" 0.4 2>/dev/null || skip "perf cannot record here"
identical names.data
identical names.data -t ,
identical names.data -n -t , -g none
identical names.data -t a --no-children
identical names.data -t '[' -n --show-total-period -g none
identical names.data --sort pid,comm,sym -n -t , --no-children
identical names.data -w 20,8,10,12
identical names.data -w 0,30,4 --no-children
identical names.data -w 10,8,30,10 -t , -g none
grep -q 'op<unsigned char. 5>' ours.txt || fail "the separator in a name is still there"
grep -q 'code_object+0x' ours.txt || fail "code in an object is not told from a function"

"$PERF" record -q -F 2000 -g -e cpu-clock:u -o jit.data "$WORKLOADS/jit" 0.4 >map 2>/dev/null
trap 'rm -f "$(cat map)"' EXIT
alike jit.data
alike jit.data --no-children -g none
grep -q '\[JIT\] tid [0-9]* .*jitted_loop' ours.txt || fail "no name for code of a JIT"

"$PERF" record -q -F 2000 -g -e cpu-clock,major-faults,minor-faults,alignment-faults -o events.data -- \
	sh -c "'$WORKLOADS/mixed' 0.3; ls -R /usr/lib >/dev/null; sort /etc/services >/dev/null" 2>/dev/null
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
"$PERF" record -q -e alignment-faults,emulation-faults -o none.data true 2>/dev/null
"$ASSAY" report -i none.data >ours.txt || fail "a recording without samples"
grep -q "event 'alignment-faults'" ours.txt || fail "a recording without samples shows no event at all"
echo "NOTE: $nr reports beside perf's"

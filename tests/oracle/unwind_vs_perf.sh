# Raw stacks (record --call-graph dwarf) beside real perf, which unwinds the same file by libunwind: sample by sample, over C without frame
# pointers, libc's assembly, PLT, vdso, signal handlers, threads, C++ with exceptions, python3, and a program that a shell became.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
[ -x "$WORKLOADS/unwind_cxx" ] || skip "no C++ compiler is installed"

both() { # NAME: NAME.data as text, by perf and by assay
	"$PERF" script --no-inline -i "$1.data" -F comm,tid,time,ip,sym,dso >"$1.perf" 2>perf.err || fail "perf script of $1: $(cat perf.err)"
	"$ASSAY" script --no-inline -i "$1.data" -F comm,tid,time,ip,sym,dso >"$1.ours" 2>ours.err || fail "script of $1: $(cat ours.err)"
	python3 "$TOOLS/unwind_compare.py" "$1" "$1.perf" "$1.ours" | tee -a figures.txt
	[ "${PIPESTATUS[0]}" -eq 0 ] || fail "$1: frames differ from perf's"
}

record() { # NAME COMMAND…
	local name=$1
	shift
	perf_record -F 1500 --call-graph dwarf -o "$name.data" -- "$@"
}

record nofp "$WORKLOADS/unwind_nofp" 0.6
record deep "$WORKLOADS/unwind_nofp" 0.3 90
record calls "$WORKLOADS/unwind_calls" 0.6
record signals "$WORKLOADS/unwind_signals" 0.6
record altstack "$WORKLOADS/unwind_signals" 0.5 altstack
record threads "$WORKLOADS/unwind_threads" 0.6
record cxx "$WORKLOADS/unwind_cxx" 0.6
python=$(python3 -c 'import sys; print(sys.executable)')
record python "$python" "$TOOLS/unwind_work.py" 0.6
record exec sh -c "exec '$WORKLOADS/unwind_nofp' 0.4"
# Our own recorder, keeping the stacks
"$ASSAY" record -q -F 1500 --call-graph dwarf,keep -o keep.data -- "$WORKLOADS/unwind_cxx" 0.4 >/dev/null 2>record.err ||
	fail "record --call-graph dwarf,keep: $(cat record.err)"
for name in nofp deep calls signals altstack threads cxx python exec keep; do
	both $name
done

# The limit of frames, and the report
for n in 1 3; do
	"$PERF" script --no-inline -i nofp.data --max-stack $n -F comm,tid,time,ip,sym,dso >perf.txt 2>/dev/null
	"$ASSAY" script --no-inline -i nofp.data --max-stack $n -F comm,tid,time,ip,sym,dso >ours.txt
	expect_same_script perf.txt ours.txt "script --max-stack $n"
done
compared=
for f in nofp cxx; do
	# Where perf ends a stack early, the tree differs, too.
	"$PERF" script --no-inline -i $f.data -F comm,tid,time,ip,sym,dso >perf.txt 2>/dev/null
	"$ASSAY" script --no-inline -i $f.data -F comm,tid,time,ip,sym,dso >ours.txt
	(expect_same_script perf.txt ours.txt "script") >/dev/null 2>&1 || continue
	compared="$compared $f"
	"$PERF" report --no-inline --stdio --no-children -i $f.data 2>/dev/null >perf.txt
	"$ASSAY" report --bare-addresses --no-inline --stdio --no-children -i $f.data >ours.txt
	python3 "$TOOLS/same_report.py" perf.txt ours.txt || fail "report of $f differs from perf's"
done
[ -n "$compared" ] || fail "no report is compared: perf ended stacks early in all"

# A pipe
perf_record_to pipe.data -F 500 --call-graph dwarf -o - -- "$WORKLOADS/unwind_nofp" 0.2
"$ASSAY" script --no-inline -i - -F comm,tid,time,ip,sym,dso <pipe.data >pipe.ours
"$PERF" script --no-inline -i - -F comm,tid,time,ip,sym,dso <pipe.data >pipe.perf 2>/dev/null
python3 "$TOOLS/unwind_compare.py" nofp pipe.perf pipe.ours || fail "frames of a pipe differ from perf's"

# Call chains of the CPU's branch records
python3 "$TOOLS/make_records.py" lbr lbr.data
"$PERF" script --no-inline -i lbr.data >perf.txt 2>/dev/null
"$ASSAY" script -i lbr.data >ours.txt 2>/dev/null
expect_same perf.txt ours.txt "script of --call-graph lbr"
echo "NOTE: perf's frames in $(sed 's/: .* samples, / /; s/% have.*/%/' figures.txt | paste -sd ' ')"

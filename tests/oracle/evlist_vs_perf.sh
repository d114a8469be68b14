# evlist beside perf's, byte by byte; only the tip names the program that gives it.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

compare() { # FILE OPTIONS
	local f=$1
	shift
	"$PERF" evlist "$@" -i "$f" 2>/dev/null | sed "s/'perf evlist /'assay evlist /" >perf.txt
	expect_exit 0 "$ASSAY" evlist "$@" -i "$f" >ours.txt
	expect_same perf.txt ours.txt "evlist $* of $f"
}

perf_record -o plain.data true
perf_record -a -o all.data true
perf_record -e cpu-clock:u,page-faults,context-switches -o three.data true
perf_record -e 'cpu-clock,{page-faults,minor-faults},{major-faults,context-switches}:S' -o groups.data true
perf_record -c 1000 -e cpu-clock -k mono -o period.data true
perf_record_to pipe.data -o - true
if try_perf_record -e sched:sched_switch,cpu-clock -o trace.data true; then
	compare trace.data --trace-fields
else
	rm -f trace.data
	echo "NOTE: no tracepoints here: --trace-fields was not compared"
fi
for f in *.data; do
	for opts in "" -v -F -g "-v -F" --trace-fields; do
		compare "$f" $opts
	done
done
"$ASSAY" evlist -i - <pipe.data >ours.txt
"$PERF" evlist -i pipe.data >perf.txt
expect_same perf.txt ours.txt "evlist of standard input"

# every field of an attr alone, and all together. perf 6.1 has no word for TRANSACTION, and refuses READ without ID.
python3 "$TOOLS/make_records.py" attrs attr
for f in attr.*; do
	"$PERF" evlist -v -i "$f" >perf.txt 2>/dev/null || continue
	"$ASSAY" evlist -v -i "$f" | sed 's/|TRANSACTION//' >ours.txt
	[ -s perf.txt ] || continue
	expect_same perf.txt ours.txt "evlist -v of $f"
done

cp plain.data perf.data
"$ASSAY" evlist >ours.txt
"$PERF" evlist >perf.txt
expect_same perf.txt ours.txt "evlist of perf.data"

expect_exit 2 "$ASSAY" evlist -g -v -i plain.data 2>err
expect_exit 0 "$ASSAY" evlist plain.data >ours.txt # a recording as argument is the input
expect_same perf.txt ours.txt "evlist FILE"
expect_exit 1 "$ASSAY" evlist -i no-such-file 2>err
grep -q no-such-file err || fail "the message does not name the file: $(cat err)"

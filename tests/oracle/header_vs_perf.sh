# The header block beside perf's, byte by byte: files and pipes, short and full, by report and by script.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

perf_record -o plain.data "$WORKLOADS/burn" 0.1
perf_record -o quote.data -- sh -c 'echo "it'\''s" >/dev/null'
perf_record -g -a -o all.data sleep 0.1
perf_record -z -o zstd.data "$WORKLOADS/burn" 0.1
perf_record -e cpu-clock,page-faults -o two.data "$WORKLOADS/burn" 0.1
perf_record -e '{cpu-clock,page-faults}' -e context-switches -o group.data "$WORKLOADS/burn" 0.1
for clock in monotonic raw real boot tai; do
	perf_record -k "$clock" -o "clock-$clock.data" true
done
perf_record_to pipe.data -o - "$WORKLOADS/burn" 0.1
python3 "$TOOLS/make_records.py" records bare.data

for f in *.data; do
	for opts in "" -I; do
		"$PERF" report --header-only $opts -i "$f" >perf.txt 2>/dev/null
		expect_exit 0 "$ASSAY" report --header-only $opts -i "$f" >ours.txt
		expect_same perf.txt ours.txt "report --header-only $opts of $f"
		"$PERF" script --header-only $opts -i "$f" >perf.txt 2>/dev/null
		expect_exit 0 "$ASSAY" script --header-only $opts -i "$f" >ours.txt
		expect_same perf.txt ours.txt "script --header-only $opts of $f"
	done
done
for f in plain.data pipe.data group.data; do
	"$PERF" script --no-inline --header -i "$f" 2>/dev/null >perf.txt
	"$ASSAY" script --no-inline --header -i "$f" >ours.txt
	expect_same_script perf.txt ours.txt "script --header of $f"
	"$PERF" report --stdio --header -i "$f" 2>/dev/null | grep '^#' | sed '/^# Total Lost Samples/,$d' >perf.txt
	"$ASSAY" report --stdio --header -i "$f" | grep '^#' | sed '/^# Total Lost Samples/,$d' >ours.txt
	expect_same perf.txt ours.txt "report --header of $f"
done

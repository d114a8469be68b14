# script -D and report -D beside perf's, byte by byte: recorded files of processes of this test's own, and made-up records and
# samples of every kind.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

perf_record -o plain.data "$WORKLOADS/burn" 0.1
perf_record -g -o chains.data "$WORKLOADS/burn" 0.1
perf_record -z -o zstd.data "$WORKLOADS/burn" 0.1
perf_record --sample-cpu -o cpus.data "$WORKLOADS/threads" 2 0.1
perf_record -e cpu-clock,page-faults -o two.data "$WORKLOADS/burn" 0.1
perf_record -e cpu-clock --call-graph dwarf -F 99 -o dwarf.data "$WORKLOADS/burn" 0.2
perf_record -d -W --data-page-size --code-page-size -e page-faults -c 1 -o fields.data "$WORKLOADS/burn" 0.1
perf_record --switch-events --namespaces -o more.data "$WORKLOADS/forkstorm"
perf_record_to pipe.data -o - "$WORKLOADS/burn" 0.1
for kind in records samples; do
	python3 "$TOOLS/make_records.py" "$kind" "$kind.data"
done

# perf names the vdso by its own temporary copy of it.
shown() { "$@" 2>/dev/null | sed 's|/tmp/perf-vdso\.so-[A-Za-z0-9]*|[vdso]|'; }
# The counts behind report's dump are those of --stats, which has its own test.
dump() { shown "$@" | sed '/^Aggregated stats:/,$d'; }
for f in *.data; do
	dump "$PERF" report -D -i "$f" >perf.txt
	dump "$ASSAY" report -D -i "$f" >ours.txt
	[ -s perf.txt ] || fail "perf report -D printed nothing of $f"
	expect_same perf.txt ours.txt "report -D of $f"
done
# Of samples with user stacks or counter values, script's own text behind the dump is another test's matter.
for f in plain chains zstd cpus two more pipe records; do
	shown "$PERF" script --no-inline -D -i "$f.data" >perf.txt
	shown "$ASSAY" script --no-inline -D -i "$f.data" >ours.txt
	expect_same_script perf.txt ours.txt "script -D of $f.data"
done

# perf stat's records: script shows counts between them, which is not -D's
python3 "$TOOLS/make_records.py" user user.data
dump "$PERF" report -D -i user.data >perf.txt
dump "$ASSAY" report -D -i user.data >ours.txt
expect_same perf.txt ours.txt "report -D of perf's own records"

# kinds that perf 6.1 does not know end perf's dump, not ours
python3 "$TOOLS/make_records.py" newer newer.data
expect_exit 0 "$ASSAY" script -D -i newer.data >ours.txt
grep -q 'PERF_RECORD_CALLCHAIN_DEFERRED' ours.txt || fail "no CALLCHAIN_DEFERRED in the dump"
grep -q 'PERF_RECORD_COMM: after:100/100' ours.txt || fail "the dump ends at an unknown record"

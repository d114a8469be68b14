# Every container that perf 6.1 writes (file, zstd, pipe, directory) reads as perf reads it; cut files
# give their whole records, a sentence with the place, and a status that is not 0.
. "$(dirname "$0")/../lib.sh"
need perf

work='i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done'
record() {
	perf_record -F 5000 "$@" -- sh -c "$work"
}

record -g -o plain -e cpu-clock,page-faults
record -z -o packed
record -g --threads -o threads
perf_record_to piped -F 5000 -o - -- sh -c "$work"

for f in plain packed threads piped; do
	"$PERF" script --no-inline -i "$f" >want 2>/dev/null
	expect_exit 0 "$ASSAY" script --no-inline -i "$f" >got
	[ -s want ] || fail "perf recorded nothing into $f"
	expect_same_script want got "perf script and assay script of $f"
done
cat piped | expect_exit 0 "$ASSAY" script --no-inline -i - >got
"$PERF" script --no-inline -i piped >want 2>/dev/null
expect_same_script want got "assay script of a pipe"

# cut in the middle of its data: the samples before the cut, and nothing else
"$PERF" script --no-inline -i plain >want 2>/dev/null
data_start=$(od -An -t u8 -j 40 -N 8 plain) data_size=$(od -An -t u8 -j 48 -N 8 plain)
for part in 2 3 5; do
	head -c $((data_start + data_size / part)) plain >cut
	expect_exit 1 "$ASSAY" script --no-inline -i cut >got 2>err
	[ "$(without_quality err | wc -l)" -eq 1 ] || fail "one sentence was expected: $(cat err)"
	grep -q 'cut is cut short.*offset' err || fail "no word of the cut: $(cat err)"
	[ -s got ] || fail "nothing was read of a cut file"
	grep -c 'cpu-clock:\|page-faults:' <got >nr_got || true
	grep -c 'cpu-clock:\|page-faults:' <want >nr_want
	[ "$(cat nr_got)" -gt 0 ] && [ "$(cat nr_got)" -lt "$(cat nr_want)" ] ||
		fail "$(cat nr_got) samples of $(cat nr_want) in a cut file"
done
: >empty
expect_exit 1 "$ASSAY" script -i empty >got 2>err
grep -q 'empty is empty' err || fail "$(cat err)"
expect_exit 1 "$ASSAY" script -i "$ASSAY" >got 2>err
grep -q 'is not a perf.data file (it looks like an ELF file)' err || fail "$(cat err)"

# Disk full and file size limits: what fitted is readable, the exit code tells, the workload never notices.
. "$(dirname "$0")/../lib.sh"
need perf

# check FILE STATUS ERR: of a recording that ran out of room
check() {
	[ "$2" -eq 1 ] || fail "exit status $2 instead of 1"
	[ -e workload.done ] || fail "the workload did not run to its end"
	rm workload.done
	grep -q "$1.*holds what fitted" "$3" || fail "no clear message: $(cat "$3")"
	"$PERF" script -G -i "$1" -F ip,sym >script.out 2>perf.err || fail "perf cannot read $1: $(cat perf.err)"
	[ ! -s perf.err ] || fail "perf warns about $1: $(head -3 perf.err)"
	[ "$(wc -l <script.out)" -ge "$4" ] || fail "$1 has only $(wc -l <script.out) samples"
	grep -q burn script.out || fail "symbols of $1 are missing"
	# the summary speaks of what is in the file
	samples=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' "$3")
	[ "$("$PERF" script -i "$1" -F time 2>/dev/null | wc -l)" = "$samples" ] ||
		fail "the summary says $samples samples, perf reads $("$PERF" script -i "$1" -F time | wc -l)"
	[ "$("$ASSAY" script -i "$1" -F time 2>assay.err | wc -l)" = "$samples" ] ||
		fail "the summary says $samples samples, assay reads other: $("$ASSAY" script -i "$1" -F time | wc -l)"
	[ ! -s assay.err ] || fail "assay warns about $1: $(cat assay.err)"
	grep -q 'dropped' "$3" || fail "what was not written is not reported: $(cat "$3")"
}

work="'$WORKLOADS/burn' 1.5 && touch '$PWD/workload.done'"

# file size limit: 1 MiB (in blocks of 1 KiB)
status=0
(ulimit -f 1024; exec "$ASSAY" record -F 20000 -g -o limited.data sh -c "$work") 2>limit.err || status=$?
check limited.data $status limit.err 1000
[ "$(stat -c %s limited.data)" -le 1048576 ] || fail "the file is larger than its limit"

# losses are recorded in the file although it is full: one sample per fault, rings of one page
status=0
(ulimit -f 128; exec taskset -c 0 "$ASSAY" record -e page-faults -c 1 -m 1 -o lost.data \
	"$WORKLOADS/faults" 100000) 2>lost.err || status=$?
[ $status -eq 1 ] || fail "exit status $status instead of 1: $(cat lost.err)"
lost=$(sed -n 's/.* samples, \([0-9]*\) lost.*/\1/p' lost.err)
if [ -n "$lost" ]; then
	perf_lost=$("$PERF" report -i lost.data --stdio 2>/dev/null | sed -n 's/^# Total Lost Samples: //p')
	[ "$perf_lost" = "$lost" ] || fail "perf reads $perf_lost lost samples, the summary says $lost"
fi

# with compression, too
status=0
(ulimit -f 64; exec "$ASSAY" record -z -F 20000 -g -o packed.data sh -c "$work") 2>packed.err || status=$?
check packed.data $status packed.err 100

# nothing fits: no file, and the message says so
for kb in 4 5 6 7 8; do
	status=0
	(ulimit -f $kb; exec "$ASSAY" record -q -o tiny.data "$WORKLOADS/burn" 0.05) 2>tiny.err || status=$?
	[ $status -eq 1 ] || continue
	if grep -q 'holds what fitted, 0 bytes' tiny.err || { [ -e tiny.data ] && grep -q 'no file' tiny.err; }; then
		fail "ulimit -f $kb: $(cat tiny.err) ($(ls -l tiny.data*))"
	fi
	rm -f tiny.data*
done

# disk full
mkdir small
mount -t tmpfs -o size=1m nodev small 2>/dev/null || skip "cannot mount a tmpfs here (file size limit passed)"
trap 'umount small' EXIT
status=0
"$ASSAY" record -F 20000 -g -o small/perf.data sh -c "$work" 2>disk.err || status=$?
check small/perf.data $status disk.err 1000

# no room at all: nothing is started, and there is no half file
dd if=/dev/zero of=small/filler bs=64k 2>/dev/null || true
rm -f small/perf.data
dd if=/dev/zero of=small/filler2 bs=1k 2>/dev/null || true
expect_exit 1 "$ASSAY" record -q -o small/perf.data sh -c "$work" 2>none.err
[ ! -e workload.done ] || fail "the workload was started although nothing could be recorded"
[ "$(ls small)" = "filler
filler2" ] || fail "a file was left over: $(ls small)"

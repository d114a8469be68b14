# SIGINT, SIGTERM and SIGHUP leave a complete file; SIGKILL leaves all but the last second.
. "$(dirname "$0")/../lib.sh"
need perf

nr_samples() {
	"$PERF" script -i "$1" -F time 2>perf.err | wc -l
	[ ! -s perf.err ] || fail "perf warns about $1: $(head -3 perf.err)"
}

for sig in INT TERM HUP; do
	# the workload gets the signal, is waited for, and its status is passed on
	"$ASSAY" record -o $sig.data "$WORKLOADS/burn" 30 2>$sig.err & rec=$!
	sleep 1
	workload=$(pgrep -P $rec)
	kill -$sig $rec
	status=0
	wait $rec || status=$?
	case $sig in
	INT) want=143 ;; # this shell has SIGINT ignored in what it starts with &: the workload gets SIGTERM
	TERM) want=143 ;;
	HUP) want=129 ;;
	esac
	[ $status -eq $want ] || fail "$sig: exit status $status instead of $want"
	n=$(nr_samples $sig.data)
	[ "$n" -gt 50 ] || fail "$sig: only $n samples"
	grep -q "($n samples)" $sig.err || fail "$sig: the summary does not say $n samples: $(cat $sig.err)"
	"$PERF" report -i $sig.data --header-only 2>&1 | grep -q 'time of last sample' ||
		fail "$sig: the header is not complete"
	! kill -0 "$workload" 2>/dev/null || fail "$sig: the workload was left behind"
done

# SIGINT where it is not ignored reaches the workload as it is
if command -v python3 >/dev/null; then
	status=0
	python3 - "$ASSAY" "$WORKLOADS/burn" <<'W' || status=$?
import signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "record", "-q", "-o", "int.data", sys.argv[2], "30"],
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
time.sleep(0.5)
p.send_signal(signal.SIGINT)
sys.exit(p.wait())
W
	[ $status -eq 130 ] || fail "SIGINT: exit status $status instead of 130"
fi

# a workload that takes its time is waited for
cat >graceful.sh <<'W'
trap 'sleep 0.5; echo done >graceful.out; exit 5' TERM
while :; do :; done
W
"$ASSAY" record -q -o graceful.data bash graceful.sh & rec=$!
sleep 0.5
kill -TERM $rec
status=0
wait $rec || status=$?
[ $status -eq 5 ] || fail "the status of a workload that ended in its own way is $status, not 5"
[ -s graceful.out ] || fail "the workload was not waited for"

# one that does not end: the second signal ends the wait, not the file
"$ASSAY" record -o stubborn.data bash -c 'trap "" TERM; echo $$ >stubborn.pid; while :; do :; done' 2>err & rec=$!
sleep 0.7
kill -TERM $rec
sleep 0.7
kill -0 $rec 2>/dev/null || fail "the workload was not waited for"
kill -TERM $rec
status=0
wait $rec || status=$?
kill -KILL "$(cat stubborn.pid)" || fail "the workload was killed"
[ $status -eq 143 ] || fail "a stubborn workload: exit status $status instead of 143"
grep -q 'runs on' err || fail "a stubborn workload: $(cat err)"
[ "$(nr_samples stubborn.data)" -gt 20 ] || fail "a stubborn workload: no samples"

# without a workload: 128 + signal, and a complete file
"$WORKLOADS/burn" 30 & burn=$!
trap 'kill $burn 2>/dev/null || true' EXIT
"$ASSAY" record -q -o pid.data -p $burn & rec=$!
sleep 0.5
kill -TERM $rec
status=0
wait $rec || status=$?
[ $status -eq 143 ] || fail "exit status $status instead of 143"
[ "$(nr_samples pid.data)" -gt 20 ] || fail "no samples"

# SIGKILL: the workload lives on, and what is older than a second can be read
"$ASSAY" record -q -o kill.data -F 1000 -p $burn & rec=$!
sleep 3
kill -KILL $rec
now=$(awk '{print $1}' /proc/uptime)
wait $rec 2>/dev/null || true
"$PERF" script -i kill.data -F time >times 2>perf.err || fail "perf cannot read the file: $(cat perf.err)"
last=$(tail -1 times | tr -d ' :')
n=$(wc -l <times)
[ "$n" -gt 50 ] || fail "SIGKILL: only $n samples are left"
awk -v last="$last" -v now="$now" 'BEGIN { exit !(now - last < 1.0) }' ||
	fail "SIGKILL: the last readable sample is of $last, killed at $now"
[ ! -s perf.err ] || fail "perf warns about the killed recording: $(head -3 perf.err)"
[ "$("$ASSAY" script -i kill.data -F time 2>assay.err | wc -l)" -eq "$n" ] || fail "SIGKILL: assay reads other than $n"
[ ! -s assay.err ] || fail "assay warns about the killed recording: $(cat assay.err)"

# SIGKILL at many moments, and among several files: the newest can be read, too. Samples of one file were once, under load, nearly all older
# than the round before; the cause is not known. What is printed then is needed to find it.
nr_late=0
for i in 1 2 3 4 5 6; do
	rm -f many.data*
	"$ASSAY" record -q -o many.data -F 20000 -g --switch-output=300K -p $burn & rec=$!
	sleep 1.$i
	kill -KILL $rec
	wait $rec 2>/dev/null || true
	[ "$(ls many.data.* | wc -l)" -ge 1 ] || fail "no file was finished: $(ls many.data*)"
	for f in many.data*; do
		"$ASSAY" script -i "$f" -F time >times 2>assay.err || [ "$f" = many.data ] || fail "$f: $(cat assay.err)"
		# the last one may have been begun just now
		if grep -q 'came too late' assay.err; then
			nr_late=$((nr_late + 1))
			echo "NOTE: $f: $(cat assay.err); $(stat -c '%s bytes' "$f"), load $(cat /proc/loadavg)"
			[ $nr_late -le 1 ] || fail "samples come too late in several files"
		elif grep -v 'many.data has no samples of' assay.err; then
			fail "assay warns about $f"
		fi
	done
done
# the scan of a whole system leaves no file of another name
for i in 0 1 2 3; do
	"$ASSAY" record -q -o scan.data -a & rec=$!
	sleep 0.0$i
	kill -KILL $rec
	wait $rec 2>/dev/null || true
done
! ls scan.data.?????? 2>/dev/null || fail "left over"

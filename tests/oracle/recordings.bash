# Sourced by the tests that compare with perf: makes one recording of each kind, by real perf and by assay.
#
#	make_recordings    fills the directory; every recording is RECORDER-KIND.data
#
#	own_processes FILE prints the options that leave out the processes of others
#
# Both recorders get the same command lines: that is part of the test.

# A recording of the whole machine has programs of others too, also ones that were deleted, replaced or run from memory: assay names
# them where perf does not, or gives another file's names.
own_processes() { # FILE
	case $1 in *-all*.data) echo "--comms threads,worker-0,worker-1,worker-2,worker-3,swapper,sleep" ;; esac
}

# Three busy threads, so that -a and -p have something to see. Its maps and threads are all there when it is recorded: what --show-round-events
# shows is in the order of the file, in which the records of two CPUs about a task that starts may come in the wrong order.
background() {
	"$WORKLOADS/threads" 3 30 >/dev/null 2>&1 &
	bg=$!
	for _ in {1..300}; do
		[ "$(cat /proc/$bg/task/*/comm 2>/dev/null | grep -c '^worker-[012]$')" -ne 3 ] || return 0
		sleep 0.1
	done
	fail "the workers of 'threads' do not run"
}

stop_background() {
	kill "$bg" 2>/dev/null || true
	wait "$bg" 2>/dev/null || true
}

record() { # RECORDER KIND OPTIONS…
	local recorder=$1 kind=$2
	shift 2
	if [ "$recorder" = perf ]; then
		perf_record -o "perf-$kind.data" "$@"
	else
		"$ASSAY" record -q -o "assay-$kind.data" "$@" >/dev/null 2>record.err || fail "assay record $* failed: $(cat record.err)"
	fi
}

make_recordings() {
	local r
	for r in perf assay; do
		record $r plain -F 2000 -- "$WORKLOADS/mixed" 0.4
		record $r chains -F 2000 -g -- "$WORKLOADS/mixed" 0.4
		record $r period -c 500000 -e cpu-clock -g -- "$WORKLOADS/burn" 0.3
		record $r events -F 1500 -g -e cpu-clock,page-faults,context-switches -- "$WORKLOADS/mixed" 0.4
		record $r user -F 2000 -g -e cpu-clock:u -- "$WORKLOADS/mixed" 0.3
		record $r zstd -F 2000 -g -z -- "$WORKLOADS/mixed" 0.4
		record $r forks -F 3000 -g -- "$WORKLOADS/forkstorm"
		record $r threads -F 3000 -g -- "$WORKLOADS/threadstorm"
		record $r cpu -F 2000 -g --sample-cpu -d -- "$WORKLOADS/mixed" 0.3
		record $r recurse -F 2000 -g -- "$WORKLOADS/recurse" 0.3
		background
		record $r all -F 997 -a -g -- sleep 0.4
		record $r all-plain -F 997 -a -- sleep 0.3
		record $r process -F 997 -g -p "$bg" -- sleep 0.4
		stop_background
		record $r shell -F 2000 -g -- sh -c 'ls -l /usr/bin >/dev/null; /bin/true; sort /etc/passwd | uniq -c >/dev/null'
	done
	perf_record -e '{cpu-clock,page-faults}:S' -o perf-group.data "$WORKLOADS/mixed" 0.3
	perf_record_to perf-pipe.data -F 2000 -g -o - "$WORKLOADS/mixed" 0.3
	"$ASSAY" record -q -F 2000 -g -o - "$WORKLOADS/mixed" 0.3 >assay-pipe.data 2>/dev/null
}

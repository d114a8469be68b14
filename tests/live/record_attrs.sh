# The attrs of every option, bit for bit as real perf sets them; no warning from perf on any of the files.
. "$(dirname "$0")/../lib.sh"
need perf

compare() {
	local label="$*"
	rm -f ours.data theirs.data
	"$ASSAY" record -q "$@" -o ours.data -- "$WORKLOADS/burn" 0.02 || fail "$label: status $?"
	"$PERF" record -q "$@" -o theirs.data -- "$WORKLOADS/burn" 0.02 >/dev/null 2>&1 || return 0
	"$PERF" evlist -v -i ours.data >ours.txt 2>perf.err
	"$PERF" evlist -v -i theirs.data >theirs.txt 2>/dev/null
	expect_same ours.txt theirs.txt "the attrs of '$label'"
	"$PERF" script -i ours.data >/dev/null 2>>perf.err
	[ ! -s perf.err ] || fail "perf warns about '$label': $(head -3 perf.err)"
	nr=$((nr + 1))
}

nr=0
compare
compare -e cpu-clock
compare -e cpu-clock,page-faults
compare -e page-faults -c 1
compare -e cpu-clock:u -e task-clock
compare -F 999
compare -F max
compare -c 100000
compare -c 100000 -P
compare -g
compare --call-graph fp
compare --call-graph fp,32
compare -g --user-callchains
compare -g --kernel-callchains
compare -a
compare -a -g
compare -C 0
compare -i
compare -D 5
compare -d
compare --phys-data
compare -T
compare --no-timestamp
compare --no-period
compare -s
compare -n
compare -k CLOCK_MONOTONIC
compare -k mono_raw
compare -R
compare -W
compare -z
compare -m 16
compare --sample-cpu
compare --sample-identifier
compare --switch-events
compare --all-user
compare --all-kernel
compare --namespaces
compare --all-cgroups
compare --buildid-mmap
compare --no-bpf-event
compare --data-page-size
compare --code-page-size
compare --running-time
[ $nr -gt 35 ] || fail "only $nr option sets could be compared"
echo "NOTE: $nr option sets"

# timeout: 1000
# assay ftrace in an x86_64 guest with Linux 6.1, which has function_graph once for all; and with perf, to compare.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
[ "$(uname -m)" = x86_64 ] || skip "there is no x86_64 build"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
perf=$("$vm/setup-perf" amd64) || { echo "$perf"; exit 77; }
status=0
GUEST_CPUS=1 GUEST_LIBRARIES=$perf/lib GUEST_SECONDS=${GUEST_SECONDS:-500} "$vm/run-guest" amd64 "$vm/ftrace.guest" "$ASSAY" "$perf/perf" >out 2>&1 || status=$?
cat out
# With two CPUs and ticks by the clock this guest stood still on a busy machine while function_graph was on (see run-guest).
if [ $status -ne 0 ] && grep -q 'the guest was not done after' out; then
	skip "the guest stood still in: $(grep '^== ' out | tail -n 1)"
fi
exit $status

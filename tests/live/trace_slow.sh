# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
# `assay trace` whose output is not taken: the program is not held up, what waits is bounded, and what is dropped is counted exactly.
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

command=(dd if=/dev/zero of=/dev/null bs=1 count=1000000)
"$ASSAY" trace -s -o sums "${command[@]}" 2>err || fail "trace -s: $(cat err)"
# exit_group has a line, and no sum: it does not end
all=$(awk '$2 ~ /^[0-9]+$/ { n += $2 } END { print n + 1 }' sums)

mkfifo fifo
# Takes nothing before dd has ended.
{
	until grep -q copied err; do sleep 0.05; done
	grep -c . >taken
} <fifo &
: >err
"$ASSAY" trace -o fifo "${command[@]}" 2>err || fail "trace: $(cat err)"
wait $!
missing=$(sed -n 's/.* \([0-9]*\) records are missing.*/\1/p' err)
[ -n "$missing" ] || fail "nothing was dropped of $all calls: $(cat err)"
[ "$missing" -lt $((all / 10 * 9)) ] || fail "only $(cat taken) lines of $all: there should be room for more"
# One record is no call: the end of the task.
extra=$(($(cat taken) + missing - all))
[ $extra -eq 0 ] || [ $extra -eq 1 ] || fail "$(cat taken) lines and $missing dropped of $all calls"
echo "$(cat taken) lines and $missing dropped of $all calls"

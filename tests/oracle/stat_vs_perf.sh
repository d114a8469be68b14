# The text of stat against real perf's, byte by byte with the numbers masked.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
mask="python3 $(dirname "$0")/stat_mask.py"

# both OPTIONS…: the same command line for both
both() {
	local p=0 a=0
	"$PERF" stat "$@" >p.out 2>p.err || p=$?
	"$ASSAY" stat "$@" >a.out 2>a.err || a=$?
	[ $p -eq $a ] || fail "exit status $a instead of $p: stat $*"
	cmp -s p.out a.out || fail "stdout differs: stat $*"
	$mask <p.err >p.txt
	$mask <a.err >a.txt
	expect_same p.txt a.txt "stat $*"
}

# intervals OPTIONS…: the same, where the number of rows may differ by one: the first and the heading count
intervals() {
	"$PERF" stat "$@" 2>p.err
	"$ASSAY" stat "$@" 2>a.err
	$mask <p.err | awk '!seen[$0]++' >p.txt
	grep -v "times of -I passed unseen" a.err | $mask | awk '!seen[$0]++' >a.txt # on a busy machine
	expect_same p.txt a.txt "stat $*"
}

# default and lists
both true
both -e task-clock true
both -e page-faults,task-clock,context-switches,minor-faults:u true
both -e page-faults true
both -e r0 true
both -e task-clock,cpu-clock true
both -e cache-misses,L1-dcache-loads true
both -B -e page-faults true
both --no-big-num -e page-faults true
both -e 'syscalls:sys_enter_exit_group,syscalls:sys_enter_set_robust_list' true
both -e '{page-faults,minor-faults},task-clock' true
both -d true
both -d -d -d true
both -n true
both -i -e page-faults true
both --all-user -e page-faults,task-clock true
both -e duration_time,task-clock true

# whole CPUs and their parts
both -a sleep 0.05
both -C 0 -e task-clock,context-switches sleep 0.05
both -C 0-1 -A -e task-clock,r0 sleep 0.05
both -a -A -e task-clock,page-faults sleep 0.05
for by in core die socket node; do
	both -a --per-$by -e task-clock,r0 sleep 0.05
done
both -a --per-core sleep 0.05
both -a -A -e duration_time,task-clock sleep 0.05

# units, and devices
if [ -e /sys/bus/event_source/devices/msr/events/tsc ]; then
	both -a -e msr/tsc/ sleep 0.01
fi

# runs
both -r 3 -e page-faults,task-clock,r0 true
both -r 3 --table -e task-clock true
both -n -r 2 true
both -a -r 2 --per-core -e task-clock sleep 0.02

# intervals
intervals -I 50 -e task-clock,page-faults sh -c 'while :; do :; done & sleep 0.22; kill $!'
intervals -a -I 50 -e task-clock,r0 sleep 0.22
intervals -a -I 50 -A -e task-clock,r0 sleep 0.22
for by in core die socket node; do
	intervals -a -I 50 --per-$by -e task-clock,r0 sleep 0.22
done
intervals -a -I 50 --summary -e task-clock,r0 sleep 0.22
intervals -a -I 50 --interval-count 2 -e task-clock sleep 0.22

# tasks; the busiest thread comes first, which thread that is may differ
"$WORKLOADS/threads" 3 60 &
target=$!
trap 'kill $target' EXIT
sleep 0.2
both -e task-clock,r0 -p $target sleep 0.1
both -e task-clock,page-faults -t $target sleep 0.1
threads() {
	"$PERF" stat "$@" 2>p.err
	"$ASSAY" stat "$@" 2>a.err
	$mask <p.err | sort -u | sed 's/[a-z_-]*-NN*/THREAD/' >p.txt
	grep -v "times of -I passed unseen" a.err | $mask | sort -u | sed 's/[a-z_-]*-NN*/THREAD/' >a.txt # on a busy machine
	sed -i '/not counted/d' p.txt a.txt
	expect_same p.txt a.txt "stat $*"
}
threads --per-thread -e task-clock,r0 -p $target sleep 0.2
threads --per-thread -I 100 -e task-clock,r0 -p $target sleep 0.35

# files
"$PERF" stat -o p.file -e page-faults true
"$ASSAY" stat -o a.file -e page-faults true
"$ASSAY" stat -o a.file --append -e page-faults true
$mask <a.file | sed 's/on .* NNNNN*$/on DATE/; s/on [A-Z][a-z]* [A-Z].*/on DATE/' >a.txt
{ cat p.file p.file; } | $mask | sed 's/on .* NNNNN*$/on DATE/; s/on [A-Z][a-z]* [A-Z].*/on DATE/' >p.txt
expect_same p.txt a.txt "-o and --append"
"$ASSAY" stat --log-fd 1 -e page-faults true >a.log
grep -q page-faults a.log || fail "--log-fd 1 wrote nothing to stdout"
"$ASSAY" stat --quiet -e page-faults true 2>a.err
[ ! -s a.err ] || fail "--quiet printed: $(cat a.err)"

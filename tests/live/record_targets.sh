# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# What each target records, and that real perf reads every file without a word on stderr.
. "$(dirname "$0")/../lib.sh"
need perf

# samples_of FILE [PERF SCRIPT OPTIONS]: comm and pid of each sample; a warning of perf fails the test.
samples_of() {
	local file=$1
	shift
	"$PERF" script -i "$file" -F comm,pid,tid,cpu "$@" 2>perf.err ||
		"$PERF" script -i "$file" -F comm,pid,tid "$@" 2>perf.err || fail "perf cannot read $file"
	[ ! -s perf.err ] || fail "perf warns about $file: $(head -3 perf.err)"
}

# expect_samples FILE MIN PATTERN: at least MIN lines with the pattern
expect_samples() {
	local n
	n=$(samples_of "$1" | grep -c -E "$3" || true)
	[ "$n" -ge "$2" ] || fail "$1 has $n samples of $3, not $2"
}

# only FILE PATTERN: nothing else
only() {
	! samples_of "$1" | grep -v -E "$2" | head -3 | grep . || fail "$1 has samples of others than $2"
}

until_ran=$(cd "$(dirname "$0")/../tools" && pwd)/until-ran

# a command
"$ASSAY" record -q -o cmd.data "$WORKLOADS/burn" 0.3
expect_samples cmd.data 100 '^ *burn '
only cmd.data '^ *(burn|assay-exec) '

# its children too, and not with -i
"$ASSAY" record -q -o children.data sh -c "'$WORKLOADS/burn' 0.2; :"
expect_samples children.data 50 '^ *burn '
"$ASSAY" record -q -i -o alone.data sh -c "'$WORKLOADS/burn' 0.2; :"
! samples_of alone.data | grep -q burn || fail "-i followed a child"

# running processes
"$WORKLOADS/burn" 600 & a=$!
"$WORKLOADS/burn" 600 & b=$!
trap 'kill $a $b ${headless-} 2>/dev/null || true' EXIT
"$until_ran" 1 $a $b
"$ASSAY" record -q -o pid.data -p "$a" -- "$until_ran" 10 $a
expect_samples pid.data 50 " $a/"
only pid.data " $a/"
"$ASSAY" record -q -o pids.data -p "$a,$b" -- "$until_ran" 10 $a $b
expect_samples pids.data 20 " $a/"
expect_samples pids.data 20 " $b/"
"$ASSAY" record -q -o tid.data -t "$b" -- "$until_ran" 10 $b
only tid.data " $b/"
expect_samples tid.data 50 " $b/"

# users
"$ASSAY" record -q -o user.data -u "$(id -un)" -- "$until_ran" 10 $a
expect_samples user.data 20 " $a/"

# CPUs
"$ASSAY" record -q -o all.data -a -- "$until_ran" 10 $a $b
expect_samples all.data 50 " $a/"
expect_samples all.data 50 " $b/"
"$ASSAY" record -q -o cpu0.data -C 0 -- sleep 0.3
expect_samples cpu0.data 50 '\[000\]'
only cpu0.data '\[000\]'
# all CPUs is the default without a target
"$ASSAY" record -q -o nothing.data & rec=$!
until ls -l /proc/$rec/fd 2>/dev/null | grep -q perf_event || ! kill -0 $rec; do
	sleep 0.05
done
"$until_ran" 20 $a
kill -INT $rec
wait $rec || true
expect_samples nothing.data 50 " $a/"

# the targets end: so does the recording
"$WORKLOADS/burn" 3 & c=$!
timeout 300 "$ASSAY" record -q -o ended.data -p $c || fail "recording a process that ends: status $?"
expect_samples ended.data 20 " $c/"

# a process whose main thread has ended: its maps are there
"$WORKLOADS/headless" 600 & headless=$!
"$until_ran" 10 $headless
for target in "-p $headless" "-a" "-t $(ls /proc/$headless/task | grep -v "^$headless$")"; do
	# shellcheck disable=SC2086
	"$ASSAY" record -q -o headless.data $target -- "$until_ran" 10 $headless
	"$PERF" script -i headless.data -F pid,ip,sym 2>/dev/null | grep "^ *$headless" >headless.txt || true
	grep -q headless_burn headless.txt || fail "$target: no symbols of a process without main thread: $(head -3 headless.txt)"
done
kill $headless

# -p with -C: both hold
"$ASSAY" record -q -o both.data -p "$a" -C 0 --sample-cpu -- "$until_ran" 10 $a
only both.data " $a/.*\[000\]"

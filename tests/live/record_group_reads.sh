# '{a,b}:S': counts that are read with each sample follow threads and children where the kernel can, and each task's
# counts are its own; where it cannot (Linux before 6.12), the recorder says so.
. "$(dirname "$0")/../lib.sh"
need python3
ms=1000000

record() { # FILE OPTION… COMMAND…
	"$ASSAY" record -c $ms -e '{cpu-clock,page-faults}:S' -o "$@" >/dev/null 2>err || fail "record $*: $(cat err)"
}

# check FILE WHAT: one sample a millisecond means that the periods of the clock add up to as many milliseconds; a count
# that was taken from another task's is negative, and as large as a number can be.
check() {
	"$ASSAY" script -i "$1" -F tid,event,period >samples.txt 2>/dev/null
	python3 - "$2" <<'PY' || fail "$2: $(head -3 samples.txt)"
import sys
rows = [line.split() for line in open("samples.txt")]
clock = [int(row[1]) for row in rows if row[2].startswith("cpu-clock")]
faults = [int(row[1]) for row in rows if row[2].startswith("page-faults")]
assert len(clock) > 20 and faults, f"{sys.argv[1]}: {len(clock)} samples, {len(faults)} of faults"
assert 0.5 < sum(clock) / len(clock) / 1e6 < 20, f"{sys.argv[1]}: {sum(clock)} ns in {len(clock)} samples"
assert sum(faults) < 100000, f"{sys.argv[1]}: {sum(faults)} faults"
PY
}

record threads.data -- "$WORKLOADS/threads" 4 1
if ! "$ASSAY" evlist -v -i threads.data | grep -q 'inherit: 1'; then
	grep -q "do not follow tasks on this kernel" err || fail "nothing is said of threads that are missing: $(cat err)"
	echo "NOTE: this kernel cannot follow, and that is said"
	exit 0
fi
grep -q 'do not follow' err && fail "a warning for nothing: $(cat err)"
check threads.data "four threads"
"$ASSAY" script -i threads.data -F comm,event 2>/dev/null | grep cpu-clock | sort | uniq -c >comms.txt
for i in 0 1 2 3; do
	grep -q "worker-$i " comms.txt || fail "worker-$i was not sampled: $(cat comms.txt)"
done

# processes, and the child of one that is attached to
record forks.data -- sh -c "'$WORKLOADS/burn' 0.1; '$WORKLOADS/burn' 0.1; '$WORKLOADS/burn' 0.1"
check forks.data "three children"
[ "$("$ASSAY" script -i forks.data -F comm,tid,event 2>/dev/null | grep 'burn.*cpu-clock' | awk '{ print $2 }' | sort -u | wc -l)" -eq 3 ] ||
	fail "not all children were sampled"
mkfifo go
sh -c "read -r line <go; '$WORKLOADS/burn' 0.2; :" &
parent=$!
"$ASSAY" record -c $ms -e '{cpu-clock,page-faults}:S' -o attached.data -p $parent -- sh -c 'echo >go; sleep 1' 2>err ||
	fail "record -p: $(cat err)"
wait $parent
"$ASSAY" script -i attached.data -F comm,event 2>/dev/null | grep -q 'burn.*cpu-clock' ||
	fail "the child of a process that was attached to: $(cat err)"

# one event alone; without inheritance only the first task; on CPUs nothing is to be followed
"$ASSAY" record -q -c $ms -e cpu-clock:S -o one.data "$WORKLOADS/threads" 2 0.3
"$ASSAY" script -i one.data -F comm 2>/dev/null | grep -q worker-1 || fail "cpu-clock:S does not follow"
record alone.data -i -- "$WORKLOADS/threads" 2 0.3
"$ASSAY" script -i alone.data -F comm 2>/dev/null | grep -q worker && fail "-i follows threads"
record all.data -a -- "$WORKLOADS/threads" 2 0.3
check all.data "all CPUs"
"$ASSAY" evlist -v -i all.data | grep '^cpu-clock' | grep -q 'inherit: 1' && fail "-a: readers would tell tasks apart"
echo "NOTE: threads and children are followed"

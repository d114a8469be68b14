# `assay stack` beside eu-stack: the same frames of all threads, on live processes and core files.
. "$(dirname "$0")/../lib.sh"
need eu-stack
here=$(dirname "$0")
pids=
trap 'kill -9 $pids 2>/dev/null || true' EXIT

# start NAME COMMAND…: runs it and waits for the line "ready", and until it sleeps; sets $pid.
start() {
	local name=$1 i
	shift
	"$@" >"$name.out" 2>&1 &
	pid=$!
	pids="$pids $pid"
	for i in $(seq 300); do
		grep -q ready "$name.out" && [ "$(cut -d' ' -f3 "/proc/$pid/stat")" != R ] && return
		sleep 0.02
	done
	fail "$name did not become ready: $(cat "$name.out")"
}

# same NAME PID [OPTIONS]: ours and eu-stack's. Twice more where somebody moved meanwhile.
same() {
	local name=$1 id=$2 try
	shift 2
	for try in 1 2 3; do
		eu-stack -n 0 -p "$id" "$@" >"$name.eu" 2>"$name.eu.err" || true
		expect_exit 0 "$ASSAY" stack --plain -n 0 -p "$id" "$@" >"$name.ours"
		python3 "$here/same_stacks.py" "$name.eu" "$name.ours" "$@" >"$name.compared" 2>&1 && return
		sleep 0.2
	done
	fail "$name $*: $(cat "$name.compared")"
}

# C without frame pointers: nested calls, a signal handler, a handler on its own stack behind a recursion.
start parked "$WORKLOADS/unwind_parked" 5
parked=$pid
same parked "$parked"
note=$(cat parked.compared)
same parked-raw "$parked" -r
same parked-d "$parked" -d
for o in -q -a -b -1; do
	eu-stack $o -p "$parked" | sed 's/ [^ 0-9-][^ ]*$//' >eu.txt
	"$ASSAY" stack --plain $o -p "$parked" | sed 's/ [^ 0-9-][^ ]*$//' >ours.txt
	expect_same eu.txt ours.txt "stack $o"
done
# paths of source files that were made relative when compiling begin with their directory once
"$ASSAY" stack -p "$parked" | grep -E ' at (\./[^ ]*)\1' && fail "a directory stands twice in a path"
# by default: the inlined function, lines, and what threads do
"$ASSAY" stack -p "$parked" >full.txt
grep -q "^TID $parked: # unwind_parked, sleeping in pause()" full.txt || fail "no state: $(head -2 full.txt)"
[ "$(grep -c ' park_inlined (inlined) at .*unwind_parked.c:[0-9]*$' full.txt)" -eq 5 ] || fail "inlined functions are missing"
[ "$(grep -c ' dig at .*unwind_parked.c:[0-9]*$' full.txt)" -eq 201 ] || fail "the recursion behind the handler is not whole"
grep -q ' __restore_rt\| __kernel_rt_sigreturn' full.txt || fail "no signal frame"
! grep incomplete full.txt || fail "incomplete stacks"
# one thread
tid=$(ls "/proc/$parked/task" | tail -1)
[ "$("$ASSAY" stack -t "$tid" | grep -c '^TID')" -eq 1 ] || fail "-t shows other threads"
expect_exit 1 "$ASSAY" stack -n 3 -p "$parked" >few.txt 2>few.err
grep -q 'more frames than -n allows' few.txt || fail "-n is not reported"

# stripped: addresses without names, and all of them
cp "$WORKLOADS/unwind_parked" stripped
strip stripped
start stripped ./stripped 4
same stripped "$pid"
# replaced on disk while it runs: the file is read through the process
cp "$WORKLOADS/unwind_parked" replaced
start replaced ./replaced 2
rm replaced
[ "$(id -u)" -ne 0 ] || "$ASSAY" stack --plain -p "$pid" | grep -q ' park_middle$' || fail "no names in a deleted file"

# C++: virtual calls, templates, lambdas, an exception's handler; names as compilers write them
if [ -x "$WORKLOADS/unwind_parked_cxx" ]; then
	start cxx "$WORKLOADS/unwind_parked_cxx"
	same cxx "$pid" -r
	"$ASSAY" stack --demangle=short -p "$pid" | grep -q ' park::Box<…>::open at ' || fail "no short names"
	note="$note, C++ $(cat cxx.compared)"
fi
# an interpreter
python=$(python3 -c 'import sys; print(sys.executable)')
start python "$python" -c 'import time; print("ready", flush=True); time.sleep(100)'
same python "$pid"
note="$note, python $(cat python.compared)"

# A core file, by the kernel and by a debugger.
compare_core() {
	eu-stack -n 0 --core "$1" >core.eu 2>core.eu.err || true
	expect_exit 0 "$ASSAY" stack --plain -n 0 --core "$1" >core.ours
	python3 "$here/same_stacks.py" core.eu core.ours >core.compared || fail "$1: $(cat core.compared)"
	note="$note, $2 $(cat core.compared)"
}
case $(cat /proc/sys/kernel/core_pattern) in
core)
	start dying "$WORKLOADS/unwind_parked" 4
	rm -f core core.*
	prlimit --pid "$pid" --core=unlimited:unlimited 2>/dev/null || prlimit --pid "$pid" --core=unlimited
	kill -ABRT "$pid"
	wait "$pid" 2>/dev/null || true
	[ -e core ] || mv "core.$pid" core || fail "no core file was written"
	compare_core core "kernel's core"
	expect_exit 0 "$ASSAY" stack --core core >core.txt
	grep -q "^PID $pid - core" core.txt && grep -q "^TID $pid: # unwind_parked, died of SIGABRT" core.txt ||
		fail "who died of what: $(head -2 core.txt)"
	# the program has moved: its build-id says that another file is not the one
	mv core core.moved
	truncate -s $(($(stat -c %s core.moved) - 100000)) core.moved
	expect_exit 1 "$ASSAY" stack --core core.moved >cut.txt 2>cut.err
	grep -q 'is cut off: [0-9]* bytes of memory are missing' cut.err || fail "a truncated core file is not reported: $(cat cut.err)"
	# Without the first pages of files their identity is unknown: reported, and a file that changed since is not read.
	cp "$WORKLOADS/unwind_parked" changing
	touch -d '1 hour ago' changing
	start bare ./changing 4
	echo 0x3 >"/proc/$pid/coredump_filter"
	prlimit --pid "$pid" --core=unlimited:unlimited 2>/dev/null || prlimit --pid "$pid" --core=unlimited
	kill -ABRT "$pid"
	wait "$pid" 2>/dev/null || true
	[ -e core ] || mv "core.$pid" core || fail "no second core file was written"
	mv core core.bare
	"$ASSAY" stack --core core.bare >bare.txt 2>bare.err || true
	grep -q 'core.bare has no build-ids of .*/changing.* only if' bare.err || fail "nothing is said of missing build-ids: $(cat bare.err)"
	grep -q ' park_middle at ' bare.txt || fail "an unchanged file is not read: $(cat bare.txt)"
	cp changing kept
	cp "$WORKLOADS/unwind_parked" changing
	"$ASSAY" stack --core core.bare >bare.txt 2>bare.err || true
	grep -q '/changing changed after it was written and is not read' bare.err || fail "a file that changed is not reported: $(cat bare.err)"
	! grep -q ' park_middle' bare.txt || fail "names out of a file that changed"
	"$ASSAY" stack --core core.bare -e kept >bare.txt 2>bare.err || true
	grep -q ' park_middle at ' bare.txt || fail "-e is not taken: $(cat bare.txt bare.err)"
	;;
*) echo "core files go elsewhere here: $(cat /proc/sys/kernel/core_pattern)" ;;
esac
if command -v gcore >/dev/null; then
	gcore -o gcore "$parked" >gcore.log 2>&1 || true
	[ ! -e "gcore.$parked" ] || compare_core "gcore.$parked" "gcore's"
fi
echo "NOTE: $note"

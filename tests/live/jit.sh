# alone: it compares shares of time
# Generated code of Node and CPython by name, from map files and jitdumps, with whole stacks: two functions that share the time 70 to 30.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)
nr=0

# check FIRST SECOND COMMAND…: records the command and compares.
check() {
	local first=$1 second=$2 pid
	shift 2
	echo "== $*"
	"$ASSAY" record -q -F 1999 --call-graph dwarf -o split.data "$@" >truth 2>record.err || fail "$*: $(cat record.err)"
	python3 "$here/jit_shares.py" "$ASSAY" split.data truth "$first" "$second" || fail "$*: see above"
	# Frame pointers and the shape of CPython's trampoline are checked on the stack.
	"$ASSAY" report --json -i split.data | python3 -c 'import json, sys
s = json.load(sys.stdin)["quality"]["stacks"]
print(s)
assert s["complete"] >= 0.8 * s["recorded"], s' || fail "$*: callers are guessed"
	pid=$("$ASSAY" script -i split.data -F pid -G | sed -n '1s/ *//gp')
	rm -f "/tmp/perf-$pid.map" "/tmp/jit-$pid.dump" # what programs leave behind there
	nr=$((nr + 1))
}

if command -v node >/dev/null; then
	check workSeven workThree node --perf-basic-prof --max-inlined-bytecode-size=0 "$here/jit_split.js" 1
	check workSeven workThree node --perf-prof --max-inlined-bytecode-size=0 "$here/jit_split.js" 1
fi
for python in "${PYENV_ROOT-/nonexistent}"/versions/3.1[2-9]*/bin/python3; do
	[ -x "$python" ] || continue
	check work_seven work_three "$python" -X perf "$here/jit_split.py" 1
	"$python" -X perf_jit -c 'import sys; sys.exit("perf_jit" not in sys._xoptions or sys.version_info < (3, 13))' 2>/dev/null &
	has_jit=1
	wait $! || has_jit=
	rm -f "/tmp/jit-$!.dump"
	[ -z "$has_jit" ] || check work_seven work_three "$python" -X perf_jit "$here/jit_split.py" 1
done
[ $nr -gt 0 ] || skip "neither Node nor CPython 3.12 is installed"

# record --runtimes, kinds of frames, and names of generated code with and without what compilers add to them.
. "$(dirname "$0")/../lib.sh"
need node
need python3
here=$(cd "$(dirname "$0")" && pwd)

# Nothing is set without the option; with it what is said is set, and what was set stays.
plain=$("$ASSAY" record -q -o env.data env 2>plain.err | grep -E '^(NODE_OPTIONS|PYTHONPERFSUPPORT|JAVA_TOOL_OPTIONS)=' || true)
[ -z "$plain" ] || fail "variables are set without --runtimes: $plain"
! grep -q runtimes plain.err || fail "--runtimes is said to be there: $(cat plain.err)"
NODE_OPTIONS=--no-warnings PYTHONPERFSUPPORT=0 "$ASSAY" record --runtimes -o env.data env >env.out 2>env.err
grep -qx 'NODE_OPTIONS=--no-warnings --perf-basic-prof-only-functions' env.out || fail "NODE_OPTIONS: $(grep NODE env.out)"
NODE_OPTIONS=--perf-basic-prof "$ASSAY" record -q --runtimes -o env.data env 2>/dev/null | grep -qx 'NODE_OPTIONS=--perf-basic-prof' ||
	fail "an option that does as much is not kept"
grep -qx 'PYTHONPERFSUPPORT=0' env.out || fail "PYTHONPERFSUPPORT was changed"
grep -qx 'JAVA_TOOL_OPTIONS=-XX:+PreserveFramePointer' env.out || fail "JAVA_TOOL_OPTIONS: $(grep JAVA env.out)"
[ "$(grep -c 'runtimes: the command runs with.*JAVA_TOOL_OPTIONS=-XX:+PreserveFramePointer' env.err)" = 1 ] || fail "not said: $(cat env.err)"
! "$ASSAY" record --runtimes -o env.data -p $$ 2>pid.err || fail "--runtimes was accepted for a running process"
grep -q 'for a command that is started' pid.err || fail "$(cat pid.err)"

"$ASSAY" record -q --runtimes -F 1999 --call-graph dwarf -o split.data node --max-inlined-bytecode-size=0 "$here/jit_split.js" 0.5 >/dev/null
[ -z "$(ls -- *v8.log 2>/dev/null)" ] || fail "Node leaves a log: $(ls)"
# In a directory where no file can be made, the program's output is what it was.
data=$PWD/nowhere.data
[ "$(cd /sys && "$ASSAY" record -q --runtimes -o "$data" node -e 'console.log(process.pid)' 2>/dev/null | tee "$data.out" | wc -l)" = 1 ] ||
	fail "the output of Node is not its own: $(head -3 nowhere.data.out)"
rm -f "/tmp/perf-$(cat nowhere.data.out).map"
pid=$("$ASSAY" script -i split.data -F pid -G | sed -n '1s/ *//gp')
rm -f "/tmp/perf-$pid.map"

# A function is one row under the name in its source, whatever it was compiled to.
"$ASSAY" report -i split.data --no-children -g none >folded.txt 2>/dev/null
[ "$(grep -c ' workSeven ' folded.txt)" = 1 ] || fail "not one row: $(grep workSeven folded.txt)"
"$ASSAY" report -i split.data --no-children -g none --raw-names >raw.txt 2>/dev/null
grep -q '\(JS\|LazyCompile\):[*]workSeven ' raw.txt || fail "no raw name: $(grep workSeven raw.txt)"

"$ASSAY" report -i split.data --sort kind --no-children --json >kinds.json 2>/dev/null
"$ASSAY" export -i split.data --format chrome -o split.json 2>/dev/null
"$ASSAY" export -i split.data --format firefox -o fx.json 2>/dev/null
"$ASSAY" export -i split.data --format folded --annotate -o marks.txt 2>/dev/null
python3 - <<'END' || fail "kinds are wrong"
import json
event = json.load(open("kinds.json"))["events"][0]
kinds = {e["kind"]: e["self"]["samples"] for e in event["entries"]}
print(kinds)
assert sum(kinds.values()) == event["samples"]
assert kinds["JIT"] > 0.5 * event["samples"] and kinds["native"] > 0
assert any("workSeven" in line and "_[j]" in line for line in open("marks.txt"))
assert '"jit"' in open("split.json").read()
names = [c["name"] for c in json.load(open("fx.json"))["meta"]["categories"]]
assert names[:5] == ["Other", "User", "Kernel", "JIT", "Interpreted"], names
END

for python in "${PYENV_ROOT-/nonexistent}"/versions/3.1[2-9]*/bin/python3; do
	[ -x "$python" ] || continue
	"$ASSAY" record -q --runtimes -F 1999 --call-graph dwarf -o py.data "$python" "$here/jit_split.py" 0.3 >/dev/null
	rm -f "/tmp/perf-$("$ASSAY" script -i py.data -F pid -G | sed -n '1s/ *//gp').map"
	"$ASSAY" report -i py.data --sort kind --children -g none 2>/dev/null >py.txt
	awk '/interpreted/ { share = $1 + 0 } END { exit !(share > 50) }' py.txt || fail "$python: $(cat py.txt)"
	break
done

# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
# record --python on interpreters that were started with nothing special: two functions of a program have the shares of the CPU time that it
# measured itself, in report, flame graphs and script; started by us and attached to while it runs, with threads that exist already, in forked
# children and after an exec. Views: mixed, only, off.
. "$(dirname "$0")/../lib.sh"
need python3
[ "$(uname -m)" = x86_64 ] || skip "frames of Python are read on x86_64"
[ "$(id -u)" -eq 0 ] || skip "BPF programs need root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" record --python -e cpu-clock -o probe.data true 2>err || fail "record: $(cat err)"
! grep -- '--python:' err || skip "$(cat err)"

cat >split.py <<'PY'
import os, sys, threading, time

def busy(seconds):
    end = time.thread_time() + seconds
    n = 0
    while time.thread_time() < end:
        for i in range(2000):
            n += i * i
    return n

def work_a(seconds):
    return busy(seconds)

def work_b(seconds):
    return busy(seconds)

def split(total, out):
    a = b = 0.0
    while a + b < total:
        t = time.thread_time()
        work_a(0.07)
        a += time.thread_time() - t
        t = time.thread_time()
        work_b(0.03)
        b += time.thread_time() - t
    print(a, b, file=out, flush=True)

def main():
    how, total = sys.argv[1], float(sys.argv[2])
    out = open(sys.argv[3], "a")
    if how == "thread":
        t = threading.Thread(target=split, args=(total, out))
        t.start()
        t.join()
    elif how == "fork":
        pid = os.fork()
        if not pid:
            split(total, out)
            os._exit(0)
        os.waitpid(pid, 0)
    elif how == "exec":
        os.execv(sys.executable, [sys.executable, sys.argv[0], "plain", sys.argv[2], sys.argv[3]])
    elif how == "wait":
        # Another thread, which exists before it is attached to.
        go = threading.Event()
        t = threading.Thread(target=lambda: (go.wait(), split(total, out)))
        t.start()
        print("ready", file=open(sys.argv[3] + ".ready", "w"), flush=True)
        sys.stdin.readline()
        go.set()
        t.join()
    else:
        split(total, out)

main()
PY

# check RECORDING OUTPUT: the shares of both functions among samples in either, in script, report and folded stacks, against `OUTPUT`.
cat >check.py <<'PY'
import json, re, subprocess, sys

assay, data, truth = sys.argv[1:4]
a, b = (sum(v) for v in zip(*(map(float, line.split()) for line in open(truth))))
share = a / (a + b)

def run(*args):
    return subprocess.run([assay, *args], check=True, capture_output=True, text=True).stdout

def near(what, na, nb):
    n = na + nb
    assert n >= 400, (what, na, nb)
    error = (share * (1 - share) / n) ** 0.5
    assert abs(na / n - share) <= 4 * error, (what, na, nb, share)

samples = [s for s in json.loads(run("script", "-q", "--json", "-i", data))["samples"]]
chains = [[f.get("symbol") or "" for f in s["chain"]] for s in samples]
def having(name):
    return sum(any(re.fullmatch(r"split\.py:%s:\d+" % name, f) for f in c) for c in chains)
near("script", having("work_a"), having("work_b"))
assert not any(s["event"] == "python-frames" for s in samples)
folded = {}
for line in run("export", "-q", "--format", "folded", "-i", data).splitlines():
    stack, n = line.rsplit(" ", 1)
    for name in ("work_a", "work_b"):
        if re.search(r";split\.py:%s:\d+(;|$)" % name, stack):
            folded[name] = folded.get(name, 0) + int(n)
near("folded", folded["work_a"], folded["work_b"])
report = run("report", "-q", "--stdio", "--children", "-g", "none", "-n", "-i", data)
shown = {m[2]: float(m[1]) for m in re.finditer(r"^ +([\d.]+)% .* split\.py:(\w+):\d+", report, re.M)}
near("report", shown["work_a"] * len(samples) / 100, shown["work_b"] * len(samples) / 100)
svg = run("flame", "-q", "-i", data, "-o", "-")
assert "split.py:work_a:" in svg and "split.py:work_b:" in svg
# The loop of the interpreter is folded into the functions that it runs.
inside = [c for c in chains if any("split.py:work_" in f for f in c)]
left = sum(any(f.startswith("_PyEval_EvalFrameDefault") for f in c) for c in inside)
assert left <= 0.02 * len(inside), (left, len(inside))
PY
check() {
	python3 check.py "$ASSAY" "$1" "$2" 2>err || fail "$3: the program said $(cat "$2"): $(cat err)"
}

pythons=/usr/bin/python3
for v in 3.8 3.9 3.10 3.11 3.12 3.13; do
	for p in "${PYENV_ROOT-/nowhere}"/versions/$v.*/bin/python3; do
		[ ! -x "$p" ] || pythons="$pythons $p"
	done
done
for python in $pythons; do
	"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))' || continue
	rm -f out
	"$ASSAY" record -q --python -e cpu-clock -F 997 -o plain.data -- "$python" split.py plain 1.5 out 2>err || fail "record: $(cat err)"
	check plain.data out "$python"
done

for how in thread fork exec; do
	rm -f out
	"$ASSAY" record -q --python -e cpu-clock -F 997 -o how.data -- /usr/bin/python3 split.py $how 1.5 out 2>err || fail "record: $(cat err)"
	check how.data out "$how"
done

# ---- attached to, with a thread that exists ----
rm -f out
mkfifo go
/usr/bin/python3 split.py wait 1.5 out <go &
target=$!
exec 7>go
until [ -s out.ready ]; do sleep 0.05; done
"$ASSAY" record -q --python -e cpu-clock -F 997 -o attached.data -p $target 2>err &
recorder=$!
until [ -s attached.data ]; do
	kill -0 $recorder 2>/dev/null || fail "record -p: $(cat err)"
	sleep 0.05
done
echo >&7
wait $target
wait $recorder || fail "record -p: $(cat err)"
check attached.data out "-p"

# ---- a subinterpreter: its functions stand where they run, within the function that called it ----
cat >sub.py <<'PY'
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

def calls_sub(code):
    (getattr(interpreters, "run_string", None) or interpreters.exec)(interpreters.create(), code)

calls_sub("""
import time
def in_sub(n):
    for i in range(n):
        n += i
end = time.process_time() + 0.7
while time.process_time() < end:
    in_sub(10000)
""")
PY
cat >check_sub.py <<'PY'
import json, subprocess, sys

text = subprocess.run([sys.argv[1], "script", "-q", "--json", "-i", sys.argv[2]], check=True, capture_output=True, text=True).stdout
chains = [[f.get("symbol") or "" for f in s["chain"]] for s in json.loads(text)["samples"]]
inside = [c for c in chains if any(f.startswith("<string>:in_sub:") for f in c)]
assert len(inside) > 200, len(inside)
# The interpreter's loop that is left runs calls_sub(), outside of all functions of the subinterpreter.
wrong = [c for c in inside if any(f.startswith("_PyEval_EvalFrameDefault") for f in c[:[f.split(":")[0] for f in c].index("<string>")])]
print(len(wrong), "of", len(inside))
assert len(wrong) <= 0.02 * len(inside), wrong[0]
PY
for python in $pythons; do
	"$python" -c 'import _xxsubinterpreters' 2>/dev/null || "$python" -c 'import _interpreters' 2>/dev/null || continue
	"$ASSAY" record -q --python -e cpu-clock -F 997 -o sub.data -- "$python" sub.py 2>err || fail "record: $(cat err)"
	python3 check_sub.py "$ASSAY" sub.data 2>err || fail "$python: a subinterpreter: $(cat err)"
done

# ---- a deep stack of new functions that is met a few times: all have names ----
cat >once.py <<'PY'
import time

def f0():
    end = time.thread_time() + 0.003
    while time.thread_time() < end:
        pass

for i in range(1, 60):
    exec("def f%d():\n    f%d()\n" % (i, i - 1))
end = time.process_time() + 0.5
while time.process_time() < end:
    pass
f59()
PY
"$ASSAY" record -q --python=only -e cpu-clock -F 1999 -o once.data -- /usr/bin/python3 once.py 2>err || fail "record: $(cat err)"
"$ASSAY" script -q -i once.data -F ip,sym 2>err >once.txt || fail "script: $(cat err)"
python3 -c 'import sys
stacks = [b for b in open("once.txt").read().split("\n\n") if "once.py:f0:" in b]
print(len(stacks), "samples")
assert stacks and not any("[unknown]" in b or "<string>:f59:" not in b for b in stacks), stacks' || fail "functions of a stack that was met once have no names"

# ---- more functions than are recorded: the stacks are said to be cut, with native callers and without ----
cat >deep.py <<'PY'
import time

def spin():
    for i in range(20000):
        pass

def down(n):
    return down(n - 1) if n else spin()

end = time.process_time() + 0.7
while time.process_time() < end:
    down(300)
PY
cat >check_deep.py <<'PY'
import json, sys

q = json.load(sys.stdin)["quality"]
s = q["stacks"]
print(s, q["warnings"])
assert s["truncated"] >= 0.8 * s["recorded"] > 200 and s["truncated"] + s["complete"] >= 0.95 * s["recorded"], s
assert any("functions of Python" in w for w in q["warnings"]), q["warnings"]
PY
for how in mixed only; do
	"$ASSAY" record -q --python=$how -e cpu-clock -F 997 -o deep.data -- /usr/bin/python3 deep.py 2>err || fail "record: $(cat err)"
	"$ASSAY" report -i deep.data --json --max-stack 1024 >deep.json 2>err || fail "report: $(cat err)"
	python3 check_deep.py <deep.json || fail "--python=$how: stacks with more frames than are recorded"
done

# ---- no native callers; views ----
rm -f out
"$ASSAY" record -q --python=only -e cpu-clock -F 997 -o only.data -- /usr/bin/python3 split.py plain 1.5 out 2>err || fail "record: $(cat err)"
check only.data out "only"
"$ASSAY" report -q --stdio --python=off -g none -i plain.data >off.txt
! grep -q 'split\.py' off.txt || fail "--python=off: $(cat off.txt)"
grep -q '_PyEval_EvalFrameDefault' off.txt || fail "--python=off: $(cat off.txt)"
"$ASSAY" export -q --format folded --python=only -i plain.data >only.folded
! grep -q '_start;.*split\.py' only.folded || fail "--python=only has native frames: $(grep split only.folded | head -1)"
grep -q '<module>:1;split\.py:main:[0-9]*;split\.py:split:[0-9]*;split\.py:work_a:' only.folded || fail "only: $(head -3 only.folded)"
! "$ASSAY" report --python=both -i plain.data >/dev/null 2>err || fail "--python=both is accepted"
grep -q "mixed, only, off" err || fail "$(cat err)"

# ---- functions of Python are no generated code: the advice is not that for JIT compilers ----
"$ASSAY" record -q --python -g -e cpu-clock -F 997 -o chains.data -- /usr/bin/python3 split.py plain 1.5 out 2>err || fail "record: $(cat err)"
"$ASSAY" report --stdio -i chains.data >text 2>&1 || fail "report: $(cat text)"
! grep -E 'Quality|WARNING|quality' text | grep -q 'JIT' || fail "advice for another language: $(grep -E 'WARNING|quality' text)"

# ---- where BPF is not allowed, it says so and records what it would without the option ----
if command -v setpriv >/dev/null; then
	mkdir -m 777 other
	(cd other && HOME=$PWD setpriv --reuid=65534 --regid=65534 --clear-groups "$ASSAY" record --python -e cpu-clock:u -o other.data -- true 2>../err) ||
		fail "without root: $(cat err)"
	grep -q -- '--python: BPF programs need root' err || fail "without root: $(cat err)"
	"$ASSAY" report -f --stdio -i other/other.data >/dev/null 2>err || fail "report: $(cat err)"
fi

# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
# record --python against the interpreter's own view: a program goes through random stacks of methods, generators, recursion, callbacks from C and
# code that is made and freed, in two threads, and logs sys._current_frames() and the time on the way; samples in between have these frames, all of
# them, in this order, each at its line. A process that claims to be an interpreter, and is none, gets nothing but its own memory read.
. "$(dirname "$0")/../lib.sh"
need python3 cc
[ "$(uname -m)" = x86_64 ] || skip "frames of Python are read on x86_64"
[ "$(id -u)" -eq 0 ] || skip "BPF programs need root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" record --python -e cpu-clock -o probe.data true 2>err || fail "record: $(cat err)"
! grep -- '--python:' err || skip "$(cat err)"

cat >stacks.py <<'PY'
import functools, itertools, json, os, random, sys, threading, time

log = []

def name_of(code):
    name = getattr(code, "co_qualname", code.co_name)
    return "%s:%s:%d" % (os.path.basename(code.co_filename), name, code.co_firstlineno)

def spin(rest):
    frame = sys._current_frames()[threading.get_ident()]
    stack = []
    while frame:
        stack.append([name_of(frame.f_code), frame.f_lineno])
        frame = frame.f_back
    start = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    end = time.thread_time_ns() + 2000000
    n = 0
    while time.thread_time_ns() < end:
        for i in range(200):
            n += i
    stop = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    log.append(json.dumps([threading.get_native_id(), start, stop, stack]))

class Things:
    def method(self, rest):
        go(rest)
    @staticmethod
    def static(rest):
        def inner():
            go(rest)
        inner()

def generator(rest):
    yield 1
    go(rest)
    yield 2

def by_generator(rest):
    for _ in generator(rest):
        pass

def delegating(rest):
    yield from generator(rest)

def by_delegation(rest):
    list(delegating(rest))

def by_sort(rest):
    sorted([1], key=lambda x: go(rest) or 0)

def by_reduce(rest):
    functools.reduce(lambda a, b: go(rest) or 0, [1, 2])

def recursive(rest, depth=5):
    recursive(rest, depth - 1) if depth else go(rest)

async def coroutine(rest):
    go(rest)

def by_coroutine(rest):
    try:
        coroutine(rest).send(None)
    except StopIteration:
        pass

numbers = itertools.count(1)
def by_new_code(rest):
    made = next(numbers)
    space = {"go": go}
    # Names of one length, so that freed memory is used again for the next.
    source = "def new_%06d(rest):\n    go(rest)\n" % made
    exec(compile(source, "made_%06d.py" % made, "exec"), space)
    space["new_%06d" % made](rest)

ways = [Things().method, Things.static, by_generator, by_delegation, by_sort, by_reduce, recursive, by_coroutine, by_new_code]

def go(rest):
    if rest:
        rest[0](rest[1:])
    else:
        spin(rest)

def worker(seed, seconds):
    r = random.Random(seed)
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        go([r.choice(ways) for _ in range(r.randrange(6))])

threads = [threading.Thread(target=worker, args=(i, float(sys.argv[2]))) for i in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
open(sys.argv[1], "w").write("\n".join(log))
PY

cat >check.py <<'PY'
import bisect, json, re, subprocess, sys

assay, data, log, least = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
by_tid = {}
for line in open(log):
    tid, start, stop, stack = json.loads(line)
    by_tid.setdefault(tid, []).append((start, stop, stack))
text = subprocess.run([assay, "script", "-q", "--ns", "-F", "tid,time,ip,sym,dso,srcline", "-i", data], check=True, capture_output=True, text=True).stdout
same = other = early = 0
for block in text.split("\n\n"):
    lines = block.splitlines()
    head = lines and re.match(r" *(\d+) +(\d+)\.(\d{9}):", lines[0])
    if not head:
        continue
    spans = by_tid.get(int(head[1]), [])
    t = int(head[2] + head[3])
    i = bisect.bisect_right(spans, (t, 1 << 63)) - 1
    if i < 0 or t >= spans[i][1]:
        continue
    # Native frames of Python's loop are folded; what is left of Python has these names, and the line that is executed.
    found = [[f[1], int(f[2])] for f in re.finditer(r"^\s+[0-9a-f]+ (.*) \(\[python\]\)\n .*:(\d+)$", block, re.M)]
    # The innermost function has gone on since it looked.
    if found and found[0][1] > int(found[0][0].rsplit(":", 1)[1]):
        found[0][1] = spans[i][2][0][1]
    # On a busy machine the recorder comes to look at the interpreter later than it runs the first of these functions.
    if not found and not same:
        continue
    # Tables of lines come with names, of many code objects that are new not all with their first stack.
    unknown = [f[1] == int(f[0].rsplit(":", 1)[1]) for f in found]
    if found != spans[i][2] and len(found) == len(spans[i][2]):
        found = [[f[0], e[1] if u else f[1]] for f, e, u in zip(found, spans[i][2], unknown)]
        early += found == spans[i][2]
    if found == spans[i][2]:
        same += 1
    else:
        other += 1
        if other < 4:
            print("logged", spans[i][2], "recorded", found, file=sys.stderr)
print(same, other)
assert same >= least and other == 0 and early <= 0.01 * same, (same, other, early)
PY
pythons=/usr/bin/python3
for v in 3.8 3.9 3.10 3.11 3.12 3.13; do
	for p in "${PYENV_ROOT-/nowhere}"/versions/$v.*/bin/python3; do
		[ ! -x "$p" ] || pythons="$pythons $p"
	done
done
for python in $pythons; do
	"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))' || continue
	"$ASSAY" record -q --python=only -k monotonic -e cpu-clock -F 1999 -o stacks.data -- "$python" stacks.py log 0.8 2>err || fail "record: $(cat err)"
	python3 check.py "$ASSAY" stacks.data log 1000 2>err >figures || fail "$python: $(cat figures err)"
	echo "$python: $(cat figures) (same, other)"
done

# ---- what claims to be an interpreter ----
cat >fake.c <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As 3.11 has it: offsets in words. */
uint64_t _PyRuntime[512], state[64], cframe[8], frame[16], code[64], text[64];
const unsigned long Py_Version = 0x030b02f0;

void _PyEval_EvalFrameDefault(void)
{
	for (struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t), t.tv_sec == 0 && t.tv_nsec < 600000000;)
		;
}

int main(int argc, char **argv)
{
	int how = argc > 1 ? atoi(argv[1]) : 0;

	_PyRuntime[576 / 8] = (uint64_t)state;
	state[152 / 8] = (uint64_t)pthread_self();
	state[56 / 8] = (uint64_t)cframe;
	cframe[1] = (uint64_t)frame;
	frame[32 / 8] = (uint64_t)code;
	frame[48 / 8] = (uint64_t)frame; /* a circle */
	code[112 / 8] = code[128 / 8] = (uint64_t)text;
	text[2] = 40;
	text[4] = 1 << 2 | 1 << 5 | 1 << 6;
	memcpy(text + 6, "evil\033[31m;\n\r\t<script>&\"'%s%n\001\377 name here", 40);
	if (how == 1)
		text[2] = UINT64_MAX;
	if (how == 2)
		text[4] = 7 << 2 | 1 << 5, text[2] = 0xffff;
	if (how == 3)
		code[112 / 8] = code[128 / 8] = 0xffffffff81000000; /* the kernel's */
	if (how == 4)
		frame[32 / 8] = 0x10;
	if (how == 5)
		frame[48 / 8] = UINT64_MAX - 8;
	if (how == 6)
		cframe[1] = 0xffff888000000000;
	if (how == 7)
		text[4] = 4 << 2 | 1 << 5, text[2] = 60, memset(text + 9, 0xff, 64);
	_PyEval_EvalFrameDefault();
	return 0;
}
C
cc -O1 -rdynamic -o fake fake.c || fail "cc"
for how in 0 1 2 3 4 5 6 7; do
	timeout 60 "$ASSAY" record -q --python=only -e cpu-clock -F 997 -o fake.data -- ./fake $how 2>err || fail "fake $how: $(cat err)"
	for view in "report --stdio" "script" "export --format folded" "flame -o -" "script --json" "report -D"; do
		# shellcheck disable=SC2086
		timeout 60 "$ASSAY" $view -q -i fake.data >view.txt 2>err || fail "fake $how: $view: $(cat err)"
		! grep -q "$(printf '\033')" view.txt || fail "fake $how: $view has an escape"
		# It is believed as far as its own names go.
		[ $how -ne 0 ] || [ "$view" = "report -D" ] || grep -q evil view.txt || fail "$view: $(head -20 view.txt)"
	done
done

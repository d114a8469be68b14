"""jit_shares.py ASSAY RECORDING TRUTH FIRST SECOND: the two functions' shares in script, report and folded stacks; names; ends of stacks.

TRUTH is a file whose first word is the share of the first function by the program's own clock.
"""
import json
import math
import subprocess
import sys

assay, recording, truth, first, second = sys.argv[1:]
truth = float(open(truth).read().split()[0])
ENDS = ("_start", "clone3", "__clone3", "clone", "__clone", "start_thread")


def run(*args):
    return subprocess.run([assay, *args], check=True, capture_output=True, text=True).stdout


def check(what, a, b):
    n = a + b
    assert n >= 300, f"{what}: {n} samples"
    error = math.sqrt(truth * (1 - truth) / n)
    print(f"{what}: {n} samples, share {a / n:.4f} of {truth:.4f}, {(a / n - truth) / error:+.2f} standard errors")
    assert abs(a / n - truth) < 4 * error, what


# Of script: a sample is its stack of (function, module), innermost first.
samples = []
for block in run("script", "-i", recording, "-F", "ip,sym,dso").split("\n\n"):
    lines = [line.split(None, 1) for line in block.splitlines()]
    if lines:
        samples.append([line[1] if len(line) > 1 else "" for line in lines])
has = lambda s, name: any(name in f for f in s)
ours = [s for s in samples if has(s, first) or has(s, second)]
check("script", sum(has(s, first) for s in ours), sum(has(s, second) for s in ours))
unnamed = sum(s[0].startswith("[unknown]") for s in samples)
print(f"{unnamed} of {len(samples)} samples without a name")
assert unnamed <= 0.01 * len(samples)
# Debian's libnode.so is stripped: V8's own code in it has no names to be found.
frames = [f for s in ours for f in s if "/libnode.so" not in f]
lost = sum(f.startswith("[unknown]") for f in frames)
print(f"{lost} of {len(frames)} frames without a name")
assert lost <= 0.01 * len(frames)
whole = sum(s[-1].split()[0].split("+")[0] in ENDS for s in samples)
print(f"{whole} of {len(samples)} stacks down to where threads start")
assert whole >= 0.95 * len(samples)

folded = [line.rsplit(" ", 1) for line in run("export", "--format", "folded", "-i", recording).splitlines()]
check("folded", *(sum(int(n) for stack, n in folded if name in stack) for name in (first, second)))

event = json.loads(run("report", "-i", recording, "--json", "--children"))["events"][0]
nr = {first: 0, second: 0}
for e in event["entries"]:
    for name in nr:
        if name in (e.get("symbol") or ""):
            nr[name] += round(e["children"]["period"] * event["samples"] / event["period"])
check("report", nr[first], nr[second])

# -r: mean and spread are those of the single runs, which -v and --table show.
. "$(dirname "$0")/../lib.sh"
need python3

LC_ALL=C "$ASSAY" stat -v -r 10 --table --no-big-num -e context-switches,page-faults,task-clock \
	-- sh -c 'i=0; while [ $i -lt $(($$ % 50 * 20)) ]; do i=$((i + 1)); done; sleep 0.002' 2>out
python3 - out <<'END' || fail "$(cat out)"
import math, re, sys

text = open(sys.argv[1]).read()

def check(name, values, mean, shown, decimals, half):
    n = len(values)
    assert n == 10, f"{name}: {n} runs"
    m = sum(values) / n
    stderr = math.sqrt(sum((v - m) ** 2 for v in values) / (n - 1) / n)
    pct = 100 * stderr / m if m else 0
    assert abs(mean - m) <= half, f"{name}: mean {mean} instead of {m}"
    assert abs(shown - pct) <= 0.006 + decimals, f"{name}: spread {shown}% instead of {pct:.4f}%"
    print(f"{name}: {m:.2f} +- {pct:.2f}% of ten runs, as shown")

for name, scale, half in (("context-switches", 1, 0.51), ("page-faults", 1, 0.51), ("task-clock", 1e-6, 0.0051)):
    values = [int(v) * scale for v in re.findall(rf"^assay: {name}: (\d+) ", text, re.M)]
    row = re.search(rf"^ *([\d.]+) +(?:msec )? *{name} .*", text, re.M)
    spread = re.search(r"\( \+- *([\d.]+)% \)", row.group(0))
    check(name, values, float(row.group(1)), float(spread.group(1)) if spread else 0.0, 0, half)

runs = [float(v) for v in re.findall(r"^ +([\d.]+) \([-+][\d.]+\) #", text, re.M)]
m = re.search(r"^ +([\d.]+) \+- ([\d.]+) seconds time elapsed  \( \+- *([\d.]+)% \)", text, re.M)
digit = 10 ** -len(m.group(1).split(".")[1])
# the table is rounded
check("elapsed", runs, float(m.group(1)), float(m.group(3)), 100 * digit / float(m.group(1)), digit)
END

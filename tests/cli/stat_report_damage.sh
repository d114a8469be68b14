# stat report of files that are not as they should be: an event that is named behind the first counts,
# records in any order, bytes and sizes changed. No signal, no hang, no made-up count.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)

"$ASSAY" stat record -o - -a -I 20 -e page-faults,context-switches,cpu-clock sleep 0.05 2>/dev/null >pipe.data ||
	skip "cannot count here"
"$ASSAY" stat record -o file.data -a -e page-faults,context-switches,cpu-clock sleep 0.02 2>/dev/null
# The build with sanitizers sees what a plain one survives; used where it is not older than the sources.
asan=${ASSAY_ASAN-$here/../../build-asan/assay}
if [ ! -x "$asan" ] || [ -n "$(find "$here/../../src" -newer "$asan" -name '*.[ch]' | head -1)" ]; then
	asan=$ASSAY
fi

python3 - "$asan" <<'PY' || fail "stat report of a damaged file"
import random
import struct
import subprocess
import sys

ASSAY, HEADER, ATTR, STAT = sys.argv[1], 16, 64, 76


def records(data):
    at, found = HEADER, []
    while at + 8 <= len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if size < 8:
            break
        found.append((kind, data[at:at + size]))
        at += size
    return found


def report(data, *options):
    with open("damaged.data", "wb") as f:
        f.write(data)
    done = subprocess.run([ASSAY, "stat", "report", *options, "-i", "damaged.data"], capture_output=True, timeout=20)
    text = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1) or "Sanitizer" in text or "runtime error" in text:
        print(f"status {done.returncode}: {text[:3000]}")
        sys.exit(1)
    return done.returncode, done.stdout.decode(errors="replace"), text


pipe = open("pipe.data", "rb").read()
whole = records(pipe)
last_attr = max(i for i, r in enumerate(whole) if r[0] == ATTR)
rest = whole[:last_attr] + whole[last_attr + 1:]
first = next(i for i, r in enumerate(rest) if r[0] == STAT)
late = rest[:first + 1] + [whole[last_attr]] + rest[first + 1:]
status, out, err = report(pipe[:HEADER] + b"".join(r[1] for r in late))
assert "page-faults" in out and "cpu-clock" not in out, out
assert "were left out" in err, err

rng = random.Random(3)
for n in range(300):
    if n % 3 == 0:  # the order
        mixed = whole[:]
        for _ in range(rng.randrange(1, 6)):
            mixed.insert(rng.randrange(len(mixed)), mixed.pop(rng.randrange(len(mixed))))
        data = pipe[:HEADER] + b"".join(r[1] for r in mixed)
    else:  # bytes
        data = bytearray(open("file.data", "rb").read() if n % 3 == 1 else pipe)
        for _ in range(rng.randrange(1, 8)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 2, 0x7f, 0x80, 0xff, rng.randrange(256)))
        if n % 10 == 0:
            del data[rng.randrange(len(data)):]
    report(bytes(data), *rng.choice(((), ("-A",), ("--per-core",))))
PY
echo "an event that is named late, and 300 damaged files, do no harm"

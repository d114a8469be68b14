# A million distinct stacks of depth 30 that share little: less than 400 MB in every format of export.
. "$(dirname "$0")/../lib.sh"
need python3

# Three outer frames, two that number the stack, then 25 that many stacks have, but under other callers. All functions have names, by a
# kallsyms of our own.
python3 - <<'EOF'
import random, struct
random.seed(7)
BASE, NR_FUNCTIONS, NR = 0xffffffff81000000, 4096, 1024
with open("kallsyms", "w") as f:
    f.write(f"{BASE:016x} T _text\n" + "".join(f"{BASE + 64 * (i + 1):016x} T function_{i}\n" for i in range(NR_FUNCTIONS)))
def ips(functions):
    return struct.pack(f"<{len(functions)}Q", *(BASE + 64 * (i + 1) + 8 for i in functions))
def runs(nr, depth):
    return [ips([random.randrange(NR_FUNCTIONS) for _ in range(depth)]) for _ in range(nr)]
inner, middle, number, root = runs(61, 13), runs(67, 12), [ips([i]) for i in range(NR)], ips([4000, 4001, 4002])
attr = struct.pack("<IIQQQQQ", 1, 64, 0, 1000, 0x1 | 0x2 | 0x4 | 0x20 | 0x100, 0, 1 << 18) + bytes(16)
trailer = struct.pack("<IIQ", 0, 0, 1)
def record(type_, misc, body):
    return struct.pack("<IHH", type_, misc, 8 + len(body)) + body
head = struct.Struct("<IHHQIIQQQQ").pack
with open("stacks.data", "wb") as f:
    f.write(bytes(184) + record(3, 0, struct.pack("<II", 100, 100) + b"app\0\0\0\0\0" + trailer) +
            record(1, 1, struct.pack("<IIQQQ", 0xffffffff, 0, BASE, 0x2000000, BASE) + b"[kernel.kallsyms]_text\0\0" + trailer))
    for i in range(NR):
        data = []
        for k in range(NR):
            n = i * NR + k
            data += head(9, 1, 48 + 31 * 8, BASE + 72, 100, 100, 1000 + n, 1000, 31, 0xffffffffffffff80), inner[n % 61], middle[n % 67], number[k], number[i], root
        f.write(b"".join(data) + record(68, 0, b""))
    size = f.tell() - 184
    f.seek(0)
    f.write(struct.pack("<8sQQ", b"PERFILE2", 104, 80) + struct.pack("<QQQQQQ", 104, 80, 184, size, 0, 0) + bytes(32) + attr + struct.pack("<QQ", 0, 0))
EOF

for format in folded pprof firefox speedscope chrome callgrind csv; do
	python3 - "$format" "$ASSAY" export -q -i stacks.data --kallsyms kallsyms --format "$format" <<'EOF' || fail "$format takes too much"
import os, resource, subprocess, sys
sys.path.append(os.environ["TOOLS"])
from drain import count_bytes
p = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)
size = lines = 0
if sys.argv[1] in ("folded", "csv"):
    while block := os.read(p.stdout.fileno(), 1 << 20):
        size += len(block)
        lines += block.count(b"\n")
else:
    size = count_bytes(p.stdout)
status = p.wait()
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(f"NOTE: {sys.argv[1]}: {peak} MB for {size >> 20} MB")
sys.exit(status != 0 or peak >= 400 or {"folded": lines != 1 << 20, "csv": lines != (1 << 20) + 1}.get(sys.argv[1], size < 1 << 20))
EOF
done

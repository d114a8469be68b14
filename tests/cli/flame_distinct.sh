# A million distinct stacks, of a recording and as text: less than 1 GB, and less than 10 s of CPU time.
. "$(dirname "$0")/../lib.sh"
need python3

# 30 frames: three outer ones, then three runs of nine out of 64, 256 and 64. All functions have names, by a kallsyms of our own.
python3 - <<'EOF'
import random, struct
random.seed(7)
BASE, NR_FUNCTIONS = 0xffffffff81000000, 4096
def runs(nr):
    return [[random.randrange(NR_FUNCTIONS) for _ in range(9)] for _ in range(nr)]
inner, middle, outer = runs(64), runs(256), runs(64)
with open("kallsyms", "w") as f:
    f.write(f"{BASE:016x} T _text\n" + "".join(f"{BASE + 64 * (i + 1):016x} T function_{i}\n" for i in range(NR_FUNCTIONS + 3)))
def ips(run):
    return struct.pack("<9Q", *(BASE + 64 * (i + 1) + 8 for i in run))
inner_ips, middle_ips, outer_ips = ([ips(r) for r in part] for part in (inner, middle, outer))
root = struct.pack("<3Q", *(BASE + 64 * (NR_FUNCTIONS + 3 - i) + 8 for i in range(3)))
root_names = "".join(f"function_{NR_FUNCTIONS + i};" for i in range(3))
def words(run):
    return ";".join(f"function_{i}" for i in run[::-1])
inner_words, middle_words, outer_words = ([words(r) for r in part] for part in (inner, middle, outer))
attr = struct.pack("<IIQQQQQ", 1, 64, 0, 1000, 0x1 | 0x2 | 0x4 | 0x20 | 0x100, 0, 1 << 18) + bytes(16)
trailer = struct.pack("<IIQ", 0, 0, 1)
def record(type_, misc, body):
    return struct.pack("<IHH", type_, misc, 8 + len(body)) + body
first = [record(3, 0, struct.pack("<II", 100, 100) + b"app\0\0\0\0\0" + trailer),
         record(1, 1, struct.pack("<IIQQQ", 0xffffffff, 0, BASE, 0x2000000, BASE) + b"[kernel.kallsyms]_text\0\0" + trailer)]
with open("stacks.data", "wb") as f, open("stacks.folded", "w") as text:
    f.write(bytes(184) + b"".join(first))
    head = struct.Struct("<IHHQIIQQQQ").pack
    n = 0
    for a in range(64):
        for b in range(256):
            data, lines = [], []
            shared_ips, shared_words = middle_ips[b] + outer_ips[a] + root, root_names + outer_words[a] + ";" + middle_words[b] + ";"
            for c in range(64):
                data += head(9, 1, 48 + 31 * 8, BASE + 72, 100, 100, 1000 + n, 1000, 31, 0xffffffffffffff80), inner_ips[c], shared_ips
                lines += shared_words, inner_words[c], " 1\n"
                n += 1
            f.write(b"".join(data))
            text.write("".join(lines))
            if b % 16 == 15:
                f.write(record(68, 0, b""))
    size = f.tell() - 184
    f.seek(0)
    f.write(struct.pack("<8sQQ", b"PERFILE2", 104, 80) + struct.pack("<QQQQQQ", 104, 80, 184, size, 0, 0) + bytes(32) + attr + struct.pack("<QQ", 0, 0))
EOF

measure() { # OUT COMMAND…
	python3 - "$@" <<'EOF' || fail "$* takes too much"
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], "wb")).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
took = used.ru_utime + used.ru_stime
print(f"{used.ru_maxrss // 1024} MB, {took:.2f} s")
sys.exit(status != 0 or used.ru_maxrss > 1_000_000 or took > 10)
EOF
}
data=$(measure data.svg "$ASSAY" flame -q -i stacks.data --kallsyms kallsyms --by none --min-width 0.05)
text=$(measure folded.svg "$ASSAY" flame -q -i stacks.folded --min-width 0.05)
[ "$(stat -c %s data.svg)" -lt 10000000 ] || fail "the picture has $(stat -c %s data.svg) bytes"
for f in data folded; do
	python3 "$TOOLS/flame_read.py" check $f.svg
	[ "$(python3 "$TOOLS/flame_read.py" total $f.svg)" -eq 1048576 ] || fail "$f: not all samples are in it"
	python3 "$TOOLS/flame_read.py" names $f.svg | sort >$f.names
done
expect_same data.names folded.names "names of the two"
[ "$(wc -l <data.names)" -gt 100000 ] || fail "only $(wc -l <data.names) frames"
echo "NOTE: recording: $data; text: $text; $(wc -l <data.names) frames in $(($(stat -c %s data.svg) / 1024)) KB"

# Memory and time are bounded where every sample has a stack of its own: nothing to intern, nothing to share.
. "$(dirname "$0")/../lib.sh"
need python3

# 100,000 samples, 30 frames deep, random in all but the outer three.
python3 - <<'END'
import random, struct
random.seed(7)
attr = struct.pack("<IIQQQQQ", 1, 64, 0, 1000, 0x1 | 0x2 | 0x4 | 0x20 | 0x100, 0, 1 << 18) + bytes(16)
assert len(attr) == 64
data = bytearray()
def record(type_, misc, body):
    data.extend(struct.pack("<IHH", type_, misc, 8 + len(body)) + body)
trailer = struct.pack("<IIQ", 100, 100, 1)
record(3, 0, struct.pack("<II", 100, 100) + b"app\0\0\0\0\0" + trailer)
record(10, 2, struct.pack("<IIQQQIIQQII", 100, 100, 0x400000, 0x1000000, 0, 0, 0, 0, 0, 5, 2) + b"/no/such/app\0\0\0\0" + trailer)
for i in range(100000):
    chain = [0xfffffffffffffe00] + [0x400000 + random.randrange(50) * 64 + k * 4096 for k in range(27)] + [0x500000, 0x500040, 0x500080]
    record(9, 2, struct.pack("<QIIQQQ", chain[1], 100, 100, 1000 + i, 1000, len(chain)) + struct.pack("<%dQ" % len(chain), *chain))
    if i % 1000 == 999:
        record(68, 0, b"")
head = 104 + 80
header = struct.pack("<8sQQ", b"PERFILE2", 104, 80) + struct.pack("<QQQQQQ", 104, 80, head, len(data), 0, 0) + bytes(32)
open("stacks.data", "wb").write(header + attr + struct.pack("<QQ", 0, 0) + data)
END

measure() { # LIMIT_KB LIMIT_SECONDS COMMAND…
	local kb=$1 seconds=$2
	shift 2
	python3 - "$kb" "$seconds" "$@" <<'END' || fail "$* takes too much"
import resource, subprocess, sys
status = subprocess.run(sys.argv[3:], stdout=open("out.txt", "wb")).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
took, peak = used.ru_utime + used.ru_stime, used.ru_maxrss
print(f"{' '.join(sys.argv[4:6])}: {peak // 1024} MB, {took:.2f} s")
sys.exit(status != 0 or peak > int(sys.argv[1]) or took > float(sys.argv[2]))
END
}
measure 120000 10 "$ASSAY" script -i stacks.data -q
[ "$(grep -c 'app   100' out.txt)" -eq 100000 ] || fail "script shows not all samples"
measure 400000 20 "$ASSAY" report -i stacks.data -q --stdio
grep -q '100.00%' out.txt || fail "the outer frames have not all of it"

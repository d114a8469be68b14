"""jit_hostile.py KIND: maps a dump of its own as a JIT does, with what no JIT writes, and runs for a while."""
import mmap
import os
import struct
import sys
import time

kind = sys.argv[1]
path = f"jit-{os.getpid()}.dump"
HEAD = struct.pack("<6IQQ", 0x4A695444, 1, 40, 62, 0, os.getpid(), 0, 0)


def load(time_ns, addr, size, index, name):
    name += b"\0"
    return struct.pack("<IIQIIQQQQ", 0, 56 + len(name) + size, time_ns, 1, 1, addr, addr, size, index) + name + b"\x90" * size


with open(path, "wb") as f:
    f.write(HEAD)
    if kind == "sparse":
        f.truncate(240 << 20)
    elif kind == "huge":
        f.truncate(4 << 30)
    elif kind == "overlapping":  # each replaces a part of all before, at times in no order
        f.write(b"".join(load(hash(i) * 7919 % 1000003, 0x10000 + i % 977, 32, 1, b"f%d" % i) for i in range(60000)))
    elif kind == "escapes":
        f.write(load(0, 0, 8, 1, b"\x1b[31mred\n\x1b]0;title\x07"))
    elif kind == "damaged":
        f.write(load(0, 0x1000, 8, 1, b"f")[:-4] + b"\xff" * 100)
    elif kind == "foreign":
        os.fchown(f.fileno(), 12345, 12345)
f = open(path, "r+b")
marker = mmap.mmap(f.fileno(), len(HEAD), flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
if kind == "link":
    os.rename(path, path + ".real")
    os.symlink(path + ".real", path)
end = time.process_time() + 0.2
while time.process_time() < end:
    if kind == "growing":
        f.seek(0, 2)
        f.write(load(0, 0x1000, 8, 1, b"f"))

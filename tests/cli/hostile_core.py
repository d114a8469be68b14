#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes core files that are small on disk and would cost gigabytes or minutes in a reader that believes their headers.

Usage: hostile_core.py DIR. Prints the names of the files; all are of x86_64 and below 10 MB on disk.
"""
import os
import struct
import sys

MB, GB = 1 << 20, 1 << 30
PT_LOAD, PT_NOTE = 1, 4
PRSTATUS, PRPSINFO, FILES = 1, 3, 0x46494C45
STACK = 0x7F0000000000
CODE = 0x400000


def note(kind, desc):
    return struct.pack("<III", 5, len(desc), kind) + b"CORE\0\0\0\0" + desc + bytes(-len(desc) % 4)


def thread(tid, pc=CODE, sp=STACK, bp=STACK):
    regs = [0] * 27
    regs[4], regs[16], regs[19] = bp, pc, sp
    return note(PRSTATUS, struct.pack("<12xHxx16xi76x", 11 if tid == 1 else 0, tid) + struct.pack("<27Q", *regs) + bytes(8))


def files(maps):
    table = b"".join(struct.pack("<QQQ", start, end, 0) for start, end, _ in maps)
    return note(FILES, struct.pack("<QQ", len(maps), 4096) + table + b"".join(path.encode() + b"\0" for _, _, path in maps))


def segment(kind, off, size, vaddr=0, flags=6):
    return struct.pack("<IIQQQQQQ", kind, flags, off, vaddr, 0, size, size, 1)


def write(path, segments, pieces, size=0):
    """`pieces`: (offset, bytes); the table of segments lies at 4096."""
    nr = len(segments)
    first = bytes(44) + struct.pack("<I", nr) + bytes(16)
    pieces = pieces + [(4096, b"".join(segments)), (64, first)]
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 4, 62, 1, 0, 4096, 64, 0, 64, 56, min(nr, 0xFFFF), 64, 1, 0)
    with open(path, "wb") as f:
        for off, data in pieces + [(0, head)]:
            f.seek(off)
            f.write(data)
        f.truncate(max(size, f.seek(0, 2)))


def notes_overlap(path):
    data = b"".join(thread(i) for i in range(1, 4 * MB // 356))
    write(path, [segment(PT_NOTE, MB, len(data))] * 1000, [(MB, data)])


def notes_overlap_slightly(path):
    """Each begins a little further on."""
    one = thread(1)
    data = one * (4 * MB // len(one))
    write(path, [segment(PT_NOTE, MB + len(one) * i, len(data) - len(one) * i) for i in range(2000)], [(MB, data)])


def notes_in_holes(path):
    data = thread(1)
    write(path, [segment(PT_NOTE, MB, len(data))] + [segment(PT_NOTE, GB + i, 400 * MB) for i in range(10)], [(MB, data)], 8 * GB)


def many_threads(path):
    """All of them walk the one chain of frame pointers there is."""
    data = b"".join(thread(i, bp=STACK + 16 * i) for i in range(1, 20000))
    depth = 100000
    stack = b"".join(struct.pack("<QQ", STACK + 16 * (i + 1), CODE + 64 + i % 64) for i in range(depth))
    write(path, [segment(PT_NOTE, MB, len(data)), segment(PT_LOAD, 8 * MB, len(stack), STACK),
                 segment(PT_LOAD, 8 * MB, 4096, CODE, 5)], [(MB, data), (8 * MB, stack)])


def many_maps(path):
    """One library under many names, and a thread in each."""
    library = next(p for p in ("/usr/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/bin/sh") if os.path.exists(p))
    maps, threads, nr = [], [], 10000
    for i in range(nr):
        dots = "".join("/." if i >> k & 1 else "//" for k in range(14))
        start = (1 << 32) + i * (4 * MB)
        maps.append((start, start + 4 * MB, dots + library))
        threads.append(thread(i + 1, pc=start + 0x30000))
    data = files(maps) + b"".join(threads)
    write(path, [segment(PT_NOTE, MB, len(data))], [(MB, data)])


def many_empty_maps(path):
    maps = [((1 << 32) + 8192 * (250000 - i), (1 << 32) + 8192 * (250000 - i) + 4096, str(i % 1000)) for i in range(250000)]
    data = thread(1) + files(maps)
    write(path, [segment(PT_NOTE, MB, len(data))], [(MB, data)])


def many_segments(path):
    data = thread(1)
    write(path, [segment(PT_NOTE, 10 * MB, len(data))] + [segment(PT_LOAD, 0, 4096, (1 << 40) - 8192 * i, 5) for i in range(160000)],
          [(10 * MB, data)])


def segments_in_hole(path):
    nr = 1000000
    data = thread(1)
    write(path, [segment(PT_NOTE, 1 * GB, len(data))], [(GB, data), (64, bytes(44) + struct.pack("<I", nr) + bytes(16))], 2 * GB)
    with open(path, "r+b") as f:
        f.seek(56)
        f.write(struct.pack("<H", 0xFFFF))
        f.seek(64 + 44)
        f.write(struct.pack("<I", nr))


def main():
    for make in (notes_overlap, notes_overlap_slightly, notes_in_holes, many_threads, many_maps, many_empty_maps, many_segments,
                 segments_in_hole):
        path = os.path.join(sys.argv[1], make.__name__)
        make(path)
        if os.stat(path).st_blocks * 512 > 10 * MB:
            sys.exit(f"{make.__name__} has {os.stat(path).st_blocks * 512} bytes on disk")
        print(make.__name__)


if __name__ == "__main__":
    main()

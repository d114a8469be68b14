#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a perf.data with many samples and many distinct stacks of the functions of a program: for what has to be quick.

Usage: make_large.py FILE PROGRAM SAMPLES STACKS. Eight threads of two processes on four CPUs, 60 seconds.
"""
import random
import struct
import subprocess
import sys

IP, TID, TIME, CHAIN, CPU, PERIOD, IDENTIFIER = (1 << bit for bit in (0, 1, 2, 5, 7, 8, 16))
MMAP, COMM, TASK, ID_ALL = (1 << bit for bit in (8, 9, 13, 18))
CHAIN_USER = 2**64 - 512
BASE, START_NS, SPAN_NS = 0x555500000000, 1000 * 10**9, 60 * 10**9


def record(type_, misc, body):
    return struct.pack("<IHH", type_, misc, 8 + len(body)) + body


def functions(program):
    found = []
    for line in subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tT":
            found.append(int(words[0], 16))
    return sorted(set(found))


def code(program):
    """Offset, address and size of the part that is executed."""
    lines = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout.splitlines()
    words = next(line.split() for line in lines if " LOAD " in line and " R E " in line)
    return int(words[1], 16), int(words[2], 16), int(words[4], 16)


def stacks(rng, places, nr):
    """Paths through a random tree: each continues an earlier one, as call trees do."""
    paths = [[rng.choice(places)]]
    while len(paths) < nr:
        base = paths[rng.randrange(max(0, len(paths) - 4000), len(paths))]
        path = base[:rng.randrange(1, len(base) + 1)]
        path = path + [rng.choice(places) for _ in range(rng.randrange(1, 4))]
        paths.append(path[:60])
    return paths


def main():
    path, program, nr_samples, nr_stacks = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rng = random.Random(7)
    offset, vaddr, size = code(program)
    places = [BASE + a + 4 for a in functions(program) if vaddr <= a < vaddr + size - 8]
    chains = []
    for p in stacks(rng, places, nr_stacks):
        ips = [CHAIN_USER, *reversed(p)]
        chains.append((struct.pack("<Q", p[-1]), struct.pack(f"<Q{len(ips)}Q", len(ips), *ips)))
    sample_type = IP | TID | TIME | CPU | PERIOD | CHAIN | IDENTIFIER
    trailer = lambda tid: struct.pack("<IIQIIQ", tid // 100 * 100, tid, START_NS, 0, 0, 1)
    parts = []
    for pid in 1100, 1200:
        parts.append(record(3, 1 << 13, struct.pack("<II", pid, pid) + f"app{pid}\0".encode().ljust(8, b"\0") + trailer(pid)))
        name = program.encode() + b"\0"
        parts.append(record(1, 2, struct.pack("<IIQQQ", pid, pid, BASE + vaddr, size, offset) + name.ljust(-(-len(name) // 8) * 8, b"\0") + trailer(pid)))
        for tid in range(pid + 1, pid + 4):
            parts.append(record(7, 0, struct.pack("<IIIIQ", pid, pid, tid, pid, START_NS) + trailer(pid)))
    tids = [pid + i for pid in (1100, 1200) for i in range(4)]
    head = struct.Struct("<Q8sIIQIIQ")
    for i in range(nr_samples):
        ip, chain = chains[i] if i < nr_stacks else chains[int(nr_stacks * rng.random() ** 2)]
        tid = tids[rng.randrange(8)] if rng.random() < 0.5 else tids[0]
        body = head.pack(1, ip, tid // 100 * 100, tid, START_NS + SPAN_NS * i // nr_samples + rng.randrange(20000), rng.randrange(4), 0, 250000) + chain
        parts.append(record(9, 2, body))
    data = b"".join(parts)
    attr = struct.pack("<IIQQQQQ", 1, 128, 0, 250000, sample_type, 4, MMAP | COMM | TASK | ID_ALL).ljust(128, b"\0") + struct.pack("<QQ", 104 + 144, 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 144, 104, 144, 104 + 144 + 8, len(data), 0, 0) + bytes(32) + attr + struct.pack("<Q", 1))
        out.write(data)


main()

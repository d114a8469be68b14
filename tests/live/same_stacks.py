#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""same_stacks.py EU_STACK OURS: the same threads with the same frames.

Addresses are equal everywhere, and so are names, but for two things: a function of a library has several
names at one address (pause, __libc_pause), of which each tool shows another, and ours may know a name
where eu-stack knows none. Prints how many frames of how many threads were compared.
"""
import re
import sys

ALIAS = re.compile(r"^_*(libc_|GI_|pthread_)*_*|@.*$")
FRAME = re.compile(r"#(\d+)\s+0x([0-9a-f]{16})(?: (.*))?$")


def threads(path):
    found = {}
    for line in open(path, encoding="utf-8", errors="replace"):
        line = line.rstrip("\n")
        head = re.match(r"TID (\d+):", line)
        if head:
            frames = found.setdefault(head.group(1), [])
        elif line.startswith("#"):
            m = FRAME.match(line)
            if not m:
                sys.exit(f"{path}: not a frame: {line}")
            frames.append((int(m.group(2), 16), m.group(3) or ""))
    return found


def same(theirs, ours):
    return theirs == ours or not theirs or ALIAS.sub("", theirs) == ALIAS.sub("", ours)


def main():
    a, b = threads(sys.argv[1]), threads(sys.argv[2])
    if set(a) != set(b):
        sys.exit(f"threads differ: {sorted(a)} / {sorted(b)}")
    for tid, frames in a.items():
        other = b[tid]
        for i, (x, y) in enumerate(zip(frames, other)):
            if x[0] != y[0] or not same(x[1], y[1]):
                sys.exit(f"thread {tid} frame {i}: {x[0]:#x} {x[1]} / {y[0]:#x} {y[1]}")
        if len(frames) != len(other):
            sys.exit(f"thread {tid}: {len(frames)} / {len(other)} frames")
    print(f"{sum(map(len, a.values()))} frames of {len(a)} threads")


main()

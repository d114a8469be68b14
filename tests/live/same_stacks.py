#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""same_stacks.py EU_STACK OURS [OPTIONS of both]: the same threads with the same frames.

Addresses and names are equal everywhere, but ours may know a name where eu-stack knows none, and with -d code in assembler has a name of
its own in the debug information, which eu-stack does not take (__clone3, clone3). Prints how many frames of how many threads
were compared.
"""
import re
import sys

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
    return theirs == ours or not theirs or ("-d" in sys.argv and theirs.lstrip("_") == ours.lstrip("_"))


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

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two `script` texts: equal, but for PLT stubs that only assay names, and for what its header says of quality.

Usage: same_but_plt.py PERF OURS. perf 6.1 knows no symbol for stubs in .plt.got and .plt.sec, and takes the first stub of
.plt for the end of _init or _fini; it goes by the order of relocations, which is not that of the stubs where there are indirect functions. A line
may differ if ours ends in NAME@plt there. Prints the first other differences.
"""
import itertools
import re
import sys

PLT = re.compile(r"^(\s*.*?[0-9a-f]+) \S+@plt(\+0x[0-9a-f]+)? (\(.*\))$")


def same(perf, ours):
    if perf == ours:
        return True
    m = PLT.match(ours)
    if not m:
        return False
    start, end = m.group(1) + " ", " " + m.group(3)
    return perf.startswith(start) and perf.endswith(end) and \
        re.fullmatch(r"\[unknown\]|_(init|fini)\+0x[0-9a-f]+|\S*@plt(\+0x[0-9a-f]+)?", perf[len(start):-len(end)]) is not None


def lines(path):
    with open(path, encoding="utf-8", errors="replace", newline="\n") as f:
        yield from (line.removesuffix("\n") for line in f)


def main():
    ours = (line for line in lines(sys.argv[2]) if not re.match(r"# (Quality|WARNING): ", line))
    nr = 0
    for n, (a, b) in enumerate(itertools.zip_longest(lines(sys.argv[1]), ours), 1):
        if a is not None and b is not None and same(a, b):
            continue
        nr += 1
        if nr <= 10:
            print(f"line {n}\n- {a if a is not None else '(the end)'}\n+ {b if b is not None else '(the end)'}")
    return 1 if nr else 0


sys.exit(main())

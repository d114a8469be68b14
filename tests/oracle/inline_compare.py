#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the chains of `script` with inlined functions and lines, frame by frame, and explains what differs.

Usage: inline_compare.py PERF PERF_NO_INLINE OURS ALIASES PROGRAM

PERF and OURS are texts of `script -F comm,tid,time,ip,sym,symoff,dso,srcline`, PERF_NO_INLINE is perf's under --no-inline. Ours must have the
functions of PERF_NO_INLINE, all of them, in their order; what it has beside them are inlined ones, which must be those of PERF, and the
lines of frames in PROGRAM must be perf's. What may differ, and why ours is right:
 - alias: perf marks the function that was really called as inlined, by the name that the debug information has for it, because the symbol
   table has another (__libc_start_main_impl). Each is written to ALIASES, to be used on reports.
 - local: for an inlined C++ function that has no linkage name binutils' addr2line takes the name from the symbol table, which is that of
   the function around it (and not even that always: it depends on what was asked before). And perf shows a function that was inlined into
   itself as if it were called. elfutils' addr2line is asked who is right; neither has the namespaces and classes that ours has in front.
 - stubs of the PLT, which perf 6.1 takes for the end of _init or _fini, or does not know.
 - of code without lines perf says nothing, ??:0, FILE:0, or NAME[ADDRESS] (after 123 such answers of addr2line).
 - lines in other files: binutils 2.40 takes names from the wrong entry of libc's tables of files.
 - chains that libunwind ends otherwise are left to unwind_vs_perf.sh; they are few.
"""
import re
import subprocess
import sys
from collections import namedtuple

HEAD = re.compile(r"^\t *([0-9a-f]+) (.*)$")
NAME = re.compile(r"^(.*?)(\+0x[0-9a-f]+)?(?: \(([^()]*)\))?$")
Frame = namedtuple("Frame", "address name offset where line")


def frame(lines):
    """Of a line of the chain and the one with its source below it, if there is one."""
    line = lines[1][2:] if len(lines) > 1 else None
    inlined = line is not None and line.endswith(" (inlined)")
    address, rest = HEAD.match(lines[0]).groups()
    name, offset, where = NAME.match(rest).groups()
    return Frame(address, name, offset, "inlined" if inlined else where, line.removesuffix(" (inlined)") if line else None)


def samples(path):
    out = []
    for block in open(path, encoding="utf-8", errors="replace").read().split("\n\n"):
        head, *lines = [l for l in block.split("\n") if l] or [None]
        starts = [i for i, l in enumerate(lines) if l.startswith("\t")] + [len(lines)]
        if head:
            out.append((head, [frame(lines[a:b]) for a, b in zip(starts, starts[1:])]))
    return out


def functions_at(binary, address, _known={}):
    """Names of the functions at an address by elfutils, innermost first, as people read them."""
    if (binary, address) not in _known:
        text = subprocess.run(["eu-addr2line", "-f", "-i", "-e", binary, "0x" + address], capture_output=True, text=True, check=True).stdout
        names = [line.split(" inlined at ")[0] for line in text.split("\n")[::2] if line]
        _known[binary, address] = subprocess.run(["c++filt", "-p"], input="\n".join(names), capture_output=True, text=True,
                                                 check=True).stdout.split("\n")
    return _known[binary, address]


def is_last_part(part, name):
    return name == part or name.endswith("::" + part)


def same_called(perf, ours):
    """The same function that was really called; a stub of the PLT has a name here only."""
    is_stub = ours.name.endswith("@plt") and (perf.name in ("[unknown]", "_init", "_fini") or perf.name.endswith("@plt"))
    return perf[:4] == ours[:4] or (is_stub and perf.address == ours.address)


class Comparison:
    def __init__(self, program):
        self.program, self.equal, self.aliases, self.local, self.lines, self.other, self.bad = program, 0, {}, 0, 0, 0, []

    def frame(self, perf, ours, binary, depth):
        if perf[:4] == ours[:4] or ours.name.endswith("@plt"):
            self.equal += 1
        elif perf.address != ours.address or perf.offset != ours.offset:
            self.bad.append(([perf], [ours]))
        elif perf.where == "inlined" and ours.where != "inlined":
            self.aliases[perf.name] = ours.name
        elif ours.where == "inlined" and (is_last_part(perf.name, ours.name) or
                                          is_last_part(functions_at(binary, ours.address)[depth], ours.name)):
            self.local += 1
        else:
            self.bad.append(([perf], [ours]))
        if binary == self.program and perf.line and not re.search(r":0$|\[[0-9a-f]+\]$", perf.line):
            self.lines += 1
            if perf.line != ours.line:
                self.bad.append(([perf], [ours]))

    def chain(self, perf, ours):
        binaries, depth = [], 0
        for f in reversed(ours):
            binary = f.where if f.where != "inlined" else binary
            binaries.insert(0, binary)
        for a, b, binary in zip(perf, ours, binaries):
            self.frame(a, b, binary, depth)
            depth = depth + 1 if b.where == "inlined" else 0

    def sample(self, perf, called, ours):
        ours_called = [f for f in ours if f.where != "inlined"]
        if len(called) != len(ours_called) or not all(map(same_called, called, ours_called)):
            self.other += 1
        elif len(perf) != len(ours):
            self.bad.append((perf, ours))
        else:
            self.chain(perf, ours)


def main():
    perf, plain, ours = (samples(path) for path in sys.argv[1:4])
    c = Comparison(sys.argv[5])
    if not len(perf) == len(plain) == len(ours) > 0:
        print(f"{len(perf)}, {len(plain)} and {len(ours)} samples")
        return 1
    for (head, a), (_, called), (our_head, b) in zip(perf, plain, ours):
        if head != our_head:
            c.bad.append(([head], [our_head]))
        c.sample(a, called, b)
    for a, b in c.bad[:3]:
        print("perf:", *a, sep="\n  ")
        print("ours:", *b, sep="\n  ")
    with open(sys.argv[4], "w", encoding="utf-8") as f:
        for name, called in c.aliases.items():
            f.write(f"{name}\t{called}\n")
    inlined = sum(f.where == "inlined" for _, chain in ours for f in chain)
    print(f"{len(ours)} samples, {inlined} inlined frames; {c.equal} frames equal, {len(c.aliases)} aliases, {c.local} local names; "
          f"{c.lines} lines equal; {c.other} chains unwound otherwise")
    return 1 if c.bad or not inlined or not c.lines or c.other > len(ours) / 50 else 0


sys.exit(main())

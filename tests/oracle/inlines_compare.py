#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the inlined functions and lines of addresses of a program with those of addr2line.

Usage: inlines_compare.py LOOKUP PROGRAM NR [REFERENCE]. LOOKUP is tests/tools/lookup. With REFERENCE the same addresses of that program,
which is the same code with debug information of another kind, are looked up by LOOKUP, and have to be equal to the last byte.

A chain is equal where function, file name (without directory) and line of each frame are. addr2line has a name without linkage name as the
debug information has it, we have the namespaces and classes around it in front: the last part has to be equal. Known reasons to differ, each of which has to
be shown to apply:
  symbol    the outermost function has no linkage name in the debug information (or is a part that was split off): addr2line shows the
            ELF symbol that covers the address, as reports do, which name real functions by their symbols
  inner     the same for an inlined function: addr2line shows the symbol that covers the address, which is the function around it and
            cannot be inlined into itself
  nothing   no debug information there: addr2line shows the ELF symbol
  elfutils  eu-addr2line says what we say. binutils 2.40 takes the first file for the second where a line table of version 5 begins
Prints one line of figures; exits 1 where less than 99.5% are equal or explained, or less than NR / 2 were compared.
"""
import bisect
import os
import re
import subprocess
import sys


def addresses(program, nr):
    text = subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, check=True).stdout
    m = re.search(r"\] \.text\s+PROGBITS\s+(\w+) \w+ (\w+)", text)
    start, size = int(m[1], 16), int(m[2], 16)
    step = max(1, size // nr)
    return range(start, start + size, step)


def ask(argv, addrs):
    text = "".join(f"{a:#x}\n" for a in addrs)
    return subprocess.run(argv, input=text, stdout=subprocess.PIPE, text=True, check=False).stdout


def chains(text):
    """[(function, file name, line), …] of each address."""
    out = []
    for line in text.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            out.append([])
        else:
            out[-1].append(line)
    result = []
    for lines in out:
        chain = []
        for function, place in zip(lines[::2], lines[1::2]):
            place = re.sub(r" \(discriminator \d+\)", "", place)
            path, line = place.rsplit(":", 1)
            chain.append((function, os.path.basename(path), 0 if line == "?" else int(line)))
        result.append(chain)
    return result


def elfutils_chains(program, addrs):
    text = ask(["eu-addr2line", "-a", "-f", "-i", "-e", program], addrs)
    lines = []
    for line in text.splitlines():
        line = re.sub(r" inlined at .*", "", line)
        m = re.fullmatch(r"(.*):(\d+):\d+", line)
        lines.append(f"{m[1]}:{m[2]}" if m else line)
    return chains("\n".join(lines))


class Symbols:
    def __init__(self, program):
        text = subprocess.run(["nm", "-n", "--defined-only", program], capture_output=True, text=True, check=True).stdout
        self.rows = [(int(l.split()[0], 16), l.split()[2]) for l in text.splitlines() if l.split()[1] in "tTwWiuVv"]
        self.keys = [r[0] for r in self.rows]

    def at(self, addr):
        i = bisect.bisect_right(self.keys, addr) - 1
        found = set()
        key = self.keys[i] if i >= 0 else None
        while i >= 0 and self.keys[i] == key:
            found.add(self.rows[i][1])
            i -= 1
        return found


def is_same(theirs, ours):
    return theirs == ours or (theirs[1:] == ours[1:] and ours[0].endswith("::" + theirs[0]))


def same_chain(theirs, ours):
    return len(theirs) == len(ours) and all(is_same(t, o) for t, o in zip(theirs, ours))


def shows_symbol(theirs, ours, symbols):
    """Equal but for frames of a plain name, in whose place the other has the symbol."""
    return len(theirs) == len(ours) and all(
        is_same(t, o) or (t[1:] == o[1:] and t[0] in symbols) for t, o in zip(theirs, ours))


def main():
    lookup, program, nr = sys.argv[1], sys.argv[2], int(sys.argv[3])
    addrs = addresses(program, nr)
    text = ask([lookup, program], addrs)
    ours = chains(text)
    nr_inlined = sum(len(c) > 1 for c in ours)
    name = os.path.basename(program)
    if len(sys.argv) > 4:
        reference = ask([lookup, sys.argv[4]], addrs)
        if reference != text:
            pairs = [(a, b) for a, b in zip(reference.splitlines(), text.splitlines()) if a != b]
            print(f"{name}: differs from {sys.argv[4]} in {len(pairs)} lines; first: {pairs[0] if pairs else 'the number'}")
            sys.exit(1)
        print(f"{name}: {len(ours)} addresses, {nr_inlined} with inlined functions, all as {os.path.basename(sys.argv[4])}")
        return
    theirs = chains(ask(["addr2line", "-a", "-f", "-i", "-e", program], addrs))
    symbols = Symbols(program)
    counts = dict.fromkeys(["equal", "symbol", "inner", "nothing", "elfutils", "differ"], 0)
    rest = []
    for addr, t, o in zip(addrs, theirs, ours):
        if same_chain(t, o):
            counts["equal"] += 1
        elif o == [("??", "??", 0)] and len(t) == 1 and t[0][2] == 0:
            counts["nothing"] += 1
        elif shows_symbol(t, o, symbols.at(addr)):
            counts["symbol" if same_chain(t[:-1], o[:-1]) else "inner"] += 1
        else:
            rest.append((addr, t, o))
    if rest:
        for (addr, t, o), e in zip(rest, elfutils_chains(program, [r[0] for r in rest])):
            counts["elfutils" if same_chain(e, o) else "differ"] += 1
            if not same_chain(e, o) and counts["differ"] <= 3:
                print(f"{program} {addr:#x}\n  addr2line    {t}\n  eu-addr2line {e}\n  ours         {o}", file=sys.stderr)
    nr_compared = len(ours) - counts["nothing"]
    percent = 100 * (1 - counts["differ"] / max(1, nr_compared))
    print(f"{name}: {nr_compared} addresses, {nr_inlined} with inlined functions, {percent:.2f}% as addr2line " +
          str({k: v for k, v in counts.items() if v and k != "nothing"}))
    if percent < 99.5 or nr_compared < nr / 2:
        sys.exit(1)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the text of instructions with objdump's.

Usage: same_disasm.py OBJDUMP DISASM_DUMP SYNTAX LEAST FILE...: prints a line for each file with the share of objdump's instructions that have the
same address and, but for white space and names of addresses, the same text; exits 1 where a share is below LEAST percent or instructions of one
side begin where the other has none (but for the first MAY_DIFFER of 100,000). With -v as first argument: what differs, by name.
"""
import collections
import re
import subprocess
import sys

MAY_DIFFER = 20 # of 100,000 addresses


def normal(text):
    """Names in <> are those of another symbol table; comments of arm64 behind // say the same in other words."""
    text = re.sub(r"\s*// .*$", "", text.strip())
    text = re.sub(r"\s*<[^>]*(?:>[^>]*)*>$", "", text)
    return re.sub(r"\s+", " ", text)


def objdump(program, syntax, path):
    option = ["-M", "intel"] if syntax == "intel" else []
    out = subprocess.run([program, "-d", "-z", "--no-show-raw-insn", *option, path], check=True, stdout=subprocess.PIPE, text=True,
                         errors="replace").stdout
    insns, starts, ends, last = {}, [], [], None
    for line in out.splitlines():
        m = re.match(r"([0-9a-f]{8,16}) <.*>:$", line)
        if m:
            starts.append(int(m.group(1), 16))
            continue
        m = re.match(r"\s+([0-9a-f]+):\t(.*)$", line)
        if m:
            insns[int(m.group(1), 16)] = m.group(2)
    return insns, starts


def sections_of(program, path):
    """[start, end) of sections with code."""
    out = subprocess.run([program, "-h", "-w", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = []
    for line in out.splitlines():
        part = line.split()
        if len(part) > 6 and part[0].isdigit() and "CODE" in line and "CONTENTS" in line:
            found.append((int(part[3], 16), int(part[3], 16) + int(part[2], 16)))
    return found


def main():
    verbose = sys.argv[1] == "-v"
    program, dump, syntax, least, *files = sys.argv[1 + verbose:]
    failed = False
    for path in files:
        theirs, starts = objdump(program, syntax, path)
        ranges = []
        for start, end in sections_of(program, path):
            inside = sorted({s for s in starts if start <= s < end} | {start})
            ranges += [(a, b) for a, b in zip(inside, inside[1:] + [end])]
        text = "".join(f"{a:x} {b:x}\n" for a, b in ranges)
        out = subprocess.run([dump, path, syntax], input=text, check=True, stdout=subprocess.PIPE, text=True).stdout
        ours = {}
        for line in out.splitlines():
            addr, _, rest = line.partition(":\t")
            ours[int(addr, 16)] = rest
        same, names = 0, collections.Counter()
        examples = {}
        for addr, insn in theirs.items():
            a, b = normal(insn), normal(ours.get(addr, "-"))
            if a == b:
                same += 1
            else:
                name = a.split(" ")[0]
                names[name] += 1
                examples.setdefault(name, f"{addr:x}: {a} | {b}")
        lost = len(set(theirs) ^ set(ours))
        share = 100 * same / max(len(theirs), 1)
        print(f"{path.rsplit('/', 1)[-1]}: {len(theirs)} instructions, {share:.3f}% as {program} has them, {lost} of either side begin elsewhere")
        failed |= share < float(least) or lost * 100000 > MAY_DIFFER * len(theirs) or not theirs
        if verbose:
            for name, nr in names.most_common(60):
                print(f"  {nr:6} {examples[name]}")
    return failed


sys.exit(main())

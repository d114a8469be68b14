#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""annotate_compare.py OURS THEIRS [MIN]: `annotate --stdio --no-source` of assay and perf have, for each function of perf's, the same header and the
same percentages, addresses and instructions, but for names of addresses. Prints how many instructions and functions were compared; exits 1 with the
first difference, or where fewer than MIN functions are there."""
import re
import sys


def read(path):
    """(title, event, samples) + first address → rows (figures, address, text)"""
    found, key, rows = {}, None, []
    for line in open(path, encoding="utf-8", errors="replace"):
        m = re.match(r" (?:Percent|Samples|Period)\s*\|\t(Source code & Disassembly of .*)$", line)
        if m:
            title, rows = m.group(1), []
            continue
        m = re.match(r"([0-9. ]+) :\s+([0-9a-f]+):\s*(.*)$", line)
        if m:
            text = re.sub(r"\s*<.*>$", "", m.group(3))
            if not rows:
                found[(title, m.group(2))] = rows
            rows.append((m.group(1).split(), m.group(2), re.sub(r"\s+", " ", text)))
    return found


def main():
    ours, theirs = read(sys.argv[1]), read(sys.argv[2])
    least = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    nr = hot = 0
    for key, rows in theirs.items():
        mine = ours.get(key)
        # perf 6.1 takes other places for stubs of the linkage table (tests/oracle/plt_vs_objdump.sh).
        if mine is None and any(re.match(r"(bnd )?jmp \*0x", r[2]) for r in rows) and any(r[2].startswith("push $") for r in rows):
            continue
        if mine is None:
            print(f"no function {key} in ours")
            return 1
        for a, b in zip(rows, mine):
            if a != b:
                print(f"{key}: perf has {a}, assay has {b}")
                return 1
            nr += 1
            hot += any(float(f) for f in a[0])
        if len(rows) != len(mine):
            print(f"{key}: perf has {len(rows)} instructions, assay {len(mine)}")
            return 1
    print(f"{len(theirs)} functions, {nr} instructions, {hot} with samples")
    return len(theirs) < least or hot == 0


sys.exit(main())

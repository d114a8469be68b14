#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""same_unwind_table.py READELF UNWIND_DUMP FILE: compares the table that we compile from a file with what readelf works out.

For every row that readelf prints, and for the last byte before the next one, ours must have the same CFA and the same rules; where
readelf has no entry, ours must have a gap. Exits 1 and shows the first differences; else prints how many rows were compared.
"""
import bisect
import re
import subprocess
import sys

X86 = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 ra".split()
ARM = [f"x{n}" for n in range(30)] + ["ra", "sp"]
FDE = re.compile(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)")
CIE = re.compile(r'^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ CIE "([^"]*)"')


def run(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout


def segments(readelf, path):
    out = []
    for line in run(readelf, "-lW", path).split("\n"):
        m = re.match(r"\s+LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x\w+ 0x(\w+) (.E?|...)", line)
        if m and "E" in line.split("0x")[-2]:
            out.append([int(x, 16) for x in m.groups()[:3]])
    return out


def known(name, value, registers):
    """What of a column of readelf's says something: 'u' is both undefined and not mentioned."""
    return name in registers and value != "u"


def theirs(readelf, path, registers):
    """[(start, end, [(address, cfa, {register: rule})])]"""
    functions, cies, columns = [], {}, None
    cie = rows = None
    for section in re.split(r"^Contents of the ", run(readelf, "-wFN", "-W", path), flags=re.M):
        if not section.startswith(".eh_frame"):
            continue
        for line in section.split("\n"):
            m = FDE.match(line)
            if m:
                rows, columns = [], None
                functions.append((int(m.group(2), 16), int(m.group(3), 16), rows, m.group(1)))
                continue
            m = CIE.match(line)
            if m:
                rows, columns = [], None
                cies[m.group(1)] = rows
                continue
            # "r5 (rdi)": in another register
            words = re.sub(r"r\d+ \((\w+)\)", r"\1", line).split()
            if words[:2] == ["LOC", "CFA"]:
                columns = words[2:]
            elif columns is not None and len(words) == len(columns) + 2:
                rules = {c: w for c, w in zip(columns, words[2:]) if known(c, w, registers)}
                rows.append((int(words[0], 16), words[1], rules))
    # An entry that says nothing of its own has its CIE's rules.
    out = []
    for start, end, rows, cie in functions:
        if not rows:
            rows = [(start, c, r) for _, c, r in cies[cie][-1:]]
        out.append((start, end, rows))
    return out


def ours(dump, path):
    rows = []
    for line in run(dump, "--view", path).split("\n"):
        words = line.split()
        if not words:
            continue
        rules = dict(w.split("=") for w in words[2:] if "=" in w and not w.endswith("=u"))
        rows.append((int(words[0], 16), words[1], rules))
    return rows


def main():
    readelf, dump, path = sys.argv[1:]
    is_arm = "AArch64" in run(readelf, "-hW", path)
    registers = set(ARM if is_arm else X86)
    loads = segments(readelf, path)
    functions = theirs(readelf, path, registers)
    table = ours(dump, path)
    addresses = [r[0] for r in table]
    wrong, compared, covered = [], 0, []

    def at(off):
        i = bisect.bisect_right(addresses, off) - 1
        return table[i][1:] if i >= 0 else ("gap", {})

    def is_open(off):
        """Nothing, or what was found in the code itself: outermost functions, and the kernel's return from signals."""
        cfa, rules = at(off)
        return cfa in ("gap", "outermost") or (cfa == "exp" and rules.get("ra") == "exp")

    def check(vaddr, off, cfa, rules):
        nonlocal compared
        compared += 1
        got_cfa, got_rules = at(off)
        # undefined: readelf prints "u", as for registers without a rule
        if got_cfa == "outermost" and "ra" not in rules:
            return
        if got_cfa != cfa or got_rules != rules:
            wrong.append(f"{vaddr:x}: {cfa} {rules}, ours {got_cfa} {got_rules}")

    for start, end, rows in functions:
        load = [s for s in loads if s[1] <= start < s[1] + s[2]]
        if not load or start == end:
            continue
        delta = load[0][0] - load[0][1]
        covered.append((start + delta, end + delta))
        for i, (vaddr, cfa, rules) in enumerate(rows):
            to = rows[i + 1][0] if i + 1 < len(rows) else end
            # Behind the end, or replaced by the next row at once
            if to <= vaddr or vaddr >= end:
                continue
            check(vaddr, vaddr + delta, cfa, rules)
            check(to - 1, to - 1 + delta, cfa, rules)
    covered.sort()
    reach = 0
    for start, end in covered:
        if reach and start > reach:
            for off in (reach, start - 1):
                compared += 1
                if not is_open(off):
                    wrong.append(f"offset {off:x}: nothing, ours {at(off)}")
        reach = max(reach, end)
    if reach and not is_open(reach):
        wrong.append(f"offset {reach:x}: nothing, ours {at(reach)}")
    if wrong or not compared:
        print(f"{path}: {len(wrong)} of {compared} differ")
        print("\n".join(wrong[:20]))
        return 1
    print(compared)
    return 0


sys.exit(main())

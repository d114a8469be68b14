#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""same_go_unwind_table.py READELF UNWIND_DUMP FULL STRIPPED: the unwind table of a stripped Go program beside .debug_frame of the full one.

For every row that readelf prints, and for the last byte before the next one, ours must have the same CFA and return address. Functions that
change stacks are left out: .debug_frame is wrong there; so is a function's last byte, which Go's linker gives a row of its own that has
the rules of an empty frame, also where it belongs to a call. The tables of both files must be the same. Prints how many places were compared;
exits 1 and shows the first differences.
"""
import bisect
import re
import subprocess
import sys

# What the program is known to change stacks in, or to begin with; sp below zero is what Go's assembler makes of two RETs on arm64.
ENDS = "runtime.goexit runtime.rt0_go runtime.mcall runtime.systemstack runtime.morestack runtime.asmcgocall runtime.cgocallback gogo " \
    "runtime.clone runtime.callCgoMmap runtime.callCgoMunmap".split()
MUST_END = set("runtime.goexit runtime.mcall runtime.systemstack runtime.morestack runtime.asmcgocall".split())
KEPT = set("runtime.nanotime1 runtime.walltime time.now runtime.callCgoSigaction runtime.sigfwd".split())
FDE = re.compile(r"^[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ FDE cie=[0-9a-f]+ pc=([0-9a-f]+)\.\.([0-9a-f]+)")


def run(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace").stdout


def theirs(readelf, path):
    """[(address, end, cfa, ra)]"""
    rows, end, columns = [], 0, None  # a row's end is its function's at first
    for line in run(readelf, "--debug-dump=frames-interp", "-W", path).split("\n"):
        m = FDE.match(line)
        words = line.split()
        if m:
            end, columns = int(m.group(2), 16), None
        elif " CIE " in line:
            columns, end = None, 0
        elif words[:2] == ["LOC", "CFA"]:
            columns = words[2:]
        elif columns is not None and len(words) == len(columns) + 2 and end:
            rules = dict(zip(columns, words[2:]))
            rows.append([int(words[0], 16), end, words[1], rules.get("ra", "u")])
    for i, row in enumerate(rows[:-1]):
        if rows[i + 1][1] == row[1]:
            row[1] = rows[i + 1][0]
    return [row for row in rows if row[1] - row[0] > 1]


def ours(dump, path):
    rows = []
    for line in run(dump, "--view", path).split("\n"):
        words = line.split()
        if words:
            rules = dict(w.split("=") for w in words[2:] if "=" in w)
            rows.append((int(words[0], 16), words[1], rules.get("ra", "s")))
    return rows


def main():
    readelf, dump, full, stripped = sys.argv[1:]
    load = re.search(r"LOAD\s+0x(\w+) 0x(\w+) 0x\w+ 0x\w+ 0x\w+ R E", run(readelf, "-lW", full))
    delta = int(load.group(1), 16) - int(load.group(2), 16)
    symbols = sorted((int(w[0], 16), re.sub(r"\.abi0$", "", w[2])) for w in
                     (line.split() for line in run("nm", full).split("\n")) if len(w) == 3 and w[1] in "tT")
    starts = [s[0] for s in symbols]
    rows, table, own = theirs(readelf, full), ours(dump, stripped), ours(dump, full)
    addresses, own_addresses = [r[0] for r in table], [r[0] for r in own]
    wrong, compared, kept = [], 0, set()

    def at(of, where, off):
        i = bisect.bisect_right(where, off) - 1
        return of[i][1:] if i >= 0 else ("gap", "s")

    for start, end, cfa, ra in rows:
        function = symbols[bisect.bisect_right(starts, start) - 1][1]
        for vaddr in (start, end - 1):
            got = at(table, addresses, vaddr + delta)
            compared += 1
            if got[0] == "outermost" and function in ENDS:
                continue
            elif function in KEPT and got[0] != cfa and re.match(r"(r12|rbx|rbp|x20)\+", got[0]):
                kept.add(function)
            elif function.startswith("runtime.sigreturn") and got[0] == "exp":
                continue  # the kernel's frame, known by its instructions
            elif re.match(r"sp-", cfa):
                continue
            elif ra == "u" and got[0] != "gap":
                continue  # Go's traces end there, but there is a caller
            elif got != (cfa, ra):
                wrong.append(f"{vaddr:x} {function}: {cfa} {ra}, ours {got}")
            elif at(own, own_addresses, vaddr + delta) != got:
                wrong.append(f"{vaddr:x} {function}: {got}, not stripped {at(own, own_addresses, vaddr + delta)}")
    ended = {symbols[bisect.bisect_right(starts, r[0] - delta) - 1][1] for r in table if r[1] == "outermost"}
    if MUST_END - ended:
        wrong.append(f"not the end of a stack: {' '.join(MUST_END - ended)}")
    if "runtime.nanotime1" not in kept:
        wrong.append("the stack that runtime.nanotime1 keeps is not followed")
    if wrong or compared < 5000:
        print(f"{stripped}: {len(wrong)} of {compared} differ")
        print("\n".join(wrong[:20]))
        return 1
    print(compared)
    return 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the stubs of procedure linkage tables that tests/tools/plt_dump names with those that objdump does.

Usage: same_plt.py OBJDUMP PLT_DUMP FILE…; prints how many stubs were compared, or what differs and exits 1.
What objdump calls "*ABS*+0xADDRESS@plt" (an indirect function that was bound by the linker) has the name of the function there, if any. Stubs
that objdump does not find (in static programs, retpolines, the lazy half of those with endbr) may have any name but an empty one.
"""
import re
import subprocess
import sys

SECTIONS = [".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt"]
LABEL = re.compile(r"^([0-9a-f]+) <(.+@plt)>:$", re.M)


def theirs(objdump, path):
    wanted = [arg for section in SECTIONS for arg in ("-j", section)]
    text = subprocess.run([objdump, "-d", *wanted, path], capture_output=True, text=True, errors="replace").stdout
    return {int(address, 16): name for address, name in LABEL.findall(text)}


def ours(dump, path):
    text = subprocess.run([dump, path], capture_output=True, text=True, errors="replace", check=True).stdout
    return {int(a, 16): name for a, _, name in (line.split(" ", 2) for line in text.splitlines())}


def bare(name):
    """Versions, which some print and others do not."""
    return re.sub(r"@[^@]*(?=@plt$)", "", name.replace("@@", "@"))


def main():
    objdump, dump, *paths = sys.argv[1:]
    nr, bad = 0, []
    for path in paths:
        expected, found = theirs(objdump, path), ours(dump, path)
        for address, name in expected.items():
            nr += 1
            got = found.get(address)
            if name.startswith("*ABS*+"):
                if not got or not got.endswith("@plt") or got == "@plt":
                    bad.append(f"{path}: {address:x}: {name}, ours {got}")
            elif got is None or bare(got) != bare(name):
                bad.append(f"{path}: {address:x}: {name}, ours {got}")
        bad += [f"{path}: {a:x} has no name" for a, n in found.items() if n == "@plt"]
    if bad:
        print(f"{len(bad)} of {nr} stubs differ:", *bad[:20], sep="\n")
        sys.exit(1)
    print(nr)


main()

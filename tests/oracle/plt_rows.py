# SPDX-License-Identifier: GPL-2.0-or-later
"""plt_rows.py OBJCOPY PLT_DUMP UNWIND_DUMP FILE: without call frame information, the return address of every stub is where a call leaves it.

Prints the number of stubs, or what is wrong and exits 1.
"""
import bisect
import subprocess
import sys

objcopy, plt_dump, unwind_dump, path = sys.argv[1:5]


def lines(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()


bare = path + ".bare"
lines(objcopy, "--remove-section", ".eh_frame", "--remove-section", ".eh_frame_hdr", "--remove-section", ".debug_frame", path, bare)
sections = []
for line in lines("readelf", "-SW", bare):
    words = line.split("]", 1)[-1].split()
    if len(words) > 5 and words[1] == "PROGBITS":
        sections.append((int(words[2], 16), int(words[4], 16), int(words[3], 16)))
rows = [line.split(" ", 1) for line in lines(unwind_dump, bare)]
starts = [int(start, 16) for start, _ in rows]
nr = 0
for line in lines(plt_dump, path):
    addr, _, name = line.split(" ", 2)
    addr = int(addr, 16)
    offset = next(addr - vaddr + off for vaddr, size, off in sections if vaddr <= addr < vaddr + size)
    i = bisect.bisect_right(starts, offset) - 1
    rule = rows[i][1] if i >= 0 else "gap"
    if rule not in ("rsp+8 ra=c-8", "sp+0"):
        print(f"{path}: {name} at {addr:x}: {rule}")
        sys.exit(1)
    nr += 1
print(nr)

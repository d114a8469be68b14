#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes ELF files whose debug information is small to write and would be endless to read by a reader that believes it.

Usage: hostile_dwarf.py DIR [SCALE [KIND…]]. Each file is of about SCALE MB (default 1); each unit claims code, at 0x10000 + 16 * its number,
so that a lookup of every such address reads every unit. Prints the names of the files.
"""
import os
import struct
import sys
import zlib

BASE = 0x10000
CODE_BYTES = 1 << 24
SCALE = int(sys.argv[2]) if len(sys.argv) > 2 else 1


def uleb(v):
    out = b""
    while True:
        byte = v & 0x7F
        v >>= 7
        if v:
            out += bytes([byte | 0x80])
        else:
            return out + bytes([byte])


def elf(path, sections, flags=None):
    """A program with one segment of code (no bytes of it are needed) and these sections."""
    names = b"\0"
    body = b""
    headers = [struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)]
    at = 64 + 56
    for name, data in list(sections.items()) + [(".shstrtab", None)]:
        name_at = len(names)
        names += name.encode() + b"\0"
        if data is None:
            data = names
        headers.append(struct.pack("<IIQQQQIIQQ", name_at, 3 if name == ".shstrtab" else 1,
                                   (flags or {}).get(name, 0), 0, at + len(body), len(data), 0, 0, 1, 0))
        body += data
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, BASE, 64, at + len(body), 0, 64, 56, 1, 64,
                                                    len(headers), len(headers) - 1)
    load = struct.pack("<IIQQQQQQ", 1, 5, BASE, BASE, BASE, CODE_BYTES, CODE_BYTES, 4096)
    with open(path, "wb") as f:
        f.write(head + load + body + b"".join(headers))


def unit(abbrev_off, dies, version=4):
    rest = struct.pack("<HIB", version, abbrev_off, 8) + dies
    return struct.pack("<I", len(rest)) + rest


def abbrev(code, tag, children, attrs):
    return uleb(code) + uleb(tag) + bytes([children]) + b"".join(uleb(a) + uleb(f) for a, f in attrs) + b"\0\0"


LOW, HIGH, RANGES, STMT, NAME, ORIGIN, LINKAGE = 0x11, 0x12, 0x55, 0x10, 0x3, 0x31, 0x6E
ADDR, DATA4, SEC, STRP, REF4, FLAG = 0x1, 0x6, 0x17, 0xE, 0x13, 0x19
CU, FUNC, INLINED = 0x11, 0x2E, 0x1D
PLAIN = [(LOW, ADDR), (HIGH, DATA4)]


def low_high(i, size=16):
    return struct.pack("<QI", BASE + 16 * i, size)


def shared_abbrevs():
    """Every unit points a little further into one giant table, whose last declaration it needs."""
    filler = abbrev(7, 0x24, 0, [])
    table = filler * (SCALE * 80000) + abbrev(1, CU, 0, PLAIN) + b"\0"
    info = b"".join(unit(i * len(filler), b"\1" + low_high(i)) for i in range(SCALE * 20000))
    return {".debug_info": info, ".debug_abbrev": table}


def shared_ranges():
    entries = b"".join(struct.pack("<QQ", BASE + 16 * i, BASE + 16 * i + 8) for i in range(SCALE * 30000)) + bytes(16)
    table = abbrev(1, CU, 0, [(RANGES, SEC)]) + b"\0"
    info = b"".join(unit(0, b"\1" + struct.pack("<I", 16 * (i % 64))) for i in range(SCALE * 20000))
    return {".debug_info": info, ".debug_abbrev": table, ".debug_ranges": entries}


def shared_lines():
    program = b"\0\x09\2" + struct.pack("<Q", BASE) + b"\x0d\x21" * (SCALE * 250000) + b"\0\1\1"
    head = b"\1\1\1\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1" + b"\0" + b"a.c\0\0\0\0" + b"\0"
    line = struct.pack("<HI", 4, len(head)) + head + program
    table = abbrev(1, CU, 0, [(STMT, SEC)] + PLAIN) + b"\0"
    info = b"".join(unit(0, b"\1" + struct.pack("<I", 0) + low_high(i)) for i in range(SCALE * 15000))
    return {".debug_info": info, ".debug_abbrev": table, ".debug_line": struct.pack("<I", len(line)) + line}


def long_strings():
    table = abbrev(1, CU, 1, PLAIN) + abbrev(2, FUNC, 0, [(LINKAGE, STRP)] + PLAIN) + b"\0"
    dies = b"\1" + low_high(0, 1 << 20) + b"".join(b"\2" + struct.pack("<I", i) + low_high(i) for i in range(SCALE * 30000)) + b"\0"
    return {".debug_info": unit(0, dies), ".debug_abbrev": table, ".debug_str": b"x" * (SCALE * 500000) + b"\0"}


def attributes_without_bytes():
    table = abbrev(1, CU, 1, PLAIN) + abbrev(2, FUNC, 0, [(0x3F, FLAG)] * (SCALE * 200000)) + b"\0"
    return {".debug_info": unit(0, b"\1" + low_high(0, 1 << 20) + b"\2" * (SCALE * 500000) + b"\0"), ".debug_abbrev": table}


def origins_in_circles():
    """Two entries that refer to each other, and many that begin there, each with a name of its own that is empty."""
    table = abbrev(1, CU, 1, PLAIN) + abbrev(2, FUNC, 0, [(ORIGIN, REF4)] + PLAIN) + \
        abbrev(3, FUNC, 0, [(ORIGIN, REF4)] + [(0x3F, FLAG)] * (SCALE * 20000)) + b"\0"
    first = 11 + 1 + 12
    dies = b"\1" + low_high(0, 1 << 20) + b"\3" + struct.pack("<I", first + 5) + b"\3" + struct.pack("<I", first)
    dies += b"".join(b"\2" + struct.pack("<I", first + 17 * (i % 2)) + low_high(i) for i in range(SCALE * 40000)) + b"\0"
    return {".debug_info": unit(0, dies), ".debug_abbrev": table}


def deep_tree():
    table = abbrev(1, CU, 1, PLAIN) + abbrev(2, INLINED, 1, PLAIN) + b"\0"
    dies = b"\1" + low_high(0, 1 << 20) + b"".join(b"\2" + low_high(0, (1 << 20) - i) for i in range(SCALE * 70000))
    return {".debug_info": unit(0, dies), ".debug_abbrev": table}


def bomb():
    packed = struct.pack("<IIQQ", 1, 0, 1 << 30, 1) + zlib.compress(bytes(1 << 30), 9)
    table = abbrev(1, CU, 0, PLAIN) + b"\0"
    return {".debug_info": packed, ".debug_abbrev": table, ".debug_str": packed, ".debug_line": packed}


def main():
    directory = sys.argv[1]
    for make in (shared_abbrevs, shared_ranges, shared_lines, long_strings, attributes_without_bytes, origins_in_circles,
                 deep_tree, bomb):
        if len(sys.argv) > 3 and make.__name__ not in sys.argv[3:]:
            continue
        path = os.path.join(directory, make.__name__)
        packed = {".debug_info": 0x800, ".debug_str": 0x800, ".debug_line": 0x800} if make is bomb else None
        elf(path, make(), packed)
        print(make.__name__)


main()

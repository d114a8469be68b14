#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes ELF files that are small on disk and would cost gigabytes or minutes in a reader that believes their headers.

Usage: hostile_elf.py DIR [NAME…]. Each file has code for x86_64 at CODE_OFF, an endless loop (tests run it by mapping the first two pages), and
a symbol of its own where its tables are not what is broken. Prints the names of the files; all are below 10 MB on disk.
"""
import lzma
import os
import struct
import sys
import zlib

CODE_OFF = 0x1000
DATA_OFF = 0x2000
VADDR = 0x400000
MB, GB = 1 << 20, 1 << 30
NOTE, NOBITS, PROGBITS, SYMTAB, STRTAB, RELA, DYNSYM = 7, 8, 1, 2, 3, 4, 11
ALLOC, EXEC, COMPRESSED = 2, 4, 0x800
LOAD, DYNAMIC, PT_NOTE, EH_FRAME = 1, 2, 4, 0x6474E550

# outer: call inner; jmp outer; inner: mov $1000000,%ecx; 1: dec %ecx; jnz 1b; ret
CODE = b"\xe8\x02\0\0\0\xeb\xf9" + b"\xb9\x40\x42\x0f\0\xff\xc9\x75\xfc\xc3"


class Elf:
    """Pieces at offsets; what lies between them is a hole."""

    def __init__(self):
        self.pieces = [(CODE_OFF, CODE)]
        self.sections = [dict(name=b"", type=0, flags=0, addr=0, off=0, size=0, link=0, info=0, entry=0)]
        self.segments = []
        self.end = DATA_OFF
        self.nr_sections = self.nr_segments = None
        self.names_tail = b""
        self.size = 0

    def put(self, data, at=None):
        off = self.end if at is None else at
        self.pieces.append((off, data))
        self.end = max(self.end, off + len(data) + 15 & ~15)
        return off

    def hole(self, size):
        off = self.end
        self.end = off + size + 4095 & ~4095
        return off

    def section(self, name, kind=PROGBITS, data=None, off=None, size=None, flags=0, addr=0, link=0, entry=0):
        if data is not None:
            off, size = self.put(data), len(data) if size is None else size
        self.sections.append(dict(name=name if isinstance(name, bytes) else name.encode(), type=kind, flags=flags, addr=addr, off=off, size=size, link=link, info=0, entry=entry))
        return len(self.sections) - 1

    def segment(self, kind, off, size, vaddr, flags=4, memory=None):
        self.segments.append(struct.pack("<IIQQQQQQ", kind, flags, off, vaddr, vaddr, size, size if memory is None else memory, 8))

    def symbols(self, extra=b""):
        strings = self.section(".strtab", STRTAB, b"\0outer\0inner\0")
        table = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, VADDR, 7) + struct.pack("<IBBHQQ", 7, 0x12, 0, 1, VADDR + 7, 10) + extra
        self.section(".symtab", SYMTAB, table, link=strings, entry=24)

    def text(self):
        self.section(".text", PROGBITS, off=CODE_OFF, size=len(CODE), flags=ALLOC | EXEC, addr=VADDR)
        self.segment(LOAD, CODE_OFF, len(CODE), VADDR, 5)

    def write(self, path):
        names, offsets = b"\0", {b"": 0}
        for s in self.sections + [dict(name=b".shstrtab")]:
            if s["name"] not in offsets:
                offsets[s["name"]] = len(names)
                names += s["name"] + b"\0"
        names += self.names_tail
        if len(self.sections) > 1 or self.nr_sections:
            self.section(".shstrtab", STRTAB, names)
        nr = len(self.sections)
        zero = self.sections[0]
        strings = nr - 1
        if nr >= 0xFF00 or self.nr_sections:
            zero["size"], zero["link"] = self.nr_sections or nr, strings
        if self.nr_segments:
            zero["info"] = self.nr_segments
        table = b"".join(struct.pack("<IIQQQQIIQQ", offsets[s["name"]], s["type"], s["flags"], s["addr"], s["off"], s["size"], s["link"], s["info"],
                                     1, s["entry"]) for s in self.sections)
        shoff = self.put(table)
        phoff = self.put(b"".join(self.segments), 64 if len(self.segments) < 64 else None) if self.segments else 0
        large = nr >= 0xFF00 or self.nr_sections
        head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
            "<HHIQQQIHHHHHH", 2, 62, 1, VADDR, phoff, shoff, 0, 64, 56, 0xFFFF if self.nr_segments else len(self.segments), 64,
            0 if large else nr, 0xFFFF if large else strings)
        with open(path, "wb") as f:
            for off, data in self.pieces + [(0, head)]:
                f.seek(off)
                f.write(data)
            f.truncate(max(self.size, f.seek(0, 2), self.end))


def usual():
    e = Elf()
    e.text()
    e.symbols()
    return e


def note(name, kind, desc):
    return struct.pack("<III", len(name) + 1, len(desc), kind) + (name + b"\0").ljust(len(name) + 4 & ~3, b"\0") + desc.ljust(len(desc) + 3 & ~3, b"\0")


def note_sections():
    e = usual()
    data = note(b"XYZ", 1, bytes(MB - 32))
    off = e.put(data)
    for _ in range(8000):
        e.section(".note", NOTE, off=off, size=len(data))
    return e


def note_sections_small():
    e = usual()
    data = note(b"XYZ", 1, bytes(4)) * 5
    off = e.put(data)
    for _ in range(100000):
        e.section(".note", NOTE, off=off, size=len(data))
    return e


def note_segments():
    e = usual()
    data = note(b"XYZ", 1, bytes(MB - 32))
    off = e.put(data)
    for _ in range(8000):
        e.segment(PT_NOTE, off, len(data), VADDR)
    return e


def note_holes():
    e = usual()
    off = e.hole(6 * GB)
    for i in range(8000):
        e.section(".note", NOTE, off=off + 4096 * i, size=MB - 1)
        e.segment(PT_NOTE, off + 4096 * i, MB - 1, VADDR)
    return e


def debug_holes(size):
    e = usual()
    for name in ("info", "abbrev", "line", "str", "line_str", "str_offsets", "addr", "ranges", "rnglists"):
        e.section(".debug_" + name, off=e.hole(size), size=size)
    return e


def debug_unit_hole():
    """One unit that claims all of the hole."""
    e = usual()
    head = struct.pack("<IQHIB", 0xFFFFFFFF, 6 * GB, 4, 0, 8)
    off = e.put(head + b"\1" + struct.pack("<QI", VADDR, 64))
    e.hole(6 * GB)
    e.section(".debug_info", off=off, size=6 * GB + 12)
    e.section(".debug_abbrev", data=b"\1\x11\1\x11\1\x12\x06\0\0\0")
    e.section(".debug_line", off=off + 4096, size=6 * GB - 8192)
    return e


def debug_units_in_holes():
    """A unit of 60 MB at each of a few places of a hole."""
    e = usual()
    size = 60 * MB
    first = e.end
    for _ in range(100):
        e.put(struct.pack("<IHIB", size - 4, 4, 0, 8) + b"\1" + struct.pack("<QI", VADDR, 64))
        e.end += size - 32
    e.section(".debug_info", off=first, size=100 * size)
    e.section(".debug_abbrev", data=b"\1\x11\1\x11\1\x12\x06\0\0\0")
    return e


def frame_hole(name, size):
    e = usual()
    e.section(name, off=e.hole(size), size=size, addr=VADDR + MB, flags=ALLOC)
    return e


def frame_by_header():
    """No sections: .eh_frame is found by its program header and ends with the segment."""
    e = Elf()
    e.segment(LOAD, CODE_OFF, len(CODE), VADDR, 5)
    off = e.put(b"\1\x1b\3\x3b" + struct.pack("<i", 12) + bytes(8) + bytes(6))
    e.hole(6 * GB)
    e.segment(EH_FRAME, off, 16, VADDR + MB)
    e.segment(LOAD, off, 6 * GB, VADDR + MB)
    return e


def frame_repeated():
    """Every entry runs the one long program of the first."""
    e = usual()
    program = b"\x0e\x10" * (2 * MB)
    cie = b"\0\0\0\0" + b"\1" + b"zR\0" + b"\1\x78\x10\1\x1b" + b"\x0c\7\x08\x90\1" + program
    cie += bytes(-len(cie) % 4)
    data = struct.pack("<I", len(cie)) + cie
    at = VADDR + MB
    frames = []
    for i in range(200000):
        pos = len(data) + 20 * i
        frames.append(struct.pack("<IIiiI", 16, pos + 4, VADDR + i % 16 - (at + pos + 8), 1, 0))
    e.section(".eh_frame", data=data + b"".join(frames) + bytes(4), addr=at, flags=ALLOC)
    return e


def symbols_hole(table, strings):
    e = Elf()
    e.text()
    names = e.section(".strtab", STRTAB, off=e.put(b"\0outer\0"), size=strings)
    e.hole(strings)
    e.section(".symtab", SYMTAB, off=e.hole(table), size=table, link=names, entry=24)
    return e


def symbols_long_names():
    """Every symbol has a long name, which is a part of the one string there is."""
    e = Elf()
    e.text()
    nr = 200000
    names = e.section(".strtab", STRTAB, b"\0_Z" + b"1a" * (2 * MB) + b"\0")
    e.section(".symtab", SYMTAB, bytes(24) + b"".join(struct.pack("<IBBHQQ", 1 + 2 * i, 0x12, 0, 1, VADDR + i, 1) for i in range(nr)),
              link=names, entry=24)
    return e


def names_hole():
    e = usual()
    e.names_tail = b""
    e.put(b"")
    off = e.hole(6 * GB)
    e.sections.append(dict(name=b".text2", type=STRTAB, flags=0, addr=0, off=off, size=6 * GB, link=0, info=0, entry=0))
    return e


def section_count():
    e = usual()
    e.nr_sections = 300000000
    e.size = 20 * GB
    return e


def section_count_some():
    """As many as the limit of a reader may allow."""
    e = usual()
    e.nr_sections = 1 << 20
    e.size = GB
    return e


def segment_count():
    e = usual()
    e.nr_segments = 300000000
    e.size = 20 * GB
    return e


def many_sections():
    e = usual()
    for _ in range(65535):
        e.section(".x", PROGBITS, off=CODE_OFF, size=1)
    return e


def long_section_names():
    e = usual()
    name = b"x" * (5 * MB)
    for _ in range(60000):
        e.section(name, PROGBITS, off=CODE_OFF, size=1)
    return e


def unended_section_names():
    """The string table goes on for long behind its last zero."""
    e = usual()
    e.names_tail = b"x" * (5 * MB)
    for _ in range(60000):
        e.section(".x", PROGBITS, off=CODE_OFF, size=1)
    return e


def relocation_sections(size):
    e = usual()
    e.section(".plt", data=b"\xff\x25\0\0\0\0\0\0" * 512, flags=ALLOC | EXEC, addr=VADDR + 16 * MB)
    off = e.hole(size)
    for _ in range(8000):
        e.section(".rela.plt", RELA, off=off, size=size, flags=ALLOC, entry=24)
    return e


def stubs_long_names(kind):
    """As many stubs as relocations, each in five sections, each with a long name."""
    e = usual()
    nr, got = 220000, VADDR + 64 * MB
    names = e.section(".dynstr", STRTAB, b"\0" + b"f" * 4000 + b"\0")
    table = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 0, 0, 0)
    if kind == 37:
        table += b"".join(struct.pack("<IBBHQQ", 1, 0x1A, 0, 1, VADDR + i, 0) for i in range(90000))
        nr = 90000
    dynsym = e.section(".dynsym", DYNSYM, table, link=names, flags=ALLOC, entry=24)
    e.section(".rela.plt", RELA, b"".join(struct.pack("<QQq", got + 8 * i, (1 << 32 if kind == 7 else 0) | kind, VADDR + i) for i in range(nr)),
              flags=ALLOC, link=dynsym, entry=24)
    at = VADDR + 16 * MB
    code = b"".join(b"\xff\x25" + struct.pack("<i", got - (at + 8 * i + 6)) + b"\x66\x90" for i in range(nr))
    off = e.put(code)
    for name in (".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt"):
        e.section(name, off=off, size=len(code), flags=ALLOC | EXEC, addr=at)
    return e


def deflated(size):
    """A zlib stream of zeros: one piece of it, repeated. The sum at its end is missing, which shows after the last byte only."""
    packer = zlib.compressobj(9)
    head = packer.compress(bytes(MB)) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(bytes(MB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * (size // MB - 1)


def packed_claim():
    e = usual()
    packed = struct.pack("<IIQQ", 1, 0, 1 << 42, 1) + zlib.compress(bytes(MB))
    for name in ("info", "abbrev", "line", "str", "frame"):
        e.section(".debug_" + name, data=packed, flags=COMPRESSED)
    return e


def packed_shared():
    """One packed section, at the ratio that compilers reach, as ten sections."""
    e = usual()
    claim = 400 * MB
    packed = struct.pack("<IIQQ", 1, 0, claim, 1) + deflated(claim)
    packed += b"x" * (9 * MB - len(packed))
    off = e.put(packed)
    for name in ("info", "abbrev", "line", "str", "line_str", "str_offsets", "addr", "ranges", "rnglists", "frame"):
        e.section(".debug_" + name, off=off, size=len(packed), flags=COMPRESSED)
    return e


def packed_holes():
    """Behind a packed section lies a hole, which makes its claim look small."""
    e = usual()
    claim = 2 * GB
    packed = struct.pack("<IIQQ", 1, 0, claim, 1) + deflated(claim)
    off = e.put(packed)
    e.hole(6 * GB)
    for name in ("info", "abbrev", "line", "str", "frame"):
        e.section(".debug_" + name, off=off, size=6 * GB, flags=COMPRESSED)
    return e


def packed_symbols(size):
    e = Elf()
    e.text()
    e.section(".gnu_debugdata", data=lzma.compress(bytes(64 * MB), preset=0) * (size // (64 * MB)))
    return e


def packed_symbols_dict():
    """The head of the stream asks for a dictionary of 192 MB."""
    e = Elf()
    e.text()
    packed = bytearray(lzma.compress(bytes(60 * MB), preset=0))
    head = 12
    end = head + (packed[head] + 1) * 4 - 4
    packed[packed.index(0x21, head) + 2] = 31
    packed[end:end + 4] = struct.pack("<I", zlib.crc32(packed[head:end]))
    e.section(".gnu_debugdata", data=bytes(packed))
    return e


def packed_symbols_hole():
    e = Elf()
    e.text()
    e.section(".gnu_debugdata", off=e.hole(6 * GB), size=6 * GB)
    return e


def executable_holes():
    e = usual()
    off = e.hole(6 * GB)
    for i in range(500):
        e.segment(LOAD, off, 6 * GB, (i + 1) << 40, 5)
    return e


def go_holes():
    e = usual()
    e.section(".go.buildinfo", data=bytes(64))
    off = e.hole(6 * GB)
    for i in range(60):
        e.segment(LOAD, off, 6 * GB, (i + 1) << 40, 4)
    return e


def go_magic():
    e = usual()
    e.section(".go.buildinfo", data=bytes(64))
    magic = (struct.pack("<IHBB", 0xFFFFFFF1, 0, 1, 8) + bytes(8)) * 4096
    off = e.put(magic)
    e.hole(6 * GB)
    e.segment(LOAD, off, 6 * GB, 1 << 40, 4)
    rela = e.put(struct.pack("<QQQQQQ", 7, (1 << 40) + MB, 8, 256 * MB, 0, 0))
    e.segment(DYNAMIC, rela, 48, 2 << 40)
    return e


def link_to(name):
    e = Elf()
    e.text()
    e.section(".gnu_debuglink", data=name.encode().ljust(len(name) + 4 & ~3, b"\0") + struct.pack("<I", 0x12345678))
    return e


FILES = {f.__name__: f for f in (note_sections, note_sections_small, note_segments, note_holes, debug_unit_hole, debug_units_in_holes, frame_by_header,
                                 frame_repeated, symbols_long_names, names_hole, section_count, section_count_some, segment_count, many_sections,
                                 long_section_names, unended_section_names, packed_claim, packed_shared, packed_holes, packed_symbols_hole, packed_symbols_dict,
                                 executable_holes, go_holes, go_magic)}
FILES.update({
    "debug_holes": lambda: debug_holes(6 * GB),
    "debug_holes_small": lambda: debug_holes(63 * MB),
    "frame_hole": lambda: frame_hole(".eh_frame", 6 * GB),
    "frame_hole_small": lambda: frame_hole(".eh_frame", 63 * MB),
    "debug_frame_hole": lambda: frame_hole(".debug_frame", 6 * GB),
    "symbols_hole": lambda: symbols_hole(6 * GB, 6 * GB),
    "symbols_hole_small": lambda: symbols_hole(63 * MB, 63 * MB),
    "relocations_hole": lambda: relocation_sections(63 * MB),
    "relocations_small": lambda: relocation_sections(1000),
    "stubs_long_names": lambda: stubs_long_names(7),
    "stubs_indirect": lambda: stubs_long_names(37),
    "packed_symbols": lambda: packed_symbols(2 * GB),
    "link_to_pipe": lambda: link_to("pipe"),
    "link_to_device": lambda: link_to("device"),
    "link_to_sparse": lambda: link_to("debug_holes"),
})


def main():
    directory = sys.argv[1]
    for name in sys.argv[2:] or FILES:
        path = os.path.join(directory, name)
        FILES[name]().write(path)
        if os.stat(path).st_blocks * 512 > 10 * MB:
            sys.exit(f"{name} has {os.stat(path).st_blocks * 512} bytes on disk")
        print(name)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rewrites what the header of a perf.data says of the machine that it was recorded on.

Usage: set_features.py IN OUT CHANGE…, CHANGE being
  hostname=TEXT, osrelease=TEXT, version=TEXT, arch=TEXT   sets that feature
  -NAME                                                    removes it (also -build-ids)
  build-id=HEX,SPACE,PATH                                  adds an entry; SPACE is kernel or user
Records stay as they are.
"""
import struct
import sys

TEXTS = {"hostname": 3, "osrelease": 4, "version": 5, "arch": 6}
NUMBERS = dict(TEXTS, **{"build-ids": 2})
MISC = {"kernel": 1, "user": 2}


def text_section(text):
    data = text.encode() + b"\0"
    size = (len(data) + 63) // 64 * 64
    return struct.pack("<I", size) + data.ljust(size, b"\0")


def build_id_entry(hex_id, space, path):
    name = path.encode() + b"\0"
    name = name.ljust((len(name) + 7) // 8 * 8, b"\0")
    build_id = bytes.fromhex(hex_id)
    body = struct.pack("<i", -1) + build_id.ljust(20, b"\0") + struct.pack("<B3x", len(build_id)) + name
    return struct.pack("<IHH", 0, MISC[space] | 1 << 15, 8 + len(body)) + body


def main():
    source, target, *changes = sys.argv[1:]
    data = bytearray(open(source, "rb").read())
    assert data[:8] == b"PERFILE2", source
    data_off, data_size = struct.unpack_from("<QQ", data, 40)
    bits = [n for n in range(256) if data[72 + n // 8] >> n % 8 & 1]
    table = data_off + data_size
    sections = {}
    for i, feature in enumerate(bits):
        off, size = struct.unpack_from("<QQ", data, table + 16 * i)
        sections[feature] = bytes(data[off:off + size])
    for change in changes:
        name, _, value = change.partition("=")
        if name.startswith("-"):
            sections.pop(NUMBERS[name[1:]], None)
        elif name == "build-id":
            sections[2] = sections.get(2, b"") + build_id_entry(*value.split(",", 2))
        else:
            sections[TEXTS[name]] = text_section(value)
    own, own_size = struct.unpack_from("<QQ", data, 56)  # assay's own sections have no bit
    own_sections = []
    if own_size:
        assert data[own:own + 8] == b"ASSAYSEC", source
        for at in range(own + 8, own + own_size, 24):
            feature, off, size = struct.unpack_from("<QQQ", data, at)
            own_sections.append((feature, bytes(data[off:off + size])))
    del data[table:]
    data[56:104] = bytes(48)
    for feature in sections:
        data[72 + feature // 8] |= 1 << feature % 8
    off = table + 16 * len(sections)
    for feature in sorted(sections):
        data += struct.pack("<QQ", off, len(sections[feature]))
        off += len(sections[feature])
    for feature in sorted(sections):
        data += sections[feature]
    if own_sections:
        table = len(data)
        off = table + 8 + 24 * len(own_sections)
        struct.pack_into("<QQ", data, 56, table, off - table)
        data += b"ASSAYSEC"
        for feature, section in own_sections:
            data += struct.pack("<QQQ", feature, off, len(section))
            off += len(section)
        for _, section in own_sections:
            data += section
    with open(target, "wb") as f:
        f.write(data)


main()

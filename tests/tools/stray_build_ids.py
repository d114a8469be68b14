#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stray_build_ids.py FILE: whether MMAP2 records of a recording claim build-ids that its events did not ask for.

Linux 6.18 marks them so while another recorder of the machine asks for build-ids. perf 6.1 then takes device numbers for a build-id, and
aborts. Exit status 0: there are such records.
"""
import struct
import sys

MMAP2, MISC_BUILD_ID, ATTR_BUILD_ID = 10, 1 << 14, 1 << 34
HEADER_ATTR, HEADER_TRACING_DATA, FILE_HEADER_SIZE = 64, 66, 104
data = open(sys.argv[1], "rb").read()


def asks_for_build_ids(attr_at):
    return struct.unpack_from("<Q", data, attr_at + 40)[0] & ATTR_BUILD_ID


def records(off, end):
    """(type, misc, where) of each record between two offsets."""
    while off + 8 <= end:
        kind, misc, length = struct.unpack_from("<IHH", data, off)
        if length < 8:
            break
        yield kind, misc, off
        off += length
        if kind == HEADER_TRACING_DATA:  # what it announces comes behind it
            off += (struct.unpack_from("<I", data, off - length + 8)[0] + 7) // 8 * 8


if data[:8] != b"PERFILE2" or len(data) < 16:
    sys.exit(1)
asks = False
if struct.unpack_from("<Q", data, 8)[0] < FILE_HEADER_SIZE:  # of a pipe
    start, end = 16, len(data)
else:
    attr_size, attrs_off, attrs_size, start, size = struct.unpack_from("<QQQQQ", data, 16)
    asks = any(asks_for_build_ids(at) for at in range(attrs_off, attrs_off + attrs_size, attr_size))
    end = min(start + size, len(data))
is_stray = False
for kind, misc, at in records(start, end):
    if kind == HEADER_ATTR:
        asks = asks or asks_for_build_ids(at + 8)
    is_stray = is_stray or (kind == MMAP2 and misc & MISC_BUILD_ID)
sys.exit(0 if is_stray and not asks else 1)

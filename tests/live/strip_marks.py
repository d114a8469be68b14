#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Takes the marks that tell how a walk ended (src/abi/walked.h) out of a perf.data of one event.

usage: strip_marks.py INPUT OUTPUT     prints how many chains had which number of marks

Whatever a reader who does not know them prints of both files must be the same.
"""
import collections
import struct
import sys

USER = 2**64 - 512
CALLCHAIN, READ = 1 << 5, 1 << 4
BEFORE = [1 << 16, 1, 1 << 1, 1 << 2, 1 << 3, 1 << 6, 1 << 9, 1 << 7, 1 << 8]  # one word each

data = open(sys.argv[1], "rb").read()
header_size, attr_size, attrs_off, attrs_size, data_off, data_size = struct.unpack_from("<6Q", data, 8)
features = struct.unpack_from("<4Q", data, 72)
sample_type = struct.unpack_from("<Q", data, attrs_off + 24)[0]
assert attrs_size == attr_size and sample_type & CALLCHAIN and not sample_type & READ
chain_at = 8 + 8 * sum(bool(sample_type & bit) for bit in BEFORE)

records, counts, at = [], collections.Counter(), data_off
while at < data_off + data_size:
    kind, misc, size = struct.unpack_from("<IHH", data, at)
    record = data[at:at + size]
    at += size
    if kind == 9:
        nr = struct.unpack_from("<Q", record, chain_at)[0]
        words = struct.unpack_from(f"<{nr}Q", record, chain_at + 8)
        left = nr
        while left and words[left - 1] == USER:
            left -= 1
        counts[nr - left] += 1
        gone = 8 * (nr - left)
        record = (struct.pack("<IHH", kind, misc, size - gone) + record[8:chain_at] + struct.pack("<Q", left) +
                  record[chain_at + 8:chain_at + 8 + 8 * left] + record[chain_at + 8 + 8 * nr:])
    records.append(record)

body = b"".join(records)
shift = data_size - len(body)
out = bytearray(data[:data_off] + body + data[data_off + data_size:])
struct.pack_into("<Q", out, 48, len(body))
for i in range(sum(bin(word).count("1") for word in features)):
    place = data_off + len(body) + 16 * i
    offset = struct.unpack_from("<Q", out, place)[0]
    if offset >= data_off + data_size:
        struct.pack_into("<Q", out, place, offset - shift)
open(sys.argv[2], "wb").write(out)
print(*(f"{nr}:{counts[nr]}" for nr in sorted(counts)))

# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles that Go does not write, as profile.proto: no addresses, labels with units, a count beside two values, expressions, odd comments.
# Usage: pprof_odd.py FILE


class Message:
    def __init__(self):
        self.data = b""

    def varint(self, v):
        v &= (1 << 64) - 1
        out = b""
        while v >= 0x80:
            out += bytes([v & 0x7F | 0x80])
            v >>= 7
        return out + bytes([v])

    def num(self, field, v):
        if v:
            self.data += self.varint(field << 3) + self.varint(v)
        return self

    def bytes(self, field, b):
        self.data += self.varint(field << 3 | 2) + self.varint(len(b)) + b
        return self

    def nums(self, field, vs):
        return self.bytes(field, b"".join(self.varint(v) for v in vs))


strings = [""]


def s(text):
    if text not in strings:
        strings.append(text)
    return strings.index(text)


def pair(a, b):
    return Message().num(1, s(a)).num(2, s(b)).data


p = Message()
for t in (("samples", "count"), ("wall", "milliseconds"), ("heap", "bytes")):
    p.bytes(1, pair(*t))
for ids, values, labels in (
    ([1, 2], (2, 20, 300), [("route", "/a", 0, ""), ("size", "", 4096, "bytes")]),
    ([1, 2], (1, 10, 0), [("route", "/b", 0, "")]),
    ([3, 2], (1, 0, 7), []),
    ([1, 2], (0, 5, 0), [("depth", "", -3, "")]),
    ([4, 2], (1, 1, 1), [("size", "", 0, "bytes"), ("route", "/a", 0, ""), ("route", "/b", 0, "")]),
):
    m = Message().nums(1, ids).nums(2, values)
    for key, text, num, unit in labels:
        m.bytes(3, Message().num(1, s(key)).num(2, s(text)).num(3, num).num(4, s(unit)).data)
    p.bytes(2, m.data)
p.bytes(3, Message().num(1, 9).num(2, 0x1000).num(3, 0x9000).num(5, s("/app/node")).num(6, s("v18-odd-id")).num(7, 1).data)
for i, name in enumerate(("leaf", "main", "other", "inlined"), 1):
    p.bytes(5, Message().num(1, i).num(2, s(name)).num(3, s(name)).num(4, s("app.js")).num(5, i * 3).data)
p.bytes(4, Message().num(1, 1).bytes(4, Message().num(1, 1).num(2, 10).data).data)
p.bytes(4, Message().num(1, 2).bytes(4, Message().num(1, 2).num(2, 20).data).data)
p.bytes(4, Message().num(1, 3).num(2, 9).num(3, 0x1234).bytes(4, Message().num(1, 3).num(2, 30).data).data)
p.bytes(4, Message().num(1, 4).num(2, 9).num(3, 0x2234).bytes(4, Message().num(1, 4).num(2, 5).data).bytes(4, Message().num(1, 3).num(2, 31).data).data)
p.num(7, s("^runtime")).num(8, s("main$")).num(12, 10).bytes(11, pair("wall", "milliseconds"))
p.num(13, s("no colon here")).num(13, s("a: b")).num(14, s("wall"))
for text in strings:
    p.bytes(6, text.encode())
import sys

open(sys.argv[1], "wb").write(p.data)

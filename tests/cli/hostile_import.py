#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes profiles that are small to write and would be endless to read, or to print, by a reader that believes them.

Usage: hostile_import.py DIR [NAME…]. Every file is below 10 MB. Prints the names of the files.
"""
import functools
import gzip
import os
import random
import sys

DIR = sys.argv[1]
MB = 1000000


@functools.lru_cache(1 << 18)  # 40 million of them are written
def varint(v):
    if v < 0x80:
        return bytes((v,))
    if v < 0x4000:
        return bytes((v & 0x7F | 0x80, v >> 7))
    return bytes((v & 0x7F | 0x80, v >> 7 & 0x7F | 0x80)) + varint(v >> 14)


def num(field, v):
    return varint(field << 3) + varint(v)


def msg(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING = 1, 2, 3, 4, 5, 6


def strings(*texts):
    return b"".join(msg(STRING, t.encode()) for t in ("", "samples", "count") + texts)


def base(*texts, types=1):
    return strings(*texts) + msg(TYPE, num(1, 1) + num(2, 2)) * types


def sample(locations, values=(1,), rest=b""):
    return msg(SAMPLE, msg(1, locations if isinstance(locations, bytes) else b"".join(map(varint, locations))) + msg(2, b"".join(map(varint, values))) + rest)


def location(i, lines):
    return msg(LOCATION, num(1, i) + b"".join(msg(4, num(1, f) + num(2, n)) for f, n in lines))


def function(i, name):
    return msg(FUNCTION, num(1, i) + num(2, name))


def places(nr_inlined, names=100):
    """100 functions and 100 locations (ids of one byte) with so many inlined functions each."""
    out = b"".join(function(i, 3 + i % names) for i in range(1, 101))
    return out + b"".join(location(i, [((i + k) % 100 + 1, k + 1) for k in range(nr_inlined)]) for i in range(1, 101))


def names(nr=100, size=8):
    return [("f%d_" % i).ljust(size, "x") for i in range(nr)]


UP_TO_100 = bytes(i % 100 + 1 for i in range(256))


def spread(seed, nr):
    """Numbers from 1 to 100 that look like chance and are the same each time."""
    return random.Random(seed).randbytes(nr).translate(UP_TO_100)


def deep(nr, depth, make):
    """Samples of that depth, of about 9 MB at most."""
    return b"".join(make(i, depth) for i in range(min(nr, 9 * MB // (depth + 16))))


CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


# ---- pprof: tables ----


@case
def ids_of_0():
    return base() + (msg(LOCATION, num(1, 0)) + msg(FUNCTION, num(1, 0)) + msg(MAPPING, num(1, 0))) * 800000 + sample([])


def tiny(field, data=b""):
    return lambda: base() + msg(field, data) * (9 * MB // (len(data) + 2)) + sample([])


for field, what in ((TYPE, "types"), (SAMPLE, "samples"), (MAPPING, "mappings"), (LOCATION, "locations"), (FUNCTION, "functions"), (STRING, "strings")):
    CASES["tiny_" + what] = tiny(field)
    CASES["packed_tiny_" + what] = lambda field=field: gzip.compress(base() + msg(field, b"") * 32 * MB, 9)
CASES["tiny_comments"] = lambda: base() + num(13, 1) * (4 * MB) + sample([])
CASES["tiny_packed_comments"] = lambda: base() + msg(13, b"\1" * 9 * MB) + sample([])
CASES["tiny_lines"] = lambda: base() + msg(LOCATION, num(1, 1) + msg(4, b"") * (4 * MB)) + sample([1])
CASES["tiny_labels"] = lambda: base() + sample([], rest=msg(3, b"") * (4 * MB))
CASES["tiny_label_sets"] = lambda: base() + b"".join(sample([], rest=msg(3, num(1, 1) + num(3, i + 1))) for i in range(500000))
CASES["tiny_values"] = lambda: base() + msg(SAMPLE, msg(2, b"\1")) * (9 * MB // 5)


@case
def distinct_mappings():
    return base() + b"".join(msg(MAPPING, num(1, i + 1)) for i in range(1500000)) + sample([])


@case
def distinct_locations():
    return (base("f") + function(1, 3) + b"".join(location(i + 1, [(1, i)]) for i in range(300000)) +
            b"".join(sample([i + 1]) for i in range(300000)))


@case
def distinct_types():
    text = b"".join(msg(STRING, b"t%d" % i) for i in range(65000))
    return base() + text + b"".join(msg(TYPE, num(1, 3 + i)) for i in range(65000)) + sample([], [1] * 60000) * 60


# ---- pprof: stacks ----


# Files that end in _fits are as large as the importer takes them: the views have to cope.
def stacks(nr_inlined, nr, depth, nr_types=1, size=8):
    return lambda: base(*names(100, size), types=nr_types) + places(nr_inlined) + deep(
        nr, depth, lambda i, d: sample(spread(i, d), [1] * nr_types))


MANY = 1 << 30
CASES["types_by_depth"] = stacks(1, 1100, 8000, nr_types=100)  # each value is a sample of its own, with the whole stack
CASES["types_by_depth_fits"] = stacks(1, 28, 8000, nr_types=100)
CASES["distinct_callers"] = stacks(1, MANY, 8000)
CASES["distinct_callers_fits"] = stacks(1, 310, 8000)
CASES["shallow_callers_fits"] = stacks(1, 42000, 60)
CASES["inlined_deep"] = stacks(60, 2, 8000)  # 8,000 frames of 60 inlined functions each: 480,000 levels
CASES["inlined_deep_fits"] = stacks(60, 5, 8000)
CASES["inlined_many"] = stacks(60, MANY, 8000)
CASES["inlined_rows_fits"] = stacks(60, 40, 1000)  # every function is a row with all that is above it as its tree
CASES["long_names"] = stacks(1, 800, 8000, size=16000)  # 16 kB a name, 8,000 of them a stack
CASES["long_names_fits"] = stacks(1, 300, 8000, size=16000)
CASES["long_names_inlined_fits"] = stacks(60, 5, 8000, size=16000)


@case
def same_ends_fits():
    """One outer end of 7,998 frames, one leaf, and another function before the leaf each time: trees of callers share nothing."""
    deep_end = [1 + i % 97 for i in range(7998)]
    return base(*names()) + places(1) + b"".join(sample([100, 1 + i % 99, 1 + i // 99 % 99] + deep_end) for i in range(1100))


@case
def comb():
    """A stack that has one frame more each time: a tree that branches at every level."""
    return base(*names()) + places(1) + b"".join(sample([i % 100 + 1] + [1] * i, [1000000 + i]) for i in range(4000))


@case
def comb_distinct():
    """… and whose levels are functions of their own."""
    n = 2500
    table = b"".join(msg(STRING, b"g%d" % i) for i in range(n)) + b"".join(
        function(i + 1, 3 + i) + location(i + 1, [(i + 1, 0)]) for i in range(n))
    return base() + table + b"".join(sample(list(range(i, 0, -1)), [1000000 + i]) for i in range(1, n))


@case
def long_names():
    """16 kB a name, 8,000 of them a stack."""
    return base(*names(100, 16000)) + places(1) + deep(800, 8000, lambda i, d: sample(spread(i, d)))


@case
def long_names_inlined():
    return base(*names(100, 16000)) + places(60) + deep(100, 8000, lambda i, d: sample(spread(i, d)))


@case
def counted():
    return base("f") + function(1, 3) + location(1, [(1, 1)]) + sample([1] * 8000, [9999999])


# ---- text ----


def folded_functions(nr):
    return lambda: b"".join(b"n%x 1\n" % i for i in range(nr))


CASES["folded_names"] = folded_functions(1000000)
CASES["folded_names_fits"] = folded_functions(580000)


@case
def folded_comb():
    return b"".join(b"a;" * i + b"b %d\n" % (1000000 + i) for i in range(1, 2900))


@case
def folded_deep():
    return (b";".join(b"a%d" % (i % 997) for i in range(65535)) + b" 1\n") * 25


@case
def folded_name_of_5_MB():
    return b"a;b 3\n" + b"x" * (5 * MB) + b";y 1\n" + b"z;" + b"w" * (4 * MB) + b" 2\n"


@case
def folded_counted():
    return b"a;" * 7000 + b"b 9999999\n"


@case
def folded_formulas():
    return b"".join(b"=%d+1;@b;-c;+d %d\n" % (i, i + 1) for i in range(1000))


@case
def folded_bomb():
    return gzip.compress(b"main;work 1\n" * (32 * MB), 9)


@case
def pprof_bomb():
    return gzip.compress(base() + msg(15, b"\0" * (500 * MB)), 9)


def script_lines(i, depth, name):
    return b"p %d %d.%06d: 1 cycles: \n" % (i % 1000 + 1, i // 1000, i % 1000000) + b"".join(
        b"\t%x %s+0x1 (/b)\n" % (4096 + (i * 7919 + k) % 100000 * 16, name % ((i * 7919 + k) % 100000)) for k in range(depth)) + b"\n"


@case
def script_deep():
    return b"".join(script_lines(i, 7900, b"f%d") for i in range(40))


@case
def script_tasks():
    return b"".join(b"c%d %d %d.%06d: 1 cycles: \n\t%x f%d+0x1 (/b%d)\n\n" % (i, i + 1, i // 1000000, i % 1000000, 4096 + i * 16, i, i) for i in range(140000))


@case
def script_events():
    return b"".join(b"p 1 1.%06d: 1 e%d: \n\t1000 f+0x1 (/b)\n\n" % (i, i) for i in range(200000))


def main():
    wanted = sys.argv[2:] or CASES
    for name in wanted:
        data = CASES[name]()
        assert len(data) < 10 * MB, (name, len(data))
        with open(os.path.join(DIR, name), "wb") as f:
            f.write(data)
        print(name)


main()

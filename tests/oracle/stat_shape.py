#!/usr/bin/env python3
"""Reduces rows of `stat -x` or `stat -j` to what must be the same for perf and for us.

stat_shape.py csv SEP < rows      numbers become N; rates lose their K, M, G (loads differ)
stat_shape.py json < rows         values become N, keys, blanks and order stay; each line must be JSON

What depends on the moment goes, too: whether a sleeping task was counted in an interval, the last,
partial interval that may or may not come."""
import json
import re
import sys

NUMBER = re.compile(r"^\s*-?\d[\d.]*%?$")


def csv_field(text):
    if NUMBER.match(text):
        # Padding of times is part of the format.
        return " " * (len(text) - len(text.lstrip())) + ("N%" if text.endswith("%") else "N")
    text = re.sub(r"^[KMG]?/sec$", "/sec", text)
    return re.sub(r"^(.+)-\d+$", r"\1-N", text) if re.match(r"^[a-z_]+-\d+$", text) else text


def csv_row(line, sep):
    fields = [csv_field(f) for f in line.split(sep)]
    return sep.join("N" if f == "<not counted>" else f for f in fields)


def json_row(line):
    json.loads(line)
    line = re.sub(r'" : "(-?[\d.]+|<not counted>)"', '" : "N"', line)
    line = re.sub(r'" : "([A-Za-z]+)-\d+"', r'" : "\1-N"', line)
    line = re.sub(r'" : -?[\d.]+', '" : N', line)
    return re.sub(r'"[KMG]?/sec"', '"/sec"', line)


def main():
    seen = set()
    for line in sys.stdin:
        line = line.rstrip("\n")
        if not line:
            continue
        row = csv_row(line, "\t" if sys.argv[2] == "\\t" else sys.argv[2]) if sys.argv[1] == "csv" else json_row(line)
        # Each kind of row once, in the order of its first time: intervals may be one more or less.
        if row not in seen:
            seen.add(row)
            print(row)


main()

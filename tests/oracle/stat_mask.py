#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Masks the numbers of `stat` text so that what is left must be the same for perf and for us.

Widths stay: a number with the blanks before it becomes as many N, so that a column that is off by one
shows. What depends on the load goes: K, M and G of rates, spreads, whether a sleeping thread was counted in
an interval, and the precision of a mean time."""
import re
import sys


def same_length(match):
    return "N" * len(match.group(0))


def mask(line):
    line = re.sub(r"  \( \+- *[\d.]+% \)$", "", line)
    line = re.sub(r"^ +[\d.]+ \+- [\d.]+ seconds", "N +- N seconds", line)
    line = re.sub(r"^ +[\d.]+ \([-+][\d.]+\) #+$", "N (N) #", line)
    if re.match(r" +# (Table of|Final result)", line):
        line = line.lstrip()
    # "-TID" is padded on its right, the number that follows on its left
    line = re.sub(r"(?<=[a-z])-\d+ +(?=[\d<])", same_length, line)
    line = re.sub(r" *\d[\d.]*", same_length, line)
    return re.sub(r" [KMG]?/sec *", lambda m: "R" * len(m.group(0)), line)


for text in sys.stdin:
    print(mask(text.rstrip("\n")))

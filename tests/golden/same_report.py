#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two `report --stdio` texts: the same rows with the same figures, columns and call chains, in the same order.

Usage: same_report.py PERF OURS. What may differ, and why:
 - rows of equal first figure may stand in another order: perf's own order there depends on the shape of its tree (it compares
   call depths within a task only, which is no order);
 - siblings of equal weight in a call chain: perf orders those of different files by where it allocated them;
 - perf cuts a command at the width of the task's last name ("perf-ex"), we do not; widths of that column follow;
 - perf calls the remainder of a fractal graph "[...] (inlined)";
 - the last comment (a tip).
"""
import re
import sys

ROW = re.compile(r"^ {1,8}\s*[0-9]+\.[0-9]{2}%")
BRANCH = re.compile(r"^(.*?)--([0-9.]+%|[0-9]+)--")


def lines_of(path):
    text = open(path, encoding="utf-8", errors="replace").read()
    text = text.replace("[...] (inlined)", "[...]")
    text = re.sub(r"@plt|_init$", "", text)
    return [l for l in text.split("\n") if not re.match(r"^# \((Tip|Who)", l)]


def words(line):
    """A row or heading, whatever its widths; names of commands up to perf's cut."""
    if line.startswith("# ...") or line.startswith("# Children") or line.startswith("# Overhead"):
        return re.sub(r"\.+", ".", " ".join(line.split()))
    return " ".join(line.split())


def blocks(lines):
    """Comments and rows, each row with the lines of its chain."""
    out = []
    for line in lines:
        if line.startswith("#") or (ROW.match(line) and not line.startswith(" " * 12)):
            out.append([line])
        elif out and line:
            out[-1].append(line)
    return out


def chain_key(chain):
    """A chain whose equal siblings may be swapped: its lines without pipes, sorted within the whole chain."""
    return sorted(re.sub(r"[| -]+", " ", l).strip() for l in chain)


def grouped(lines):
    out, group, first = [], [], None
    for block in blocks(lines):
        head = block[0]
        if head.startswith("#"):
            if group:
                out.append(group)
                group = []
            out.append(words(head))
            first = None
            continue
        figure = head.split("%")[0]
        if figure != first and group:
            out.append(group)
            group = []
        first = figure
        group.append((words(head), chain_key(block[1:])))
    if group:
        out.append(group)
    return out


def match_row(a, b):
    if a == b:
        return True
    if a[1] != b[1]:
        return False
    wa, wb = a[0].split(), b[0].split()
    return len(wa) == len(wb) and all(x == y or (len(x) >= 4 and y.startswith(x)) for x, y in zip(wa, wb))


def match_group(a, b):
    if len(a) != len(b):
        return False
    left = sorted(b)
    for row in sorted(a):
        for i, other in enumerate(left):
            if match_row(row, other):
                del left[i]
                break
        else:
            return False
    return True


def main():
    perf, ours = grouped(lines_of(sys.argv[1])), grouped(lines_of(sys.argv[2]))
    bad = 0
    for a, b in zip(perf, ours):
        if type(a) is type(b) and (a == b if isinstance(a, str) else match_group(a, b)):
            continue
        bad += 1
        if bad <= 3:
            print("perf:", *(a if isinstance(a, list) else [a]), sep="\n  ")
            print("ours:", *(b if isinstance(b, list) else [b]), sep="\n  ")
    if len(perf) != len(ours):
        print(f"perf has {len(perf)} comments and groups of rows, assay {len(ours)}")
    return 1 if bad or len(perf) != len(ours) else 0


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Computes latencies of two events from the text of `script --ns`, independently of assay, and compares them with heatmap's JSON.

usage: heatmap_truth.py SCRIPT.txt HEATMAP.json FROM TO KEY_REGEX
KEY_REGEX has groups for the key, searched in the whole line; "tid" means the thread.
"""
import json
import math
import re
import sys


def latencies(path, begin, end, key_regex):
    line_of = re.compile(r"^\s*(.*?)\s+(-?\d+)(?:/-?\d+)?\s+(?:\[\d+\] )?\s*(\d+)\.(\d{9}):\s+(\S+): ")
    waiting, found, replaced, alone = {}, [], 0, 0
    with open(path, encoding="utf-8", errors="replace") as text:
        for line in text:
            m = line_of.match(line)
            if not m or m[5] not in (begin, end):
                continue
            if key_regex == "tid":
                key = m[2]
            else:
                key = re.search(key_regex, line[m.end():]).groups()
            time_ns = int(m[3]) * 10**9 + int(m[4])
            if m[5] == begin:
                replaced += key in waiting
                waiting[key] = time_ns
            elif key in waiting:
                found.append((time_ns, time_ns - waiting.pop(key)))
            else:
                alone += 1
    return found, len(waiting), replaced, alone


def main():
    script, heat, begin, end, key_regex = sys.argv[1:]
    found, still_open, replaced, alone = latencies(script, begin, end, key_regex)
    with open(heat, encoding="utf-8") as text:
        h = json.load(text)
    values = sorted(v for _, v in found)
    problems = []

    def same(what, ours, truth):
        if ours != truth:
            problems.append(f"{what}: heatmap has {ours}, the text {truth}")

    same("pairs", h["count"], len(values))
    same("begins without end", h["counts"]["begins_without_end"], still_open)
    same("ends without begin", h["counts"]["ends_without_begin"], alone)
    same("begins replaced", h["counts"]["begins_replaced"], replaced)
    if values:
        same("min", h["percentiles_ns"]["min"], values[0])
        for name, mille in (("p50", 500), ("p90", 900), ("p99", 990), ("p99.9", 999), ("max", 1000)):
            same(name, h["percentiles_ns"][name], values[math.ceil(len(values) * mille / 1000) - 1])
    # every cell, counted again
    edges, cells = h["edges_ns"], {}
    for time_ns, v in found:
        column = (time_ns - h["start_ns"]) // h["column_ns"]
        row = next((r for r in range(len(edges) - 1) if edges[r] <= v < edges[r + 1]), "below" if v < edges[0] else "above")
        cells[column, row] = cells.get((column, row), 0) + 1
    ours = {(c, r): n for c, column in enumerate(h["columns"]) for r, n in enumerate(column) if n}
    ours.update({(c, side): n for side in ("above", "below") for c, n in enumerate(h[side]) if n})
    same("cells", sorted(set(ours.items()) - set(cells.items()), key=str)[:5], sorted(set(cells.items()) - set(ours.items()), key=str)[:5])
    if problems:
        sys.exit("\n".join(problems))
    print(len(values))


main()

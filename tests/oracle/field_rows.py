#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two reports with columns of tracepoint fields, event by event: the same columns, and the same rows with the same number of
samples. Rows that look the same are one: perf keeps rows apart whose raw bytes differ, also behind the NUL of a text.

Usage: field_rows.py PERF OURS SEPARATOR. Both are the output of `report -n -t SEPARATOR`. Prints the number of rows compared.

Where perf 6.1 shows no value, or a part of it, the cells of a column are not compared:
- it looks for "name=value" in the printed text, and shows nothing for "name: value" and "name = value";
- of "name value" it shows all that follows, as far as the column is wide;
- a value ends at the first blank for it, and does not end at a comma or a bracket;
- long ones are as long as the column was asked to be wide;
- of "work struct=0x…" it takes "struct=…" for the value of work.
"""
import re
import sys


def tables(path, separator):
    """Event → (columns, {cells: samples})."""
    found, event, columns = {}, None, None
    for line in open(path, errors="replace"):
        line = line.rstrip("\n")
        head = re.match(r"# Samples: .* of event '(.*)'", line)
        if head:
            event, columns = head.group(1), None
            found[event] = (None, {})
        elif event and line.startswith("# Overhead"):
            columns = [c.strip() for c in line[1:].split(separator)]
            found[event] = (columns, {})
        elif event and columns and line.strip() and not line.startswith("#"):
            cells = [c.strip() for c in line.split(separator)]
            if len(cells) != len(columns):
                sys.exit(f"{path}: {event}: {len(cells)} cells of {len(columns)} columns: {line}")
            key = tuple(cells[2:])
            found[event][1][key] = found[event][1].get(key, 0) + int(cells[1])
    return {event: table for event, table in found.items() if table[1]}


def is_cut(perf, ours):
    """Does perf show nothing, or end the value at a blank, or go on behind it?"""
    if len(perf) >= 60 and ours.startswith(perf):
        return True
    return perf == "" or perf == ours.split(" ")[0] or re.match(re.escape(ours) + "[ ,;)\\]]", perf) or perf.startswith("struct")


def cut_columns(perf, ours, nr):
    """Columns of which perf has only cells that are as above, and some that differ."""
    def cells(rows, c):
        return {r[c] for r in rows}
    cut = set()
    for c in range(nr):
        theirs, mine = cells(perf, c), cells(ours, c)
        odd = theirs - mine
        if odd and all(any(is_cut(o, m) for m in mine) for o in odd):
            cut.add(c)
    return cut


def merged(rows, cut):
    result = {}
    for key, nr in rows.items():
        key = tuple(c for i, c in enumerate(key) if i not in cut)
        result[key] = result.get(key, 0) + nr
    return result


def main():
    perf, ours = (tables(p, sys.argv[3]) for p in sys.argv[1:3])
    nr_rows, nr_columns, cut_names, wrong = 0, 0, [], 0
    if perf.keys() != ours.keys() or not perf:
        sys.exit(f"events differ: {sorted(perf.keys() ^ ours.keys())} of {len(perf)}")
    for event, (columns, rows) in perf.items():
        mine_columns, mine = ours[event]
        if columns != mine_columns:
            print(f"{event}: columns {columns}, ours {mine_columns}")
            wrong += 1
            continue
        if not columns:
            continue
        cut = cut_columns(rows, mine, len(columns) - 2)
        cut_names += [f"{event}.{columns[c + 2]}" for c in sorted(cut)]
        rows, mine = merged(rows, cut), merged(mine, cut)
        nr_rows += len(rows)
        nr_columns += len(columns) - 2 - len(cut)
        if rows != mine:
            wrong += 1
            for key in list(rows.keys() ^ mine.keys())[:6] or [k for k in rows if rows[k] != mine[k]][:3]:
                print(f"{event}: perf {rows.get(key)}, ours {mine.get(key)}: {key}")
    print(f"{len(perf)} events, {nr_columns} columns, {nr_rows} rows alike; cut by perf: {' '.join(cut_names) or 'none'}")
    sys.exit(1 if wrong else 0)


main()

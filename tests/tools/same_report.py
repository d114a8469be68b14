#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two `report --stdio` texts: the same rows with the same figures, columns and call trees, in the same order.

Usage: same_report.py PERF OURS. What may differ, and why:
 - rows of equal figures may stand in another order: perf's own order there depends on the shape of its tree (it compares
   call depths within a task only, which is no order) and, of unresolved addresses, on where the files were mapped;
 - siblings of equal weight in a call tree: perf orders those of different files by where it allocated them;
 - perf cuts a command at the width of the task's last name ("perf-ex"), we do not; the width of that column follows;
 - perf calls the remainder of a fractal graph "[...] (inlined)";
 - stubs of the PLT: perf 6.1 takes the first one for the end of _init or _fini, and has no name for those of stripped programs
   (nor for some of libc's, which then stand elsewhere in rows that are sorted by name);
 - the comment that counts lost samples: perf has none in reports;
 - the last comment (a tip), and what ours says of the recording's quality (tests/lib.sh: without_quality).
"""
import re
import sys

ROW = re.compile(r"^ {1,8}\s*[0-9]+\.[0-9]{2}%")
ADDRESS = re.compile(r"^\[\.\] 0x[0-9a-f]+$")
FIGURE = re.compile(r"^\s*([0-9]+(\.[0-9]+%)?|N/A)$")
BRANCH = re.compile(r"^([ |]*)--([0-9]+\.[0-9]+%|[0-9]+)--(.*)$")
TRUNK = re.compile(r"^( +)---(.*)$")
VALUE = re.compile(r"^ {11}([0-9]+\.[0-9]+%|[0-9]+)$")
FOLDED = re.compile(r"^([0-9]+\.[0-9]+%|[0-9]+) (.*)$")
BRANCH_COLUMNS = 10  # from the end of a branch's pipes to the names below its first


def lines_of(path):
    text = open(path, encoding="utf-8", errors="replace").read()
    text = text.replace("[...] (inlined)", "[...]")
    text = re.sub(r"[\w.$*+]*@plt\b", "(plt)", text)
    text = re.sub(r"^# Events: \d+ = \d+ samples \+ \d+ lost\n#\n", "", text, flags=re.M)
    text = re.sub(r"(?<=[ -])_(init|fini)$", "(plt)", text, flags=re.M)
    return [l for l in text.split("\n") if not re.match(r"^# (\((Tip|Who)|Quality: |WARNING: )", l)]


class Columns:
    """What the heading and the dots below it say: names, and where cells lie."""

    def __init__(self, heading, dots):
        self.spans = [m.span() for m in re.finditer(r"\.+", dots)]
        self.names = [heading[a:b].strip() for a, b in self.spans]

    def cells(self, row):
        ends = [b for _, b in self.spans[:-1]] + [len(row)]
        return [row[a:b].strip() for (a, _), b in zip(self.spans, ends)]

    def is_row(self, line):
        a, b = self.spans[0]
        if not line.startswith("  ") or BRANCH.match(line) or TRUNK.match(line):
            return False
        return bool(FIGURE.match(line[a:b])) or line[a] not in " |"

    def shape(self):
        """Widths count but for those of commands and what stands behind them to the end of the line."""
        return [(name, None if "Command" in name else b - a) for name, (a, b) in zip(self.names, self.spans)]

    def same_cells(self, a, b):
        if not (self.names and len(a) == len(b)):
            return a == b
        return all(x == y or ("Command" in name and x and y.startswith(x)) or (ADDRESS.match(x) and y == "[.] (plt)")
                   for name, x, y in zip(self.names, a, b))


class NoColumns:
    """Of -q and -t: rows as they are."""
    names = ()

    def cells(self, row):
        return row.split()

    def is_row(self, line):
        return bool(ROW.match(line)) and not line.startswith(" " * 12)

    def same_cells(self, a, b):
        return a == b


class Node:
    def __init__(self, weight, at, names):
        self.weight, self.at, self.names, self.children = weight, at, names, []

    def canonical(self):
        """Siblings in their order, those of equal weight sorted."""
        groups = []
        for child in self.children:
            if not groups or groups[-1][0] != child.weight:
                groups.append((child.weight, []))
            groups[-1][1].append(child.canonical())
        return (self.weight, tuple(self.names), tuple((w, tuple(sorted(group, key=repr))) for w, group in groups))


def parse_tree(lines):
    """The call tree below a row. A line that is no part of one stays a name where it stands."""
    root = Node("", -1, [])
    open_nodes = [root]
    for line in lines:
        if not line.strip(" |"):
            continue
        branch, trunk, value, folded = BRANCH.match(line), TRUNK.match(line), VALUE.match(line), FOLDED.match(line)
        column = len(line) - len(line.lstrip(" |"))
        if trunk and not branch:
            root.names.append(trunk.group(2))
        elif branch:
            at = len(branch.group(1))
            while open_nodes[-1].at >= at:
                open_nodes.pop()
            node = Node(branch.group(2), at, [branch.group(3)])
            open_nodes[-1].children.append(node)
            open_nodes.append(node)
        elif value or folded:
            found = value or folded
            node = Node(found.group(1), 16 - BRANCH_COLUMNS, [folded.group(2)] if folded else [])
            root.children.append(node)
            open_nodes = [root, node]
        else:
            while len(open_nodes) > 1 and open_nodes[-1].at + BRANCH_COLUMNS != column:
                open_nodes.pop()
            open_nodes[-1].names.append(line.strip(" |"))
    return root.canonical()


def blocks(lines):
    """Comments and rows, each row with its columns and the lines of its tree."""
    out, columns = [], NoColumns()
    for i, line in enumerate(lines):
        if line.startswith("#"):
            if line.startswith("# Samples:"):
                columns = NoColumns()
            if re.match(r"^# \.+", line):
                columns = Columns(lines[i - 1], line)
            out.append((columns, line, []))
        elif columns.is_row(line):
            out.append((columns, line, []))
        elif line and out:
            out[-1][2].append(line)
    return out


def stubs_last(table):
    """Of rows that are sorted by name, not by figures: those of PLT stubs behind the others."""
    figures = [float(m[1]) for m in (re.match(r" *([0-9.]+)%", head) for _, head, _ in table) if m]
    if figures == sorted(figures, reverse=True):
        return table
    return sorted(table, key=lambda row: "(plt)" in row[1])


def in_order(rows):
    out, table = [], []
    for row in rows:
        if row[1].startswith("#"):
            out += stubs_last(table) + [row]
            table = []
        else:
            table.append(row)
    return out + stubs_last(table)


def grouped(lines):
    """Comments, and groups of rows of equal first figure."""
    out, first = [], None
    for columns, head, rest in in_order(blocks(lines)):
        if head.startswith("#"):
            first = None
            dots = re.match(r"^# \.+", head)
            out.append(columns.shape() if dots else " ".join(head.split()))
            if rest:
                out.append(rest)
            continue
        cells = columns.cells(head)
        key = [c for c in cells if FIGURE.match(c)][:1] if ADDRESS.match(cells[0]) else cells[0]
        if key != first:
            out.append((columns, []))
        first = key
        out[-1][1].append((cells, parse_tree(rest)))
    return out


def unmatched(a, b):
    """Rows of perf's group that have none in ours, and the other way round."""
    columns, missing, left = a[0], [], list(b[1])
    for cells, tree in a[1]:
        for i, (other_cells, other_tree) in enumerate(left):
            if tree == other_tree and columns.same_cells(cells, other_cells):
                del left[i]
                break
        else:
            missing.append((cells, tree))
    return missing, left


def main():
    perf, ours = grouped(lines_of(sys.argv[1])), grouped(lines_of(sys.argv[2]))
    bad = 0
    for a, b in zip(perf, ours):
        if isinstance(a, tuple) and isinstance(b, tuple):
            only_perf, only_ours = unmatched(a, b)
        else:
            only_perf, only_ours = ([], []) if a == b else ([a], [b])
        if not only_perf and not only_ours:
            continue
        bad += 1
        if bad <= 3:
            print("perf:", *only_perf, sep="\n  ")
            print("ours:", *only_ours, sep="\n  ")
    if len(perf) != len(ours):
        print(f"perf has {len(perf)} comments and groups of rows, assay {len(ours)}")
    return 1 if bad or len(perf) != len(ours) else 0


sys.exit(main())

# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a flame graph of ours by an XML parser and folds the text of `script`, each by itself, to be compared.

    flame_read.py check FILE.svg…                all are XML, with a picture in them, and their figures add up
    flame_read.py total FILE.svg                 prints the root's width
    flame_read.py names FILE.svg                 prints all names, one a line
    flame_read.py kinds FILE.svg                 prints kind, marks (numbers of model/flame.h) and name of all frames
    flame_read.py fold SCRIPT.txt                prints folded stacks of the text
    flame_read.py stacks FILE.svg                prints folded stacks of the picture, without [truncated]
"""
import collections
import json
import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"


class Picture:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        assert root.tag == SVG + "svg", root.tag
        self.root = root
        self.data = json.loads(next(s.text for s in root.iter(SVG + "script") if s.get("type") == "application/json"))
        self.rects = []  # (row, x, width, self, name, parent)
        above = []
        for nr, row in enumerate(self.data["rows"]):
            here, end, k = [], 0, 0
            for gap, width, frame, own in zip(*[iter(row)] * 4):
                x = end + gap
                end = x + width
                while nr and above[k][1] + above[k][2] <= x:
                    k += 1
                name = self.data["names"][self.data["frames"][frame * 5]]
                rect = (nr, x, width, own, name, above[k] if nr else None)
                assert not nr or (above[k][1] <= x and end <= above[k][1] + above[k][2]), f"{path}: {name} stands on nothing"
                here.append(rect)
            self.rects += here
            above = here

    def stacks(self):
        found = collections.Counter()
        for rect in self.rects:
            path, at = [], rect
            while at[5]:
                path.append(at[4])
                at = at[5]
            if rect[3]:
                found[";".join(n for n in reversed(path) if n != "[truncated]")] += rect[3]
        return found


def check(paths):
    for path in paths:
        p = Picture(path)
        assert p.data["total"] == p.rects[0][2]
        assert any(True for _ in p.root.iter(SVG + "path")) or not p.data["total"], f"{path}: nothing is drawn"
        children = collections.Counter()
        for rect in p.rects[1:]:
            children[id(rect[5])] += rect[2]
        hidden = 0
        for rect in p.rects:
            hidden += rect[2] - rect[3] - children[id(rect)]
            assert rect[2] - rect[3] - children[id(rect)] >= 0, f"{path}: {rect[4]} is less than its parts"
        notes = "".join(t.text or "" for t in p.root.iter(SVG + "text") if t.get("class") == "note")
        assert not hidden or "too narrow" in notes, f"{path}: {hidden} are missing"


def fold(path):
    found = collections.Counter()
    comm, names = None, []
    with open(path, encoding="utf-8", errors="replace") as text:
        for line in text:
            line = line.rstrip("\n")
            if not line:
                if comm is not None:
                    found[";".join([comm] + names[::-1])] += 1
                comm, names = None, []
            elif comm is None:
                comm = re.match(r"(.*?)\s+\d+ ", line).group(1).strip()
            else:
                name, module = re.match(r"\s*[0-9a-f]+ (.*) \(([^()]*(?:\([^()]*\))?[^()]*)\)$", line).groups()
                name = re.sub(r"\+0x[0-9a-f]+$", "", name)
                module = module.rsplit("/", 1)[-1]
                if name == "[unknown]":
                    name = module if module.startswith("[") else f"[{module}]"
                names.append(name)
    return found


def show(stacks):
    for path in sorted(stacks):
        print(path, stacks[path])


if __name__ == "__main__":
    what, paths = sys.argv[1], sys.argv[2:]
    if what == "check":
        check(paths)
    elif what == "total":
        print(Picture(paths[0]).data["total"])
    elif what == "names":
        print("\n".join(r[4] for r in Picture(paths[0]).rects))
    elif what == "kinds":
        d = Picture(paths[0]).data
        for name, _, kind, marks, _ in zip(*[iter(d["frames"])] * 5):
            print(kind, marks, d["names"][name])
    elif what == "fold":
        show(fold(paths[0]))
    else:
        show(Picture(paths[0]).stacks())

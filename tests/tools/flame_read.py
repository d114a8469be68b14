# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a flame graph of ours by an XML parser and folds the text of `script`, each by itself, to be compared.

    flame_read.py check FILE.svg…                all are XML, with a picture in them, and their figures add up
    flame_read.py total FILE.svg                 prints the root's width
    flame_read.py matched FILE.svg NAME…         prints for each the weight of the stacks that have the name in them
    flame_read.py part ALL.svg PART.svg LEAST    PART has what of ALL is at least so wide, all of that, and its foot counts the others
    flame_read.py names FILE.svg                 prints all names, one a line
    flame_read.py kinds FILE.svg                 prints kind, marks (numbers of model/flame.h) and name of all frames
    flame_read.py fold SCRIPT.txt                prints folded stacks of the text
    flame_read.py stacks FILE.svg                prints folded stacks of the picture, without [truncated]; what goes by where it begins
                                                 (module+0x1234) goes by its module, as in the text of `script` folded
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

    def narrow(self):
        """By index of a rectangle: what is too narrow on it, as (names, more_is_unlisted, weight)."""
        found = collections.defaultdict(list)
        for rect, *tokens in self.data.get("narrow", []):
            names, k = [], 0
            while k < len(tokens):
                cut = tokens[k] < 0
                up = ~tokens[k] if cut else tokens[k]
                names = names[:len(names) - up]
                k += 1
                while tokens[k] >= 0:
                    names.append(self.data["names"][tokens[k]])
                    k += 1
                found[rect].append((tuple(names), cut, -tokens[k]))
                k += 1
        return found

    def matched(self, name):
        """Weight of the stacks that have a name in them, drawn or too narrow."""
        inside, narrow, sum_ = set(), self.narrow(), 0
        for i, rect in enumerate(self.rects):
            if id(rect[5]) in inside:
                inside.add(id(rect))
            elif i and rect[4] == name:
                inside.add(id(rect))
                sum_ += rect[2]
            else:
                sum_ += sum(weight for names, _, weight in narrow[i] if name in names)
        return sum_

    def stacks(self):
        found = collections.Counter()
        for rect in self.rects:
            path, at = [], rect
            while at[5]:
                path.append(re.sub(r"^([^\[\]]+)\+0x[0-9a-f]+$", r"[\1]", at[4]))
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
        narrow, hidden = p.narrow(), 0
        for i, rect in enumerate(p.rects):
            missing = rect[2] - rect[3] - children[id(rect)]
            assert missing >= 0, f"{path}: {rect[4]} is less than its parts"
            # A diff's own weights are sums of its columns, not widths.
            listed = sum(weight for _, _, weight in narrow[i])
            assert missing == listed or "details" in p.data, f"{path}: {missing} of {rect[4]} are not drawn, and {listed} are listed"
            hidden += missing
        notes = "".join("".join(t.itertext()) for t in p.root.iter(SVG + "text") if t.get("class") == "note")
        assert bool(hidden) == ("too narrow" in notes) or "details" in p.data, f"{path}: {hidden} are missing, and the foot says: {notes}"


def part(all_path, part_path, least):
    def widths(picture):
        found = {}
        for rect in picture.rects:
            way, at = [], rect
            while at:
                way.append(at[4])
                at = at[5]
            found[tuple(way)] = rect[2]
        return found
    whole, some = Picture(all_path), Picture(part_path)
    everything, shown = widths(whole), widths(some)
    for way, width in everything.items():
        assert (way in shown) == (width >= least), f"{way[0]} of {width} is {'' if way in shown else 'not '}drawn"
        assert way not in shown or shown[way] == width, f"{way[0]} is {shown[way]} wide instead of {width}"
    hidden = sum(1 for way in everything if way not in shown and way[1:] in shown)
    notes = " ".join("".join(t.itertext()) for t in some.root.iter(SVG + "text") if t.get("class") == "note")
    said = re.search(r"([\d,]+) frames are too narrow", notes)
    assert hidden and said and int(said.group(1).replace(",", "")) == hidden, f"{hidden} are hidden, and the foot says: {notes}"


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


def squeeze(path):
    """Callers in no file, one after the other, are drawn once where a stack is cut."""
    return re.sub(r"(?<=;)\[unknown\](;\[unknown\])+(?=;|$)", "[unknown]", path)


def show(stacks):
    found = collections.Counter()
    for path in stacks:
        found[squeeze(path)] += stacks[path]
    for path in sorted(found):
        print(path, found[path])


if __name__ == "__main__":
    what, paths = sys.argv[1], sys.argv[2:]
    if what == "check":
        check(paths)
    elif what == "part":
        part(paths[0], paths[1], int(paths[2]))
    elif what == "total":
        print(Picture(paths[0]).data["total"])
    elif what == "matched":
        print(*map(Picture(paths[0]).matched, paths[1:]))
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

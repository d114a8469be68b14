# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of the figures, as Markdown: of one run, and of two beside each other."""
import math

NONE = "–"


def number(value, digits=1):
    return NONE if value is None else f"{value:.{digits}f}"


def lined_up(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [[cell.ljust(w) if not i else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))] for row in rows]
    lines.insert(1, ["-" * w if not i else "-" * (w - 1) + ":" for i, w in enumerate(widths)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def get(figures, part, what):
    return (figures.get(part) or {}).get(what)


STACKS = [(what, "dwarf", what) for what in ("complete", "guessed", "truncated", "broken", "unresolved")]
FRAMES = [("= perf", "frames", "equal"), ("longer", "frames", "longer"), ("shorter", "frames", "shorter"), ("other", "frames", "other")]
MORE = [("names", "frames", "names_equal"), ("truth", "truth", "names")]
FP = [(f"fp {what}", "fp", what) for what in ("complete", "broken")]
COLUMNS = STACKS + FRAMES + MORE + FP


def one(classes):
    rows = [("program", "samples", *(title for title, _, _ in COLUMNS))]
    skipped = []
    for key, figures in classes.items():
        if "skipped" in figures:
            skipped.append(f"{key}: {figures['skipped']}")
            continue
        rows.append((key, str(get(figures, "dwarf", "samples") or NONE), *(number(get(figures, part, what)) for _, part, what in COLUMNS)))
        skipped += [f"{key}: {note}" for note in figures.get("notes", [])]
    return lined_up(rows) + "".join(f"\n{line}" for line in ["", *skipped] if skipped)


def times(classes):
    rows = [("program", "alone s", "assay", "perf", "recorder CPU s", "first", "perf's CPU s", "CPU ratio", "")]
    for key, figures in classes.items():
        t = figures.get("time")
        if not t:
            continue
        ratio = t["cpu_assay"] / max(t["cpu_perf"], 0.001)
        slower = t["wall_assay"] > t["wall_perf"] * 1.02
        marks = ("WALL " if slower else "") + ("CPU" if ratio > 1 else "")
        rows.append((key, number(t["wall_none"], 2), f"{t['wall_assay'] / t['wall_none']:.2f}×", f"{t['wall_perf'] / t['wall_none']:.2f}×",
                     number(t["cpu_assay"], 3), number(t["cpu_assay_first"], 3), number(t["cpu_perf"], 3), f"{ratio:.2f}", marks.strip()))
    return lined_up(rows) if len(rows) > 1 else ""


def margin(share, samples):
    """What two runs of the same thing may differ by, in points: three standard deviations, at least one point."""
    p = min(max(share / 100, 0.01), 0.99)
    return max(1.0, 300 * math.sqrt(2 * p * (1 - p) / max(samples, 1)))


def found(figures, part):
    """Stacks that reach an outermost function, on whatever way."""
    complete = get(figures, part, "complete")
    return None if complete is None else complete + (get(figures, part, "guessed") or 0)


def agreed(figures):
    equal = get(figures, "frames", "equal")
    return None if equal is None else equal + get(figures, "frames", "longer")


def worse(before, after):
    """What got worse, in words. Raw stacks are the same in both: there, half a point is no noise. Where the right
    names are known, they decide: perf's may be wrong, and no names are better than wrong ones."""
    result = []
    nr = min(get(before, "dwarf", "samples") or 0, get(after, "dwarf", "samples") or 0)

    def check(what, b, a, limit, sign):
        if b is not None and (a is None or sign * (b - a) > limit):
            result.append(what)

    for part, label in (("dwarf", "complete"), ("fp", "fp complete")):
        b = found(before, part)
        check(label, b, found(after, part), margin(b or 0, nr), 1)
    check("frames", agreed(before), agreed(after), 0.5, 1)
    truth, unresolved = get(before, "truth", "names"), get(before, "dwarf", "unresolved")
    if truth is not None:
        check("truth", truth, get(after, "truth", "names"), margin(truth, nr), 1)
    else:
        check("unresolved", unresolved, get(after, "dwarf", "unresolved"), margin(unresolved or 0, nr), -1)
        check("names", get(before, "frames", "names_equal"), get(after, "frames", "names_equal"), 0.5, 1)
    return result


def change(before, after):
    b, a = number(before), number(after)
    return b if b == a else f"{b} → {a}"


def two(before, after):
    """The table, and the programs that got worse."""
    columns = STACKS + FRAMES + MORE
    rows = [("program", *(title for title, _, _ in columns), "worse")]
    bad = []
    for key in [*before, *(k for k in after if k not in before)]:
        b, a = before.get(key, {}), after.get(key, {})
        if not b.get("dwarf") and not a.get("dwarf"):
            continue
        marks = ["not measured"] if not a.get("dwarf") else worse(b, a)
        rows.append((key, *(change(get(b, part, what), get(a, part, what)) for _, part, what in columns), ", ".join(marks)))
        if marks:
            bad.append(f"{key}: {', '.join(marks)}")
    return lined_up(rows), bad

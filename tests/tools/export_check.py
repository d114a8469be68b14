#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads one recording's exports, each with a small reader of its own, checks what their formats ask for, and compares them all.

Usage: export_check.py PREFIX [--names] [--report JSON]
  reads PREFIX.folded (made --with tid), .pprof, .firefox, .speedscope, .chrome, .callgrind and .csv. CSV, which has everything, is what
  the others are compared with: numbers of samples, sums of periods, and stack by stack what they say about those.
  --names        there are no hostile names: stacks must be the same word by word
  --report JSON  `assay report --json --sort sym` of the same recording, without inlined functions: self and children must be the same
"""
import argparse
import collections
import csv
import gzip
import json
import os
import sys

csv.field_size_limit(1 << 30)


def check(right, *what):
    if not right:
        sys.exit("export_check: " + " ".join(str(w) for w in what))


def add(table, key, nr, period):
    known = table.setdefault(key, [0, 0])
    known[0] += nr
    known[1] += period


# ---- readers: each gives {(event or None, pid, tid, stack): [samples, period]}; None where a format has no such figure ----

def read_csv(path):
    table = {}
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as text:
        rows = csv.DictReader(text)
        last = -1.0
        for row in rows:
            check(None not in row and None not in row.values(), path, "has a row of another length:", row)
            time = float(row["time"] or 0)  # imports may have none
            check(time >= last, path, "goes back in time at", row["time"])
            last = time
            check(int(row["ip"], 16) >= 0, path)
            add(table, (row["event"], int(row["pid"]), int(row["tid"]), tuple(row["stack"].split(";"))), 1, int(row["period"]))
    return table


def read_folded(path, many_events):
    table, lines = {}, []
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        for line in text:
            stack, _, count = line.rstrip("\n").rpartition(" ")
            frames = stack.split(";")
            event = frames.pop(0) if many_events else None
            pid, tid = frames[0].rsplit("-", 1)[1].split("/")
            add(table, (event, int(pid), int(tid), tuple(frames[1:])), int(count), 0)
            lines.append(frames if not many_events else [event] + frames)
    check(lines == sorted(lines) or many_events, path, "is not sorted")
    check(len(lines) == len(set(map(tuple, lines))), path, "has a stack twice")
    return table


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0
    check(not shift, "a number ends in the middle")


def fields(data):
    """(number, value) of each field of a message; bytes stay bytes."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(data):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
        else:
            check(tag & 7 == 2, "wire type", tag & 7)
            size = number()
            check(at + size <= len(data), "a field is cut off")
            yield tag >> 3, data[at:at + size]
            at += size


def message(data):
    return dict(fields(data))


def read_pprof(path):
    with gzip.open(path) as file:
        profile = list(fields(file.read()))
    strings = [value.decode("utf-8") for field, value in profile if field == 6]  # strict: hostile names are valid UTF-8 here, too
    check(strings[0] == "", path, "string 0 is", strings[0])
    types = [(strings[message(value)[1]], strings[message(value)[2]]) for field, value in profile if field == 1]
    check(types[0] == ("samples", "count"), path, types)
    functions = {}
    for field, value in profile:
        if field == 5:
            f = message(value)
            functions[f[1]] = strings[f.get(2, 0)]
            check(strings[f.get(3, 0)], path, "function without a system name")
    mappings = {}
    for field, value in profile:
        if field == 3:
            m = message(value)
            check(m.get(2, 0) < m[3], path, "mapping without room", m)
            mappings[m[1]] = (strings[m.get(5, 0)], m.get(2, 0), m[3])
    locations = {}
    for field, value in profile:
        if field != 4:
            continue
        location = list(fields(value))
        one = dict(location)
        names = [functions[message(line)[1]] for number, line in location if number == 4]
        if 2 in one:
            name, start, limit = mappings[one[2]]
            check(start <= one.get(3, 0) < limit, path, "address outside of its mapping", one)
            base = name if name.startswith("[") else "[" + os.path.basename(name) + "]"
        else:
            base = "[unknown]"
        check(one[1] not in locations, path, "a location twice")
        locations[one[1]] = names or [base]
    table = {}
    for field, value in profile:
        if field != 2:
            continue
        sample = list(fields(value))
        one = dict(sample)
        labels = {}
        for number, label in sample:
            if number == 3:
                label = message(label)
                labels[strings[label[1]]] = strings[label[2]] if 2 in label else label.get(3, 0)
        inner_first = [name for location in varints(one[1]) for name in locations[location]]
        values = list(varints(one[2]))
        check(len(values) == len(types), path, "values and types differ in number")
        add(table, (labels.get("event"), labels["pid"], labels["tid"], tuple(reversed(inner_first))), values[0], sum(values[1:]))
    comments = [strings[value] for field, value in profile if field == 13]
    check(any(c.startswith("quality: ") for c in comments), path, "does not say how good it is")
    return table


def columns(table, name):
    nr = table["length"]
    for key, column in table.items():
        check(key == "length" or column is None or isinstance(column, str) or len(column) == nr, name, key, "is of another length")
    return nr


def read_firefox(path, many_events):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    meta, shared = profile["meta"], profile["shared"]
    check(meta["preprocessedProfileVersion"] == 60 and meta["symbolicated"] is True, path, meta)
    check(any(e["label"] == "quality" for e in meta["extra"][0]["entries"]), path, "does not say how good it is")
    strings, stacks, frames, funcs = shared["stringArray"], shared["stackTable"], shared["frameTable"], shared["funcTable"]
    nr = {name: columns(shared[name], name) for name in ("stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "sources")}

    def below(column, limit, what):
        check(all(v is None or -1 <= v < limit for v in column), path, what, "points outside")
    below(stacks["frame"], nr["frameTable"], "stackTable.frame")
    below(frames["func"], nr["funcTable"], "frameTable.func")
    below(frames["nativeSymbol"], nr["nativeSymbols"], "frameTable.nativeSymbol")
    below(frames["category"], len(meta["categories"]), "frameTable.category")
    below(funcs["name"], len(strings), "funcTable.name")
    below(funcs["resource"], nr["resourceTable"], "funcTable.resource")
    below(funcs["source"], nr["sources"], "funcTable.source")
    below(shared["resourceTable"]["lib"], len(profile["libs"]), "resourceTable.lib")
    below(shared["resourceTable"]["name"], len(strings), "resourceTable.name")
    below(shared["nativeSymbols"]["libIndex"], len(profile["libs"]), "nativeSymbols.libIndex")
    below(shared["nativeSymbols"]["name"], len(strings), "nativeSymbols.name")
    below(shared["sources"]["filename"], len(strings), "sources.filename")
    check(all(a == -1 or 0 <= a < 1 << 53 for a in frames["address"]), path, "an address does not fit")
    known = [()]  # a parent stands before its children
    for i in range(nr["stackTable"]):
        prefix = stacks["prefix"][i]
        check(prefix is None or prefix < i, path, "a stack stands before its caller")
        known.append(known[0 if prefix is None else prefix + 1] + (strings[funcs["name"][frames["func"][stacks["frame"][i]]]],))
    table = {}
    for thread in profile["threads"]:
        samples = thread["samples"]
        columns(samples, "samples")
        columns(thread["markers"], "markers")
        check(samples["time"] == sorted(samples["time"]), path, "goes back in time")
        check(isinstance(thread["pid"], str) and samples["weight"] is None and samples["weightType"] == "samples", path, "thread")
        event = thread["name"].rsplit(" (", 1)[1].rstrip(")") if many_events else None
        for stack in samples["stack"]:
            add(table, (event, int(thread["pid"]), thread["tid"], known[stack + 1]), 1, 0)
    return table


def read_speedscope(path, many_events):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    check(profile["$schema"] == "https://www.speedscope.app/file-format-schema.json", path)
    check(0 <= profile["activeProfileIndex"] < max(1, len(profile["profiles"])), path)
    check("quality" in profile["assay"], path, "does not say how good it is")
    names = [frame["name"] for frame in profile["shared"]["frames"]]
    table = {}
    for p in profile["profiles"]:
        check(p["type"] == "sampled" and p["unit"] in ("nanoseconds", "none"), path, p["type"], p["unit"])
        check(len(p["samples"]) == len(p["weights"]) and p["endValue"] == sum(p["weights"]) and p["startValue"] == 0, path, p["name"])
        name, event = p["name"], None
        if many_events:
            name, _, event = name.rpartition(" (")
            event = event.rstrip(")")
        pid, _, tid = name.rpartition(" ")[2].partition("/")
        for stack, weight in zip(p["samples"], p["weights"]):
            check(all(0 <= frame < len(names) for frame in stack), path, "a frame that is not there")
            add(table, (event, int(pid), int(tid or pid), tuple(names[frame] for frame in stack)), 0, weight)
    return table


def read_chrome(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    check("quality" in trace["otherData"], path, "does not say how good it is")
    known = {}
    for key, frame in trace["stackFrames"].items():  # a parent stands before its children
        known[int(key)] = (known[frame["parent"]] if "parent" in frame else ()) + (frame["name"],)
    table, slices = {}, collections.defaultdict(list)
    for s in trace["samples"]:
        add(table, (s["name"], s["pid"], s["tid"], known[s["sf"]]), 1, s["weight"])
    threads = set()
    for e in trace["traceEvents"]:
        if e["ph"] == "M":
            check(e["name"] in ("process_name", "thread_name") and isinstance(e["args"]["name"], str), path, e)
            if e["name"] == "thread_name":
                check((e["pid"], e["tid"]) not in threads, path, "a thread is named twice:", e)
                threads.add((e["pid"], e["tid"]))
        else:
            check(e["ph"] == "X" and e["dur"] >= 0, path, e)
            slices[e["pid"], e["tid"]].append((round(e["ts"] * 1000), -round((e["ts"] + e["dur"]) * 1000)))
    check(threads == {(pid, tid) for _, pid, tid, _ in table}, path, "names of threads")
    for thread, list_ in slices.items():
        check(thread in threads, path, "a slice of no thread")
        stack = []
        for start, end in sorted(list_):
            while stack and stack[-1] <= start + 1:
                stack.pop()
            check(not stack or -end <= stack[-1] + 1, path, "slices do not nest at", start)
            stack.append(-end)
    return table


def read_callgrind(path):
    """{name: [self, inclusive]}, costs in the order of events, summed over files and objects; and the totals. Inclusive is, as readers have it,
    what a function's callers paid for it."""
    own, inclusive, names = {}, {}, {}
    totals = summary = events = function = called = None
    calls = False

    def pay(table, name, numbers):
        check(len(numbers) == len(events), path, "another number of costs for", name)
        table[name] = [a + b for a, b in zip(table.get(name, [0] * len(events)), numbers)]
    with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        for line in text:
            line = line.rstrip("\n")
            key, eq, value = line.partition("=")
            if line.startswith("events: "):
                events = line.split()[1:]
            elif line.startswith(("summary:", "totals:")):
                numbers = [int(v) for v in line.split()[1:]]
                summary, totals = (numbers, totals) if line[0] == "s" else (summary, numbers)
            elif eq and key in ("fn", "cfn"):
                number, _, name = value.partition(" ")
                if name:
                    check(number not in names, path, "a name twice:", line)
                    names[number] = name
                function, called = (names[number], None) if key == "fn" else (function, names[number])
            elif eq and key == "calls":
                calls = True
            elif line and line[0].isdigit():
                pay(inclusive if calls else own, called if calls else function, [int(v) for v in line.split()[1:]])
                calls = False
    check(totals == summary and events[-1] == "Samples", path, "totals")
    check([sum(c[i] for c in own.values()) for i in range(len(events))] == totals, path, "self costs are not the total")
    nothing = [0] * len(events)
    return {name: [own.get(name, nothing), inclusive.get(name, nothing)] for name in own.keys() | inclusive.keys()}, totals


# ---- comparing ----

def without_event(table):
    result = {}
    for (_, pid, tid, stack), (nr, period) in table.items():
        add(result, (pid, tid, stack), nr, period)
    return result


def same(what, truth, other, figures, names):
    for figure in figures:
        a, b = sum(v[figure] for v in truth.values()), sum(v[figure] for v in other.values())
        check(a == b, what, ("samples", "periods")[figure], "sum up to", b, "instead of", a)
    if not names:
        return
    if any(key[0] is None for key in other):
        truth, other = without_event(truth), without_event(other)
    for figure in figures:
        a, b = ({key: v[figure] for key, v in t.items()} for t in (truth, other))
        for key in a.keys() | b.keys():
            check(a.get(key) == b.get(key), what, key, b.get(key), "instead of", a.get(key))


def self_and_total(truth):
    """{name: [self, total]} of samples; a function counts once in a stack."""
    result = collections.defaultdict(lambda: [0, 0])
    for (_, _, _, stack), (nr, _) in truth.items():
        result[stack[-1]][0] += nr
        for name in set(stack):
            result[name][1] += nr
    return result


def compare_callgrind(path, truth):
    cost, totals = read_callgrind(path)
    check(totals[-1] == sum(v[0] for v in truth.values()), path, "samples", totals)
    check(sum(totals[:-1]) == sum(v[1] for v in truth.values()), path, "periods", totals)
    return cost


def compare_names_of_callgrind(path, cost, truth):
    for name, (own, total) in self_and_total(truth).items():
        check(name in cost, path, name, "is missing")
        check(cost[name][0][-1] == own, path, name, "self", cost[name][0][-1], "instead of", own)
        # functions of one name in several files call one another
        check(cost[name][1][-1] >= total, path, name, "total", cost[name][1][-1], "instead of", total)
    over = sum(cost[name][1][-1] - total for name, (_, total) in self_and_total(truth).items())
    check(over <= 0.02 * sum(v[0] for v in truth.values()), path, "inclusive costs are too large by", over)


def compare_report(path, truth):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    ours = collections.defaultdict(lambda: [0, 0])
    for (event, _, _, stack), (_, period) in truth.items():
        ours[event, stack[-1]][0] += period
        for name in set(stack):
            ours[event, name][1] += period
    nr = 0
    for event in report["events"]:
        rows = collections.defaultdict(list)
        for e in event["entries"]:
            if "symbol" in e:
                rows[e["symbol"]].append(e)
        for name, entries in rows.items():
            own, total = ours[event["name"], name]
            nr += 1
            check(sum(e["self"]["period"] for e in entries) == own, "report:", name, "self", entries, "instead of", own)
            if len(entries) == 1:  # functions of one name are several rows
                check(entries[0]["children"]["period"] == total, "report:", name, "children", entries, "instead of", total)
    return nr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--report")
    args = parser.parse_args()
    prefix = args.prefix
    truth = read_csv(prefix + ".csv")
    check(truth, "there are no samples")
    many = len({key[0] for key in truth}) > 1
    same("folded:", truth, read_folded(prefix + ".folded", many), [0], args.names)
    same("pprof:", truth, read_pprof(prefix + ".pprof"), [0, 1], args.names)
    same("firefox:", truth, read_firefox(prefix + ".firefox", many), [0], args.names)
    same("speedscope:", truth, read_speedscope(prefix + ".speedscope", many), [1], args.names)
    same("chrome:", truth, read_chrome(prefix + ".chrome"), [0, 1], args.names)
    cost = compare_callgrind(prefix + ".callgrind", truth)
    if args.names:
        compare_names_of_callgrind(prefix + ".callgrind", cost, truth)
    nr_rows = compare_report(args.report, truth) if args.report else 0
    samples = sum(v[0] for v in truth.values())
    print(f"{samples} samples, {len(truth)} stacks, {nr_rows} rows of the report")


if __name__ == "__main__":
    main()

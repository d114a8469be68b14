#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares what other programs print of our exports with our own figures.

Usage: export_read_by.py pprof TEXT CSV             `go tool pprof -top` of samples
       export_read_by.py pprof-report TEXT JSON     `go tool pprof -top` of nanoseconds; `assay report --json --sort sym`
       export_read_by.py callgrind SELF INCLUSIVE CSV
       export_read_by.py speedscope JSON CSV        what speedscope_import.js prints
       export_read_by.py firefox JSON CSV           `profiler-cli thread functions --json`
       export_read_by.py firefox-states STATES LOST  `profiler-cli profile markers --json` of make_timechart.py states and make_sched.py lost
       export_read_by.py callgrind-sums, firefox-sums …  the same of imported sums, which count by their weight

Every function that has a name must be there with the same self and total; CSV is that of `assay export --format csv`.
"""
import collections
import json
import re
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))
import export_check


def truth_of(path):
    """{name: [self samples, total samples, self period, total period]}"""
    result = collections.defaultdict(lambda: [0, 0, 0, 0])
    for (_, _, _, stack), (nr, period) in export_check.read_csv(path).items():
        result[stack[-1]][0] += nr
        result[stack[-1]][2] += period
        for name in set(stack):
            result[name][1] += nr
            result[name][3] += period
    return {name: figures for name, figures in result.items() if not name.startswith("[")}


def compare(truth, theirs, least=0):
    """Names below `least` may be missing."""
    nr = 0
    for name, (own, total) in truth.items():
        if name not in theirs:
            export_check.check(total <= least, name, "is missing")
            continue
        nr += 1
        export_check.check(theirs[name] == [own, total], name, "has", theirs[name], "instead of", [own, total])
    export_check.check(nr >= 3, "only", nr, "functions were compared")


def read_top(path):
    theirs = {}
    with open(path, encoding="utf-8") as text:
        for line in text:
            m = re.match(r"\s*(\d+)(?:ns)?\s+[\d.]+%\s+[\d.]+%\s+(\d+)(?:ns)?\s+[\d.]+%\s+(.*)$", line)
            if m:
                theirs[re.sub(r" \((partial-)?inline\)$", "", m[3])] = [int(m[1]), int(m[2])]
    return theirs


def read_annotated(path):
    """{function: samples}, which are the last column; of sums there is no other."""
    theirs = collections.Counter()
    with open(path, encoding="utf-8") as text:
        for line in text:
            m = re.match(r"\s*(?:(?:[\d,]+|\.)(?: \([^)]*\))?\s+)?([\d,]+|\.)(?: \([^)]*\))?  \S*?:(.*?) \[.*\]$", line)
            if m and m[1] != ".":
                theirs[m[2]] += int(m[1].replace(",", ""))
    return theirs


def read_markers(path):
    """{(process, number of its thread): [(begin ms, length ms, name, category, fields)]}"""
    threads = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for m in json.load(file)["markers"]:
            threads[m["processName"], m["threadName"].split(" (")[0]].append((m["start"], m["duration"], m["name"], m["category"], m.get("data") or {}))
    return {thread: sorted(spans, key=lambda span: span[:3]) for thread, spans in threads.items()}


def compare_states(states, lost):
    truth = {
        ("one", "one"): [(0, 10, "running", "Running", {"cpu": 0}), (10, 8, "sleeping (S)", "Blocked", {}),
                         (18, 2, "runnable (woken)", "Runnable", {"waker": "swapper"}), (20, 10, "running", "Running", {"cpu": 0}),
                         (30, 30, "runnable (preempted)", "Runnable", {}), (60, 20, "running", "Running", {"cpu": 0}),
                         (80, 20, "blocked (D)", "Blocked", {})],
        ("two", "two"): [(25, 5, "runnable (woken)", "Runnable", {"waker": "one"}), (30, 30, "running", "Running", {"cpu": 0}),
                         (60, 40, "sleeping (S)", "Blocked", {})],
        ("CPUs", "CPU 1"): [(50, 40, "running", "Running", {"task": "three", "tid": 13})],
    }
    found = read_markers(states)
    export_check.check(sorted(found) == [("CPUs", "CPU 0"), ("CPUs", "CPU 1"), ("one", "one"), ("three", "three"), ("two", "two")], sorted(found))
    for thread, spans in truth.items():
        export_check.check(found[thread] == spans, thread, "has", found[thread])
    # Records of CPU 0 are lost at 2 ms: what its tasks do then is not known.
    at = [(begin, begin + length, name) for begin, length, name, *_ in read_markers(lost)["task13", "task13"]]
    export_check.check((0, 1, "running") in at and not any(begin < 2 < end for begin, end, _ in at), "a hole was filled:", at)


def main():
    how, *paths = sys.argv[1:]
    if how == "firefox-states":
        compare_states(*paths)
        return
    if how == "pprof-report":
        with open(paths[1], encoding="utf-8") as file:
            entries = json.load(file)["events"][0]["entries"]
        rows = collections.Counter(e.get("symbol") for e in entries)
        truth = {e["symbol"]: [e["self"]["period"], e["children"]["period"]] for e in entries if "symbol" in e and rows[e["symbol"]] == 1}
        compare(truth, read_top(paths[0]))
        return
    truth = truth_of(paths[-1])
    sums = {name: figures[2:] for name, figures in truth.items()}
    samples = sums if how.endswith("-sums") else {name: figures[:2] for name, figures in truth.items()}
    how = how.removesuffix("-sums")
    if how == "pprof":
        compare(samples, read_top(paths[0]))
    elif how == "callgrind":
        own, inclusive = read_annotated(paths[0]), read_annotated(paths[1])
        compare(samples, {name: [own[name], inclusive[name]] for name in inclusive}, least=max(v[1] for v in samples.values()) / 100)
    elif how == "speedscope":
        theirs = collections.defaultdict(lambda: [0, 0])
        with open(paths[0], encoding="utf-8") as file:
            for profile in json.load(file)["profiles"]:
                for name, frame in profile["frames"].items():
                    theirs[name][0] += frame["self"]
                    theirs[name][1] += frame["total"]
        compare(sums, theirs)
    elif how == "firefox":
        theirs = collections.defaultdict(lambda: [0, 0])
        with open(paths[0], encoding="utf-8") as file:
            for f in json.load(file)["functions"]:
                theirs[f["name"]][0] += f["selfSamples"]
                theirs[f["name"]][1] += f["totalSamples"]
        compare(samples, theirs)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the spans of a time chart with the events as `perf script -F tid,cpu,time,event,trace --ns` prints them.

Usage: timechart_compare.py tasks|io SVG TEXT. Runs are worked out here from switches alone, per CPU; calls from their two events, per thread.
"""
import collections
import re
import sys

import timechart_svg

LINE = re.compile(r"^\s*(-?\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+([\w:]+):\s*(.*)$")
KINDS = {"read": "read", "pread64": "read", "readv": "read", "preadv": "read", "preadv2": "read", "write": "write", "pwrite64": "write", "writev": "write",
         "pwritev": "write", "pwritev2": "write", "sync": "sync", "sync_file_range": "sync", "fsync": "sync", "fdatasync": "sync", "msync": "sync",
         "recvfrom": "receive", "recvmmsg": "receive", "recvmsg": "receive", "sendto": "transmit", "sendmsg": "transmit", "sendmmsg": "transmit"}


def events(path):
    with open(path, encoding="utf-8", errors="replace") as lines:
        found = [LINE.match(line) for line in lines]
    return sorted(((int(m[3]) * 10**9 + int(m[4]), int(m[1]), int(m[2]), m[5], m[6]) for m in found if m), key=lambda e: e[0])


def runs_of(path):
    """(tid, cpu) → runs whose begin and end were seen, where the task that leaves is the one that came."""
    current, runs = {}, collections.defaultdict(set)
    for time, _, cpu, event, text in events(path):
        if event != "sched:sched_switch":
            continue
        pids = re.findall(r"(?:prev_pid=|next_pid=)(\d+)", text) or re.findall(r":(\d+) \[\d+\]", text)
        prev, following = int(pids[0]), int(pids[1])
        if cpu in current and current[cpu][0] == prev and time > current[cpu][1]:
            runs[prev, cpu].add((current[cpu][1], time))
        current[cpu] = following, time
    return runs


def calls_of(path):
    begun, calls = {}, collections.defaultdict(set)
    for time, tid, _, event, _ in events(path):
        m = re.match(r"syscalls:sys_(enter|exit)_(\w+)", event)
        if not m or m[2] not in KINDS:
            continue
        if m[1] == "enter":
            begun[tid, m[2]] = time
        elif (tid, m[2]) in begun:
            begin = begun.pop((tid, m[2]))
            if time > begin:
                calls[tid, KINDS[m[2]]].add((begin, time))
    return calls


def main():
    kind, svg, text = sys.argv[1:]
    start = int(timechart_svg.load(svg)["from"])
    want = runs_of(text) if kind == "tasks" else calls_of(text)
    got = collections.defaultdict(set)
    for label, row, spans in timechart_svg.rows(svg):
        if row not in ("task", "io"):
            continue
        tid = int(label.rsplit(" ", 1)[1])
        for begin, end, state, value, _ in spans:
            key = (tid, value) if kind == "tasks" else (tid, state)
            if state == "running" or kind == "io":
                got[key].add((start + begin, start + end))
    nr = missing = 0
    for key, parts in want.items():
        if key[0] == 0:
            continue
        nr += len(parts)
        lost = parts - got[key]
        missing += len(lost)
        for part in sorted(lost)[:3]:
            print(f"not in the chart: {key} {part}")
    # The run at hand when recording ended, and nothing else, may be more than the events have.
    last = max(end for parts in got.values() for _, end in parts)
    made_up = [(key, part) for key, parts in got.items() for part in parts
               if kind == "tasks" and part not in want.get(key, ()) and part[1] != last]
    for key, part in made_up[:3]:
        print(f"made up: {key} {part}")
    print(f"NOTE: {svg}: {nr} {'runs' if kind == 'tasks' else 'calls'}, {missing} missing, {len(made_up)} made up")
    return 1 if not nr or missing or made_up else 0


if __name__ == "__main__":
    sys.exit(main())

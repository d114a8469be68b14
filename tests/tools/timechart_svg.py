# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the spans of a time chart's SVG file, as its script does, for tests that compare them.

rows(path) gives a list of (label, [(begin_ns, end_ns, state, value, shares)]), times since the first one; labels as in the page.
"""
import base64
import json
import re
import sys
import xml.etree.ElementTree as tree

STATES = ["unknown", "running", "woken", "preempted", "S", "D", "I", "stopped", "parked", "idle", "cstate", "frequency", "read", "write", "sync", "transmit",
          "receive", "poll", "on disk", "on futex", "on network", "on pipe", "on timer", "on fault", "on poll", "on other", "mixed"]
WITH_VALUE = {"running", "woken", "cstate", "frequency", "read", "write", "sync", "transmit", "receive", "poll"}


def spans(text):
    data, at, now, found = base64.b64decode(text), 0, 0, []

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(data):
        head = number()
        state, value, shares = STATES[head & 31], None, None
        now += number() if head & 32 else 0
        begin, now = now, now + number()
        if state in WITH_VALUE:
            value = number()
        if state in STATES[12:18]:
            value = value, number(), bool(head & 64)
        if state == "mixed":
            value, nr = number(), number()
            shares = {STATES[number()]: number() for _ in range(nr)}
        found.append((begin, begin + (now - begin), state, value, shares))
    return found


def load(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    tree.fromstring(text)
    return json.loads(re.search(r'<script type="application/json"><!\[CDATA\[(.*?)\]\]></script>', text, re.S).group(1))


def rows(path):
    page = load(path)
    task = lambda i: f"{page['tasks'][3 * i]} {page['tasks'][3 * i + 1]}"
    kinds = {"cpu": "CPU", "power": "C-state of", "frequency": "MHz of"}
    found = []
    for row in page["rows"]:
        label = f"{kinds[row['kind']]} {row['key']}" if row["kind"] in kinds else task(row["key"])
        named = []
        for begin, end, state, value, shares in spans(row["spans"]):
            if state == "running" and row["kind"] == "cpu":
                value = task(value)
            if state == "woken":
                value = task(value - 1) if value else None
            named.append((begin, end, state, value, shares))
        found.append((label, row["kind"], named))
    return found


if __name__ == "__main__":
    for label, kind, row in rows(sys.argv[1]):
        print(f"{label} ({kind})")
        for begin, end, state, value, shares in row:
            print(f"  {begin} {end} {state} {value}{' ' + str(shares) if shares else ''}")

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What perf's help lists: options of commands, sort keys of report, fields of script, scripts.

Usage: perf_options.py [PERF…]; prints a line each: `COMMAND -x --long`, `key NAME`, `field NAME`,
`run NAME`. perf_options.list holds what perf 6.1 and 7.2 print, sorted and merged.
"""
import re
import subprocess
import sys

COMMANDS = ["record", "stat", "report", "script", "diff", "list", "evlist", "version", "top"]
OPTION = re.compile(r"^\s{4,8}(?:(-[^-\s])(?:, |\s|$))?\s*(?:--(?:\[no-\])?([\w-]+))?")


def help_of(perf, *words):
    run = subprocess.run([*perf, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return (run.stdout + run.stderr).splitlines()


def options(perf, command):
    for line in help_of(perf, command, "-h"):
        m = OPTION.match(line)
        if m and (m.group(1) or m.group(2)):
            print(command, m.group(1) or "-", "--" + m.group(2) if m.group(2) else "-")


def sort_keys(perf):
    text = " ".join(help_of(perf, "report", "-h"))
    m = re.search(r"sort by key\(s\): (.*?)\s+-S, --symbols", text)
    for key in sorted(set(re.sub(r"\s+", " ", m.group(1)).split())) if m else []:
        print("key", key)


def fields(perf):
    m = re.search(r"Fields: ([\w,-]+)", " ".join(help_of(perf, "script", "-h")))
    for field in m.group(1).split(",") if m else []:
        print("field", field)


def scripts(perf):
    for line in help_of(perf, "script", "-l"):
        if re.match(r"^ {2}\S", line):
            print("run", line.split()[0])


def main():
    perf = sys.argv[1:] or ["perf"]
    for command in COMMANDS:
        options(perf, command)
    sort_keys(perf)
    fields(perf)
    scripts(perf)


main()

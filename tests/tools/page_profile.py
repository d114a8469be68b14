#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the packed profile of a page of `assay view`, as its script does, and prints a line of what is in it.

Usage: page_profile.py FILE
"""
import base64
import gzip
import json
import re
import sys


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def skip(self, nr):
        """Numbers that are not looked at."""
        for _ in range(nr):
            while self.data[self.at] >= 128:
                self.at += 1
            self.at += 1


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        packed = re.search(r'id="profile">([^<]*)<', f.read()).group(1)
    r = Reader(gzip.decompress(base64.b64decode(packed)))
    size = r.number()
    about = json.loads(r.data[r.at:r.at + size])
    r.at += size
    r.skip(4 * about["frames"] + 2 * (about["nodes"] - 1) + 7 * about["rows"])
    counts = [r.number() for _ in range(about["rows"])]
    r.skip(about["rows"] + 4 * about["gaps"] + 5 * about["spans"])
    assert r.at == len(r.data), f"{len(r.data) - r.at} bytes are left"
    print(f"rows {about['rows']} samples {sum(counts)} merged {about['merged']} gaps {about['gaps']} spans {about['spans']}")


main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixed work: recursion, regular expressions, sorting with a key, dictionaries, big numbers. usage: work.py ROUNDS"""
import re
import sys


def nested(depth, data):
    return nested(depth - 1, data) + 1 if depth else len(re.findall(r"(\w+)-(\d+)", data))


def main():
    data = " ".join("word-%d" % i for i in range(200))
    for _ in range(int(sys.argv[1])):
        nested(8, data)
        sorted(range(2000), key=lambda x: -x % 97)
        {str(i): [i] * 3 for i in range(1000)}
        pow(3, 2000) % 1000007


main()

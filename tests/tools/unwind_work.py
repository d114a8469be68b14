# SPDX-License-Identifier: GPL-2.0-or-later
"""What python3 does in unwind_vs_perf.sh: deep calls, regular expressions, sorting with a key, dictionaries, big numbers."""
import re
import sys
import time


def deep(n, data):
    return deep(n - 1, data) + 1 if n else len(re.findall(r"(\w+)-(\d+)", data))


def main():
    end = time.monotonic() + float(sys.argv[1])
    data = " ".join(f"word-{i}" for i in range(200))
    while time.monotonic() < end:
        deep(6, data)
        sorted(range(2000), key=lambda x: -x % 97)
        {str(i): [i] * 3 for i in range(1000)}
        pow(3, 2000) % 1000007


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bounded.py SECONDS MB NAME COMMAND…: fails where the command takes more CPU time or memory, or dies of a signal. Adds what it took to the
file "figures": NAME:SECONDS:MB. The command has our stdin, stdout and stderr."""
import os
import resource
import subprocess
import sys

seconds, mb, name, argv = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2, int(seconds) + 2))
    resource.setrlimit(resource.RLIMIT_AS, (mb << 23, mb << 23))  # so that a failure does no harm


process = subprocess.Popen(argv, preexec_fn=limit)
_, status, usage = os.wait4(process.pid, 0)
took, used = usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024
with open("figures", "a") as f:
    print(f"{name}:{took:.1f}:{used}", file=f)
if os.WIFSIGNALED(status) or took > seconds or used > mb:
    sys.exit(f"{name}: {took:.1f} s of CPU and {used} MB, wait status {status}: {' '.join(argv)}")

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bounded.py SECONDS MB NAME COMMAND…: fails where the command takes more CPU time or memory, or dies of a signal. Adds what it took to the
file "figures": NAME:SECONDS:MB. The command has our stdin, stdout and stderr. It is killed at twice the memory; address space is not limited,
because a reader that is refused gigabytes looks like one that never asked for them."""
import os
import re
import resource
import signal
import subprocess
import sys
import time

seconds, mb, name, argv = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2, int(seconds) + 2))


def resident_mb(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            found = re.search(r"VmRSS:\s*(\d+) kB", f.read())
    except OSError:
        found = None
    return int(found[1]) // 1024 if found else 0


process = subprocess.Popen(argv, preexec_fn=limit)
while True:
    pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    if pid:
        break
    if resident_mb(process.pid) > 2 * mb:
        process.send_signal(signal.SIGKILL)
    time.sleep(0.02)
took, used = usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024
with open("figures", "a") as f:
    print(f"{name}:{took:.1f}:{used}", file=f)
if os.WIFSIGNALED(status) or took > seconds or used > mb:
    sys.exit(f"{name}: {took:.1f} s of CPU and {used} MB, wait status {status}: {' '.join(argv)}")

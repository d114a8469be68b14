#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a command on a terminal of its own: on_terminal.py [--interrupt TEXT] COMMAND…

Prints what the command wrote, and exits with its status (128 + the number of a signal). With --interrupt, Ctrl-C is typed once TEXT was
written."""
import os
import pty
import sys

args, wanted = sys.argv[1:], None
if args[0] == "--interrupt":
    wanted, args = args[1].encode(), args[2:]
pid, terminal = pty.fork()
if not pid:
    os.execvp(args[0], args)
seen = b""
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:  # all who had it open are gone
        break
    seen += data
    if wanted and wanted in seen:
        os.write(terminal, b"\x03")
        wanted = None
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.stdout.write(seen.decode("utf-8", "replace").replace("\r\n", "\n"))
sys.exit(status if status >= 0 else 128 - status)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a command on a terminal of its own: on_terminal.py [--interrupt TEXT] COMMAND…

Prints what the command wrote, and exits with its status (128 + the number of a signal). With --interrupt, Ctrl-C is typed once TEXT was
written. The command is not the leader of the terminal's session: when that one dies, the kernel drops what was not read yet."""
import os
import pty
import signal
import sys

args, wanted = sys.argv[1:], None
if args[0] == "--interrupt":
    wanted, args = args[1].encode(), args[2:]
status_read, status_write = os.pipe()
all_read, all_was_read = os.pipe()
leader, terminal = pty.fork()
if not leader:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    command = os.fork()
    if not command:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp(args[0], args)
    os.close(all_was_read)
    for fd in range(3):
        os.close(fd)
    os.write(status_write, b"%d" % os.waitstatus_to_exitcode(os.waitpid(command, 0)[1]))
    os.read(all_read, 1)
    os._exit(0)
os.close(status_write)
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
status = int(os.read(status_read, 16))
os.close(all_was_read)
os.waitpid(leader, 0)
sys.stdout.write(seen.decode("utf-8", "replace").replace("\r\n", "\n"))
sys.exit(status if status >= 0 else 128 - status)

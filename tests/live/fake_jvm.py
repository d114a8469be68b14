# SPDX-License-Identifier: GPL-2.0-or-later
"""What passes for a Java virtual machine, for java_fake.sh: it maps a file named libjvm.so, and answers as it is told.

usage: fake_jvm.py deaf | mute | silent | endless | old | foreign | link | map | agent

deaf: does not catch SIGQUIT. mute: catches it and does nothing. The others listen at /tmp/.java_pidPID. silent: never answers. endless: never stops
to. old: does not know the command. foreign: another process listens. link: the map it writes is a symbolic link. map: names that
are no good for terminals. agent: it has a map open, and makes a file "asked" when it is to write another.
"""
import ctypes
import mmap
import os
import signal
import socket
import sys

kind = sys.argv[1]
pid = os.getpid()
path = "/tmp/.java_pid%d" % pid
target = "/tmp/perf-%d.map" % pid
with open("libjvm.so", "wb") as f:
    f.write(bytes(4096))
fd = os.open("libjvm.so", os.O_RDONLY)
memory = mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
if kind != "deaf":
    signal.signal(signal.SIGQUIT, lambda *_: None)


if kind == "agent":
    own = open(target, "w")
    print("1000 10 of_agent", file=own, flush=True)


def answer(c):
    request = c.recv(4096)
    if kind == "silent":
        signal.pause()
    if kind == "old":
        c.sendall(b"1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n")
        return
    c.sendall(b"0\n")
    while kind == "endless":
        c.sendall(b"x" * 65536)
    if b"perfmap" not in request:
        return
    if kind == "agent":
        open("asked", "w").close()
    if kind == "link":
        os.symlink("/etc/passwd", target)
    else:
        with open(target, "w") as m:
            m.write("zzz\n0 0 \n%x 10 \x1b[31mname\n" % 0x1000 + "ffffffffffffffff ffffffffffffffff far\n")


def listen():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.bind(path)
    os.chmod(path, 0o600)
    s.listen(5)
    return s


def serve(s):
    while True:
        c, _ = s.accept()
        try:
            answer(c)
        except OSError:
            pass
        c.close()


if kind in ("deaf", "mute"):
    print("ready", flush=True)
    while True:
        signal.pause()
elif kind == "foreign":
    ready, done = os.pipe()
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        s = listen()
        os.write(done, b"x")
        serve(s)
    os.read(ready, 1)
    print("ready", flush=True)
    signal.pause()
else:
    s = listen()
    print("ready", flush=True)
    serve(s)

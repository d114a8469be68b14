# SPDX-License-Identifier: GPL-2.0-or-later
"""Descriptors of all kinds, for trace_vs_strace.sh: sockets of several families before and after they have addresses, pipes, devices."""
import os
import select
import socket


def pair(listening, connecting, address):
    listening.bind(address)
    listening.listen(5)
    connecting.connect(listening.getsockname())
    accepted, _ = listening.accept()
    connecting.send(b"hello")
    accepted.recv(10)
    accepted.send(b"x")
    connecting.recv(3)
    connecting.shutdown(socket.SHUT_WR)
    accepted.recv(3)
    for s in accepted, connecting, listening:
        s.close()


pair(socket.socket(), socket.socket(), ("127.0.0.1", 0))
if socket.has_ipv6:
    try:
        pair(socket.socket(socket.AF_INET6), socket.socket(socket.AF_INET6), ("::1", 0))
    except OSError:
        pass
pair(socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX), "listening")
os.unlink("listening")
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.sendto(b"x", ("127.0.0.1", 9))
udp.getsockname()
udp.close()
for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET:
    a, b = socket.socketpair(socket.AF_UNIX, kind)
    a.send(b"1")
    b.recv(2)
    a.close()
    b.close()
named = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
named.bind("\0assay-abs\"tract")
named.getsockname()
named.close()
link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
link.bind((0, 0))
link.getsockname()
link.close()
r, w = os.pipe()
os.write(w, b"x")
os.read(r, 1)
os.close(r)
os.close(w)
select.epoll().close()
os.close(os.memfd_create("name"))
os.close(os.eventfd(0))
os.close(os.pidfd_open(os.getpid()))
zero = os.open("/dev/zero", os.O_RDONLY)
os.dup2(zero, 20, inheritable=False)
os.read(20, 1)
os.close(20)
os.close(zero)
refused = socket.socket()
try:
    refused.connect(("127.0.0.1", 1))
except OSError:
    pass
refused.close()

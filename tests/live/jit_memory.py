# SPDX-License-Identifier: GPL-2.0-or-later
"""A JIT in small (x86_64), for stack_target.sh: code that loops for ever in memory which the kernel calls a deleted file.

usage: jit_memory.py zero | memfd | nowhere

zero: shared anonymous memory ("/dev/zero (deleted)"); memfd: "/memfd:jit (deleted)"; nowhere: like zero, with a frame pointer that
leads to words that are addresses of nothing. The code is named jitted_loop in /tmp/perf-PID.map, which the caller removes.
"""
import ctypes
import os
import sys

kind = sys.argv[1]
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
fd = os.memfd_create("jit") if kind == "memfd" else -1
if fd >= 0:
    os.ftruncate(fd, 4096)
at = libc.mmap(None, 4096, 7, 1 if fd >= 0 else 0x21, fd, 0)
code = bytes([0x55, 0x48, 0x89, 0xe5, 0xeb, 0xfe])  # push %rbp; mov %rsp,%rbp; 1: jmp 1b
if kind == "nowhere":  # sub $64,%rsp; movabs $0x111111111111,%rax; mov %rax,8(%rsp); mov %rax,(%rsp); mov %rsp,%rbp; 1: jmp 1b
    code = (bytes([0x48, 0x83, 0xec, 0x40, 0x48, 0xb8]) + b"\x11\x11\x11\x11\x11\x11\x00\x00" +
            bytes([0x48, 0x89, 0x44, 0x24, 0x08, 0x48, 0x89, 0x04, 0x24, 0x48, 0x89, 0xe5, 0xeb, 0xfe]))
ctypes.memmove(at, code, len(code))
with open("/tmp/perf-%d.map" % os.getpid(), "w") as f:
    f.write("%x 40 jitted_loop\n" % at)
print("ready", flush=True)
ctypes.CFUNCTYPE(None)(at)()

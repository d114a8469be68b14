#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile_run.py FILE: maps a file of hostile_elf.py and runs its code, for ever."""
import ctypes
import os
import sys

CODE_OFF, SIZE = 0x1000, 0x2000
PROT_READ_EXEC, MAP_PRIVATE = 5, 2

libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
at = libc.mmap(None, SIZE, PROT_READ_EXEC, MAP_PRIVATE, os.open(sys.argv[1], os.O_RDONLY), 0)
ctypes.CFUNCTYPE(None)(at + CODE_OFF)()

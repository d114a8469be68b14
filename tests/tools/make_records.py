#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes small perf.data files that hold records which this machine's kernel and perf do not make by themselves.

Usage: make_records.py KIND FILE, KIND being
  records   one of every kernel record, in several variants, with sample_id trailers
  newer     records that perf 6.1 does not know
  user      perf's own records
  samples   samples with every field: registers, stack, branches, weights, read values
  attrs     FILE.0, FILE.1 …: an event each, whose attrs have every field set alone, and all
  branches  samples with branches between functions of a program: make_records.py branches FILE PROGRAM
  lbr       call chains whose user part is in the branch stack (record --call-graph lbr)
  offcpu    samples of off-CPU time, as record --off-cpu makes them: two tasks, blocked for 10, 20 and 30 ms, preempted for 5 ms
  waits     one task on CPU 0 and one on CPU 1 with samples of their CPU time and more of what they waited for; seven samples of CPU 1 are lost in
            10 ms, and CPU 0 is throttled for 20 ms
  modules   samples in the kernel and in a module of it
"""
import os
import random
import struct
import subprocess
import sys

SAMPLE_TID, SAMPLE_TIME, SAMPLE_CPU, SAMPLE_IDENTIFIER = 1 << 1, 1 << 2, 1 << 7, 1 << 16
SAMPLE_IP, SAMPLE_PERIOD = 1 << 0, 1 << 8
BASE = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_IDENTIFIER
ID_ALL = 1 << 18
EXEC = 1 << 13


def attr(type_=1, config=0, sample_type=BASE, read_format=0, flags=ID_ALL, period=1000, wakeup=0, bp_type=0,
         config1=0, config2=0, branch=0, regs_user=0, stack_user=0, clockid=0, regs_intr=0,
         aux_watermark=0, max_stack=0, aux_sample_size=0, sig_data=0):
    return struct.pack("<IIQQQQQIIQQQQIiQIHHIIQ", type_, 128, config, period, sample_type, read_format,
                       flags, wakeup, bp_type, config1, config2, branch, regs_user, stack_user, clockid,
                       regs_intr, aux_watermark, max_stack, 0, aux_sample_size, 0, sig_data)


def pad(data):
    return data + bytes(-len(data) % 8)


def record(type_, misc, body):
    return struct.pack("<IHH", type_, misc, 8 + len(body)) + body


class Stream:
    """Records with trailers of a rising time."""

    def __init__(self, nr_ids=1):
        self.time, self.data, self.nr_ids = 1000000000, b"", nr_ids

    def kernel(self, type_, misc, body, pid=100, tid=101):
        self.time += 1000
        trailer = struct.pack("<IIQIIQ", pid, tid, self.time, 1, 0, 7)
        self.data += record(type_, misc, pad(body) + trailer)

    def user(self, type_, body, misc=0):
        self.data += record(type_, misc, body)

    def sample(self, body, misc=2):
        self.data += record(9, misc, body)


def perf_file(path, attrs, data, feature=None):
    """attrs: list of (attr, ids). feature: the number of one that has no contents."""
    head = 104
    ids = b"".join(struct.pack(f"<{len(i)}Q", *i) for _, i in attrs)
    attrs_off, offset, entries = head + len(ids), head, b""
    for a, i in attrs:
        entries += a + struct.pack("<QQ", offset, 8 * len(i))
        offset += 8 * len(i)
    data_off = attrs_off + len(entries)
    header = b"PERFILE2" + struct.pack("<QQ", head, 128 + 16)
    header += struct.pack("<QQQQQQ", attrs_off, len(entries), data_off, len(data), 0, 0)
    header += struct.pack("<QQQQ", 0 if feature is None else 1 << feature, 0, 0, 0)
    if feature is not None:
        data += struct.pack("<QQ", data_off + len(data) + 16, 0)
    with open(path, "wb") as f:
        f.write(header + ids + entries + data)


def mmap2(prot, flags, name, ids=(0xfe, 0, 4711, 99)):
    return struct.pack("<IIQQQIIQQII", 100, 101, 0x400000, 0x1000, 0x2000, *ids, prot, flags) + name + b"\0"


def records(path):
    s = Stream()
    s.kernel(3, 0, struct.pack("<II", 100, 100) + b"leader\0")
    s.kernel(3, EXEC, struct.pack("<II", 100, 101) + b"thread name\0")
    s.kernel(1, 2, struct.pack("<IIQQQ", 100, 101, 0x10000, 0x1000, 0) + b"/bin/plain\0")
    s.kernel(1, 2 | EXEC, struct.pack("<IIQQQ", 100, 101, 0x20000, 0x1000, 0x3000) + b"/some data\0")
    for prot in range(8):
        s.kernel(10, 2, mmap2(prot, 1 + prot % 2, b"/bin/two"))
    s.kernel(10, 2 | 1 << 14, struct.pack("<IIQQQ", 100, 101, 0x400000, 0x1000, 0) +
             struct.pack("<BBH", 20, 0, 0) + bytes(range(1, 21)) + struct.pack("<II", 5, 2) + b"/bin/id\0")
    s.kernel(10, 2 | 1 << 14, struct.pack("<IIQQQ", 100, 101, 0x400000, 0x1000, 0) +
             struct.pack("<BBH", 16, 0, 0) + bytes(range(1, 21)) + struct.pack("<II", 5, 2) + b"/bin/short\0")
    s.kernel(7, 0, struct.pack("<IIIIQ", 200, 100, 200, 101, s.time))
    s.kernel(7, 0, struct.pack("<IIIIQ", 100, 100, 102, 101, s.time))
    s.kernel(7, EXEC, struct.pack("<IIIIQ", 300, 1, 300, 1, s.time))
    s.kernel(5, 0, struct.pack("<QQQ", s.time, 7, 8))
    s.kernel(6, 0, struct.pack("<QQQ", s.time, 7, 8))
    s.kernel(2, 0, struct.pack("<QQ", 7, 12345))
    s.kernel(13, 0, struct.pack("<Q", 67))
    s.kernel(11, 0, struct.pack("<QQQ", 0x1000, 0x2000, 0))
    for flags in (1, 2, 4, 8, 15, 0x100):
        s.kernel(11, 0, struct.pack("<QQQ", 0, 0x80, flags))
    s.kernel(12, 0, struct.pack("<II", 100, 101))
    for misc in (0, EXEC, EXEC | 1 << 14, 1 << 14):
        s.kernel(14, misc, b"")
        s.kernel(15, misc, struct.pack("<II", 300, 300))
    s.kernel(16, 0, struct.pack("<IIQ", 100, 101, 7) +
             b"".join(struct.pack("<QQ", 4, 0xf0000000 + i) for i in range(7)))
    s.kernel(16, 0, struct.pack("<IIQ", 100, 101, 9) +
             b"".join(struct.pack("<QQ", 4, 0xf0000000 + i) for i in range(9)))
    s.kernel(16, 0, struct.pack("<IIQ", 100, 101, 2) +
             b"".join(struct.pack("<QQ", 4, 0xf0000000 + i) for i in range(2)))
    s.kernel(17, 0, struct.pack("<QIHH", 0xffffffffc0001000, 0x80, 1, 0) + b"bpf_prog_1234_x\0")
    s.kernel(17, 0, struct.pack("<QIHH", 0xffffffffc0002000, 0x40, 2, 0) + b"ool_symbol\0")
    s.kernel(17, 0, struct.pack("<QIHH", 0xffffffffc0001000, 0x80, 1, 1) + b"bpf_prog_1234_x\0")
    s.kernel(18, 0, struct.pack("<HHI", 1, 0, 42) + bytes(range(8)))
    s.kernel(18, 0, struct.pack("<HHI", 2, 3, 42) + bytes(range(8)))
    s.kernel(19, 0, struct.pack("<Q", 4242) + b"/user.slice\0")
    s.kernel(20, 0, struct.pack("<QHH", 0xffffffff81000000, 5, 5) + b"\x0f\x1f\x44\0\0\xe8\x10\x20\x30\x40")
    s.kernel(20, 0, struct.pack("<QHH", 0xffffffff81000000, 0, 20) + bytes(range(20)))
    s.kernel(21, 0, struct.pack("<Q", 0xabc))
    s.kernel(8, 0, struct.pack("<IIQQQQQ", 100, 101, 1, 2, 3, 7, 4))
    s.kernel(4, 0, struct.pack("<IIIIQ", 100, 100, 102, 101, s.time))
    s.kernel(4, 0, struct.pack("<IIIIQ", 200, 100, 200, 101, s.time))
    s.time += 1000
    s.sample(struct.pack("<QQIIQIIQ", 7, 0x400123, 100, 101, s.time, 1, 0, 1000))
    perf_file(path, [(attr(read_format=0x17), [7])], s.data)


def user(path):
    """perf's own records, as a recorder for `perf stat record`, auxtrace and others would write them."""
    s = Stream()
    s.user(69, struct.pack("<Q", 1) + struct.pack("<QQQQ", 7, 0, 1, 100))
    s.user(73, struct.pack("<Q", 2) + b"".join(struct.pack("<Q16s", pid, b"comm") for pid in (100, 101)))
    s.user(74, struct.pack("<HHHHH", 0, 3, 0, 1, 5) + bytes(6))  # a list of CPUs
    s.user(74, pad(struct.pack("<HHHI", 1, 2, 8, 0) + struct.pack("<QQ", 0x8000001b, 1)))  # a mask
    s.user(74, pad(struct.pack("<HHH", 1, 2, 4) + struct.pack("<II", 0x8000001b, 1)))
    s.user(74, struct.pack("<HHHH", 2, 0, 3, 9))  # a range
    s.user(74, struct.pack("<HHHH", 7, 1, 8, 0))
    s.user(75, struct.pack("<Q", 3) + b"".join(struct.pack("<QQ", tag, val) for tag, val in
                                                ((0, 1), (1, 1000), (2, 0))))
    s.user(76, struct.pack("<QIIQQQ", 7, 1, 0, 123, 456, 789))
    s.user(77, struct.pack("<QQ", 0, 5000))
    s.user(77, struct.pack("<QQ", 1, 6000))
    s.user(78, struct.pack("<QQ", 0, 7) + b"msec\0\0\0\0")
    s.user(78, struct.pack("<QQ", 1, 7) + struct.pack("<d", 0.5))
    s.user(78, struct.pack("<QQ", 2, 7) + b"newname\0")
    s.user(78, struct.pack("<QQ", 3, 7) + struct.pack("<HHHH", 0, 2, 0, 1))
    s.user(79, struct.pack("<QQQQQBB", 10, 20, 30, 40, 50, 1, 1) + bytes(6))
    s.user(68, b"")
    s.user(82, b"")
    s.user(72, struct.pack("<IIIIIIQQ", 1, 2, 1, 100, 101, 0, 0x1234, 99) + b"an error".ljust(64, b"\0"))
    s.user(67, struct.pack("<i", -1) + bytes(range(20)) + bytes(4) + b"/bin/program\0\0\0\0", 2)
    s.kernel(3, 0, struct.pack("<II", 100, 100) + b"leader\0")
    perf_file(path, [(attr(), [7])], s.data)


def sample_event(sample_type, body, **more):
    """An attr whose samples hold the body behind what all of them hold."""
    return attr(sample_type=BASE | sample_type, **more), body


def samples(path):
    regs = struct.pack("<Q", 2) + struct.pack("<6Q", *range(0x1000, 0x1006))
    events = [
        sample_event(1 << 3, ("addr", 0xdead)),
        sample_event(1 << 4, ("tail", struct.pack("<QQ", 77, 2)), read_format=4),
        sample_event(1 << 4, ("tail", struct.pack("<QQQQQ", 77, 1, 2, 8, 3)), read_format=0x17),
        sample_event(1 << 4, ("tail", struct.pack("<QQQQQQQQ", 2, 10, 20, 77, 8, 78, 9, 0)[:56]), read_format=0xf),
        sample_event(1 << 5, ("tail", struct.pack("<QQQQ", 3, 2**64 - 512, 0x400123, 0x400200))),
        sample_event(1 << 10, ("tail", struct.pack("<I", 12) + b"raw payload!")),
        sample_event(1 << 11, ("tail", struct.pack("<Q", 3) + b"".join(
            struct.pack("<QQQ", 0x400000 + i, 0x400100 + i, flags) for i, flags in
            enumerate((0x11, 0x22, 0x3 << 20 | 0x4))))),
        sample_event(1 << 11, ("tail", struct.pack("<Q", 2) + b"".join(
            struct.pack("<QQQ", 0x400000 + i, 0x400100 + i, 0) for i in range(2))), branch=1 << 11),
        sample_event(1 << 11, ("tail", struct.pack("<QQ", 1, 5) +
                               struct.pack("<QQQ", 0x400000, 0x400100, 0)), branch=1 << 17),
        sample_event(1 << 11, ("tail", struct.pack("<Q", 64) + b"".join(
            struct.pack("<QQQ", i, 0x400100 + i, 1 << i) for i in range(64)))),
        sample_event(1 << 11, ("tail", struct.pack("<Q", 32) + b"".join(
            struct.pack("<QQQ", i, 0x400100, (i % 16) << 20 | 15 << 20 * (i > 15) | (i % 16) << 26 * (i > 15))
            for i in range(32)))),
        sample_event(1 << 11, ("tail", struct.pack("<Q", 0))),
        sample_event(1 << 11, ("tail", struct.pack("<Q", 0)), branch=1 << 11),
        sample_event(1 << 5 | 1 << 11, ("tail", struct.pack("<QQQQ", 3, 2**64 - 128, 0xffffffff81000000, 2**64 - 512) +
                                        struct.pack("<Q", 2) + b"".join(
            struct.pack("<QQQ", 0x400000 + i, 0x400100 + i, 0) for i in range(2))), branch=1 << 11),
        sample_event(1 << 18, ("tail", struct.pack("<Q", 2) + struct.pack("<64Q", *range(64))),
                     regs_intr=2**64 - 1),
        sample_event(1 << 12, ("tail", regs), regs_user=0x3f),
        sample_event(1 << 12, ("tail", struct.pack("<Q", 0)), regs_user=0x3f),
        sample_event(1 << 18, ("tail", struct.pack("<Q", 1) + struct.pack("<6Q", *range(6))), regs_intr=0x3f),
        sample_event(1 << 12, ("tail", struct.pack("<Q", 2) + struct.pack("<17Q", *range(17))),
                     regs_user=0xff01ff),
        sample_event(1 << 13, ("tail", struct.pack("<Q", 16) + bytes(range(16)) + struct.pack("<Q", 8)),
                     stack_user=16),
        sample_event(1 << 14, ("tail", struct.pack("<Q", 55))),
        sample_event(1 << 24, ("tail", struct.pack("<IHH", 55, 66, 77))),
        sample_event(1 << 15, ("tail", struct.pack("<Q", 0x68100142))),
        sample_event(1 << 17, ("tail", struct.pack("<Q", 0x21))),
        sample_event(1 << 19, ("tail", struct.pack("<Q", 0x12345000))),
        sample_event(1 << 21, ("tail", struct.pack("<Q", 4242))),
        sample_event(1 << 22, ("tail", struct.pack("<Q", 4096))),
        sample_event(1 << 22, ("tail", struct.pack("<Q", 0))),
        sample_event(1 << 23, ("tail", struct.pack("<Q", 2 << 20))),
        sample_event(1 << 20, ("tail", struct.pack("<Q", 8) + b"auxbytes")),
    ]
    s = Stream()
    s.time += 1000
    s.data += record(3, 0, struct.pack("<II", 100, 101) + b"leader\0\0" + struct.pack("<IIQIIQ", 100, 101, s.time, 1, 0, 1))
    attrs = []
    for i, (a, (where, value)) in enumerate(events):
        s.time += 1000
        head = struct.pack("<QQIIQ", i + 1, 0x400123, 100, 101, s.time)
        if where == "addr":
            body = head + struct.pack("<QIIQ", value, 1, 0, 1000)
        else:
            body = head + struct.pack("<IIQ", 1, 0, 1000) + value
        s.sample(pad(body), misc=2 | (i % 2) << 14)
        attrs.append((a, [i + 1]))
    perf_file(path, attrs, s.data)


def attrs(path):
    """Every field of an attr alone, then all together."""
    fields = {"type_": 4, "config": 0x1a8, "sample_type": 0, "read_format": 0x1f, "period": 12345, "wakeup": 3,
              "bp_type": 3, "config1": 0x1234, "config2": 4, "branch": 0x7ffff, "regs_user": 0xff,
              "stack_user": 8192, "clockid": -3, "regs_intr": 0xf0, "aux_watermark": 9, "max_stack": 127,
              "aux_sample_size": 4096, "sig_data": 77}
    events = [attr(**{name: value}) for name, value in fields.items()]
    events += [attr(flags=ID_ALL | 1 << bit) for bit in range(38)]
    events += [attr(flags=ID_ALL | 3 << 15), attr(flags=ID_ALL | 1 << 16)]
    events += [attr(sample_type=BASE | 1 << bit) for bit in range(25)]
    events += [attr(branch=1 << bit) for bit in range(19)]
    events += [attr(read_format=1 << bit) for bit in range(5)]
    fields["type_"], fields["sample_type"] = 1, (1 << 25) - 1
    events.append(attr(**fields, flags=(1 << 38) - 1))
    for i, a in enumerate(events):
        perf_file(f"{path}.{i}", [(a, [7])], record(68, 0, b""))


def newer(path):
    """Kinds that perf 6.1 does not know."""
    s = Stream()
    s.kernel(22, 0, struct.pack("<QQQQ", 0x1234, 2, 0x400100, 0x400200))
    s.kernel(40, 0, bytes(16))
    s.kernel(3, 0, struct.pack("<II", 100, 100) + b"after\0")
    perf_file(path, [(attr(), [7])], s.data)


def lbr(path):
    kernel, user = 2**64 - 128, 2**64 - 512
    chains = [
        [kernel, 0xffffffff81000010, 0xffffffff81000020, user, 0x400123],
        [user, 0x400123],
        [user, 0x400123, 0x400456, 0x400789],
        [user],
        [kernel, 0xffffffff81000010],
        [],
        [kernel, 0xffffffff81000010, user],
    ]
    s = Stream()
    for pid in (100, 101):
        s.kernel(3, 0, struct.pack("<II", 100, pid) + b"calls\0")
    s.kernel(10, 2, mmap2(5, 2, b"/bin/calls"))
    for chain in chains:
        for nr in (1, 2, 32):
            s.time += 1000
            branches = b"".join(struct.pack("<QQQ", 0x400010 + 32 * i, 0x400100 + 64 * i, 0) for i in range(nr))
            body = struct.pack("<QQIIQIIQ", 7, chain[1] if len(chain) > 1 else 0x400123, 100, 101, s.time, 1, 0, 1000)
            body += struct.pack(f"<Q{len(chain)}Q", len(chain), *chain) + struct.pack("<Q", nr) + branches
            s.sample(body, misc=1 if chain and chain[0] == kernel else 2)
    perf_file(path, [(attr(sample_type=BASE | 1 << 5 | 1 << 11, branch=1 << 11 | 1 | 1 << 14 | 1 << 15), [7])], s.data)


def text_of(program):
    """Offset, address and size of the segment of code, and (address, size) of the functions in it."""
    def lines(*argv):
        return [l.split() for l in subprocess.run([*argv, program], capture_output=True, text=True, check=True).stdout.splitlines()]
    load = next(f for f in lines("readelf", "-lW") if f[:1] == ["LOAD"] and "E" in "".join(f[6:8]))
    symbols = [(int(f[0], 16), int(f[1], 16)) for f in lines("nm", "-S") if len(f) == 4 and f[2] in "tT" and int(f[1], 16)]
    return int(load[1], 16), int(load[2], 16), int(load[5], 16), symbols


def branches(path, program):
    offset, start, size, functions = text_of(program)
    base, chance, s = 0x400000, random.Random(4), Stream()

    def place():
        address, length = chance.choice(functions)
        return base + address - start + chance.randrange(length)
    st = os.stat(program)
    s.kernel(3, 0, struct.pack("<II", 100, 100) + b"leader\0")
    s.kernel(3, 0, struct.pack("<II", 100, 101) + b"worker\0")
    s.kernel(10, 2, struct.pack("<IIQQQIIQQII", 100, 101, base, -(-size // 4096) * 4096, offset, os.major(st.st_dev), os.minor(st.st_dev), st.st_ino, 0, 5, 2) +
             program.encode() + b"\0")
    for _ in range(300):
        s.time += 1000
        places = [place() for _ in range(5)]
        entries = [struct.pack("<QQQ", chance.choice(places), chance.choice(places),
                               chance.choice((1, 2, 2)) | chance.choice((0, 1, 17)) << 4) for _ in range(chance.randrange(6))]
        s.sample(struct.pack("<QQIIQIIQ", 7, place(), 100, chance.choice((100, 101)), s.time, 1, 0, 1000) +
                 struct.pack("<Q", len(entries)) + b"".join(entries))
    perf_file(path, [(attr(sample_type=BASE | 1 << 11, branch=8), [7])], s.data, feature=15)


def modules(path):
    s, kernel, module = Stream(), 0xffffffff81000000, 0xffffffffc0800000
    s.kernel(1, 1, struct.pack("<iIQQQ", -1, 0, kernel, 0x1000000, kernel) + b"[kernel.kallsyms]_text\0", 0, 0)
    s.kernel(1, 1, struct.pack("<iIQQQ", -1, 0, module, 0x9000, 0) +
             b"/lib/modules/9.9.9/kernel/drivers/far-away.ko.xz\0", 0, 0)
    s.kernel(3, 0, struct.pack("<II", 100, 100) + b"leader\0")
    for i in range(40):
        s.time += 1000
        ip = (module + 0x1234 + 16 * (i % 5), kernel + 0x2345, module + 0x1234)[i % 3]
        s.sample(struct.pack("<QQIIQIIQ", 7, ip, 100, 100, s.time, 1, 0, 1000 + i * i), 1)
    perf_file(path, [(attr(), [7])], s.data)


def offcpu(path, *more):
    """With a word more: as perf does, without states."""
    s = Stream()
    s.user(78, struct.pack("<QQ", 2, 7) + b"offcpu-time\0\0\0\0\0")
    for tid, name in (100, b"one"), (101, b"two"):
        s.kernel(3, 0, struct.pack("<II", 100, tid) + name + b"\0", 100, tid)
    for tid, state, ms in (100, 1, 10), (101, 2, 20), (100, 0, 5), (101, 1, 30):
        s.time += 40000000
        s.sample(struct.pack("<QQIIQ", 7, 0x1000, 100, tid, s.time) + (b"" if more else struct.pack("<Q", state)) +
                 struct.pack("<IIQ", 1, 0, ms * 1000000))
    perf_file(path, [(attr(type_=1, config=10, sample_type=BASE | (0 if more else 1 << 3)), [7])], s.data)


def waits(path):
    s = Stream()
    s.user(78, struct.pack("<QQ", 2, 8) + b"offcpu-time\0\0\0\0\0")
    start = s.time
    for tid, name in (100, b"one"), (101, b"two"):
        s.kernel(3, 0, struct.pack("<II", 100, tid) + name + b"\0", 100, tid)

    def at(ms):
        s.time = start + ms * 1000000

    def on_cpu(ms, tid, cpu):
        at(ms)
        s.sample(struct.pack("<QQIIQIIQ", 7, 0x1000, 100, tid, s.time, cpu, 0, 1000000))

    def waited(ms, tid, cpu, state, length):
        at(ms)
        s.sample(struct.pack("<QQIIQQIIQ", 8, 0x2000, 100, tid, s.time, state, cpu, 0, length * 1000000))

    def kernel(ms, type_, cpu, body):
        at(ms)
        s.data += record(type_, 0, body + struct.pack("<IIQIIQ", 100, 100, s.time, cpu, 0, 7))

    on_cpu(10, 100, 0)
    on_cpu(12, 101, 1)
    waited(40, 100, 0, 1, 25)       # from 15 on
    waited(60, 100, 0, 2, 100)      # a sum of short ones: it cannot have begun before 40
    on_cpu(62, 101, 1)
    kernel(72, 2, 1, struct.pack("<QQ", 7, 7))
    kernel(80, 5, 0, struct.pack("<QQQ", s.time, 7, 7))
    waited(90, 101, 1, 0, 10)
    kernel(100, 6, 0, struct.pack("<QQQ", s.time, 7, 7))
    for ms in 120, 140, 160, 180, 200:
        waited(ms, 101, 1, 1, 15)
    perf_file(path, [(attr(), [7]), (attr(type_=1, config=10, sample_type=BASE | 1 << 3), [8])], s.data)


KINDS = {"offcpu": offcpu, "waits": waits, "modules": modules, "newer": newer, "branches": branches, "lbr": lbr, "records": records, "user": user, "samples": samples, "attrs": attrs}

if __name__ == "__main__":
    KINDS[sys.argv[1]](*sys.argv[2:])

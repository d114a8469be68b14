#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes small perf.data files of threads whose running together is known: this script is the scheduler.

Usage: make_parallel.py KIND FILE [TRUTH], KIND being
  phases    one thread for 600 ms, then four for 100 ms each at once; the program is /srv/shop/shop1
  phases-g  the same with call chains
  mixed     three processes whose threads come and go at random, with call chains
  many      the same without call chains
  few       the same as mixed, shorter
  serial    one thread, with switches
  attached  threads that run already when the recording begins: their first switch is one out of a CPU
  exits     threads that end without a switch, and a tid that is used again
  units     samples with periods of 1 to 7, which do not divide by the number of threads
  events    two events; the second happens only while four threads run
  lost      a LOST record in the middle
  none      samples without switches
  cpu-wide  switches of all CPUs
  hostile   switches of tasks that are not there, twice in, twice out, without an id
TRUTH gets one line for each number of threads: number, sum of periods, samples.
"""
import os
import random
import struct
import sys

IP, TID, TIME, CHAIN, PERIOD, IDENTIFIER = (1 << bit for bit in (0, 1, 2, 5, 8, 16))
INHERIT, MMAP, COMM, FREQ, TASK, ID_ALL, NO_GUEST, MMAP2, SWITCH = (1 << bit for bit in (1, 8, 9, 10, 13, 18, 20, 23, 26))
MS = 1000000
PROGRAM = b"/srv/shop/shop1"
FUNCTIONS = {"pause": 0x4011d8, "render": 0x401090, "recurse": 0x4010e0, "handle": 0x401158, "touch": 0x4011a0, "run": 0x401220,
             "start": 0x401310}
CHAIN_USER = 2**64 - 512
BUILD_ID_NOTE = struct.pack("<III4s", 4, 20, 3, b"GNU\0")


def build_id():
    """Of the stored program."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/files" + PROGRAM.decode())
    with open(path, "rb") as f:
        data = f.read()
    at = data.index(BUILD_ID_NOTE) + len(BUILD_ID_NOTE)
    return data[at:at + 20]


def record(type_, misc, body):
    return struct.pack("<IHH", type_, misc, 8 + len(body)) + body


def pad(data):
    return data + bytes(-len(data) % 8)


class Recording:
    def __init__(self, chains=False, switches=True, nr_events=1):
        self.chains, self.switches, self.nr_events = chains, switches, nr_events
        self.now, self.data = 1000 * MS * 1000, b""
        self.pids, self.running, self.truth = {}, set(), {}

    def trailer(self, tid, event=0):
        return struct.pack("<IIQQ", self.pids.get(tid, tid), tid, self.now, 1 + event)

    def process(self, pid, name, is_new=True):
        self.pids[pid] = pid
        self.data += record(3, 1 << 13 if is_new else 0, struct.pack("<II", pid, pid) + pad(name.encode() + b"\0") + self.trailer(pid))
        self.data += record(10, 2 | 1 << 14, struct.pack("<IIQQQBBH20sII", pid, pid, 0x401000, 0x1000, 0x1000, 20, 0, 0, build_id(), 5, 2) +
                            pad(PROGRAM + b"\0") + self.trailer(pid))
        if is_new:
            self.running.add(pid)

    def fork(self, parent, tid, pid=None):
        self.pids[tid] = pid or self.pids[parent]
        self.data += record(7, 0, struct.pack("<IIIIQ", self.pids[tid], self.pids[parent], tid, parent, self.now) + self.trailer(parent))

    def exit(self, tid):
        pid = self.pids[tid]
        self.data += record(4, 0, struct.pack("<IIIIQ", pid, pid, tid, tid, self.now) + self.trailer(tid))
        self.running.discard(tid)

    def switch(self, tid, is_in):
        (self.running.add if is_in else self.running.discard)(tid)
        if self.switches:
            self.data += record(14, 2 | (0 if is_in else 1 << 13), self.trailer(tid))

    def sample(self, tid, function, callers=(), period=MS, event=0):
        nr, count = self.truth.get(len(self.running), (0, 0))
        self.truth[len(self.running)] = nr + period, count + 1
        body = struct.pack("<QQIIQQ", 1 + event, FUNCTIONS[function], self.pids[tid], tid, self.now, period)
        if self.chains:
            ips = [CHAIN_USER, FUNCTIONS[function], *(FUNCTIONS[f] + 2 for f in callers)]
            body += struct.pack(f"<Q{len(ips)}Q", len(ips), *ips)
        self.data += record(9, 2, body)

    def write(self, path):
        sample_type = IP | TID | TIME | PERIOD | IDENTIFIER | (CHAIN if self.chains else 0)
        first = INHERIT | MMAP | COMM | FREQ | TASK | ID_ALL | NO_GUEST | MMAP2 | (SWITCH if self.switches else 0)
        attrs, ids = b"", b""
        attrs_at = 104
        ids_at = attrs_at + self.nr_events * 144
        data_at = ids_at + 8 * self.nr_events
        for i in range(self.nr_events):
            attr = struct.pack("<IIQQQQQ", 1, 128, i, 1000, sample_type, 4, INHERIT | FREQ | ID_ALL | NO_GUEST if i else first)
            attrs += attr.ljust(128, b"\0") + struct.pack("<QQ", ids_at + 8 * i, 8)
            ids += struct.pack("<Q", 1 + i)
        head = struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 144, attrs_at, len(attrs), data_at, len(self.data), 0, 0) + bytes(32)
        with open(path, "wb") as f:
            f.write(head + attrs + ids + self.data)


def phases(chains):
    r = Recording(chains)
    r.process(100, "shop")
    for i in range(600):
        r.now += MS
        r.sample(100, "render", ("handle", "run", "start"))
    for tid in range(101, 105):
        r.fork(100, tid)
    r.switch(100, False)
    for tid in range(101, 105):
        r.switch(tid, True)
    for i in range(100):
        for tid in range(101, 105):
            r.now += MS // 4
            r.sample(tid, "pause", ("handle", "run", "start"))
    for tid in range(101, 105):
        r.switch(tid, False)
        r.exit(tid)
    r.switch(100, True)
    r.exit(100)
    return r


def mixed(chains=True, nr_steps=3000):
    rng = random.Random(13)
    r = Recording(chains)
    threads = []
    for pid, name in (200, "shop"), (300, "bake"), (400, "sell"):
        if pid != 200:
            r.fork(200, pid, pid)
            r.switch(pid, True)
        r.process(pid, name)
        threads.append(pid)
        for tid in range(pid + 1, pid + 6):
            r.fork(pid, tid)
            threads.append(tid)
    names = list(FUNCTIONS)
    for i in range(nr_steps):
        r.now += rng.randrange(1, MS)
        tid = rng.choice(threads)
        if tid not in r.running or rng.random() < 0.3:
            r.switch(tid, tid not in r.running)
            continue
        own = rng.choice(names[:3 + r.pids[tid] // 200])
        callers = ("recurse",) * rng.randrange(3) + ("handle", "run", "start")[rng.randrange(3):]
        r.sample(tid, own, callers, rng.randrange(MS, 3 * MS))
    return r


def serial():
    r = Recording()
    r.process(100, "shop")
    for i in range(50):
        r.now += MS
        r.sample(100, "render" if i % 3 else "pause")
        r.switch(100, False)
        r.now += MS
        r.switch(100, True)
    return r


def attached():
    r = Recording()
    r.process(100, "shop", is_new=False)
    for tid in 101, 102, 103:
        r.pids[tid] = 100
        r.data += record(3, 0, struct.pack("<II", 100, tid) + pad(b"shop\0") + struct.pack("<IIQQ", 100, tid, 0, 1))
    for tid in 100, 101, 102, 103:  # each shows that it runs
        r.now += 1
        r.running.add(tid)
        r.sample(tid, "run")
    for i in range(200):
        r.now += MS
        r.sample(100 + i % 4, "render")
    for tid in 100, 101, 102:
        r.switch(tid, False)
        r.now += MS
        r.sample(103, "pause")
    for tid in 100, 101, 102:
        r.switch(tid, True)
        r.now += MS
        r.sample(100, "touch")
    return r


def exits():
    r = Recording()
    r.process(100, "shop")
    for turn in range(5):
        r.fork(100, 101)
        r.fork(100, 102)
        r.switch(101, True)
        r.switch(102, True)
        for i in range(10):
            r.now += MS
            r.sample(100 + i % 3, "render")
        r.exit(101)
        r.now += MS
        r.sample(100, "pause")
        r.sample(102, "pause")
        r.exit(102)
        r.now += MS
        r.sample(100, "touch")
    return r


def units():
    r = Recording()
    r.process(100, "shop")
    names = list(FUNCTIONS)
    for tid in range(101, 106):
        r.fork(100, tid)
        r.switch(tid, True)
        for period in range(1, 8):
            r.now += MS
            r.sample(tid, names[period % 7], period=period)
    return r


def events():
    r = Recording(nr_events=2)
    r.process(100, "shop")
    for i in range(40):
        r.now += MS
        r.sample(100, "render")
    for tid in 101, 102, 103:
        r.fork(100, tid)
        r.switch(tid, True)
    for i in range(40):
        r.now += MS
        r.sample(100 + i % 4, "pause", event=i % 2)
    return r


def lost():
    r = serial()
    r.now += MS
    r.data += record(2, 0, struct.pack("<QQ", 1, 7) + r.trailer(100))
    for i in range(10):
        r.now += MS
        r.sample(100, "touch")
    return r


def none():
    r = Recording(switches=False)
    r.process(100, "shop")
    for i in range(20):
        r.now += MS
        r.sample(100, "render")
    return r


def cpu_wide():
    r = serial()
    r.data += record(15, 2, struct.pack("<II", 0, 0) + r.trailer(100))
    return r


def hostile():
    r = Recording()
    r.process(100, "shop")
    for tid in 0xffffffff, 0, 5000000, 100, 100, 77:
        r.switch(tid, True)
        r.now += 1
        r.sample(100, "render")
    for tid in 100, 100, 0xffffffff, 3:
        r.switch(tid, False)
        r.sample(100, "pause", period=2**63)
    for tid in range(1000, 3000):
        r.switch(tid, True)
    r.sample(100, "touch", period=0)
    r.sample(100, "touch", period=2**64 - 1)
    return r


KINDS = {"phases": lambda: phases(False), "phases-g": lambda: phases(True), "mixed": mixed, "many": lambda: mixed(False), "few": lambda: mixed(nr_steps=400), "serial": serial, "attached": attached,
         "exits": exits, "units": units, "events": events, "lost": lost, "none": none, "cpu-wide": cpu_wide, "hostile": hostile}


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    r = KINDS[sys.argv[1]]()
    r.write(sys.argv[2])
    if len(sys.argv) == 4:
        with open(sys.argv[3], "w") as f:
            for number, (period, samples) in sorted(r.truth.items()):
                print(number, period, samples, file=f)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes perf.data files for time charts whose truth is known, on top of make_sched.py.

Usage: make_timechart.py KIND FILE [SECONDS], KIND being
  states    two tasks on two CPUs, each span of which is a round number of milliseconds: see states()
  waits     what `wall record` has of two threads (abi/wall_sample.h): see waits()
  power     C-states and frequencies of two CPUs
  cpus      C-states and frequencies of 16,384 CPUs, and switches of 70,000 tasks there
  topology  four CPUs, of which 0 and 2, and 1 and 3, are threads of a core, each core in a package of its own
  io        system calls of two tasks, one that fails with EAGAIN, and one whose end is missing
  names     tasks whose names are markup and escape sequences
  dense     600,000 switches between two tasks, which preempt each other: more than a picture holds
  busy      SECONDS (60) of 50 tasks on 4 CPUs, some 4,000 switches a second
"""
import heapq
import random
import struct
import sys

from make_sched import EVENTS, IDS, MS, NUMBERS, SYSTEMS, US, Trace, field, text

POWER = field("u32 state", 8, 4, 0) + field("u32 cpu_id", 12, 4, 0) + '\nprint fmt: "state=%lu cpu_id=%lu", REC->state, REC->cpu_id\n'
ENTER = (field("int __syscall_nr", 8, 4) + field("unsigned int fd", 16, 8, 0) + field("char * buf", 24, 8, 0) + field("size_t count", 32, 8, 0) +
         '\nprint fmt: "fd: 0x%08lx", ((unsigned long)(REC->fd))\n')
EXIT = field("int __syscall_nr", 8, 4) + field("long ret", 16, 8) + '\nprint fmt: "0x%lx", REC->ret\n'
CALLS = {"read": 0, "write": 1, "fsync": 74, "recvfrom": 45, "sendto": 44, "poll": 7}
SCHED = tuple(EVENTS)


def add_event(system, name, fields):
    EVENTS[name] = fields
    NUMBERS[name] = len(NUMBERS)
    SYSTEMS[name] = system


for event in "cpu_idle", "cpu_frequency":
    add_event("power", event, POWER)
for call in CALLS:
    add_event("syscalls", f"sys_enter_{call}", ENTER)
    add_event("syscalls", f"sys_exit_{call}", EXIT)


add_event("assay", "task_state", "".join(field(f"u32 {name}", 8 + 4 * i, 4, 0) for i, name in enumerate(
    ("kind", "tid", "state", "call", "file_mode", "flags", "next_tid"))) + '\nprint fmt: "%u", REC->kind\n')
IDS["task_state"] = 0xfff1


class Chart(Trace):
    def __init__(self, nr_cpus, events=SCHED):
        super().__init__(nr_cpus, events)
        self.data = bytearray()

    def power(self, event, cpu, state):
        self.sample(event, cpu, struct.pack("<II", state & 0xffffffff, cpu))

    def enter(self, call, cpu, tid):
        self.sample(f"sys_enter_{call}", cpu, struct.pack("<iiQQQ", CALLS[call], 0, 3, 0, 4096), tid)

    def leave(self, call, cpu, tid, result):
        self.sample(f"sys_exit_{call}", cpu, struct.pack("<iiq", CALLS[call], 0, result), tid)


def states():
    """From the first event on, in ms: CPU 0: one 0-10, idle 10-20, one 20-30, two 30-60, one 60-80, idle 80-100.
    CPU 1: idle 0-50, three 50-90, idle 90-100. one: runs, sleeps 10-18, is woken by three's CPU (idle) 18-20, runs 20-30, is preempted 30-60, runs 60-80,
    waits in D 80-100. two: woken by one 25-30. three: woken by two 45-50."""
    t = Chart(2)
    for tid, name in (11, "one"), (12, "two"), (13, "three"):
        t.task(tid, name)
    t.switch(0, 11)
    t.running[1] = 13
    t.switch(1, 0, "S")
    for at, action in sorted([
            (10, lambda: t.switch(0, 0, "S")), (18, lambda: t.wake(1, 11)), (20, lambda: t.switch(0, 11)), (25, lambda: t.wake(0, 12)),
            (30, lambda: t.switch(0, 12, "R")), (45, lambda: t.wake(0, 13)), (50, lambda: t.switch(1, 13)),
            (60, lambda: t.switch(0, 11, "S")), (80, lambda: t.switch(0, 0, "D")), (90, lambda: t.switch(1, 0, "S")),
            (100, lambda: t.wake(1, 13))], key=lambda pair: pair[0]):
        t.now = 1000 * MS * 1000 + at * MS
        action()
    return t


def waits():
    """In ms: main is found blocked in futex() when recording begins, is woken by other at 30, runs 32-40, sleeps 40-90 (clock_nanosleep), runs 95-96. other runs
    until 10, waits for a disk 10-20, runs 20-50, is preempted 50-60, runs 60-70 and waits in recvfrom() until the end, at 100."""
    left, back, woken, waiting, limit = 1, 2, 3, 6, 7
    nobody = 0xffffffff
    t = Chart(2, ("task_state",))
    t.task(11, "main")
    t.task(12, "other", 11)

    def own(at, kind, tid, cpu=0, state=0, call=nobody, flags=0, by=None):
        t.now = 1000 * MS * 1000 + int(at * MS)
        t.sample("task_state", cpu, struct.pack("<IiIIIIi", kind, tid, state, call, 0, flags, 0), tid if by is None else by)

    own(0, limit, 0)
    own(0.5, waiting, 11, state=1, call=202)
    own(10, left, 12, 1, state=2, call=0, flags=1)
    own(20, back, 12, 1)
    own(30, woken, 11, 1, by=12)
    own(32, back, 11)
    own(40, left, 11, state=1, call=230)
    own(50, left, 12, 1)
    own(60, back, 12, 1)
    own(70, left, 12, 1, state=1, call=45)
    own(90, woken, 11, flags=2, by=0)
    own(95, back, 11)
    own(96, left, 11, state=1, call=202)
    own(100, limit, 0)
    return t


def power():
    t = Chart(2, ("sched_switch", "cpu_idle", "cpu_frequency"))
    t.task(11, "one")
    t.power("cpu_frequency", 0, 1000000)
    t.switch(0, 11)
    t.after(5 * MS)
    t.power("cpu_frequency", 0, 2000000)
    t.after(5 * MS)
    t.switch(0, 0, "S")
    t.power("cpu_idle", 0, 1)
    t.power("cpu_idle", 1, 3)
    t.after(10 * MS)
    t.power("cpu_idle", 0, -1)
    t.switch(0, 11)
    t.after(20 * MS)
    t.switch(0, 0, "S")
    t.power("cpu_idle", 1, -1)
    return t


def cpus():
    t = Chart(2, ("sched_switch", "cpu_idle", "cpu_frequency"))
    for cpu in range(16384):
        t.after(US)
        t.sample("cpu_idle", 0, struct.pack("<II", 1, cpu))
        t.sample("cpu_frequency", 0, struct.pack("<II", 1000000 + cpu, cpu))
    for n in range(70000):
        t.after(US)
        t.sample("sched_switch", 16383 - n % 16384, struct.pack("<16siiq16sii", b"a", n + 1, 120, 1, b"b", n + 2, 120), tid=n + 1)
    return t


def topology():
    t = Chart(4)
    for cpu in range(4):
        t.task(11 + cpu, f"on-{cpu}")
        t.switch(cpu, 11 + cpu)
    t.after(10 * MS)
    for cpu in range(4):
        t.switch(cpu, 0, "S")
    t.after(10 * MS)
    for cpu in range(4):
        t.switch(cpu, 11 + cpu)
    siblings = struct.pack("<I", 2) + text(b"0,2") + text(b"1,3")
    t.more_features[13] = siblings + siblings + b"".join(struct.pack("<II", 0, cpu % 2) for cpu in range(4))
    return t


def io():
    t = Chart(2, tuple(name for name in EVENTS if SYSTEMS.get(name) == "syscalls"))
    t.task(11, "disk")
    t.task(12, "net")
    for call, length, result in ("read", 4, 4096), ("write", 6, 100), ("fsync", 30, 0), ("read", 1, -11), ("write", 2, -5):
        t.enter(call, 0, 11)
        t.after(length * MS)
        t.leave(call, 0, 11, result)
        t.after(MS)
    for call, length, result in ("recvfrom", 10, 1500), ("sendto", 1, 700), ("poll", 20, 1):
        t.enter(call, 1, 12)
        t.after(length * MS)
        t.leave(call, 1, 12, result)
        t.after(MS)
    for _ in range(10):
        t.enter("write", 0, 11)
        t.after(10 * US)
        t.leave("write", 0, 11, 512)
        t.after(500)
    t.enter("read", 1, 12)
    return t


def names():
    t, hostile = Chart(2), {11: "</script><b>", 12: "]]>\x1b[31m\x07", 13: '"&<\\u202e'}
    for tid, name in hostile.items():
        t.task(tid, name)
    t.switch(0, 0)
    for tid in list(hostile) * 20:
        t.after(MS)
        t.wake(0, tid)
        t.after(MS)
        t.switch(0, tid)
    return t


def busy(seconds):
    rng, t = random.Random(7), Chart(4, ("sched_switch", "sched_waking"))
    for tid in range(100, 150):
        t.task(tid, f"worker-{tid % 7}", 100 + (tid - 100) // 5 * 5)
    for cpu in range(4):
        t.switch(cpu, 0)
    start, queue = t.now, [(0, cpu, "wake", 0) for cpu in range(4)]
    heapq.heapify(queue)
    while queue:
        at, cpu, action, tid = heapq.heappop(queue)
        if at > seconds * 1000 * MS:
            continue
        t.now = start + at
        if action == "wake":
            tid = 100 + rng.randrange(13) * 4 + cpu
            tid = tid if tid < 150 else 100 + cpu
            t.wake((cpu + 1) % 4, tid)
            heapq.heappush(queue, (at + rng.randrange(5, 200) * US, cpu, "run", tid))
        elif action == "run":
            t.switch(cpu, tid)
            heapq.heappush(queue, (at + rng.randrange(50, 2400) * US // 2, cpu, "stop", tid))
        else:
            t.switch(cpu, 0, "S" if rng.random() < 0.8 else "D")
            heapq.heappush(queue, (at + rng.randrange(1, 800) * US, cpu, "wake", 0))
    return t


def dense():
    t = Chart(1, ("sched_switch",))
    for tid in 11, 12:
        t.task(tid, f"task{tid}")
    t.running = [11]
    begin = len(t.data)
    t.switch(0, 12, "R")
    t.switch(0, 11, "R")
    pair = bytes(t.data[begin:])
    t.data = t.data[:begin] + bytearray(pair * 300000)
    now, time_at, size = t.now, begin + 32, len(pair) // 2
    for i in range(600000):
        now += 5 * US + i * 7919 % 10000
        struct.pack_into("<Q", t.data, time_at + i * size, now)
    return t


def main():
    kind, path = sys.argv[1:3]
    t = busy(float(sys.argv[3]) if len(sys.argv) > 3 else 60) if kind == "busy" else {"states": states, "waits": waits, "power": power, "cpus": cpus, "topology": topology, "io": io, "names": names, "dense": dense}[kind]()
    t.write(path)


if __name__ == "__main__":
    main()

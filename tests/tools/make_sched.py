#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes small perf.data files of scheduler events whose truth is known: this script is the scheduler.

Usage: make_sched.py KIND FILE, KIND being kallsyms (the symbols of idle), or
  whole     tasks on three CPUs that run, are preempted, sleep, wait, migrate and take other names; nothing is missing, and all live on
  exits     a task that sleeps 4 ms, exits (EXIT record) and leaves its CPU 1 ms later
  missing   a switch that is not there: the task that leaves is not the one that came
  lost      a LOST record of CPU 0, while both CPUs are busy
  lost-end  the same at the end: of what was on CPU 0 nothing more is heard
  wrap      a tid that is used again by another task
  reused    two such, of which no record tells: one whose end was seen, by its other name; one by its sched_wakeup_new alone
  late      a CPU that appears in the middle
  no-wakes  switches only
  idle      call chains (functions of the kernel: make_sched.py kallsyms FILE), on two CPUs that are idle after each task
  window    a run of 10 ms, with a delay of 1 ms before it
  runtime   a task of which only a run time is seen before it comes
  replay    two tasks that wake each other, one that a timer wakes, a fork, a preemption, a wake before the switch of the one that sleeps
  sampled   the same of a kernel that was asked for every hundredth switch
  hostile   numbers that make no sense: CPUs, tids, states, short records
  hour      a sleep of an hour, of a task whose name is escaped
  cpus      switches on 16,384 CPUs, 9 MB
  losses    switches on 16,384 CPUs, then 400,000 LOST records: of each of these, of CPUs that are not there, and of none
"""
import struct
import sys

IP, TID, TIME, CALLCHAIN, CPU, PERIOD, RAW, IDENTIFIER = (1 << bit for bit in (0, 1, 2, 5, 7, 8, 10, 16))
SAMPLE_TYPE = IP | TID | TIME | CPU | PERIOD | RAW | IDENTIFIER
ID_ALL = 1 << 18
US, MS = 1000, 1000000
STATES = {"R": 0, "S": 1, "D": 2, "T": 4, "t": 8, "X": 16, "Z": 32, "P": 64, "I": 128, "R+": 256}

COMMON = ("\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
          "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
          "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
          "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n")


def field(declared, offset, size, signed=1):
    return f"\tfield:{declared};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"


FLAGS = ", ".join(f'{{ 0x{value:08x}, "{letter}" }}' for letter, value in STATES.items() if letter not in ("R", "R+"))
WOKEN = (field("char comm[16]", 8, 16, 0) + field("pid_t pid", 24, 4) + field("int prio", 28, 4) + field("int target_cpu", 32, 4) +
         '\nprint fmt: "comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu\n')
EVENTS = {
    "sched_switch": field("char prev_comm[16]", 8, 16, 0) + field("pid_t prev_pid", 24, 4) + field("int prev_prio", 28, 4) +
                    field("long prev_state", 32, 8) + field("char next_comm[16]", 40, 16, 0) + field("pid_t next_pid", 56, 4) +
                    field("int next_prio", 60, 4) +
                    '\nprint fmt: "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", '
                    'REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 0xff) ? '
                    f'__print_flags(REC->prev_state & 0xff, "|", {FLAGS}) : "R", REC->prev_state & 0x100 ? "+" : "", '
                    'REC->next_comm, REC->next_pid, REC->next_prio\n',
    "sched_stat_runtime": field("char comm[16]", 8, 16, 0) + field("pid_t pid", 24, 4) + field("u64 runtime", 32, 8, 0) +
                          '\nprint fmt: "comm=%s pid=%d runtime=%Lu [ns]", REC->comm, REC->pid, (unsigned long long)REC->runtime\n',
    "sched_wakeup_new": WOKEN,
    "sched_migrate_task": field("char comm[16]", 8, 16, 0) + field("pid_t pid", 24, 4) + field("int prio", 28, 4) +
                          field("int orig_cpu", 32, 4) + field("int dest_cpu", 36, 4) +
                          '\nprint fmt: "comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d", REC->comm, REC->pid, REC->prio, '
                          'REC->orig_cpu, REC->dest_cpu\n',
    "sched_waking": WOKEN,
}
PAGE = (field(" u64 timestamp", 0, 8, 0) + field(" local_t commit", 8, 8) + field(" int overwrite", 8, 1) +
        field(" char data", 16, 4080, 0)).encode()
FIRST_ID = 100
IDS = {}  # of events whose number is not FIRST_ID and what follows
SYSTEMS = {}  # of events of other tools that are not the scheduler's (make_timechart.py)
KERNEL = 0xffffffff81000000
FUNCTIONS = ("_text", "__schedule", "schedule", "do_nanosleep", "hrtimer_nanosleep", "do_syscall_64", "pipe_read", "vfs_read", "ksys_read",
             "futex_wait", "do_futex", "entry_64", "_etext")
NUMBERS = {name: number for number, name in enumerate(EVENTS)}


def id_of(event):
    return IDS.get(event, FIRST_ID + NUMBERS[event])


def record(type_, misc, body):
    return struct.pack("<IHH", type_, misc, 8 + len(body)) + body


def pad(data):
    return data + bytes(-len(data) % 8)


def text(words):
    return struct.pack("<I", 64) + words.ljust(64, b"\0")


class Trace:
    """Tasks by tid; a CPU runs one of them. What is written can be switched off (silent)."""

    def __init__(self, nr_cpus, events=tuple(EVENTS)):
        self.more_features = {}
        self.nr_cpus, self.events = nr_cpus, events
        self.now, self.data = 1000 * MS * 1000, b""
        self.running = [0] * nr_cpus
        self.tasks = {0: "swapper"}
        self.pids, self.prios = {}, {}
        self.silent = False
        self.period = 1
        self.chains = None  # by tid: names of functions

    def trailer(self, tid, cpu):
        return struct.pack("<IIQIIQ", self.pids.get(tid, tid), tid, self.now, cpu, 0, 1)

    def task(self, tid, name, pid=None, prio=120):
        """One that was there before."""
        self.tasks[tid], self.pids[tid], self.prios[tid] = name, pid or tid, prio
        self.data += record(3, 0, struct.pack("<II", self.pids[tid], tid) + pad(name.encode() + b"\0") +
                            struct.pack("<IIQIIQ", self.pids[tid], tid, 0, 0, 0, 1))

    def rename(self, tid, cpu, name):
        self.tasks[tid] = name
        self.data += record(3, 1 << 13, struct.pack("<II", self.pids[tid], tid) + pad(name.encode() + b"\0") + self.trailer(tid, cpu))

    def fork(self, cpu, tid, name):
        parent = self.running[cpu]
        self.tasks[tid], self.pids[tid], self.prios[tid] = name, tid, 120
        self.data += record(7, 0, struct.pack("<IIIIQ", tid, self.pids[parent], tid, parent, self.now) + self.trailer(parent, cpu))
        self.wake(cpu, tid, event="sched_wakeup_new")

    def exit(self, cpu):
        tid = self.running[cpu]
        self.data += record(4, 0, struct.pack("<IIIIQ", self.pids[tid], self.pids[tid], tid, tid, self.now) + self.trailer(tid, cpu))

    def lost(self, cpu, nr):
        self.data += record(2, 0, struct.pack("<QQ", 1, nr) + self.trailer(0, cpu))

    def sample(self, event, cpu, raw, tid=None):
        tid = self.running[cpu] if tid is None and cpu < self.nr_cpus else tid or 0
        if self.silent or event not in self.events:
            return
        chain = b""
        if self.chains is not None:
            names = ("__schedule", "schedule") + self.chains.get(tid, ()) + ("entry_64",)
            ips = [2**64 - 128] + [KERNEL + FUNCTIONS.index(name) * 256 + 16 for name in names]
            chain = struct.pack(f"<Q{len(ips)}Q", len(ips), *ips)
        raw = struct.pack("<HBBi", id_of(event), 0, 0, tid) + raw
        raw += bytes(-(len(raw) + 4) % 8)
        self.data += record(9, 1, struct.pack("<QQIIQIIQ", 1 + NUMBERS[event], 0xffffffff81000000, self.pids.get(tid, tid), tid, self.now,
                                              cpu, 0, 1) + chain + struct.pack("<I", len(raw)) + raw)

    def comm(self, tid, cpu):
        name = f"swapper/{cpu}" if not tid else self.tasks[tid]
        return name.encode()[:15].ljust(16, b"\0")

    def switch(self, cpu, to, state="S"):
        tid = self.running[cpu]
        self.sample("sched_stat_runtime", cpu, struct.pack("<16siiQ", self.comm(tid, cpu), tid, 0, 100 * US))
        self.sample("sched_switch", cpu, struct.pack("<16siiq16sii", self.comm(tid, cpu), tid, self.prios.get(tid, 120),
                                                     STATES[state if tid else "R"], self.comm(to, cpu), to, self.prios.get(to, 120)))
        self.running[cpu] = to

    def wake(self, cpu, tid, event="sched_waking"):
        self.sample(event, cpu, struct.pack("<16siii", self.comm(tid, cpu), tid, self.prios.get(tid, 120), cpu))

    def migrate(self, cpu, tid, from_cpu, to_cpu):
        self.sample("sched_migrate_task", cpu, struct.pack("<16siiii", self.comm(tid, cpu), tid, self.prios.get(tid, 120), from_cpu, to_cpu))

    def after(self, ns):
        self.now += ns

    def formats(self):
        text = b"\x17\x08Dtracing0.6\0" + struct.pack("<BBI", 0, 8, 4096)
        for name, page in (b"header_page\0", PAGE), (b"header_event\0", b"# compressed entry header\n"):
            text += name + struct.pack("<Q", len(page)) + page
        text += struct.pack("<I", 0)
        systems = sorted({SYSTEMS.get(name, "sched") for name in EVENTS})
        text += struct.pack("<I", len(systems))
        for system in systems:
            events = [name for name in EVENTS if SYSTEMS.get(name, "sched") == system]
            text += system.encode() + b"\0" + struct.pack("<I", len(events))
            for name in events:
                event = f"name: {name}\nID: {id_of(name)}\nformat:\n{COMMON}{EVENTS[name]}".encode()
                text += struct.pack("<Q", len(event)) + event
        return text + struct.pack("<IIQ", 0, 0, 0)

    def write(self, path):
        attrs, ids, at = b"", b"", 104
        described = struct.pack("<II", len(self.events), 128)
        for event in self.events:
            sample_type = SAMPLE_TYPE | (CALLCHAIN if self.chains is not None else 0)
            attr = struct.pack("<IIQQQQQ", 2, 128, id_of(event), self.period, sample_type, 0, ID_ALL) + bytes(128 - 48)
            attrs += attr + struct.pack("<QQ", at + len(ids), 8)
            described += attr + struct.pack("<I", 1) + text(f"{SYSTEMS.get(event, 'sched')}:{event}".encode()) + struct.pack("<Q", 1 + NUMBERS[event])
            ids += struct.pack("<Q", 1 + NUMBERS[event])
        attrs_at = at + len(ids)
        data_at = attrs_at + len(attrs)
        end = data_at + len(self.data)
        features = {1: self.formats(), 3: text(b"made-up"), 4: text(b"0.0.0-made-up"), 6: text(b"x86_64"),
                    7: struct.pack("<II", self.nr_cpus, self.nr_cpus), 12: described,
                    16: struct.pack("<II", 2, 1) + text(b"software") + struct.pack("<I", 2) + text(b"tracepoint")}
        features.update(self.more_features)
        bits = sum(1 << n for n in features)
        table, body, body_at = b"", b"", end + 16 * len(features)
        for n in sorted(features):
            part = pad(features[n]) if n != 1 else features[n]
            table += struct.pack("<QQ", body_at + len(body), len(part))
            body += part
        with open(path, "wb") as out:
            out.write(b"PERFILE2" + struct.pack("<QQQQQQQQQQQQ", 104, 144, attrs_at, len(attrs), data_at, len(self.data), 0, 0, bits, 0, 0, 0))
            out.write(ids + attrs + self.data + table + body)


def whole():
    t = Trace(3)
    for tid, name, pid, prio in ((11, "one", 11, 120), (12, "two", 12, 110), (13, "thread", 11, 120), (14, "disk", 14, 0), (15, "kworker/0:1", 15, 120)):
        t.task(tid, name, pid, prio)
    t.running = [11, 12, 13]
    for cpu in range(3):
        t.after(10 * US)
        t.switch(cpu, 0)
    for turn in range(4):
        t.after(2 * MS)
        t.wake(0, 11)
        t.after(40 * US)
        t.switch(0, 11)
        t.after(MS)
        t.wake(0, 12)
        t.after(15 * US)
        t.migrate(0, 12, 1, 0)
        t.after(25 * US)
        t.switch(0, 12, "R" if turn % 2 else "R+")
        t.after(500 * US)
        t.wake(1, 14)
        t.after(5 * US)
        t.switch(1, 14)
        t.after(300 * US)
        t.switch(0, 11, "S")
        t.after(200 * US)
        t.switch(1, 0, "D")
        t.after(100 * US)
        t.wake(2, 13)
        t.after(8 * US)
        t.switch(2, 13)
        t.after(700 * US)
        t.wake(2, 15)
        t.after(50 * US)
        t.switch(2, 15, "R")
        t.after(60 * US)
        t.switch(2, 13, "I")
        t.after(90 * US)
        t.switch(2, 0, "S")
        t.after(400 * US)
        t.switch(0, 0, "S")
        if turn == 1:
            t.rename(11, 0, "other-name")
            t.after(US)
    return t


def exits():
    t = Trace(1)
    t.task(11, "parent")
    t.task(12, "child")
    t.running = [12]
    t.after(MS)
    t.switch(0, 11, "S")
    t.after(3 * MS)
    t.wake(0, 12)
    t.after(MS)
    t.switch(0, 12, "S")
    t.after(MS)
    t.exit(0)
    t.after(MS)
    t.switch(0, 11, "Z")
    t.after(MS)
    t.switch(0, 0, "S")
    return t


def missing():
    t = Trace(1)
    for tid in (11, 12, 13):
        t.task(tid, f"task{tid}")
    t.running = [11]
    t.switch(0, 12, "S")
    t.after(5 * MS)
    t.silent = True
    t.switch(0, 13, "S")
    t.silent = False
    t.after(2 * MS)
    t.switch(0, 11, "S")  # 13 ran 2 ms, not 7
    t.after(MS)
    t.switch(0, 12, "S")
    t.after(MS)
    t.switch(0, 11, "S")
    return t


def lost():
    t = Trace(2)
    for tid in (11, 12, 13):
        t.task(tid, f"task{tid}")
    t.running = [11, 12]
    t.switch(0, 13, "S")
    t.switch(1, 11, "S")
    t.after(MS)
    t.switch(0, 0, "S")  # 13 sleeps from here on
    t.after(MS)
    t.lost(0, 5)
    t.after(MS)
    t.switch(0, 13, "S")  # and may have run in between
    t.after(MS)
    t.switch(1, 12, "S")  # 11 ran 3 ms on the other CPU
    t.after(MS)
    t.switch(0, 0, "S")  # 13 ran 2 ms
    return t


def lost_end():
    t = Trace(2)
    for tid in (11, 12, 13):
        t.task(tid, f"task{tid}")
    t.running = [13, 12]
    t.switch(0, 11, "S")
    t.after(MS)
    t.switch(1, 0, "S")
    t.switch(1, 12)
    t.lost(0, 5)
    t.after(3 * MS)
    t.switch(1, 0, "S")
    return t


def wrap():
    t = Trace(1)
    t.task(11, "parent")
    t.task(12, "old")
    t.running = [12]
    t.after(MS)
    t.switch(0, 11, "S")
    t.after(MS)
    t.wake(0, 12)
    t.switch(0, 12, "S")
    t.after(MS)
    t.exit(0)
    t.switch(0, 11, "Z")
    t.after(10 * MS)
    t.fork(0, 12, "parent")
    t.after(MS)
    t.switch(0, 12, "S")
    t.rename(12, 0, "new")
    t.after(4 * MS)
    t.switch(0, 11, "S")
    t.after(MS)
    t.switch(0, 0, "S")
    return t


def reused():
    t = Trace(1)
    for tid, name in (11, "parent"), (12, "old"), (13, "gone"):
        t.task(tid, name)
    t.running = [12]
    t.switch(0, 13, "S")
    t.after(2 * MS)
    t.switch(0, 12, "S")
    t.after(MS)
    t.switch(0, 11, "Z")
    t.after(4 * MS)
    t.tasks[12], t.tasks[13] = "new", "parent"
    t.switch(0, 12, "S")
    t.after(3 * MS)
    t.wake(0, 13, event="sched_wakeup_new")
    t.after(MS)
    t.switch(0, 13, "S")
    t.after(5 * MS)
    t.switch(0, 0, "S")
    return t


def late():
    t = Trace(4)
    t.task(11, "task11")
    t.task(12, "task12")
    t.running = [11, 0, 0, 12]
    t.switch(0, 0, "S")
    t.after(5 * MS)
    t.wake(0, 11)
    t.after(MS)
    t.switch(0, 11)
    t.after(MS)
    t.switch(3, 0, "S")  # how long 12 ran there is not known
    t.after(MS)
    t.switch(0, 0, "S")
    return t


def no_wakes():
    t = whole()
    silent = Trace(3, ("sched_switch",))
    silent.data, at = b"", 0
    while at < len(t.data):
        type_, _, size = struct.unpack_from("<IHH", t.data, at)
        if type_ != 9 or struct.unpack_from("<Q", t.data, at + 8)[0] == 1 + NUMBERS["sched_switch"]:
            silent.data += t.data[at:at + size]
        at += size
    return silent


def idle():
    t = Trace(2)
    t.data += record(1, 1, struct.pack("<iIQQQ", -1, 0, KERNEL, len(FUNCTIONS) * 256, KERNEL) + pad(b"[kernel.kallsyms]_text\0") +
                     struct.pack("<IIQIIQ", 0, 0, 0, 0, 0, 1))
    t.chains = {11: ("do_nanosleep", "hrtimer_nanosleep", "do_syscall_64"), 12: ("pipe_read", "vfs_read", "ksys_read", "do_syscall_64"),
                13: ("futex_wait", "do_futex", "do_syscall_64")}
    for tid, name in (11, "sleeper"), (12, "reader"), (13, "waiter"):
        t.task(tid, name)
    t.running = [11, 12]
    t.switch(0, 0)
    t.after(US)
    t.switch(1, 0)
    for turn in range(12):
        t.after((turn % 4 + 1) * MS)
        t.wake(0, 11)
        t.after(20 * US)
        t.switch(0, 11)
        t.after(300 * US)
        if turn % 3 == 0:
            t.wake(0, 13)
            t.after(10 * US)
            t.switch(0, 13)
            t.after(100 * US)
        t.switch(0, 0, "D" if turn == 5 else "S")
        t.after(turn * 100 * US)
        t.wake(1, 12)
        t.after(30 * US)
        t.switch(1, 12)
        t.after(200 * US)
        t.switch(1, 0)
    return t


def window():
    t = Trace(1)
    t.task(11, "task11")
    t.task(12, "task12")
    t.running = [11]
    t.switch(0, 12, "S")
    t.after(4 * MS)
    t.wake(0, 11)
    t.after(MS)
    t.switch(0, 11, "S")
    t.after(10 * MS)
    t.switch(0, 12, "S")
    return t


def runtime():
    t = Trace(1)
    t.task(11, "task11")
    t.task(12, "task12")
    t.running = [11]
    t.sample("sched_stat_runtime", 0, struct.pack("<16siiQ", t.comm(12, 0), 12, 0, 100 * US))
    t.after(5 * MS)
    t.wake(0, 12)
    t.after(MS)
    t.switch(0, 12, "S")
    t.after(MS)
    t.switch(0, 11, "S")
    return t


def replay():
    t = Trace(2)
    for tid, name in (11, "ping"), (12, "pong"), (13, "timer"):
        t.task(tid, name)
    t.running = [0, 0]
    t.switch(1, 13)
    t.after(MS)
    t.wake(1, 11)       # #1 of 11, by 13
    t.switch(0, 11)
    t.after(MS)
    t.switch(1, 0, "S")
    for turn in range(3):
        t.after(4 * MS)
        t.wake(0, 12)   # by 11
        t.after(MS)
        t.switch(0, 12, "S")
        t.after(2 * MS)
        t.wake(0, 11)   # by 12
        t.after(MS)
        t.switch(0, 11, "S")
        t.after(MS)
        if turn == 1:
            t.wake(1, 13)   # by the idle task: a timer, after 19 ms
            t.switch(1, 13)
            t.after(500 * US)
            t.wake(1, 11)   # 11 runs: it is about to sleep
            t.after(100 * US)
            t.switch(0, 0, "S")
            t.after(400 * US)
            t.switch(0, 11)
            t.after(MS)
            t.switch(1, 0, "S")
    t.fork(0, 14, "child")
    t.after(MS)
    t.switch(0, 14, "R")
    t.after(3 * MS)
    t.switch(0, 11, "S")
    t.after(MS)
    t.switch(0, 0, "S")
    return t


def sampled():
    t = replay()
    t.period = 100
    return t


def hostile():
    t = Trace(2)
    t.task(11, "task11")
    t.running = [11, 0]
    name = b"\x1b[31m\xff\n".ljust(16, b"\0")
    for n in range(40):
        t.after(1 if n % 3 else MS)
        for cpu in (0, 1, 300, 16383, 16384, 0xffffffff):
            t.sample("sched_switch", cpu, struct.pack("<16siiq16sii", name, (n * 7919) % 2**31 - n % 2 * 2**31, -1, n << (n % 63), name,
                                                      -n, 2**31 - 1), tid=n)
        t.sample("sched_migrate_task", 0, struct.pack("<16siiii", name, n, 0, -1, -2**31))
        t.sample("sched_switch", 0, bytes(n))
        t.sample("sched_waking", 0, bytes(n % 20))
        t.sample("sched_stat_runtime", 0, struct.pack("<16siiQ", name, n, 0, 2**64 - 1))
        t.lost(n if n % 2 else 0xffffffff, 2**64 - 1)
        t.now -= 10 if n % 5 == 0 else 0
    return t


def cpus():
    """As many CPUs as there can be, each with tasks of its own."""
    t = Trace(2)
    t.data = bytearray()
    for n in range(70000):
        t.after(US)
        t.sample("sched_switch", 16383 - n % 16384, struct.pack("<16siiq16sii", b"a", n + 1, 120, 1, b"b", n + 2, 120), tid=n + 1)
    return t


def losses():
    t = Trace(2)
    t.data = bytearray()
    for n in range(16384):
        t.after(US)
        t.sample("sched_switch", n, struct.pack("<16siiq16sii", b"a", n + 1, 120, 1, b"b", n + 2, 120), tid=n + 1)
    for n in range(400000):
        t.after(US)
        t.lost(n * 7919 % 16384 if n % 3 else 0xffffffff - n % 2, 1)
    for n in range(2):
        t.after(US)
        t.sample("sched_switch", n, struct.pack("<16siiq16sii", b"b", n + 2, 120, 1, b"c", n + 3, 120), tid=n + 2)
    return t


def hour():
    """A task whose name is escaped sleeps for an hour until a timer wakes it."""
    t = Trace(1)
    t.task(11, "a\x1bb")
    t.switch(0, 11)
    t.after(MS)
    t.switch(0, 0, "S")
    t.after(3600 * 1000 * MS)
    t.wake(0, 11)
    t.switch(0, 11)
    t.after(MS)
    t.switch(0, 0, "S")
    return t


KINDS = {"whole": whole, "exits": exits, "missing": missing, "lost": lost, "lost-end": lost_end, "wrap": wrap, "reused": reused, "late": late, "no-wakes": no_wakes,
         "idle": idle, "window": window, "runtime": runtime, "replay": replay, "sampled": sampled, "hostile": hostile, "cpus": cpus, "losses": losses, "hour": hour}

if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "kallsyms":
        with open(sys.argv[2], "w", encoding="ascii") as symbols:
            symbols.writelines(f"{KERNEL + i * 256:016x} T {name}\n" for i, name in enumerate(FUNCTIONS))
        sys.exit()
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    KINDS[sys.argv[1]]().write(sys.argv[2])

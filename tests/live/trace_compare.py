#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the lines of `strace -f -o` with those of `assay trace --strace -o`, task by task, token by token.

usage: trace_compare.py STRACE ASSAY

Without -f the lines name no task, and are those of one. Bytes of -e read= and -e write= belong to the line above them.

Two runs of one program differ in addresses, process numbers, times and inode numbers: these tokens count as equal where both have one. What
else may differ is in EXCEPTIONS, with the reason. Prints each difference and ends with status 1, or prints what was compared.
"""
import difflib
import re
import sys

# (call, why, pattern): what the pattern matches is taken out of both lines before they are compared.
EXCEPTIONS = [
    ("getrandom", "random bytes", r'"(?:[^"\\]|\\.)*"'),
    ("sysinfo", "load and memory of the machine at that moment", r"\{uptime=.*\}"),
    ("times", "clock ticks", r"\{.*\}|= \d+"),
    ("ioctl", "the number of the next pseudoterminal", r"(?<=TIOCGPTN, )\[\d+\]"),
    ("getcpu", "the CPU that it ran on", r"\[\d+\]"),
    ("wait4", "which of several children ends first", r"(?<=^wait4\(-1, ).* = \d+$"),
    ("getdents64", "of more than 4096 bytes the entries are not counted to the end: 124+", r"/\* \d{2,}\+? entries \*/"),
    ("write", "the index of git has times of files, and a sum of all", r'(?<=^write\(3, )"DIRC.*|(?<=^write\(3, )"(?:[^"\\]|\\.)*", 20\) = 20$'),
    ("read", "memory maps and figures of the process under /proc", r'"[0-9a-f]{8,}-[0-9a-f]{8,} .*|"cpu  .*'),
    ("kill", "strace does not see the end of a call that kills its own task; we do", r"SIGKILL\) = [?0]"),
]

# Lines that one of the two may lack, and why.
OPTIONAL = [
    (r"--- SIG(PIPE|URG|WINCH) ", "a signal that is ignored is delivered to a task that is traced by ptrace(2), and to no other"),
    (r"brk\(0x", "where the heap grows depends on where it starts"),
    (r"getrandom\(.*, 8, GRND_NONBLOCK\) = 8$", "mkdtemp() draws again, by chance"),
]

# Values that differ from run to run, by the name in front of them.
VOLATILE = {
    "st_ino", "stx_ino", "tv_sec", "tv_nsec", "tv_usec", "si_utime", "si_stime", "sin_port", "sin6_port", "nl_pid", "nl_pad", "f_bfree", "f_bavail",
    "f_ffree", "f_files", "d_ino", "f_fsid", "freeram", "htons",
}
TOKEN = re.compile(r"0x[0-9a-f]+|\d+|[A-Za-z_][A-Za-z_0-9]*|.", re.S)
MADE_NAME = re.compile(r"assay-syscalls-[A-Za-z0-9]{6}|(?<=/)cc[A-Za-z0-9]{6}(?=\.\w+\")|(?<=/\.git/)t[A-Za-z0-9]{6}(?=\")")
# What -y and -yy say of descriptors: inode numbers, and ports that the kernel chose.
DESCRIBED = re.compile(r"\b(socket|pipe|TCP|TCPv6|UDP|UDPv6|UNIX|UNIX-STREAM|NETLINK|RAW):\[\d+(?=[\],-])")
PORTS = re.compile(r"(?<=(?:TCP|UDP):\[)[\d.]+:\d+(->[\d.]+:\d+)?(?=\]>)|(?<=v6:\[)\[[^]]*\]:\d+(->\[[^]]*\]:\d+)?(?=\]>)")
STARTS_TASKS = {"clone", "clone3", "fork", "vfork"}
OWN_NUMBERS = {"set_tid_address", "getpid", "gettid"}  # where no task stands in front
NUMBERS = {"getppid", "shmget", "semget", "msgget"}  # what they return differs, and comes again in other calls


def name_of(line):
    m = re.match(r"([a-z_0-9]+)\(", line)
    return m.group(1) if m else line.split(" ")[0] + (line.split(" ")[1] if line[:3] in ("---", "+++") else "")


def squeeze(line):
    """Alignment of results is not compared: a longer pid moves it."""
    line = re.sub(r"(st_[amc]time)=\d+ /\*.*?\*/, st_[amc]time_nsec=\d+", r"\1=TIME", line)
    line = DESCRIBED.sub(r"\1:[INODE", line)
    line = PORTS.sub(lambda m: re.sub(r"(?<=[\d\]]):\d+(?=->|$)", ":PORT", m.group(0)), re.sub(r"INODE->\d+", "INODE->INODE", line))
    return MADE_NAME.sub("NAME", re.sub(r"\) += ", ") = ", line, count=1))


def without_children(lines):
    """When a child ends, and so where SIGCHLD and the return from its handler come, is chance."""
    kept, in_handler = [], False
    for line in lines:
        is_child = line.startswith("--- SIGCHLD ")
        if not is_child and not (in_handler and line.startswith("rt_sigreturn(")):
            kept.append(line)
        in_handler = is_child or (in_handler and not line.startswith("rt_sigreturn("))
    return kept


class Run:
    """The lines of one file, by task. A task is named by who started it: "0" is the first, "0.1" the second that it started."""

    def __init__(self, path):
        by_pid, waiting, self.first, pid = {}, {}, None, 1  # without -f, lines have no task
        for line in open(path, errors="surrogateescape"):
            m = re.match(r"(\d+) +(?=\S)(.*)", line.rstrip("\n"))
            pid, text = (int(m.group(1)), m.group(2)) if m else (pid, line.rstrip("\n"))
            m = re.match(r"\[ Process PID=(\d+) ", text)
            if m:  # in front of it there is no task
                pid, text = int(m.group(1)) if pid != 1 else 1, text.replace(m.group(1), "N")
            self.first = self.first or pid
            if text.endswith(" <unfinished ...>"):
                waiting[pid] = text[: -len(" <unfinished ...>")]
                continue
            m = re.match(r"<\.\.\. \w+ resumed>(.*)", text)
            if m:
                text = waiting.pop(pid) + m.group(1)
            by_pid.setdefault(pid, []).append(squeeze(text))
        for pid, text in waiting.items():  # exit() and exit_group() of a task that was killed meanwhile
            by_pid.setdefault(pid, []).append(text)
        self.names, self.tasks = {}, {}
        self.walk({pid: without_children(lines) for pid, lines in by_pid.items()})

    def walk(self, by_pid):
        todo = [(self.first, "0")]
        while todo:
            pid, name = todo.pop()
            if pid not in by_pid:
                continue
            self.names[pid], self.tasks[name] = name, by_pid.pop(pid)
            nr = 0
            for line in self.tasks[name]:
                m = re.search(r"\) = (\d+)$", line)
                if m and name_of(line) in STARTS_TASKS:
                    todo.append((int(m.group(1)), f"{name}.{nr}"))
                    self.names.setdefault(int(m.group(1)), f"{name}.{nr}")
                    nr += 1
                elif m and name_of(line) in OWN_NUMBERS:
                    self.names.setdefault(int(m.group(1)), name)
                elif m and name_of(line) in NUMBERS:
                    self.names.setdefault(int(m.group(1)), name_of(line))
        # Where the calls that start tasks are not shown, they are named in the order that they come in.
        for nr, (pid, lines) in enumerate(by_pid.items()):
            self.names[pid], self.tasks[f"+{nr}"] = f"+{nr}", lines


def is_address(token):
    return token.startswith("0x") and len(token) >= 8


def same_number(a, b, runs, key):
    if key in VOLATILE or (is_address(a) and is_address(b)):
        return True
    return a.isdigit() and b.isdigit() and runs[0].names.get(int(a), "a") == runs[1].names.get(int(b), "b")


def same(a, b, runs):
    for call, _, pattern in EXCEPTIONS:
        if name_of(a) == call:
            a, b = re.sub(pattern, "*", a), re.sub(pattern, "*", b)
    if a == b:
        return True
    tokens = TOKEN.findall(a), TOKEN.findall(b)
    if len(tokens[0]) != len(tokens[1]):
        return False
    key = ""
    for x, y in zip(*tokens):
        if x != y and not (x[0].isdigit() and y[0].isdigit() and same_number(x, y, runs, key)):
            return False
        if x[0].isalpha():
            key = x
        elif x in ",}{":
            key = "" if x != "{" else key
    return True


def is_optional(line):
    return any(re.match(pattern, line) for pattern, _ in OPTIONAL)


def compare_task(name, theirs, ours, runs):
    """Calls that only one has are reported alone, so that one missing line does not make all others differ."""
    bad = []
    matcher = difflib.SequenceMatcher(None, [name_of(l) for l in theirs], [name_of(l) for l in ours], autojunk=False)
    for what, i1, i2, j1, j2 in matcher.get_opcodes():
        if what != "equal":
            bad += [(l, None) for l in theirs[i1:i2] if not is_optional(l)] + [(None, l) for l in ours[j1:j2] if not is_optional(l)]
            continue
        bad += [(a, b) for a, b in zip(theirs[i1:i2], ours[j1:j2]) if not same(a, b, runs)]
    for a, b in bad:
        print(f"task {name}:\n  strace: {a}\n  assay:  {b}")
    return len(bad)


def main():
    runs = Run(sys.argv[1]), Run(sys.argv[2])
    bad = 0
    for name in sorted(set(runs[0].tasks) ^ set(runs[1].tasks)):
        print(f"task {name} is in one only")
        bad += 1
    for name in sorted(set(runs[0].tasks) & set(runs[1].tasks)):
        bad += compare_task(name, runs[0].tasks[name], runs[1].tasks[name], runs)
    lines = [l for task in runs[0].tasks.values() for l in task]
    calls = {name_of(l) for l in lines if l[:3] not in ("---", "+++")}
    print(f"{len(calls)} different calls, {len(lines)} lines, {len(runs[0].tasks)} tasks, {bad} differ")
    sys.exit(1 if bad else 0)


main()

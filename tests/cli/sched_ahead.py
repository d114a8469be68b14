#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sched_ahead.py ASSAY FILE: makes recordings above 16 MB of a small one (tools/make_sched.py), most of them damaged, and compares what the views
of sched print of them on all CPUs and on one."""
import os
import random
import struct
import subprocess
import sys

LEAST = 17 << 20
SAMPLE, EVENT_UPDATE, ROUND = 9, 78, 68
TIME_AT = 8 + 24  # of a sample: behind id, ip, pid and tid
VIEWS = ["latency", "timehist", "summary", "script"]
assay, path = sys.argv[1:]
random.seed(1)

with open(path, "rb") as f:
    small = f.read()
attrs_at, attrs_size, data_at, data_size = struct.unpack_from("<QQQQ", small, 24)
nr_features = bin(struct.unpack_from("<Q", small, 72)[0]).count("1")


def record(type_, body):
    return struct.pack("<IHH", type_, 0, 8 + len(body)) + body


def records_of(data):
    at = 0
    while at < len(data):
        type_, _, size = struct.unpack_from("<IHH", data, at)
        yield at, type_, size
        at += size


def recording(data):
    delta = len(data) - data_size
    head, tail = bytearray(small[:data_at]), bytearray(small[data_at + data_size:])
    struct.pack_into("<Q", head, 48, len(data))
    for i in range(nr_features):
        struct.pack_into("<Q", tail, 16 * i, struct.unpack_from("<Q", tail, 16 * i)[0] + delta)
    return bytes(head) + data + bytes(tail)


# The same again and again, later each time.
template = small[data_at:data_at + data_size]
sample_at = [at for at, type_, _ in records_of(template) if type_ == SAMPLE]
times = [struct.unpack_from("<Q", template, at + TIME_AT)[0] for at in sample_at]
length = max(times) - min(times) + 1000
parts = []
for turn in range(LEAST // data_size + 1):
    part = bytearray(template)
    for at, time in zip(sample_at, times):
        struct.pack_into("<Q", part, at + TIME_AT, time + turn * length)
    parts.append(bytes(part))


def pairs(between):
    """As rings are read: what is newer may come first in a round."""
    return b"".join(b + a + between() for a, b in zip(parts[::2], parts[1::2]))


def update():
    name = random.choice((b"sched:sched_waking", b"ms", b"sched:sched_switch")).ljust(24, b"\0")
    return record(EVENT_UPDATE, struct.pack("<QQ", random.choice((0, 2)), random.randrange(1, 9)) + name)


def other():
    """Records of the recording itself, where only a pipe has some of them, and one that is no record of a known type."""
    attr = small[attrs_at:attrs_at + 128] + struct.pack("<Q", random.randrange(20))
    build_id = struct.pack("<i", -1) + bytes(24) + b"/a/file\0"
    feature = struct.pack("<QQ", random.randrange(32), 1)
    return random.choice((record(64, attr), record(80, feature), record(67, build_id), record(200, bytes(24)),
                          record(66, struct.pack("<II", 8, 0)) + bytes(8), record(71, struct.pack("<QQQQQ", 64, 0, 0, 0, 0)) + bytes(64)))


def flipped(data, nr):
    data = bytearray(data)
    for _ in range(nr):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return bytes(data)


def disordered(data):
    data = bytearray(data)
    found = [at for at, type_, _ in records_of(data) if type_ == SAMPLE]
    for at in random.sample(found, 5000):
        struct.pack_into("<Q", data, at + TIME_AT, random.choice((0, 2**64 - 1, 1, times[0], times[0] + random.randrange(length * len(parts)))))
    return bytes(data)


def end_of_round():
    return record(ROUND, b"")


rounds = pairs(end_of_round)
whole = recording(rounds)
FILES = {
    "rounds": lambda: whole,
    "no rounds": lambda: recording(pairs(bytes)),
    "cut": lambda: whole[:len(whole) - (300 << 10) - 13],
    "flipped": lambda: recording(flipped(rounds, 1)),
    "disordered": lambda: recording(disordered(rounds)),
    "huge records": lambda: recording(pairs(lambda: end_of_round() + record(SAMPLE, template[sample_at[0] + 8:sample_at[0] + 64] + bytes(65400)))),
    "updates": lambda: recording(pairs(lambda: update() + end_of_round())),
    "others": lambda: recording(pairs(lambda: end_of_round() + other())),
}


def run(view, file, cpus):
    return subprocess.run([assay, "sched", view, "-i", file], stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60,
                          preexec_fn=lambda: os.sched_setaffinity(0, cpus))


failed = False
usable = os.sched_getaffinity(0)
for number, (name, make) in enumerate(FILES.items()):
    with open("large.data", "wb") as f:
        f.write(make())
    for view in VIEWS if name == "rounds" else (VIEWS[number % 4], VIEWS[(number + 1) % 4]):
        one, all_ = run(view, "large.data", {min(usable)}), run(view, "large.data", usable)
        same = (one.returncode, one.stdout, one.stderr) == (all_.returncode, all_.stdout, all_.stderr)
        if same and one.returncode in (0, 1) and (one.stdout or one.returncode):
            continue
        failed = True
        print(f"{name}, {view}: exit {one.returncode} and {all_.returncode}, {len(one.stdout)} and {len(all_.stdout)} bytes, "
              f"{one.stderr[-300:]} and {all_.stderr[-300:]}")
sys.exit(failed)

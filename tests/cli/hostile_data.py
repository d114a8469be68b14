#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings that are small to write and endless to read.

  hostile_data.py make DIRECTORY [KIND…]     writes DIRECTORY/KIND for each kind (default: all); prints their names
  hostile_data.py symfs DIRECTORY            writes the files of the processes of jit-maps
  hostile_data.py run ASSAY DIRECTORY [KIND…] runs commands on each, and checks what they cost: the usual ones, or those in $COMMANDS
                                              ("report -D,script"; all: every command that reads a recording)

What a file below 10 MB may cost in any command: 512 MB of memory and 10 s of CPU; and text in proportion to it.
"""
import ctypes
import os
import resource
import stat
import struct
import subprocess
import sys
import threading

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))
from drain import count_bytes
from make_records import attr, mmap2, perf_file, record

IP, TID, TIME, ADDR, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, WEIGHT, IDENTIFIER = (
    1, 2, 4, 8, 32, 64, 128, 256, 512, 1 << 14, 1 << 16)
PLAIN = IP | TID | PERIOD
REGS_USER, STACK_USER = 1 << 12, 1 << 13
USER, KERNEL = 2, 1
MB = 1 << 20

MAX_MB, MAX_S, MAX_PRINTED, PRINTED_FACTOR = 512, 10.0, 1 << 30, 300
EXIT_USAGE = 2


def comm(pid, name):
    return record(3, 0, struct.pack("<II", pid, pid) + name + bytes(8 - len(name) % 8))


def fork(pid, ppid):
    return record(7, 0, struct.pack("<IIIIQ", pid, ppid, pid, ppid, 0))


def mmap(pid, start, length=0x1000, name=b"/x\0\0\0\0\0\0", misc=USER):
    return record(1, misc, struct.pack("<IIQQQ", pid, pid, start, length, 0) + name)


def sample(ip=0x400000, pid=1, period=1, more=b"", misc=USER):
    return record(9, misc, struct.pack("<QIIQ", ip, pid, pid, period) + more)


def chain(ips):
    return struct.pack(f"<Q{len(ips)}Q", len(ips), *ips)


def zstd(data, level=3):
    lib = ctypes.CDLL("libzstd.so.1")
    lib.ZSTD_compressBound.restype = lib.ZSTD_compress.restype = ctypes.c_size_t
    size = lib.ZSTD_compressBound(ctypes.c_size_t(len(data)))
    out = ctypes.create_string_buffer(size)
    n = lib.ZSTD_compress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)), ctypes.c_int(level))
    return out.raw[:n]


def packed(pieces, type_=81):
    """COMPRESSED records of a stream of frames, one a piece: a piece is bytes and how often its frame comes."""
    stream = b"".join(zstd(data) * times for data, times in pieces)
    step = 65520
    return b"".join(record(type_, 0, stream[i:i + step]) for i in range(0, len(stream), step))


def write(path, attrs, data):
    perf_file(path, attrs, data)


def one(sample_type=PLAIN, flags=0, **more):
    return [(attr(sample_type=sample_type, flags=flags, **more), [1])]


START = comm(1, b"bomb") + mmap(1, 0x400000, 0x100000)


def zstd_samples(path):
    """180 kB that unpack to 4 GB of samples"""
    write(path, one(), START + packed([(sample() * (16 * MB // 32), 256)]))


def zstd_timed(path):
    """the same, to be put in order: nothing says that a round is over"""
    body = record(9, USER, struct.pack("<QIIQQ", 0x400000, 1, 1, 10**9, 1)) * 400000
    write(path, one(PLAIN | TIME), START + packed([(body, 200)]))


def zstd_stacks(path):
    """each sample has another caller at the end of a long chain"""
    body = b"".join(sample(more=chain([2**64 - 512] + [0x400010] * 125 + [0x400000 + i])) for i in range(250000))
    write(path, one(PLAIN | CALLCHAIN), START + packed([(body, 1)]))


def zstd_deep(path):
    """the same with chains of 64 kB"""
    body = b"".join(sample(more=chain([2**64 - 512] + [0x400010] * 8000 + [0x400000 + i])) for i in range(4000))
    write(path, one(PLAIN | CALLCHAIN), START + packed([(body, 1)]))


def zstd_tiny(path):
    """records that are nothing but a header"""
    write(path, one(), START + packed([(record(68, 0, b"") * (2 * MB), 128)]))


def zstd_forks(path):
    body = b"".join(fork(2 + i, 1) for i in range(1000000))
    write(path, one(), START + packed([(body, 1)]) + sample())


def zstd_maps(path):
    body = b"".join(mmap(1, 0x1000 * (2000000 - i)) for i in range(1000000))
    write(path, one(), START + packed([(body, 1)]) + sample())


def zstd_comms(path):
    """text that `script` prints"""
    write(path, one(), START + packed([(comm(1, b"x" * 15) * (16 * MB // 32), 256)]))


def zstd_long_names(path):
    """maps of 64 kB names"""
    body = mmap(1, 0x10000, 0x1000, b"/" + b"x" * 60000 + bytes(7))
    write(path, one(), START + packed([(body * 256, 256)]))


def zstd_build_ids(path):
    """descriptions of the recording in what is compressed"""
    body = b"".join(record(67, USER, struct.pack("<i", -1) + struct.pack("<I", i) + bytes(20) + b"/lib/x\0\0")
                    for i in range(1000000))
    write(path, one(), START + packed([(body, 1)]) + sample())


def large(path, body, sample_type=PLAIN, before=START):
    """as many frames as fit into 9 MB"""
    frame = zstd(body)
    write(path, one(sample_type), before + packed([(body, 9 * MB // len(frame))]))


def zstd_large_samples(path):
    large(path, sample() * (2 * MB // 32))


def zstd_large_timed(path):
    large(path, record(9, USER, struct.pack("<QIIQQ", 0x400000, 1, 1, 10**9, 1)) * 50000, PLAIN | TIME)


def zstd_large_maps(path):
    large(path, b"".join(mmap(1, 0x1000 * (5000 - i)) for i in range(4000)))


def zstd_large_forks(path):
    """children of children that all add a map"""
    large(path, b"".join(fork(2 + i, 1 + i) + mmap(2 + i, 0x1000 * i + 0x800, 16) for i in range(4000)))


def zstd_large_chains(path):
    large(path, b"".join(sample(0x400000 + i, more=chain([2**64 - 512] + [0x400010 + i] * 120)) for i in range(4000)), PLAIN | CALLCHAIN)


def zstd_recursion(path):
    """an honest one: 40,000 samples of a recursive program, of which a text is 600 MB"""
    chains = [chain([2**64 - 512] + [0x400010 + 16 * (i % 7)] * 120 + [0x400200 + i]) for i in range(64)]
    body = b"".join(record(9, USER, struct.pack("<QIIQQ", 0x400000 + i % 509, 1, 1, 10**9 + i * 1000003 + i * i % 977, 1) + chains[i * i % 61])
                    for i in range(40000))
    name = b"/opt/" + b"some-directory-of-a-program/" * 4 + b"program"
    write(path, one(PLAIN | TIME | CALLCHAIN), comm(1, b"app") + mmap(1, 0x400000, 0x100000, name + bytes(8 - len(name) % 8)) + packed([(body, 1)]))


def zstd_large_dumps(path):
    """records of 64 kB"""
    large(path, sample(more=chain([2**64 - 512] + [0x400010] * 8000)) * 256, PLAIN | CALLCHAIN)


def pipe(records):
    return b"PERFILE2" + struct.pack("<Q", 16) + records


def zstd_pipe(path):
    body = record(64, 0, attr(sample_type=PLAIN, flags=0) + struct.pack("<Q", 1)) + START
    with open(path, "wb") as f:
        f.write(pipe(body + packed([(sample() * (16 * MB // 32), 256)])))


def zstd_attrs(path):
    """a pipe with a million events in what is compressed"""
    body = b"".join(record(64, 0, attr(sample_type=PLAIN | IDENTIFIER, flags=0) + struct.pack("<Q", i)) for i in range(400000))
    with open(path, "wb") as f:
        f.write(pipe(packed([(body, 1)])))


def fork_maps(path):
    """a process with many maps, and children that add one each"""
    first = b"".join(mmap(1, 0x10000 * i) for i in range(1, 80000))
    children = b"".join(fork(2 + i, 1) + mmap(2 + i, 0x10000 * (i + 1) + 0x1000) for i in range(70000))
    write(path, one(), START + first + children + sample())


def fork_fork_maps(path):
    """each child is the parent of the next"""
    first = b"".join(mmap(1, 0x10000 * i) for i in range(1, 80000))
    children = b"".join(fork(2 + i, 1 + i) + mmap(2 + i, 0x10000 * (i + 1) + 0x1000) for i in range(70000))
    write(path, one(), START + first + children + sample())


def falling_maps(path):
    data = b"".join(mmap(1, 0x1000 * (300000 - i)) for i in range(200000))
    write(path, one(), START + data + sample())


def falling_kernel_maps(path):
    data = b"".join(record(17, 0, struct.pack("<QIHH", 2**64 - 0x1000 * (i + 2), 0x1000, 1, 0) + b"bpf_x\0\0\0")
                    for i in range(250000))
    write(path, one(), START + data + sample() + sample(2**64 - 0x100000, misc=KERNEL))


def kernel_symbols(path):
    """BPF programs, each with a name of its own"""
    data = b"".join(record(17, 0, struct.pack("<QIHH", 2**63 + 0x1000 * i, 0x1000, 1, 0) + b"bpf_%07d\0\0\0\0\0" % i)
                    for i in range(200000))
    write(path, one(), START + data + sample(2**63 + 0x100000, misc=KERNEL))


def features(path):
    """a pipe that describes itself again and again"""
    body = record(64, 0, attr(sample_type=PLAIN, flags=0) + struct.pack("<Q", 1)) + START
    ids = b"".join(build_id(struct.pack("<IQQ", i, 1, 1), b"/b/%04d" % i) for i in range(1000))
    body += record(80, 0, struct.pack("<Q", 2) + ids)
    body += record(80, 0, struct.pack("<QII", 7, 4, 4)) * 300000
    body += b"".join(record(80, 0, struct.pack("<QI", 3, 8) + b"host%03d\0" % (i % 1000) + bytes(3)) for i in range(60000))
    with open(path, "wb") as f:
        f.write(pipe(body + sample()))


def invert_hash_u64(h):
    inverse = pow(0xd6e8feb86659fd93, -1, 2**64)
    for _ in range(2):
        h ^= h >> 32
        h = h * inverse % 2**64
    return h ^ h >> 32


def equal_ids(path):
    """event ids that one table without a seed has in one place"""
    ids = [invert_hash_u64(i << 32 | i ^ 0x1234) for i in range(200000)]
    write(path, [(attr(sample_type=PLAIN | IDENTIFIER, flags=0), ids), (attr(sample_type=PLAIN | IDENTIFIER, flags=0), [1])],
          START)


def equal_addresses(path):
    """the same for sampled addresses"""
    data = b"".join(sample(invert_hash_u64(i << 32 | i ^ 0x1234)) for i in range(200000))
    write(path, one(), START + data)


def tracing_text(i, size):
    return (b"name: e%d\nID: %d\nformat:\n\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%%d\", REC->a\n" %
            (i, i)).ljust(size, b" ")


def tracing_blob(nr, size=130):
    texts = b"".join(struct.pack("<Q", len(t)) + t for t in (tracing_text(i + 10, size) for i in range(nr)))
    blob = b"\x17\x08\x44tracing0.6\0\0\x08" + struct.pack("<I", 4096)
    blob += b"header_page\0" + struct.pack("<Q", 0) + b"header_event\0" + struct.pack("<Q", 0)
    return blob + struct.pack("<I", 0) + struct.pack("<I", 1) + b"sys\0" + struct.pack("<I", nr) + texts


def tracing_data(path):
    """the formats again and again, for events that none of them names"""
    blob = tracing_blob(1, 100)
    events = [(attr(2, 10**6 + i, PLAIN | IDENTIFIER, flags=0), [i + 1]) for i in range(30000)]
    body = b"".join(record(64, 0, a + struct.pack("<Q", ids[0])) for a, ids in events)
    padded = blob + bytes(-len(blob) % 8)
    body += (struct.pack("<IHHI", 66, 0, 12, len(padded)) + padded) * 20000
    with open(path, "wb") as f:
        f.write(pipe(body))


RAW = 1 << 10
TRACED = TID | TIME | RAW | IDENTIFIER


def tracepoint(number, pid, time, raw, before=b""):
    """`before`: what other sample types have in front of the raw data."""
    raw += bytes(-(len(raw) + 4) % 8)
    return record(9, USER, struct.pack("<QIIQ", number, pid, pid, time) + before + struct.pack("<I", len(raw)) + raw)


def tracepoints(path, events, records, more=b"", sample_type=TRACED):
    """a pipe of tracepoints, with what is packed first: an event is (number, system, name, fields), a field (type and name, offset, size)"""
    blob = b"\x17\x08\x44tracing0.6\0\0\x08" + struct.pack("<I", 4096)
    blob += b"header_page\0" + struct.pack("<Q", 0) + b"header_event\0" + struct.pack("<Q", 0) + struct.pack("<II", 0, len(events))
    for number, system, name, fields in events:
        lines = "".join(f"\tfield:{f};\toffset:{at};\tsize:{size};\tsigned:0;\n" for f, at, size in fields)
        text = f"name: {name}\nID: {number}\nformat:\n{lines}\nprint fmt: \"x\"\n".encode()
        blob += system.encode() + struct.pack("<BIQ", 0, 1, len(text)) + text
    blob += bytes(-len(blob) % 8)
    body = b"".join(record(64, 0, attr(2, e[0], sample_type) + struct.pack("<Q", e[0])) for e in events)
    body += struct.pack("<IHHI", 66, 0, 12, len(blob)) + blob
    with open(path, "wb") as f:
        f.write(pipe(body + packed([(records, 1)]) + more))


def zstd_pages(path):
    """a million pages that are allocated and never freed"""
    fields = (("unsigned long pfn", 8, 8), ("unsigned int order", 16, 4), ("unsigned long gfp_flags", 24, 8), ("int migratetype", 32, 4))
    events = [(50, "kmem", "mm_page_alloc", fields), (51, "kmem", "mm_page_free", fields[:2])]
    tracepoints(path, events, b"".join(tracepoint(50, 1, 1000, struct.pack("<HHiQIIQi", 50, 0, 1, i, 0, 0, i, 0)) for i in range(1000000)))


def zstd_wakes(path):
    """600,000 tasks that are woken and never run; no rounds: all of it waits to be put in order until the file ends"""
    fields = (("char comm[16]", 8, 16), ("pid_t pid", 24, 4), ("int prio", 28, 4), ("int target_cpu", 32, 4))
    switch = (("char prev_comm[16]", 8, 16), ("pid_t prev_pid", 24, 4), ("int prev_prio", 28, 4), ("long prev_state", 32, 8),
              ("char next_comm[16]", 40, 16), ("pid_t next_pid", 56, 4), ("int next_prio", 60, 4))
    cpu = bytes(8)
    tracepoints(path, [(52, "sched", "sched_waking", fields), (53, "sched", "sched_switch", switch)],
                tracepoint(53, 1, 999, struct.pack("<HHi16siiq16sii", 53, 0, 1, b"a", 1, 120, 1, b"b", 2, 120), cpu) +
                b"".join(tracepoint(52, i, 1000 + i, struct.pack("<HHi16siii", 52, 0, i, b"a", i + 1, 120, 0), cpu) for i in range(1, 600000)),
                sample_type=TRACED | CPU)


def zstd_locks(path):
    """each wait is another task's, in 20 other places: as many rows as there are frames"""
    fields = (("void * lock_addr", 8, 8), ("unsigned int flags", 16, 4))
    tracepoints(path, [(54, "lock", "contention_begin", fields)],
                b"".join(tracepoint(54, 1 + i, 1000 + i, struct.pack("<HHiQI", 54, 0, 1, 64 * i, 1),
                                    chain([2**64 - 128] + [0xffffffff81000000 + 16 * i + 64 * k for k in range(20)])) for i in range(200000)),
                sample_type=TRACED | CALLCHAIN)


def zstd_works(path):
    """each work runs another function, once"""
    fields = (("void * work", 8, 8), ("void * function", 16, 8))
    events = [(60, "workqueue", "workqueue_execute_start", fields), (61, "workqueue", "workqueue_execute_end", fields)]
    tracepoints(path, events, b"".join(tracepoint(e, 1, 1000 + i, struct.pack("<HHiQQ", e, 0, 1, i, 0x1000 + i))
                                       for i in range(700000) for e in (60, 61)))


def fork_files(path):
    """a process with many descriptors, and a child that is started again and again"""
    sys_call, socket = 0xfff0, 41
    events = [(sys_call, "assay", "sys_call", (("unsigned int nr", 8, 4),))]
    calls = b"".join(tracepoint(sys_call, 1, 1000 + i, struct.pack("<HHiI6QqQII", sys_call, 0, 1, socket, 2, 1, 0, 0, 0, 0, i, 1000 + i, 0, 0))
                     for i in range(20000))
    child = struct.pack("<IIIIQ", 2, 1, 2, 1, 10**6) + struct.pack("<IIQQ", 2, 2, 10**6, sys_call)
    tracepoints(path, events, calls, record(7, 0, child) * 60000)


def build_id(i, path, misc=USER):
    name = path + bytes(8 - len(path) % 8)
    return struct.pack("<IHH", 0, misc | 0x8000, 36 + len(name)) + struct.pack("<i20sBBH", -1, i, 20, 0, 0) + name


def with_build_ids(path, attrs, data, entries):
    """a file with the feature BUILD_ID"""
    perf_file(path, attrs, data, 2)
    with open(path, "r+b") as f:
        whole = f.read()
        body = b"".join(entries)
        at = len(whole) - 16
        f.seek(at)
        f.write(struct.pack("<QQ", len(whole), len(body)) + body)


def build_ids_dsos(path):
    """as many files in maps as in the list of build-ids, and none of them is there"""
    maps = b"".join(mmap(1, 0x10000 * i, name=b"/a/%010d\0\0\0" % i) for i in range(80000))
    entries = [build_id(struct.pack("<IQQ", i, 1, 1), b"/b/%010d" % i) for i in range(70000)]
    with_build_ids(path, one(), START + maps + sample(), entries)


def build_ids_modules(path):
    maps = b"".join(mmap(2**32 - 1, 2**64 - 0x10000 * (i + 2), name=b"[a%010d]\0\0\0" % i, misc=KERNEL) for i in range(60000))
    entries = [build_id(struct.pack("<IQQ", i, 1, 1), b"/b/%010d.ko" % i, KERNEL) for i in range(70000)]
    with_build_ids(path, one(), START + maps + sample(), entries)


def mmap2_id(pid, start, id_, name, misc=USER):
    body = struct.pack("<IIQQQ", pid, pid, start, 0x1000, 0) + struct.pack("<BBH20sII", 20, 0, 0, id_, 5, 2) + name
    return record(10, misc | 1 << 14, body)


def build_ids_prefix(path):
    """files of one name, whose build-ids differ in their last bytes"""
    data = b"".join(mmap2_id(1, 0x10000 * i, bytes(16) + struct.pack("<I", i), b"/bin/x\0\0") +
                    sample(0x10000 * i + 0x10) for i in range(1, 80000))
    write(path, one(), START + data)


def build_ids_module_name(path):
    """modules of the kernel of one name, each with another build-id"""
    data = b"".join(mmap2_id(2**32 - 1, 2**63 + 0x10000 * i, bytes(16) + struct.pack("<I", i), b"[ext4]\0\0", KERNEL) +
                    sample(2**63 + 0x10000 * i + 0x10, misc=KERNEL) for i in range(1, 80000))
    write(path, one(), START + data)


def build_ids_repeated(path):
    """a pipe that lists a build-id after each map"""
    body = record(64, 0, attr(sample_type=PLAIN, flags=0) + struct.pack("<Q", 1)) + START
    body += b"".join(mmap(1, 0x10000 * i, name=b"/a/%010d\0\0\0" % i) +
                     record(67, USER, struct.pack("<i", -1) + struct.pack("<I", i) + bytes(20) + b"/b/%010d\0\0\0" % i)
                     for i in range(1, 70000))
    with open(path, "wb") as f:
        f.write(pipe(body + sample()))


def many_events(path):
    """25,000 events and a sample of each"""
    events = [(attr(1, 0, PLAIN | IDENTIFIER, flags=0), [i + 1]) for i in range(25000)]
    data = b"".join(record(9, USER, struct.pack("<QQIIQ", i % 25000 + 1, 0x400000 + i, 1, 1, 1)) for i in range(100000))
    write(path, events, START + data)


def imported(flags):
    """the section of an imported recording, with one empty string and no locations"""
    return struct.pack("<QqII6I10IQ", 0x32706d6979617361, 0, flags, 1, *[0] * 16, 1) + b"\0"


def embedded(rows, files, strings=b"x\0"):
    """the section of mapped files: each row is (flags, build_id)"""
    head = struct.pack("<QIIII", 0x316d616e79617361, 32, len(rows), 0, 0)
    tables = len(head) + 72 * len(rows) + 120 * len(files)
    out, text = head, tables
    for flags, id_ in rows:
        out += struct.pack("<QQQQIIII20sB3x", 0, 0, text, text + len(strings), 0, flags, 0, 0, id_, len(id_.rstrip(b"\0")))
        text += 2 * len(strings)
    return out + b"".join(files) + strings * (2 * len(rows))


def file_row(inode, since):
    return struct.pack("<IIQQQQQqqIIQQ", 8, 1, inode, 0, 0, 0, 0, 0, 0, 0, 0, 0, since) + bytes(32)


def with_feature(path, attrs, data, number, body):
    perf_file(path, attrs, data, 2)
    with open(path, "r+b") as f:
        whole = bytearray(f.read())
        struct.pack_into("<QQQQ", whole, 72, *[1 << number - 64 * i if number // 64 == i else 0 for i in range(4)])
        at = len(whole)
        body_at = at + -at % 8
        struct.pack_into("<QQ", whole, at - 16, body_at, len(body))
        f.seek(0)
        f.write(bytes(whole) + bytes(body_at - at) + body)


def mapped_files(path):
    """versions of one file by the thousand, and maps of it"""
    rows = [(8, b"\0" * 20)] * 30000
    files = [file_row(42, i) for i in range(30000)]
    data = b"".join(record(10, USER, mmap2(5, 2, b"/x\0\0\0\0\0", (8, 1, 42, 0))) for _ in range(40000))
    with_feature(path, one(), START + data, 201, embedded(rows, files))


def mapped_build_ids(path):
    """files of one build-id by the thousand"""
    rows = [(8, b"\1" * 20)] * 40000
    files = [file_row(0, i) for i in range(40000)]
    data = b"".join(mmap2_id(1, 0x400000, b"\1" * 20, b"/x\0\0\0\0\0\0") for _ in range(10000))
    with_feature(path, one(), START + data, 201, embedded(rows, files))


def repeats(path):
    """a sample that stands for 30 million"""
    data = START + sample(more=struct.pack("<Q", 30000000))
    with_feature(path, one(PLAIN | WEIGHT), data, 200, imported(2))


def many_repeats(path):
    """many samples that stand for a few hundred each"""
    data = START + b"".join(sample(0x400000 + i, more=struct.pack("<Q", 100)) for i in range(200000))
    with_feature(path, one(PLAIN | WEIGHT), data, 200, imported(2))


def c_library():
    """a file with symbols and call frames that every machine has"""
    with open("/proc/self/maps") as f:
        return next(line.split()[5] for line in f if "/libc" in line and ".so" in line)


def alias(path, i):
    """one of 65,536 paths of a file"""
    directory, name = os.path.split(path)
    steps = "".join("/." if i >> bit & 1 else "/" for bit in range(16))
    text = (directory + steps + "/" + name).encode()
    return text + bytes(8 - len(text) % 8)


ALIAS_BYTES = 0x1000000


def aliases(path):
    """40,000 paths of one file, with a sample each"""
    file = c_library()
    data = b"".join(mmap(1, ALIAS_BYTES * (i + 1), ALIAS_BYTES, alias(file, i)) +
                    sample(ALIAS_BYTES * (i + 1) + os.path.getsize(file) // 2 + i) for i in range(40000))
    write(path, one(), START + data)


def alias_stacks(path):
    """raw stacks, for which the call frame information of each path is looked for"""
    file = c_library()
    mask, regs = (3 << 31, lambda ip: (0x7000, ip)) if os.uname().machine == "aarch64" else (7 << 6, lambda ip: (0x7000, 0x7000, ip))
    data = b""
    for i in range(15000):
        ip = ALIAS_BYTES * (i + 1) + os.path.getsize(file) // 2 + i
        values = regs(ip)
        more = chain([]) + struct.pack(f"<Q{len(values)}Q", 2, *values) + struct.pack("<Q", 64) + struct.pack("<Q", ip) * 8 + struct.pack("<Q", 64)
        data += mmap(1, ALIAS_BYTES * (i + 1), ALIAS_BYTES, alias(file, i)) + sample(ip, more=more)
    write(path, one(PLAIN | CALLCHAIN | REGS_USER | STACK_USER, regs_user=mask, stack_user=64), START + data)


def real_files(path):
    """the large files of this machine that have symbols or could have; what one of them may cost is for hostile_elf.py"""
    found = set()
    for directory, _, names in (step for top in ("/usr", "/opt") for step in os.walk(top)):
        for name in names:
            file = os.path.join(directory, name)
            st = os.lstat(file)
            if stat.S_ISREG(st.st_mode) and 256 << 10 <= st.st_size <= 128 << 20 and os.access(file, os.R_OK):
                found.add((st.st_size, file))
    data, at, nr = b"", 0x10000000, 0
    for size, file in sorted(found, reverse=True):
        with open(file, "rb") as f:
            if f.read(4) != b"\x7fELF" or nr == 2000:
                continue
        text = os.fsencode(file)
        data += mmap(1, at, size & ~4095, text + bytes(8 - len(text) % 8))
        data += b"".join(sample(at + size * k // 6) for k in range(1, 6))
        at += size + 0xffff & ~0xffff
        nr += 1
    write(path, one(), START + data)


def jit_maps(path):
    """40 processes, for whose map files see jit_symfs()"""
    write(path, one(), b"".join(comm(i, b"jit") + mmap(i, 0x400000, 0x10000000, b"//anon\0\0") + sample(0x400010 + 0x40 * i, i) for i in range(1, 41)))


def jit_symfs(directory):
    """one map file of 10 MB under 40 names"""
    os.makedirs(os.path.join(directory, "tmp"))
    first = os.path.join(directory, "tmp/perf-1.map")
    with open(first, "w") as f:
        f.writelines("%x 40 function_%07d\n" % (0x400000 + 0x40 * i, i) for i in range(350000))
    for i in range(2, 41):
        os.link(first, os.path.join(directory, f"tmp/perf-{i}.map"))


KINDS = {f.__name__.replace("_", "-"): f for f in (
    zstd_samples, zstd_timed, zstd_stacks, zstd_deep, zstd_tiny, zstd_forks, zstd_maps, zstd_comms, zstd_long_names, zstd_build_ids,
    zstd_pipe, zstd_attrs, zstd_large_samples, zstd_large_timed, zstd_large_maps, zstd_large_forks, zstd_large_chains,
    zstd_large_dumps, zstd_recursion, kernel_symbols, features, fork_maps, fork_fork_maps, falling_maps, falling_kernel_maps, equal_ids, equal_addresses, tracing_data,
    build_ids_dsos, build_ids_modules, build_ids_prefix, build_ids_module_name, build_ids_repeated, many_events, mapped_files,
    mapped_build_ids, repeats, many_repeats, aliases, alias_stacks, real_files, jit_maps, zstd_pages, zstd_works, zstd_wakes, zstd_locks,
    fork_files)}

ALL = [
    "report --stdio", "report --stdio --no-children -g caller", "report --json", "report --stats", "report --tasks", "report --mmaps",
    "report -D", "report --header-only -I", "script", "script --show-mmap-events --show-task-events", "script -D", "evlist -v",
    "flame -o /dev/null", "flame -o /dev/null --diff", "heatmap --offset -o /dev/null", "diff", "export --format folded", "export --format pprof",
    "export --format firefox", "export --format speedscope", "export --format chrome", "export --format callgrind",
    "export --format csv", "stat report"]


USUAL = ["report --stdio --no-children -g caller", "report --mmaps", "script --show-mmap-events --show-task-events",
         "flame -o /dev/null", "export --format pprof"]
# Views differ in what they do with samples, and --mmaps with maps: of one sample, and of few maps, the others say what reading costs.
ONE_SAMPLE = {f.__name__.replace("_", "-") for f in (
    zstd_tiny, zstd_forks, zstd_maps, zstd_comms, zstd_long_names, zstd_build_ids, zstd_large_maps, zstd_large_forks, kernel_symbols,
    features, fork_maps, fork_fork_maps, falling_maps, falling_kernel_maps, equal_ids, tracing_data, build_ids_dsos, build_ids_modules,
    build_ids_repeated, mapped_files, mapped_build_ids, fork_files)}
FEW_MAPS = {f.__name__.replace("_", "-") for f in (
    zstd_samples, zstd_timed, zstd_stacks, zstd_deep, zstd_pipe, zstd_attrs, zstd_large_samples, zstd_large_timed, zstd_large_chains,
    zstd_large_dumps, zstd_recursion, equal_ids, equal_addresses, many_events, repeats, many_repeats)}


def usual(kind):
    return [c for c in USUAL if not (kind in ONE_SAMPLE and c.startswith(("flame", "export")) or kind in FEW_MAPS and "--mmaps" in c)]


def run(assay, command, path):
    """(seconds of CPU, MB, bytes printed, status, what it says)"""
    words = command.split()
    if words[0] == "diff" or "--diff" in words:
        read = [path, path]
    else:
        read = [path] if words[0] in ("flame", "export", "heatmap") else ["-i", path]

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    p = subprocess.Popen([assay] + words + read, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         preexec_fn=limit)
    said = [b""]

    def listen():
        for line in p.stderr:
            if len(said[0]) < 4096:
                said[0] += line

    listener = threading.Thread(target=listen)
    listener.start()
    printed = count_bytes(p.stdout)
    listener.join()
    _, status, usage = os.wait4(p.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10, printed, status, said[0].decode(errors="replace")


def check(assay, kind, path, commands):
    worst, bad = (0, 0, 0), 0
    for command in commands:
        seconds, mb, printed, status, said = run(assay, command, path)
        worst = max(worst[0], seconds), max(worst[1], mb), max(worst[2], printed)
        if seconds > MAX_S or mb > MAX_MB or printed > max(MAX_PRINTED, PRINTED_FACTOR * os.path.getsize(path)) or \
                os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == EXIT_USAGE:
            bad += 1
            print(f"FAIL: {kind}: {command}: {seconds:.1f} s, {mb} MB, {printed >> 20} MB printed, status {status:#x}: "
                  f"{said.strip().splitlines()[:2]}", flush=True)
    print(f"{kind}: {os.path.getsize(path) >> 10} kB: at most {worst[0]:.1f} s, {worst[1]} MB, {worst[2] >> 20} MB printed", flush=True)
    return bad


def main():
    how = sys.argv[1]
    if how == "make":
        for kind in sys.argv[3:] or KINDS:
            KINDS[kind](os.path.join(sys.argv[2], kind))
            print(kind)
        return 0
    if how == "symfs":
        return jit_symfs(sys.argv[2])
    assay, directory = sys.argv[2:4]
    words = os.environ.get("COMMANDS", "")

    def commands(kind):
        return ALL if words == "all" else words.split(",") if words else usual(kind)

    return 1 if sum(check(assay, k, os.path.join(directory, k), commands(k)) for k in sys.argv[4:] or KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-2.0-or-later
"""Small perf.data images, of either byte order, that know where each of their fields stands.

An image holds the bytes, the place of every size, count and offset (`fields`), where each record
ends (`records`) and which of the records are samples. mutate.py damages them.
"""
import struct

IP, TID, TIME, READ, CHAIN, CPU, PERIOD, RAW = (1 << bit for bit in (0, 1, 2, 4, 5, 7, 8, 10))
BRANCH, REGS, STACK, IDENTIFIER = 1 << 11, 1 << 12, 1 << 13, 1 << 16
BASE = IP | TID | TIME | CPU | PERIOD | IDENTIFIER
READ_FORMAT = 1 | 2 | 4 | 8  # both times, ids, a group
ID_ALL = 1 << 18
USER_MODE = 2
EXEC = 1 << 13
FORMATS = {2: "H", 4: "I", 8: "Q"}
NR_SAMPLES = 24

FEATURES = {"BUILD_ID": 2, "HOSTNAME": 3, "NRCPUS": 7, "TOTAL_MEM": 10, "CMDLINE": 11, "EVENT_DESC": 12,
            "CPU_TOPOLOGY": 13, "NUMA_TOPOLOGY": 14, "PMU_MAPPINGS": 16, "GROUP_DESC": 17, "CACHE": 20,
            "SAMPLE_TIME": 21, "MEM_TOPOLOGY": 22, "CLOCKID": 23, "CLOCK_DATA": 29}


class Image:
    """Grows by append; numbers are written in the image's byte order."""

    def __init__(self, big=False):
        self.big, self.order = big, ">" if big else "<"
        self.data = bytearray()
        self.fields = []   # (name, offset, width)
        self.records = []  # (start, end, type)
        self.strings = []  # (name, offset of the NUL and its padding, end)

    def num(self, width, *values, name=None):
        for value in values:
            if name:
                self.fields.append((name, len(self.data), width))
            self.data += struct.pack(self.order + FORMATS[width], value)

    def u16(self, *values, name=None):
        self.num(2, *values, name=name)

    def u32(self, *values, name=None):
        self.num(4, *values, name=name)

    def u64(self, *values, name=None):
        self.num(8, *values, name=name)

    def raw(self, data):
        self.data += data

    def set(self, offset, width, value):
        struct.pack_into(self.order + FORMATS[width], self.data, offset, value)

    def get(self, offset, width):
        return struct.unpack_from(self.order + FORMATS[width], self.data, offset)[0]

    def text(self, name, text):
        """A string up to the next multiple of 8."""
        self.data += text
        nul = len(self.data)
        self.data += b"\0" * (8 - nul % 8)
        self.strings.append((name, nul, len(self.data)))

    def sized_text(self, name, text, room=64):
        """As features have them: a length with padding, then the bytes."""
        self.u32(room, name=f"length of {name}")
        start = len(self.data)
        self.data += text + bytes(room - len(text))
        self.strings.append((name, start + len(text), start + room))

    def record(self, type_, misc, body, trailer=None):
        """body: a function that writes it."""
        start = len(self.data)
        self.u32(type_)
        self.u16(misc, 0)
        body()
        self.raw(bytes(-(len(self.data) - start) % 8))
        if trailer:
            trailer()
        self.fields.append((f"size of record {len(self.records)} (type {type_})", start + 6, 2))
        self.set(start + 6, 2, len(self.data) - start)
        self.records.append((start, len(self.data), type_))


def flag_word(img, flags):
    """Bit-fields start at the other end on a big-endian machine."""
    return int(f"{flags:064b}"[::-1], 2) if img.big else flags


def put_attr(img, event):
    config, sample_type, read_format, regs, stack = event
    img.u32(1)
    img.u32(128, name="attr.size")
    img.u64(config, 4000)
    img.u64(sample_type)
    img.u64(read_format)
    img.u64(flag_word(img, ID_ALL | 1 << 10 | 1 << 20))  # a frequency; no guests
    img.u32(0, 0)
    img.u64(0, 0, 0, regs)
    img.u32(stack, 0)
    img.u64(0)
    img.u32(0)
    img.u16(0, 0)
    img.u32(0, 0)
    img.u64(0)


# cpu-clock and page-faults: events that have the same name where EVENT_DESC is lost.
EVENTS = [(0, BASE | CHAIN, READ_FORMAT, 0, 0),
          (2, BASE | READ | CHAIN | RAW | BRANCH | REGS | STACK, READ_FORMAT, 0xff, 64)]
EVENT_IDS = [[11, 12], [21, 22]]
EVENT_NAMES = [b"cpu-clock", b"page-faults"]


class Records:
    """The stream of all our images: tasks, maps, samples of both events, rounds."""

    def __init__(self, img):
        self.img, self.time = img, 1000000000

    def trailer(self):
        self.img.u32(100, 101)
        self.img.u64(self.time)
        self.img.u32(0, 0)
        self.img.u64(11)

    def kernel(self, type_, misc, body):
        self.time += 1000
        self.img.record(type_, misc, body, self.trailer)

    def comm(self, tid, name):
        def body():
            self.img.u32(100, tid)
            self.img.text("comm", name)
        self.kernel(3, 0, body)

    def mmap2(self, start, name):
        def body():
            self.img.u32(100, 101)
            self.img.u64(start, 0x10000, 0)
            self.img.u32(8, 1)
            self.img.u64(4711, 0)
            self.img.u32(5, 2)
            self.img.text("filename", name)
        self.kernel(10, USER_MODE, body)

    def sample(self, event):
        def body():
            img = self.img
            img.u64(EVENT_IDS[event][self.time // 1000 % 2], 0x400123)
            img.u32(100, 101)
            img.u64(self.time)
            img.u32(0, 0)
            img.u64(1000 + self.time // 1000 % 7)
            if event:
                img.u64(2, name="nr of the READ group")
                # One of the two counts moves, so that a record is one sample.
                img.u64(10, 20, 77 + self.time // 1000, 21, 0, 22)
            img.u64(4, name="nr of the call chain")
            img.u64(2**64 - 512, 0x400123, 0x400200, 0x401000)
            if event:
                self.tail()
        self.time += 1000
        self.img.record(9, USER_MODE, body)

    def tail(self):
        img = self.img
        img.u32(20, name="size of the raw data")
        img.raw(bytes(range(20)))
        img.u64(2, name="nr of branches")
        img.u64(0x400100, 0x400200, 0, 0x400300, 0x400400, 0)
        img.u64(2, name="abi of the registers")
        img.u64(*range(8))
        img.u64(64, name="size of the stack")
        img.raw(bytes(range(64)))
        img.u64(32, name="size of the stack in use")

    def others(self):
        img = self.img

        def namespaces():
            img.u32(100, 101)
            img.u64(2, name="nr of namespaces")
            img.u64(4, 0xf0000000, 4, 0xf0000001)

        def ksymbol():
            img.u64(0xffffffffc0001000)
            img.u32(0x80)
            img.u16(1, 0)
            img.text("ksymbol", b"bpf_prog_1234_x")

        def cgroup():
            img.u64(4242)
            img.text("cgroup", b"/user.slice")

        def text_poke():
            img.u64(0xffffffff81000000)
            img.u16(5, name="old length of TEXT_POKE")
            img.u16(5, name="new length of TEXT_POKE")
            img.raw(bytes(10))

        def deferred():
            img.u64(7)
            img.u64(2, name="nr of deferred ips")
            img.u64(0x400100, 0x400200)

        for type_, body in ((16, namespaces), (17, ksymbol), (19, cgroup), (20, text_poke), (22, deferred)):
            self.kernel(type_, 0, body)

    def all(self):
        self.comm(100, b"leader")
        self.comm(101, b"worker")
        self.mmap2(0x400000, b"/nonexistent/program")
        self.mmap2(0x7f0000000000, b"/nonexistent/library.so")
        self.others()
        for i in range(NR_SAMPLES):
            self.sample(i % 3 == 2)
            if i % 8 == 7:
                self.img.record(68, 0, lambda: None)
        self.kernel(4, 0, lambda: (self.img.u32(100, 1, 101, 100), self.img.u64(self.time)))


def put_build_ids(img):
    start = len(img.data)
    img.u32(0)
    img.u16(USER_MODE, 0)
    img.u32(100)
    img.raw(bytes(range(20)) + bytes(4))
    img.text("build-id name", b"/nonexistent/program")
    img.fields.append(("size of a build-id", start + 6, 2))
    img.set(start + 6, 2, len(img.data) - start)


def put_event_desc(img):
    img.u32(len(EVENTS), name="nr of EVENT_DESC")
    img.u32(128, name="attr size of EVENT_DESC")
    for event, ids, name in zip(EVENTS, EVENT_IDS, EVENT_NAMES):
        put_attr(img, event)
        img.u32(len(ids), name="nr of ids of EVENT_DESC")
        img.sized_text("event name", name)
        img.u64(*ids)


def put_topology(img):
    for what in ("cores", "threads"):
        img.u32(1, name=f"nr of {what}")
        img.sized_text(what, b"0-1")
    for cpu in (0, 1):
        img.u32(cpu, 0)


def put_numa(img):
    img.u32(1, name="nr of nodes")
    img.u32(0)
    img.u64(1000, 500)
    img.sized_text("cpus of a node", b"0-1")


def put_cache(img):
    img.u32(1, name="version of CACHE")
    img.u32(1, name="nr of caches")
    img.u32(1, 64, 64, 8)
    for text in (b"Data", b"32K", b"0"):
        img.sized_text("cache", text)


def put_mem_topology(img):
    img.u64(1, name="version of MEM_TOPOLOGY")
    img.u64(1 << 27)
    img.u64(1, name="nr of memory nodes")
    img.u64(0, 65)
    img.u64(65, name="nr of memory bits")
    img.u64(2**64 - 1, 1)


def put_cmdline(img):
    img.u32(2, name="nr of words")
    img.sized_text("word", b"record")
    img.sized_text("word", b"true")


def put_pmus(img):
    img.u32(2, name="nr of pmus")
    for type_, name in ((1, b"software"), (2, b"tracepoint")):
        img.u32(type_)
        img.sized_text("pmu", name)


def put_groups(img):
    img.u32(1, name="nr of groups")
    img.sized_text("group", b"g")
    img.u32(0, 2)


def put_clock_data(img):
    img.u32(1, name="version of CLOCK_DATA")
    img.u32(1)
    img.u64(5, 6)


FEATURE_BODIES = {
    "BUILD_ID": put_build_ids, "HOSTNAME": lambda img: img.sized_text("hostname", b"host"),
    "NRCPUS": lambda img: img.u32(2, 2), "TOTAL_MEM": lambda img: img.u64(1 << 20),
    "CMDLINE": put_cmdline, "EVENT_DESC": put_event_desc, "CPU_TOPOLOGY": put_topology,
    "NUMA_TOPOLOGY": put_numa, "PMU_MAPPINGS": put_pmus, "GROUP_DESC": put_groups, "CACHE": put_cache,
    "SAMPLE_TIME": lambda img: img.u64(1, 2), "MEM_TOPOLOGY": put_mem_topology,
    "CLOCKID": lambda img: img.u64(1), "CLOCK_DATA": put_clock_data}


def put_header(img, attrs_off, data_off):
    magic = b"PERFILE2"
    img.raw(magic[::-1] if img.big else magic)
    img.u64(104, name="size of the header")
    img.u64(144, name="attr_size")
    img.u64(attrs_off, name="attrs offset")
    img.u64(144 * len(EVENTS), name="attrs size")
    img.u64(data_off, name="data offset")
    img.u64(0, name="data size")
    img.u64(0, 0)
    img.u64(sum(1 << bit for bit in FEATURES.values()), 0, 0, 0, name="feature bits")


def file_image(big=False, records=True):
    """The usual file: header, ids, attrs, data, table of features, features."""
    img = Image(big)
    attrs_off = 104 + sum(8 * len(ids) for ids in EVENT_IDS)
    data_off = attrs_off + 144 * len(EVENTS)
    put_header(img, attrs_off, data_off)
    for ids in EVENT_IDS:
        img.u64(*ids)
    ids_off = 104
    for event, ids in zip(EVENTS, EVENT_IDS):
        put_attr(img, event)
        img.u64(ids_off, name="ids offset")
        img.u64(8 * len(ids), name="ids size")
        ids_off += 8 * len(ids)
    if records:
        Records(img).all()
    img.set(48, 8, len(img.data) - data_off)
    img.data_end = table = len(img.data)
    for name in FEATURES:
        img.u64(0, name=f"offset of {name}")
        img.u64(0, name=f"size of {name}")
    for i, name in enumerate(FEATURES):
        start = len(img.data)
        FEATURE_BODIES[name](img)
        img.set(table + 16 * i, 8, start)
        img.set(table + 16 * i + 8, 8, len(img.data) - start)
    return img


def pipe_image(big=False):
    """The same as a stream: attrs, names and features are records."""
    img = Image(big)
    magic = b"PERFILE2"
    img.raw(magic[::-1] if big else magic)
    img.u64(16, name="size of the header")
    for event, ids in zip(EVENTS, EVENT_IDS):
        img.record(64, 0, lambda e=event, i=ids: (put_attr(img, e), img.u64(*i)))
    for ids, name in zip(EVENT_IDS, EVENT_NAMES):
        img.record(78, 0, lambda i=ids, n=name: (img.u64(2, i[0]), img.text("event name", n)))
    for name in ("HOSTNAME", "NRCPUS", "CMDLINE", "CPU_TOPOLOGY", "CACHE"):
        img.record(80, 0, lambda n=name: (img.u64(FEATURES[n]), FEATURE_BODIES[n](img)))
    Records(img).all()
    img.data_end = len(img.data)
    return img

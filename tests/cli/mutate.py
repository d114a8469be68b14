#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Damages perf.data files in every way we could think of and lets assay read them.

Usage: mutate.py ASSAY [--asan ASSAY_WITH_SANITIZERS] [--recorded FILE]… [--compressed FILE] [--tracing FILE]

For each damaged file, `script` and one more command must end within 10 s, without a signal, with
less than 300 MB, exit 0 or 1. What is asked beyond that depends on the damage:
  cut      exit 1, one sentence with file and offset, exactly the samples before the cut
  broken   exit 1, one sentence with file and offset, no sample that the whole file does not have
  noticed  exit 1, one sentence with file and offset
  maybe    the output of the whole file, or as broken: a field that is not used may be anything
  wild     exit 0 or as broken but for the samples: bytes that still make sense, but another one
"""
import argparse
import concurrent.futures
import os
import random
import re
import select
import signal
import struct
import sys
import tempfile
import threading

import perf_image

TIMEOUT_S = 10
MAX_RSS_KB = 300 << 10
ASAN_EVERY = 11  # files; prime to the number of OTHERS
# Not the period: with counts in samples it says what came before, which damage may have taken away.
FIELDS = "comm,tid,time,event,ip"
OTHERS = [["report", "--stdio"], ["evlist", "-v"], ["script", "-D"], ["report", "--json"],
          ["report", "--stats"], ["report", "--header", "-I", "-g", "folded", "--stdio"],
          ["script", "--json"], ["evlist", "-g"], ["report", "--mmaps"], ["report", "-D"],
          ["script", "--header-only", "-I"],
          ["script", "--show-task-events", "--show-mmap-events", "--show-namespace-events",
           "--show-bpf-events", "--show-cgroup-events", "--show-switch-events"]]


class Case:
    def __init__(self, name, data, kind, nr_samples=None, base=None, stdin=False):
        self.name, self.kind, self.nr_samples = name, kind, nr_samples
        self.data = data if isinstance(data, dict) else bytes(data)  # a dict: files of a directory
        self.base, self.stdin = base, stdin
        self.tracing = False  # script prints the fields of tracepoints

    def write(self, path):
        if not isinstance(self.data, dict):
            with open(path, "wb") as f:
                f.write(self.data)
            return
        os.mkdir(path)
        for name, data in self.data.items():
            with open(os.path.join(path, name), "wb") as f:
                f.write(data)

    def remove(self, path):
        if not isinstance(self.data, dict):
            return os.unlink(path)
        for name in self.data:
            os.unlink(os.path.join(path, name))
        return os.rmdir(path)


class Run:
    def __init__(self, status, rss_kb, out, err, timed_out):
        self.status, self.rss_kb, self.out, self.err = status, rss_kb, out, err
        self.timed_out = timed_out


class Workspace:
    """Files that one thread of tests uses again and again: processes that are started by the thousand cost what starting one costs."""
    def __init__(self, directory):
        path = os.path.join(directory, f"output-{threading.get_ident()}")
        self.out, self.err = (open(f"{path}.{name}", "w+b", buffering=0) for name in ("out", "err"))

    def clear(self):
        for f in (self.out, self.err):
            f.seek(0)
            f.truncate()


def start(argv, env, files):
    """With the files as 0, 1, 2; all else closes at exec."""
    return os.posix_spawn(argv[0], argv, env, setsigdef=[signal.SIGPIPE],
                          file_actions=[(os.POSIX_SPAWN_DUP2, f.fileno(), to) for to, f in enumerate(files)])


def wait_for(pid):
    """(wait status, usage, whether it took too long)"""
    fd = os.pidfd_open(pid)
    try:
        is_late = not select.select([fd], [], [], TIMEOUT_S)[0]
    finally:
        os.close(fd)
    if is_late:
        os.kill(pid, signal.SIGKILL)
    return *os.wait4(pid, 0)[1:], is_late


def run(argv, space, stdin_path=None, env=None):
    space.clear()
    env = os.environ if env is None else env
    if stdin_path:
        # In a pipe, which has not the size that a file has.
        with open(stdin_path, "rb") as f:
            data = f.read()
        reader, writer = (open(fd, mode, buffering=0) for fd, mode in zip(os.pipe(), ("rb", "wb")))
        with reader:
            pid = start(argv, env, (reader, space.out, space.err))
        feeder = threading.Thread(target=feed, args=[writer, data])
        feeder.start()
        status, usage, is_late = wait_for(pid)
        feeder.join()
    else:
        with open(os.devnull, "rb") as null:
            pid = start(argv, env, (null, space.out, space.err))
        status, usage, is_late = wait_for(pid)
    out, err = (os.pread(f.fileno(), os.fstat(f.fileno()).st_size, 0) for f in (space.out, space.err))
    # Warnings of what is whole but poor (programs that are not there, no chains) are no matter of damage.
    said = [line for line in err.decode("utf-8", "replace").splitlines(True)
            if not re.match(r"assay: (WARNING: |quality: |-g shows nothing)", line)]
    return Run(os.waitstatus_to_exitcode(status), usage.ru_maxrss, out, "".join(said), is_late)


def feed(writer, data):
    try:
        with writer:
            while data:
                data = data[writer.write(data):]
    except BrokenPipeError:
        pass


class Tester:
    def __init__(self, assay, asan, directory):
        self.assay, self.asan, self.directory = assay, asan, directory
        self.spaces = threading.local()
        self.env = dict(os.environ, ASAN_OPTIONS="detect_leaks=1:exitcode=99", UBSAN_OPTIONS="halt_on_error=1:exitcode=99")
        self.failures, self.nr_runs, self.peak_kb = [], 0, 0
        self.lock = threading.Lock()
        self.baselines = {}

    def script(self, path, stdin=False, asan=False, tracing=False):
        return self.execute(["script"] if tracing else ["script", "-F", FIELDS], path, stdin, asan)

    def execute(self, argv, path, stdin, asan):
        binary = self.asan if asan and self.asan else self.assay
        if not hasattr(self.spaces, "own"):
            self.spaces.own = Workspace(self.directory)
        r = run([binary, *argv, "-i", "-" if stdin else path], self.spaces.own, path if stdin else None, self.env)
        with self.lock:
            self.nr_runs += 1
            if binary is self.assay:
                self.peak_kb = max(self.peak_kb, r.rss_kb)
        return r

    def fail(self, case, argv, why, r):
        with self.lock:
            # KEEP=DIRECTORY: the damaged files of failures are left there
            self.failures.append(f"{case.name}: {' '.join(argv)}: {why}; exit {r.status}: "
                                 f"{r.err.strip()[:2000]}")
            if os.environ.get("KEEP"):
                case.write(os.path.join(os.environ["KEEP"], f"{len(self.failures)}.data"))

    def base_of(self, image, stdin, path):
        """What the whole image prints."""
        key = (image, stdin)
        with self.lock:
            known = self.baselines.get(key)
        if known is None:
            with open(path, "wb") as f:
                f.write(image)
            r = self.script(path, stdin)
            if r.status or r.err or not r.out:
                raise SystemExit(f"a whole image is not read: {r.err}")
            known = r.out
            with self.lock:
                self.baselines[key] = known
        return known

    def check_safe(self, case, argv, r, asan):
        if r.timed_out:
            return self.fail(case, argv, f"takes more than {TIMEOUT_S} s", r)
        if r.status not in (0, 1):
            return self.fail(case, argv, "a signal or a sanitizer's finding", r)
        if r.rss_kb > MAX_RSS_KB and not (asan and self.asan):
            return self.fail(case, argv, f"{r.rss_kb} kB of memory", r)
        # Bytes changed at random can hit this section too; what is missing then is a warning of its own.
        sentences = [line for line in r.err.splitlines() if "the section about mapped files is damaged" not in line]
        if r.status and len(sentences) != 1:
            return self.fail(case, argv, "not one sentence", r)
        if not r.status and r.err and case.kind != "wild":
            return self.fail(case, argv, "words, but no exit status", r)
        return True

    def check_sentence(self, case, argv, r, path):
        name = "standard input" if case.stdin else path
        if r.status != 1:
            return self.fail(case, argv, "the damage went unnoticed", r)
        if re.search(f"{name}(/data)? is empty", r.err):
            return True
        if case.stdin and "standard input is not a perf.data file" in r.err:
            return True  # so little of it came that it could be anything
        if name not in r.err or not re.search(r"offset (0x[0-9a-f]+|\d+)", r.err):
            return self.fail(case, argv, "no file or no offset", r)
        return True

    def check(self, number, case, directory):
        path = os.path.join(directory, f"case-{number}")
        base = self.base_of(case.base, case.stdin, path) if case.base else None
        case.write(path)
        asan = number % ASAN_EVERY == 0
        argv = ["script"]
        r = self.script(path, case.stdin, asan, case.tracing)
        if self.check_safe(case, argv, r, asan):
            self.check_script(case, argv, r, path, base)
        # The whole-file commands must say the same of the damage.
        other = OTHERS[number % len(OTHERS)]
        o = self.execute(other, path, case.stdin, asan)
        if self.check_safe(case, other, o, asan) and "--header-only" not in other and \
                other[0] != "evlist" and o.status != r.status:
            self.fail(case, other, f"script ended with {r.status}", o)
        case.remove(path)

    def check_script(self, case, argv, r, path, base):
        if case.kind == "wild" or (case.kind in ("maybe", "whole") and r.out == base and not r.status):
            return
        if case.kind == "whole":
            self.fail(case, argv, "it is whole", r)
        elif not self.check_sentence(case, argv, r, path) or case.kind == "noticed":
            return
        elif case.kind == "cut":
            if samples_of(r.out) != samples_of(base)[:case.nr_samples]:
                self.fail(case, argv, f"{len(samples_of(r.out))} samples instead of the "
                          f"{case.nr_samples} before the cut", r)
        else:
            rest = iter(samples_of(base))
            if not all(any(sample == x for x in rest) for sample in samples_of(r.out)):
                self.fail(case, argv, "samples that the whole file does not have", r)
            elif case.nr_samples is not None and len(samples_of(r.out)) != case.nr_samples:
                self.fail(case, argv, f"{len(samples_of(r.out))} samples instead of {case.nr_samples}", r)


def samples_of(text):
    """script's output in pieces: a line, its call chain, an empty line."""
    return text.split(b"\n\n")[:-1]


def samples_before(img, offset):
    """How many samples are whole in the first `offset` bytes."""
    return sum(1 for _, end, type_ in img.records if type_ == 9 and end <= offset)


def interesting_cuts(img):
    cuts = set(range(1, 512, 64)) | set(range(0, 520, 64)) | set(range(4096, len(img.data), 4096))
    for start, end, _ in img.records:
        cuts |= {start - 1, start + 1, start + 7, start + 8, end - 1, end, end + 1}
    for name, offset, width in img.fields:
        if offset >= img.data_end:
            cuts |= {offset, offset + width - 1}
    return sorted(c for c in cuts if 0 <= c < len(img.data))


def cut_cases(label, img, stdin=False):
    whole = bytes(img.data)
    for cut in interesting_cuts(img):
        at_boundary = any(cut == end for _, end, _ in img.records) or cut == 16
        if label.startswith("pipe") and at_boundary:
            # A stream may end behind any record; what was said before still holds.
            yield Case(f"{label} ends at {cut}", whole[:cut], "wild", stdin=stdin)
            continue
        yield Case(f"{label} cut at {cut}", whole[:cut], "cut", samples_before(img, cut), whole, stdin)


def values_for(value, width):
    top = (1 << 8 * width) - 1
    out = {0, 1, 7, value - 1, value + 1, value + 8, value - 8, value * 2, value // 2, top, top // 2,
           top - 7, 1 << (8 * width - 1), 0xffff, 0x7fffffff, 0x10000}
    return sorted(v & top for v in out if 0 <= v & top <= top and v & top != value)


def field_cases(label, img, stdin=False, every=1):
    whole = bytes(img.data)
    for i, (name, offset, width) in enumerate(img.fields):
        if i % every:
            continue
        for value in values_for(img.get(offset, width), width):
            data = bytearray(whole)
            struct.pack_into(img.order + perf_image.FORMATS[width], data, offset, value)
            yield Case(f"{label} {name} at {offset} = {value:#x}", data, kind_of(name), None, whole, stdin)


# A size that is wrong by a multiple of 8 can leave a stream that makes sense, but another one.
AMBIGUOUS = re.compile(r"attrs size|size of record|nr of|length of|abi of|size of a build-id|TEXT_POKE|version|"
                       r"size of the|attr size|attr.size|ids|size of [A-Z]|offset of|data offset|feature")


def kind_of(name):
    return "wild" if AMBIGUOUS.search(name) else "maybe"


def bit_cases(label, img):
    whole = bytes(img.data)
    for offset in range(72, 104, 8):
        for bit in range(0, 64, 1 if offset == 72 else 9):
            data = bytearray(whole)
            word = img.get(offset, 8) ^ 1 << bit
            struct.pack_into(img.order + "Q", data, offset, word)
            yield Case(f"{label} feature bit {(offset - 72) * 8 + bit}", data, "wild", None, whole)


def string_cases(label, img, stdin=False):
    """Strings that go on to the end of their record or section."""
    whole = bytes(img.data)
    for name, nul, end in img.strings:
        data = bytearray(whole)
        data[nul:end] = b"x" * (end - nul)
        # Without its comm or map, a sample that is whole has another line.
        kind = "noticed" if name in ("comm", "filename") else "maybe"
        yield Case(f"{label} {name} at {nul} without an end", data, kind, None, whole, stdin)


def certain_cases(label, img):
    """Damage that must be noticed, with exactly the lines that are whole."""
    whole = bytes(img.data)

    def with_field(name, value, kind="broken"):
        offset, width = next((o, w) for n, o, w in img.fields if n == name)
        data = bytearray(whole)
        struct.pack_into(img.order + perf_image.FORMATS[width], data, offset, value)
        return Case(f"{label} {name} = {value:#x}", data, kind, None, whole)

    for name in ("size of the header", "attr_size", "attrs size"):
        for value in (0, 1, 7, 2**64 - 1):
            yield with_field(name, value)
    for name in ("attrs offset", "data offset", "data size", "ids offset", "ids size"):
        for value in (2**63, 2**64 - 1, 2**64 - 8, len(whole) + 1):
            yield with_field(name, value)
    for name in perf_image.FEATURES:
        for value in (2**63, 2**64 - 1, len(whole) + 1):
            yield with_field(f"offset of {name}", value)
            yield with_field(f"size of {name}", value)
    for name in ("nr of words", "nr of pmus", "nr of groups", "nr of nodes", "nr of caches", "nr of EVENT_DESC",
                 "nr of memory nodes", "nr of memory bits", "nr of cores", "nr of ids of EVENT_DESC"):
        width = next(w for n, _, w in img.fields if n == name)
        yield with_field(name, (1 << 8 * width) - 1)
        yield with_field(name, 0x7fffffff)
    for i, (start, end, type_) in enumerate(img.records):
        for size in (0, 7):
            data = bytearray(whole)
            struct.pack_into(img.order + "H", data, start + 6, size)
            yield Case(f"{label} record {i} has size {size}", data, "cut", samples_before(img, start), whole)
    for name, offset, width in img.fields:
        if name.startswith(("nr of the", "size of the raw", "nr of branches", "size of the stack")):
            for value in ((1 << 8 * width) - 1, 1 << (8 * width - 3), 0xffff):
                data = bytearray(whole)
                struct.pack_into(img.order + perf_image.FORMATS[width], data, offset, value)
                yield Case(f"{label} {name} at {offset} = {value:#x}", data, "broken", None, whole)


def directory_cases(img):
    """Damage in one file of a directory: the others are shown."""
    whole, data = bytes(img.data), {"data": bytes(perf_image.file_image(records=False).data)}
    first, middle = img.records[0][0], img.records[len(img.records) // 2][0]
    data["data.0"], data["data.1"] = whole[first:middle], whole[middle:img.data_end]
    yield Case("directory", data, "whole", None, whole)
    before = samples_before(img, middle)
    for start, end, _ in img.records[4:]:  # those of which the samples' lines are made stay
        for cut in (start + 1, end - 1):
            name, base = ("data.0", first) if cut < middle else ("data.1", middle)
            kept = samples_before(img, cut)
            kept += perf_image.NR_SAMPLES - before if name == "data.0" else 0
            yield Case(f"directory, {name} cut at {cut - base}", dict(data, **{name: data[name][:cut - base]}),
                       "broken", kept, whole)
    for cut in range(0, len(data["data"]), 56):
        kind = "broken" if cut >= 104 + 32 + 288 else "noticed"
        yield Case(f"directory, data cut at {cut}", dict(data, data=data["data"][:cut]), kind, None, whole)


def random_cases(label, whole, nr, rng, stdin=False):
    for i in range(nr):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 4, 16, 64))):
            at = rng.randrange(len(data))
            way = rng.randrange(5)
            if way == 0:
                data[at] = rng.randrange(256)
            elif way == 1:
                data[at] ^= 1 << rng.randrange(8)
            elif way == 2:
                at &= ~7
                word = rng.choice((0, 1, 2**64 - 1, 2**63, 2**32, 2**31 - 1, len(data), 65535))
                data[at:at + 8] = struct.pack("<Q", word)[:len(data) - at]
            elif way == 3:
                size = rng.randrange(1, 64)
                data[at:at + size] = bytes(rng.randrange(256) for _ in range(len(data[at:at + size])))
            else:
                other = rng.randrange(len(data))
                size = rng.randrange(1, 256)
                piece = data[other:other + size]
                data[at:at + len(piece)] = piece[:len(data) - at]
        if rng.randrange(8) == 0:
            del data[rng.randrange(len(data)):]
        yield Case(f"{label} random {i}", data, "wild", None, None, stdin)


def compressed_cases(whole, rng):
    """Flipped bytes in what follows a COMPRESSED record's header."""
    at, = struct.unpack_from("<Q", whole, 40)
    size, = struct.unpack_from("<Q", whole, 48)
    end, pieces = at + size, []
    while at + 8 <= end:
        type_, _, length = struct.unpack_from("<IHH", whole, at)
        if type_ in (81, 83):
            pieces.append((at, length))
        at += length
    if not pieces:
        raise SystemExit("the compressed file has no COMPRESSED record")
    for i in range(150):
        start, length = rng.choice(pieces)
        data = bytearray(whole)
        at = start + 8 + (i if i < min(length - 8, 24) else rng.randrange(length - 8))
        data[at] ^= 1 << rng.randrange(8)
        yield Case(f"compressed, a bit at {at}", data, "wild")
    for start, length in pieces[:4]:
        for size in (0, 7, 8, 16, length - 1, length + 1, 65535):
            data = bytearray(whole)
            struct.pack_into("<H", data, start + 6, size)
            yield Case(f"compressed, size of the piece at {start} = {size}", data, "wild")
        for cut in (start, start + 1, start + 8, start + length // 2):
            yield Case(f"compressed, cut at {cut}", whole[:cut], "wild")


def tracing_cases(whole, rng):
    """Formats with typing errors, and records that are not as their formats say."""
    data_off, data_size = struct.unpack_from("<QQ", whole, 40)
    start = whole.index(b"\x17\x08\x44tracing")
    words = (0, 0xffff, 0xffff0000, 0xffffffff, 0x7fff7fff, 0xffff0008, 0x1ffff)
    for i in range(120):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 3, 10))):
            way = rng.randrange(4)
            if way < 2:
                struct.pack_into("<I", data, rng.randrange(data_off, data_off + data_size) & ~3, rng.choice(words))
                continue
            at, other, size = rng.randrange(start, len(data)), rng.randrange(start, len(data)), rng.randrange(40)
            piece = data[other:other + size] if way == 2 else rng.choice([b"(", b")", b'"', b",", b"%", b"-", b";", b"9"])
            data[at:at + len(piece)] = piece[:len(data) - at]
        case = Case(f"tracepoints {i}", data, "wild")
        case.tracing = True
        yield case


def all_cases(args):
    rng = random.Random(20)
    native, foreign = perf_image.file_image(), perf_image.file_image(True)
    pipe, foreign_pipe = perf_image.pipe_image(), perf_image.pipe_image(True)
    for label, img in (("file", native), ("foreign", foreign)):
        yield from cut_cases(label, img)
        yield from certain_cases(label, img)
        yield from string_cases(label, img)
        yield from random_cases(label, bytes(img.data), 150, rng)
    yield from field_cases("file", native, every=3)
    yield from field_cases("foreign", foreign, every=5)
    yield from bit_cases("file", native)
    yield from directory_cases(native)
    yield from cut_cases("pipe", pipe)
    yield from cut_cases("pipe on stdin", pipe, True)
    yield from cut_cases("pipe, foreign", foreign_pipe)
    yield from field_cases("pipe", pipe, every=4)
    yield from string_cases("pipe on stdin", pipe, True)
    for label, img in (("pipe", pipe), ("pipe, foreign", foreign_pipe)):
        yield from random_cases(label, bytes(img.data), 100, rng)
    yield from random_cases("pipe on stdin", bytes(pipe.data), 50, rng, True)
    for path in args.recorded:
        with open(path, "rb") as f:
            whole = f.read()
        yield from random_cases(os.path.basename(path), whole, 60, rng)
    if args.tracing:
        with open(args.tracing, "rb") as f:
            yield from tracing_cases(f.read(), rng)
    if args.compressed:
        with open(args.compressed, "rb") as f:
            whole = f.read()
        yield from compressed_cases(whole, rng)


def whole_images_agree(tester, directory):
    """The four images say the same; that they are read at all is what damage is measured by."""
    outputs = []
    for make in (perf_image.file_image, perf_image.pipe_image):
        for big in (False, True):
            outputs.append(tester.base_of(bytes(make(big).data), False, os.path.join(directory, "whole")))
    if len(set(outputs)) != 1 or len(samples_of(outputs[0])) != perf_image.NR_SAMPLES:
        raise SystemExit("byte order or pipe mode change the output:\n" +
                         "\n".join(o.decode() for o in outputs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("assay")
    parser.add_argument("--asan", default="")
    parser.add_argument("--recorded", action="append", default=[])
    parser.add_argument("--compressed")
    parser.add_argument("--tracing")
    parser.add_argument("--only", default="", help="cases whose name has this")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        tester = Tester(args.assay, args.asan, directory)
        whole_images_agree(tester, directory)
        cases = [c for c in all_cases(args) if args.only in c.name]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for _ in pool.map(lambda nc: tester.check(nc[0], nc[1], directory), enumerate(cases)):
                pass
    for failure in tester.failures[:60]:
        print(f"FAIL: {failure}")
    print(f"NOTE: {len(cases)} damaged files, {tester.nr_runs} runs"
          f"{f' (one in {ASAN_EVERY} with sanitizers)' if args.asan else ''}, at most {tester.peak_kb >> 10} MB, "
          f"{len(tester.failures)} failures")
    return 1 if tester.failures else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds one program of the table, records it, and measures what became of its stacks."""
import collections
import contextlib
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../../tools"))
import unwind_compare  # noqa: E402

QUALITY = re.compile(r"([\d.]+)% (?:of stacks |of samples )?(complete|guessed|truncated|broken|unresolved)\b")
LOST = re.compile(r"(\d+) lost")
TOO_LONG = 180  # seconds for any one command
FIELDS = "comm,tid,time,ip,sym,dso"
ALL_FRAMES = ["--max-stack", "65535"]


class Failed(Exception):
    pass


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"


def content(path):
    with contextlib.suppress(OSError), open(path) as f:
        return f.read()
    return None


class Bench:
    """Where things are: the binaries, and a directory for each program below `work`. Raw recordings and perf's text of them stay there,
    so that another assay is compared on the same stacks."""

    def __init__(self, assay, perf, work):
        self.assay, self.perf, self.work = os.path.abspath(assay), perf, os.path.abspath(work)
        os.makedirs(self.work, exist_ok=True)
        os.chmod(self.work, 0o755)  # postgres runs as its own user
        self.cache = os.path.join(self.work, f".cache.{os.getpid()}")
        self.env = dict(os.environ, XDG_CACHE_HOME=self.cache, SRC=HERE)
        self.stopwatch = os.path.join(self.work, "stopwatch")
        self.run(["cc", "-O2", "-o", self.stopwatch, os.path.join(HERE, "stopwatch.c")])

    def close(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def directory(self, program):
        path = os.path.join(self.work, re.sub(r"[^A-Za-z0-9.]+", "-", program.key).strip("-"))
        os.makedirs(path, exist_ok=True)
        return path

    def run(self, argv, cwd=None, out=subprocess.DEVNULL):
        """The text of stderr; Failed where the command fails or takes too long."""
        try:
            done = subprocess.run(argv, cwd=cwd, env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, timeout=TOO_LONG)
        except subprocess.TimeoutExpired:
            raise Failed(f"{os.path.basename(argv[0])} {argv[1]} took more than {TOO_LONG} s") from None
        text = done.stderr.decode(errors="replace")
        if done.returncode:
            raise Failed(f"{shlex.join(argv)[:120]}: exit {done.returncode}: {last_line(text)}")
        return text

    def build(self, program):
        where, wanted = self.directory(program), hashlib.sha256()
        for line in program.build:
            wanted.update(line.encode())
            for name in re.findall(r"\$SRC/([\w.]+)", line):
                wanted.update(open(os.path.join(HERE, name), "rb").read())
        stamp = os.path.join(where, ".built")
        if content(stamp) == wanted.hexdigest():
            return where
        for line in program.build:
            try:
                self.run(["sh", "-ec", line], cwd=where)
            except Failed as e:
                raise Failed(f"not built: {e}") from None
        with open(stamp, "w") as f:
            f.write(wanted.hexdigest())
        return where

    def command(self, program, argv):
        where = self.directory(program)
        return [a.replace("{dir}", where).replace("{src}", HERE) for a in argv]

    @contextlib.contextmanager
    def target(self, program):
        """What to add to a recorder's arguments, with the server running where there is one."""
        run = self.command(program, program.run)
        if not program.server:
            yield ["--", *run]
            return
        ready = self.command(program, [program.ready])[0]
        with contextlib.suppress(FileNotFoundError):
            os.unlink(ready)
        server = subprocess.Popen(self.command(program, program.server), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 20
            while not os.path.exists(ready):
                if server.poll() is not None or time.monotonic() > end:
                    raise Failed("the server did not start")
                time.sleep(0.05)
            yield ["-p", str(server.pid), "--", *run]
        finally:
            server.terminate()
            server.wait()

    def record(self, program, tool, mode, path, *more):
        with self.target(program) as target:
            return self.run([tool, "record", *more, "-e", "cpu-clock", "-F", str(program.freq), "--call-graph", mode, "-o", path, *target],
                            cwd=self.directory(program))

    def text(self, tool, path, out, fields=FIELDS):
        with open(out, "w") as f:
            self.run([tool, "script", "--no-inline", *ALL_FRAMES, "-i", path, "-F", fields], out=f)

    # What is measured

    def quality(self, program, mode):
        """The figures of the quality line of a recording whose stacks assay walked, and the advice beside it."""
        where = self.directory(program)
        path, report = os.path.join(where, f"{mode}.data"), os.path.join(where, f"{mode}.report")
        self.record(program, self.assay, mode, path, "-q")
        with open(report, "w") as f:
            self.run([self.assay, "report", "--stdio", *ALL_FRAMES, "-i", path], out=f)
        figures, advice = {"guessed": None}, []
        with open(report, errors="replace") as f:
            for line in f:
                if line.startswith("# Samples:"):
                    figures["samples"] = sum_of(line)
                if not line.startswith(("# Quality:", "# WARNING:")):
                    continue
                if "lost" in line and LOST.search(line) and "unresolved" in line:
                    figures.update({what: float(share) for share, what in QUALITY.findall(line)})
                    figures["lost"] = int(LOST.search(line).group(1))
                else:
                    advice.append(line[2:].strip())
        figures["advice"] = advice
        if "unresolved" not in figures:
            raise Failed(f"no quality line in {report}")
        return figures

    def truth(self, program):
        """How much of the samples has the names it must have, in percent, in the recording of quality()."""
        where = self.directory(program)
        out = os.path.join(where, "dwarf.script")
        self.text(self.assay, os.path.join(where, "dwarf.data"), out)
        found, total = collections.Counter(), 0
        for _, frames in unwind_compare.samples(out):
            total += 1
            names = {re.sub(r"\(.*|\+0x.*", "", symbol) for _, symbol, _ in frames}
            found.update(name for name in program.expect if name in names)
        return 100 * sum(min(found[name] / max(total, 1), share) for name, share in program.expect.items())

    def frames(self, program, fresh):
        """Ours and perf's on the same raw stacks, sample by sample. Where a run replaces its files, only a new recording fits them."""
        where, fresh = self.directory(program), fresh or program.group == "files"
        raw, theirs, ours, kept = (os.path.join(where, name) for name in ("raw.data", "raw.perf", "raw.assay", "raw.of"))
        wanted = repr((program.run, program.freq, program.dump, content(os.path.join(where, ".built"))))
        if fresh or content(kept) != wanted:
            self.record(program, self.perf, f"dwarf,{program.dump}" if program.dump else "dwarf", raw, "-q", "-N")
            self.text(self.perf, raw, theirs)
            with open(kept, "w") as f:
                f.write(wanted)
        self.text(self.assay, raw, ours)
        return compared(unwind_compare.samples(theirs), unwind_compare.samples(ours))

    def timed(self, program, turns):
        """Wall time of the workload alone, under assay and under perf, and the CPU time of the recorders: the first (nothing indexed yet)
        and the best."""
        where = self.directory(program)
        tools = {"none": None, "assay": self.assay, "perf": self.perf}
        wall, cpu = {t: [] for t in tools}, {t: [] for t in tools}
        for _ in range(turns):
            for name, tool in tools.items():
                seconds, own = self.one_time(program, tool, where)
                wall[name].append(seconds)
                cpu[name].append(own)
        result = {f"wall_{name}": min(wall[name]) for name in tools}
        for name in ("assay", "perf"):
            result[f"cpu_{name}"], result[f"cpu_{name}_first"] = min(cpu[name]), cpu[name][0]
        return result

    def one_time(self, program, tool, where):
        watch = os.path.join(where, "watch")
        with self.target(program) as target:
            at = target.index("--") + 1
            argv = [self.stopwatch, watch, *target[at:]]
            if tool:
                more = ["-q"] if tool == self.assay else ["-q", "-N"]
                argv = [tool, "record", *more, "-e", "cpu-clock", "-F", "999", "--call-graph", "dwarf", "-o", os.path.join(where, "time.data"),
                        *target[:at], *argv]
            null = os.open(os.devnull, os.O_RDWR)
            pid = os.posix_spawn(shutil.which(argv[0]), argv, self.env, file_actions=[(os.POSIX_SPAWN_DUP2, null, fd) for fd in range(3)])
            os.close(null)
            _, status, usage = os.wait4(pid, 0)
        if status:
            raise Failed(f"{shlex.join(argv)[:120]}: exit {os.waitstatus_to_exitcode(status)}")
        with open(watch) as f:
            seconds, children = map(float, f.read().split())
        return seconds, max(usage.ru_utime + usage.ru_stime - children, 0)


def mean(runs):
    """The figures of some runs as one; samples, losses and advice are those of the last."""
    shares = [what for what, value in runs[-1].items() if isinstance(value, float)]
    return {**runs[-1], **{what: sum(run[what] for run in runs) / len(runs) for what in shares}}


def sum_of(line):
    """The number of "# Samples: 1K of event …"."""
    m = re.search(r"([\d.]+)([KMG]?)", line)
    return int(float(m.group(1)) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[m.group(2)])


def name_of(symbol):
    return re.sub(r"\+0x[0-9a-f]+$|@plt$", "", symbol)


def kind_of(perf, assay):
    """How our frames stand beside perf's: `longer` has all of perf's in their order, `shorter` is part of perf's."""
    kind = unwind_compare.classify(perf, assay)
    if kind in ("same", "marker"):
        return "equal"
    p, a = (unwind_compare.places(unwind_compare.without_markers(frames)) for frames in (perf, assay))
    if unwind_compare.is_within(p, a):
        return "longer"
    return "shorter" if unwind_compare.is_within(a, p) else "other"


def compared(theirs, ours):
    kinds, total, named, differ = collections.Counter(), 0, 0, 0
    wrong, whole = collections.Counter(), [0, 0]
    for (head, perf), (our_head, assay) in zip(theirs, ours, strict=True):
        if head.split()[-1] != our_head.split()[-1]:
            raise Failed(f"perf's sample '{head}' beside ours '{our_head}'")
        total += 1
        kinds[kind_of(perf, assay)] += 1
        whole[0] += unwind_compare.is_whole(perf)
        whole[1] += unwind_compare.is_whole(assay)
        for p, a in zip(perf, assay):
            if p[0] != a[0]:
                break
            if p[1] != "[unknown]":
                named += 1
                if name_of(p[1]) != name_of(a[1]):
                    differ += 1
                    wrong[f"{p[1]} ({p[2]}) | {a[1]} ({a[2]})"] += 1
    if not total:
        raise Failed("perf recorded no samples")
    result = {kind: 100 * kinds[kind] / total for kind in ("equal", "longer", "shorter", "other")}
    result.update(samples=total, whole_perf=100 * whole[0] / total, whole_assay=100 * whole[1] / total,
                  names_equal=100 * (named - differ) / named if named else None, names_differ=[f"{n} × {w}" for w, n in wrong.most_common(5)])
    return result

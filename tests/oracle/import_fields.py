# The table of import_fields.sh: texts of `perf script` with all kinds of fields, imported, and compared with what the recording itself says of
# the same: its own folded stacks, without what the fields do not name. Usage: import_fields.py ASSAY PERF RECORDING…
import collections
import concurrent.futures
import os
import re
import subprocess
import sys

assay, perf, recordings = sys.argv[1], sys.argv[2], sys.argv[3:]

EVERY = [
    "comm,ip,sym", "comm,tid,ip,sym", "comm,pid,tid,ip,sym", "tid,ip,sym", "event,ip,sym,dso", "time,ip,sym,dso", "ip,sym",
    "ip,sym,symoff,dso", "comm,tid,time", "comm,event", "comm,tid", "comm", "comm,period,ip,sym", "comm,tid,period,event,ip,sym,dso",
    "comm,misc,ip,sym", "comm,time,period,ip,sym,dso", "time,event,ip,sym", "period,ip,sym",
]
# Where they make a difference
THREADS = ["comm,tid,ip,sym", "pid,ip,sym,symoff", "comm,pid,tid,ip,sym,dso", "cpu,ip,sym", "comm,cpu,ip,sym", "tid,cpu,time,event"]
EVENTS = ["event,ip,sym", "comm,event", "comm,ip,sym", "pid,tid,event,ip,sym"]
DATA = ["comm,tid,event,addr,ip,sym,dso", "addr,ip,sym"]
# What is printed behind the fields that are read, and is left out.
REGS = ["+uregs", "+weight", "+uregs,+iregs,+weight,+data_src", "comm,ip,sym,uregs,weight", "comm,tid,uregs", "+insn,+insnlen"]
DEFAULT = "comm,tid,cpu,time,period,event,ip,sym,dso"
# Nothing tells these from folded stacks of one frame, or from any text.
NEED_FORMAT = {"comm"}
LEFT_OUT = {"uregs", "iregs", "weight", "data_src", "insn", "insnlen"}


def run(*args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)


def export(path, *options):
    done = run(assay, "export", "-q", "--format", "folded", "--with", "tid", "--no-inline", *options, "-i", path)
    return done.stdout.decode().splitlines() if done.returncode == 0 else [done.stderr.decode()]


def parts(line, several_events):
    stack, count = line.rsplit(" ", 1)
    frames = stack.split(";")
    event = frames.pop(0) if several_events else None
    task = re.fullmatch(r"(.*)-(-?\d+)/(-?\d+)", frames.pop(0)).groups()
    # Of places without a name only the module is given by some texts, and perf 6.1 has no names for some stubs.
    frames = ["[unknown]" if re.fullmatch(r"\[.*\]", f) else "@plt" if f.endswith("@plt") else f for f in frames]
    return event, task, frames, int(count)


def wanted(lines, several_events, fields):
    sums = collections.Counter()
    for line in lines:
        event, (comm, pid, tid), frames, count = parts(line, several_events)
        if "ip" not in fields:
            frames = ["[unknown]"]
        pid = pid if "pid" in fields else tid if "tid" in fields else "0"
        tid = tid if "tid" in fields else pid
        sums[event if "event" in fields else None, comm if "comm" in fields else "", pid, tid, ";".join(frames)] += count
    return sums


def got(lines, several_events):
    sums = collections.Counter()
    for line in lines:
        event, (comm, pid, tid), frames, count = parts(line, several_events)
        sums[event, comm, pid, tid, ";".join(frames)] += count
    return sums


class Recording:
    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path).split(".")[0]
        self.has_events = self.name.startswith("events")
        kind = self.name.split("_")[0]
        sets = {"threads": THREADS, "events": EVENTS, "data": DATA, "regs": REGS}.get(kind, EVERY)
        self.sets = [(f, DEFAULT if f[0] == "+" else f) for f in sets]
        self.by_count, self.by_period = export(path), export(path, "--weight", "period")


def columns(path, field):
    return sorted(run(assay, "script", "-q", "-G", "-F", field, "-i", path).stdout.split(b"\n"))


def check(r, printed, fields):
    base = f"{r.name}.{printed}"
    text, imported = base + ".txt", base + ".data"
    fields = set(fields.split(","))
    done = run(perf, "script", "--no-inline", "-F", printed, "-i", r.path)
    if done.returncode or not done.stdout:
        return f"{r.name}: perf does not print {printed}: {done.stderr.decode()}"
    with open(text, "wb") as f:
        f.write(done.stdout)
    done = run(assay, "import", *(["--format", "perf-script"] if printed in NEED_FORMAT else []), "-o", imported, text)
    said = done.stderr.decode()
    if done.returncode:
        return f"{base}: {said}"
    if "left out" in said:
        return f"{base}: {said}"
    if bool(LEFT_OUT & set(printed.replace("+", "").split(","))) != ("are not imported" in said):
        return f"{base}: what is not read is not said, or said for nothing: {said}"
    with_period = "period" in fields
    weight = ["--weight", "period"] if with_period else []
    a = wanted(r.by_period if with_period else r.by_count, r.has_events, fields)
    b = got(export(imported, *weight), r.has_events and "event" in fields)
    if a != b:
        missing, extra = a - b, b - a
        return f"{base}: {len(missing)} of {len(a)} stacks are missing or less, {len(extra)} are too many: {list(missing.items())[:2]} {list(extra.items())[:2]}"
    for field in ("time", "cpu"):
        if field in fields and r.name.startswith("threads") and columns(r.path, field) != columns(imported, field):
            return f"{base}: {field} is another one"
    os.unlink(text)
    os.unlink(imported)
    return None


todo = [(r, printed, fields) for r in map(Recording, recordings) for printed, fields in r.sets]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    failed = [f for f in pool.map(lambda t: check(*t), todo) if f]
for f in failed:
    print(f, file=sys.stderr)
print(len(todo) - len(failed))
sys.exit(bool(failed))

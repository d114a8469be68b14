# SPDX-License-Identifier: GPL-2.0-or-later
"""sched_compare.py ASSAY PERF FILE: what both say of a recording of the scheduler.

Left out is what perf gets wrong (assay-sched(1) has the list, tests/cli/sched.sh the proof of each). Both 6.1 and 7.2: a run whose begin is
missing ("?" here); a wait whose wake is missing; tasks without a name; the last runs of tasks that exit; "idle entire time window" of CPUs
that were never idle. 6.1 alone: delays of tasks that were preempted, and in latency all that depends on sched_waking. 7.2 alone: sums.
"""
import os
import re
import subprocess
import sys

ASSAY, PERF, FILE = sys.argv[1:]
IS_NEW = int(re.search(r"version (\d+)", subprocess.run([PERF, "--version"], capture_output=True, text=True, check=True).stdout)[1]) >= 7


def run(program, *words):
    return subprocess.run([program, "sched", *words, "-i", FILE] if program == ASSAY else [program, "sched", "-i", FILE, *words],
                          capture_output=True, text=True, check=True).stdout.splitlines()


def fail(what, *lines):
    sys.exit("\n".join([what, *map(str, lines)]))


def compare_map():
    ours, perfs = run(ASSAY, "map"), run(PERF, "map")
    if len(ours) != len(perfs):
        fail(f"map: {len(ours)} lines, perf has {len(perfs)}")
    cpus = (re.match(r" *[\d.]+ \[(\d+)\]", line) for line in run(ASSAY, "timehist"))
    if max(int(m[1]) for m in cpus if m) >= (os.cpu_count() or 1):
        return 0  # perf 6.1 has columns for the CPUs of the machine that it runs on
    for a, b in zip(ours, perfs):
        # perf 6.1 leaves room for CPUs that have not appeared yet, and does not know all names.
        a, b = re.sub(" +", " ", a.replace(" (switches are missing)", "")), re.sub(" +", " ", b)
        if not b.isprintable():
            continue
        if a != b and not (re.search(r" => :(-?\d+:)", b) and a.split(" => ")[0] == b.split(" => ")[0]):
            fail("map:", a, b)
    return len(ours)


def figures(line):
    m = re.match(r" *([\d.]+) \[(\d+)\] +(\S.*?) +(\S+) +(\S+) +(\S+) *$", line)
    return m.groups() if m else None


def compare_lines():
    ours, perfs = run(ASSAY, "timehist", "--no-call-graph"), run(PERF, "timehist", "--no-call-graph")
    if ours[:3] != perfs[:3] or len(ours) != len(perfs):
        fail(f"timehist: {len(ours)} lines, perf has {len(perfs)}", *ours[:3], *perfs[:3])
    unknown = 0
    forgotten, met = set(), set()
    for mine, theirs in zip(ours[3:], perfs[3:]):
        if not theirs.isprintable():
            continue
        a, b = figures(mine), figures(theirs)
        # perf 7.2 has forgotten the wait of a task when the run ends in which it begins to exit, and leaves out a first wake.
        if IS_NEW and b[3:5] == ("0.000", "0.000") != a[3:5] and a[:3] + a[5:] == b[:3] + b[5:] and not (a[2] in forgotten and a[2] in met):
            if a[2] in met:
                forgotten.add(a[2])
            met.add(a[2])
            continue
        met.add(a[2])
        known = [x != "?" for x in a[3:]]
        unknown += not all(known)
        same = a[:2] == b[:2] and (a[2] == b[2] or b[2].startswith(":") or "-1" in b[2])
        for i, is_known in enumerate(known):
            # Delays of preempted tasks are 0 in perf 6.1.
            same = same and (not is_known or a[3 + i] == b[3 + i] or (i == 1 and b[4] == "0.000" and a[4] == a[3]) or "-1" in b[2])
        if not same:
            fail("timehist:", a, b)
    # On a busy machine many tasks began to wait before the recording did; those that are known must still be worth a comparison.
    if unknown * 2 > len(ours) and len(ours) - unknown < 40:
        fail(f"timehist: {unknown} of {len(ours)} lines are not known")
    return len(ours)


def sums(lines):
    """Rows by name: whether the task has exited, and its figures; None: they are marked as incomplete."""
    found, has_exited = {}, False
    for line in lines:
        has_exited |= line == "Terminated tasks:"
        m = re.match(r" *(\S.*\]) +(-?\d+) +(\d.*?)( +\(incomplete\))?$", line)
        if m:
            found[m[1]] = has_exited, None if m[4] else m[3].split()
    return found


def compare_sums():
    lines = run(ASSAY, "timehist", "-s")
    ours, perfs = sums(lines), sums(run(PERF, "timehist", "-s", "-M"))
    rows = 0
    for name, (_, row) in perfs.items():
        # perf prints control characters of the names of others as they are.
        if "-1" in name or name.startswith(":") or not name.isprintable():
            continue
        if name not in ours:
            fail(f"timehist -s: no row of {name}")
        has_exited, own = ours[name]
        # Samples of the last runs of a task that exits have no tid: perf counts them for others.
        same = own is None or (float(own[0]) >= float(row[0]) and float(own[1]) >= float(row[1]) if has_exited else own == row)
        if not same:
            fail(f"timehist -s: {name}:", own, row)
        rows += own is not None
    if any("entire" in line for line in lines):
        fail("timehist -s: busy CPUs are idle", *lines)
    return rows


def latencies(lines):
    """Rows by number of the task: all figures of perf 7.2, of 6.1 the time that each ran; and the numbers of incomplete ones."""
    rows = [m for m in (re.match(r"  (\S.*):(\d+) +\|(.*?)( \(incomplete\))?$", line) for line in lines) if m]
    return {m[2]: re.sub(" +", " ", m[3] if IS_NEW else m[3].split("|")[0]).strip() for m in rows}, {m[2] for m in rows if m[4]}


def begins_with_runtime():
    """Tasks of which a run time is the first that is known."""
    met, found = set(), set()
    for line in run(ASSAY, "script"):
        m = re.search(r": sched:sched_(\w+): (.*)", line)
        tids = re.findall(r"\b(?:prev_|next_)?pid=(\d+)", m[2]) if m else []
        if m and m[1] == "stat_runtime":
            found |= set(tids) - met
        met |= set(tids)
    return found


def compare_latencies():
    (ours, incomplete), (perfs, _) = latencies(run(ASSAY, "latency", "-p")), latencies(run(PERF, "latency", "-p"))
    by_runtime = begins_with_runtime() if IS_NEW else set()
    for tid, row in perfs.items():
        # perf 7.2 leaves out a wake whose task was not seen to leave its CPU before, and counts the first delay from the event of a run time.
        if tid in ours and ours[tid] != row and not (IS_NEW and (tid in incomplete or tid in by_runtime)):
            fail(f"latency: {tid}:", ours[tid], row)
    if not set(perfs) <= set(ours):
        fail("latency: rows are missing", set(perfs) - set(ours))
    return len(perfs)


sums_text = "" if IS_NEW else f"{compare_sums()} sums, "
print(f"NOTE: {compare_map()} lines of map, {compare_lines()} of timehist, {sums_text}{compare_latencies()} rows of latency")

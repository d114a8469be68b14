#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts the probes of assay and of perf into a program that prints the truth, and compares what the kernel fetched.

Usage: probe_points.py ASSAY PERF|- PROGRAM c|cc LABEL [--must]

Each point is a spec, the stream of lines ("T STREAM key=value") that the program prints for its passes, and the keys that its arguments
stand for. A point is right where every pass was seen and every value is the program's own. It is refused where there is an error message, which
must be one sentence; anything else is wrong. Where perf's values are right, ours have to be. --must: none may be refused but those that
the table allows. Needs root and tracefs.
"""
import os
import re
import subprocess
import sys

TRACEFS = "/sys/kernel/tracing"

# (spec, stream, {argument: key of the truth}); an argument without a key is of the same name.
# MAY: may be refused even without optimisation, because the kernel has no such fetch.
MAY = "may"
C_POINTS = [
    ("work", "work", {}),
    ("work n", "work", {"n": "n"}),
    ("work n s", "work", {"n": "n", "s": "s"}),
    ("work h uc flag c", "work", {"h": "h", "uc": "uc", "flag": "flag", "c": "c"}),
    ("work str:string", "work", {"str_string": "str"}),
    ("work s1=str:string s2=str:ustring", "work", {"s1": "str", "s2": "str"}),
    ("work $params", "work", {"n": "n", "s": "s", "h": "h", "uc": "uc"}),
    ("work $vars", "work", {"n": "n", "s": "s", "h": "h", "uc": "uc"}),
    ("work pp=**pp", "work", {"pp": "pp"}),
    ("work pp=pp[0][0]", "work", {"pp": "pp"}),
    ("work pp=*pp[0]", "work", {"pp": "pp"}),
    ("work pp=+0(+0(pp)):s32", "work", {"pp": "pp"}),
    ("work n=n:x8", "work", {"n": "n"}),
    ("work n=n:u n2=n:x", "work", {"n": "n", "n2": "n"}),
    ("work a=s->in.a", "work_members", {"a": "a"}),
    ("work neg=s->in.neg", "work_members", {"neg": "neg"}),
    ("work wide=s->in.wide", "work_members", {"wide": "wide"}),
    ("work name=s->in.name", "work_members", {"name": "name"}),
    ("work name=s->in.name:string", "work_members", {"name": "name"}),
    ("work l=s->l arr3=s->arr[3]", "work_members", {"l": "l", "arr3": "arr3"}),
    ("work mat12=s->mat[1][2]", "work_members", {"mat12": "mat12"}),
    ("work s->in.a s->other.a", "work_members", {"a": "a", "other_a": "other"}),
    ("work anon=s->anon_a ua=s->ua ub=s->ub", "work_members", {"anon": "anon", "ua": "ua", "ub": "ub"}),
    ("work na=s->next->in.a nn=s->next->in.name:string", "work_more", {"na": "next_a", "nn": "next_name"}),
    ("work l1=s->list[1].a", "work_more", {"l1": "list1"}),
    ("work p1=*s->pointers[1]", "work_more", {"p1": "ptr1"}),
    ("work p1=s->pointers[1][0]", "work_more", {"p1": "ptr1"}),
    ("work f=s->in.flag", "work_more", {"f": "flag3"}),
    ("work b=s->in.signed_bits", "work_more", {"b": "bits5"}),
    ("work arr=s->arr", "work_more", {"arr": "arr"}),
    ("work n2=s[0].in.a", "work_members", {"n2": "a"}),
    ("work counter glob", "globals", {"counter": "counter", "glob": "glob"}),
    ("work small=small_glob", "globals", {"small": "small"}),
    ("work title=title:string", "globals", {"title": "title"}),
    ("work text", "globals", {"text": "text"}),
    ("work t2=table[2]", "globals", {"t2": "table2"}),
    ("work g=@glob:s32", "globals", {"g": "glob"}),
    ("work%return", "work", {}),
    ("work;*MARK_WORK* n local", "work_local", {"n": "n", "local": "local"}),
    ("probe_work.c;*MARK_WORK* local", "work_local", {"local": "local"}),
    ("work@probe_work.c n", "work", {"n": "n"}),
    ("shadow x", "shadow", {"x": "x"}),
    ("shadow;*MARK_SHADOW* v i", "shadow_inner", {"v": "v", "i": "i"}),
    ("shadow;*MARK_OUTER* v", "shadow_outer", {"v": "v"}),
    ("vla n", "vla", {"n": "n"}),
    ("vla;*MARK_VLA* a0=a[0] a2=a[2]", "vla", {"a0": "a0", "a2": "a2"}),
    ("vla;*MARK_VLA* n", "vla", {"n": "n"}),
    ("by_value first=p.first", "by_value", {"first": "first"}),
    ("by_value;*MARK_VALUE* first=p.first", "by_value", {"first": "first"}),
    ("by_value b=t.b", "by_value", {"b": "b"}),
    ("many a f g h", "many", {"a": "a", "f": "f", "g": "g", "h": "h"}),
    ("many g", "many", {"g": "g"}),
    ("many;*MARK_MANY* h g", "many", {"h": "h", "g": "g"}),
    ("addressed n m", "addressed", {"n": "n", "m": "m"}),
    ("inlined x y", "inlined", {"x": "x", "y": "y"}),
    ("inlined y", "inlined", {"y": "y"}),
    ("inlined", "inlined", {}),
    ("call_inlined n", "call_inlined", {"n": "n"}),
    ("negative%return $retval", "negative", {"arg1": "ret"}),
    ("negative%return r=$retval:s32", "negative", {"r": "ret"}),
    ("ret_char%return r=$retval", "ret_char", {"r": "ret"}),
    ("ret_node%return a=$retval->in.a neg=$retval->in.neg", "ret_node", {"a": "a", "neg": "neg"}),
    ("floating after", "floating", {"after": "after"}),
    ("floating d", "floating", {"d": "d"}, MAY),
    ("recurse depth", "recurse", {"depth": "depth"}),
    ("recurse;*MARK_RECURSE* here depth", "recurse", {"here": "here", "depth": "depth"}),
    ("threaded n", "threaded", {"n": "n"}),
    ("threaded t=tls_var", "threaded", {"t": None}, MAY),
    ("twin n", "twin", {"n": "n"}),
    ("twin@probe_work2.c n", "twin_there", {"n": "n"}),
    ("twin@probe_work.c n", "twin_here", {"n": "n"}),
    ("work+4 n", "work", {"n": "n"}, MAY),
    ("work %di:u64", "work", {"arg1": "s"}),
]

CC_POINTS = [
    ("shop::counter::add(int) v", "add_int", {"v": "v"}),
    ("shop::counter::add(int) t=this->m_total s16=this->m_s16", "add_int", {"t": "total", "s16": "s16"}),
    ("shop::counter::add(int) m_total m_s16 b=m_bits", "add_int", {"m_total": "total", "m_s16": "s16", "b": "bits"}),
    ("shop::counter::add(int) l=this->m_label:string", "add_int", {"l": "label"}),
    ("shop::counter::add(int) bx=this->base_x", "add_int", {"bx": "base"}),
    ("shop::counter::add(int) c=s_count g=shop::gvar", "add_int", {"c": "count", "g": "gvar"}),
    ("counter::add(const char*) s=s:string", "add_str", {"s": "s"}),
    ("shop::counter::operator+= v t=this->m_total", "plus", {"v": "v", "t": "total"}),
    ("shop::counter::operator< mine=this->m_total theirs=o.m_total", "less", {"mine": "mine", "theirs": "theirs"}),
    ("shop::counter::operator() x", "call", {"x": "x"}),
    ("shop::counter::operator[] i", "index", {"i": "i"}),
    ("shop::twice<int> v", "twice_int", {"v": "v"}),
    ("twice<long> v", "twice_long", {"v": "v"}),
    ("shop::versioned q", "versioned", {"q": "q"}),
    ("versioned q", "versioned", {"q": "q"}),
    ("shop::v1::versioned q", "versioned", {"q": "q"}),
    ("shop::hidden h", "hidden", {"h": "h"}),
    ("hidden h", "hidden", {"h": "h"}),
    ("by_ref r", "by_ref", {"r": "r"}),
    ("by_ref r t=c.m_total rr", "by_ref", {"r": "r", "t": "total", "rr": "rr"}),
    ("_Z6by_refRiRKN4shop7counterEOl r", "by_ref", {"r": "r"}),
    ("with_enum m u", "with_enum", {"m": "m", "u": "u"}),
    ("shop::counter::add%return", "add_any", {}),
    ("counter::add(const char *) s=s:string", "add_str", {"s": "s"}),
    ("shop::twice v", "twice_any", {}),
    ("shop::counter::add%return $retval", "add_any", {"arg1": "ret"}),
]


def number(text):
    try:
        return int(text, 0)
    except ValueError:
        return None


def same(got, want):
    if got.startswith('"') and got.endswith('"'):
        got = got[1:-1]
    if got == want:
        return True
    if got.startswith("{") and want.startswith("{"):
        return [number(x) for x in got[1:-1].split(",")] == [number(x) for x in want[1:-1].split(",")]
    a, b = number(got), number(want)
    return a is not None and b is not None and a == b


def is_like(got, want, width_hint):
    """A cast to fewer bits keeps the low ones."""
    a, b = number(got), number(want)
    return same(got, want) or (width_hint and a is not None and b is not None and a == b & ((1 << width_hint) - 1))


class Tracer:
    def __init__(self):
        if not os.path.exists(TRACEFS + "/uprobe_events"):
            subprocess.run(["mount", "-t", "tracefs", "nodev", TRACEFS], check=False, stderr=subprocess.DEVNULL)
        if not os.access(TRACEFS + "/uprobe_events", os.W_OK):
            print("SKIP: uprobe_events of tracefs cannot be written")
            sys.exit(77)
        self.group = f"assay_points_{os.getpid()}"
        self.instance = f"{TRACEFS}/instances/{self.group}"
        os.mkdir(self.instance)
        self.events = []

    def add(self, definition, name):
        """False: the kernel refuses it."""
        line = re.sub(r"^([pr]):\S+ ", lambda m: f"{m.group(1)}:{self.group}/{name} ", definition)
        try:
            fd = os.open(TRACEFS + "/uprobe_events", os.O_WRONLY | os.O_APPEND)
            try:
                os.write(fd, (line + "\n").encode())
            finally:
                os.close(fd)
        except OSError as e:
            return str(e)
        self.events.append(name)
        return None

    def run(self, program):
        if self.events:
            with open(f"{self.instance}/events/{self.group}/enable", "w") as f:
                f.write("1")
        out = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        with open(f"{self.instance}/trace", errors="replace") as f:
            trace = f.read()
        return out, trace

    def close(self):
        try:
            with open(f"{self.instance}/events/{self.group}/enable", "w") as f:
                f.write("0")
        except OSError:
            pass
        os.rmdir(self.instance)
        for name in self.events:
            fd = os.open(TRACEFS + "/uprobe_events", os.O_WRONLY | os.O_APPEND)
            os.write(fd, f"-:{self.group}/{name}\n".encode())
            os.close(fd)


def definitions(command):
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [l for l in run.stdout.splitlines() if re.match(r"^[pr]:", l)]
    return (lines if run.returncode == 0 else []), run


def parse_truth(out):
    truth = {}
    for line in out.splitlines():
        m = re.match(r"T (\w+)(.*)$", line)
        if m:
            truth.setdefault(m.group(1), []).append(dict(re.findall(r"(\w+)=(\S+)", m.group(2))))
    return truth


def parse_trace(text):
    hits = {}
    for line in text.splitlines():
        m = re.search(r": ([op]\d+)_(\d+): \([^)]*\)(.*)$", line)
        if m:
            fields = dict(re.findall(r'(\w+)=("[^"]*"|\{[^}]*\}|\S+)', m.group(3)))
            hits.setdefault(m.group(1), {}).setdefault(int(m.group(2)), []).append(fields)
    return hits


def judge(hits, defs, truth, keys, spec):
    """'' where it is right, otherwise what is wrong. Places of a line are each passed in some of the passes."""
    hint = 8 if ":x8" in spec else 32 if re.search(r":[ux]\b", spec) else 0
    best, has_all = 0, False
    for place, definition in enumerate(defs):
        seen = hits.get(place, [])
        at = 0
        # An argument may be left out at a place where it is optimised out, but not everywhere.
        here = {k: v for k, v in keys.items() if f" {k}=" in definition or k == "arg1"}
        has_all |= here == keys
        for fields in seen:
            missing = [k for k in here if k not in fields]
            if missing:
                return f"no argument {missing[0]} in {fields}"
            if "recurse" in spec:
                at = 0  # passed again on the way back
            while at < len(truth) and not all(v is None or is_like(fields[k], truth[at][v], hint) for k, v in here.items()):
                at += 1
            if at == len(truth):
                return f"{fields} was never true; truth: {truth[:3]}"
            at += 1
        best = max(best, len(seen))
    if not has_all:
        return "arguments are missing everywhere"
    total = sum(len(hits.get(p, [])) for p in range(len(defs)))
    if total < len(truth) and best < len(truth):
        return f"{total} passes instead of {len(truth)}"
    return ""


def main():
    assay, perf, program, language, label = sys.argv[1:6]
    must = "--must" in sys.argv[6:]
    points = C_POINTS if language == "c" else CC_POINTS
    tracer = Tracer()
    rows = []
    try:
        for i, point in enumerate(points):
            row = {"spec": point[0], "stream": point[1], "keys": point[2], "may": MAY in point[3:]}
            for who, command in (("o", [assay, "probe", "-x", program, "-D", point[0]]),
                                 ("p", [perf, "probe", "-q", "-x", program, "-D", point[0]])):
                if who == "p" and perf == "-":
                    row[who] = []
                    continue
                defs, run = definitions(command)
                refused = None
                for k, d in enumerate(defs):
                    refused = refused or tracer.add(d, f"{who}{i}_{k}")
                row[who], row[who + "why"] = ([], f"the kernel refuses {defs}: {refused}") if refused else (defs, run.stderr.strip())
                if who == "o" and refused:
                    row["bad"] = row["owhy"]
                if who == "o" and run.returncode not in (0, 1):
                    row["bad"] = f"exit status {run.returncode}: {run.stderr}"
            rows.append(row)
        out, trace = tracer.run(program)
    finally:
        tracer.close()
    truth, hits = parse_truth(out), parse_trace(trace)
    count = {"right": 0, "refused": 0, "wrong": 0, "perf right": 0, "perf wrong": 0, "perf fails": 0}
    for i, row in enumerate(rows):
        stream = truth.get(row["stream"], [])
        ours = judge(hits.get(f"o{i}", {}), row["o"], stream, row["keys"], row["spec"]) if row["o"] else None
        theirs = judge(hits.get(f"p{i}", {}), row["p"], stream, row["keys"], row["spec"]) if row["p"] else None
        count["perf fails" if theirs is None else "perf wrong" if theirs else "perf right"] += 1
        problem = row.get("bad")
        if ours:
            problem = f"wrong: {ours}"
        elif ours is None and not problem:
            count["refused"] += 1
            if theirs == "":
                problem = f"refused, but perf is right: {row['owhy']} / {row['p']}"
            elif must and not row["may"]:
                problem = f"refused: {row['owhy']}"
            elif not row["owhy"].startswith("assay: "):
                problem = f"refused without a reason: {row['owhy']}"
        elif not problem:
            count["right"] += 1
        if problem:
            count["wrong"] += 1
            print(f"{label}: '{row['spec']}': {problem}\n    {row['o']}")
        elif os.environ.get("VERBOSE"):
            print(f"{label}: '{row['spec']}': {'right' if ours == '' else 'refused: ' + row['owhy']}")
            if theirs:
                print(f"    perf is wrong: {theirs} {row['p']}")
    print(f"{label}: {len(rows)} points: " + ", ".join(f"{v} {k}" for k, v in count.items() if perf != "-" or "perf" not in k))
    return 1 if count["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())

# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
# `assay trace -F all -s` on a program that touches known numbers of pages: by thread, by memory, by code; with stacks; from a recording.
. "$(dirname "$0")/../lib.sh"
need python3
"$ASSAY" record -q -e minor-faults -c 1 -o probe.data true 2>err || skip "no page faults: $(cat err)"

# check TEXT HAS-STACKS: 300 pages of f.bin, 500 of anonymous memory, 64 of known_data by a second thread.
check() {
	python3 - "$@" <<'PY'
import re
import sys

text, has_stacks = open(sys.argv[1]).read(), sys.argv[2] == "stacks"
total, major = map(int, re.search(r"Summary of page faults: (\d+), (\d+) of them major", text).groups())
rows = re.compile(r" +(\d+) +(\d+)   (\S.*)")
heading = None
found = {}
for line in text.splitlines():
    m = re.match(r" +faults +major   (.*)", line)
    if m:
        heading = m[1]
        found[heading] = []
        continue
    m = rows.match(line)
    if m and heading:
        found[heading].append((int(m[1]), int(m[2]), m[3]))
    elif heading and re.match(r" {27}\S", line):
        found[heading].append(line.strip())
thread, memory, code = (found[k] for k in ("thread", "memory that was touched", "code that touched it"))
assert sum(r[0] for r in thread) == total and sum(r[1] for r in thread) == major, (thread, total, major)
assert len(thread) == 2 and thread[1][2].startswith("toucher (") and 64 <= thread[1][0] < 100, thread
assert 864 <= total < 1200, total
by = {r[2].split("+")[0].split(" ")[0] if r[2].startswith("touch_") else r[2]: r for r in code if isinstance(r, tuple)}
assert by["touch_file"][0] == 300 and by["touch_memory"][0] == 500 and by["touch_data"][0] == 64, by
file = [r for r in memory if r[2].endswith("/f.bin")]
assert len(file) == 1 and file[0][0] == 300, memory
data = [r for r in memory if r[2].endswith("/touch  known_data")]
assert len(data) == 1 and data[0][0] == 64, memory
anonymous = [r for r in memory if r[2] == "//anon"]
assert len(anonymous) == 1 and 500 <= anonymous[0][0] < 560, memory
if has_stacks:
    at = code.index(by["touch_data"])
    assert code[at + 1].startswith("second_thread+0x"), code[at:at + 4]
    at = code.index(by["touch_file"])
    assert code[at + 1].startswith("main+0x"), code[at:at + 4]
else:
    assert all(isinstance(r, tuple) for r in code), code
PY
}

"$ASSAY" trace -F all -s -o live.txt -- "$WORKLOADS/touch" f.bin 300 500 2>err || fail "live: $(cat err)"
check live.txt none || fail "live: $(cat live.txt)"
"$ASSAY" trace -F all -s -g -o stacks.txt -- "$WORKLOADS/touch" f.bin 300 500 2>err || fail "-g: $(cat err)"
check stacks.txt stacks || fail "-g: $(cat stacks.txt)"
"$ASSAY" trace record -F all -g -q -o faults.data -- "$WORKLOADS/touch" f.bin 300 500 2>err || fail "record: $(cat err)"
"$ASSAY" trace -F all -s -i faults.data >file.txt 2>err || fail "-i: $(cat err)"
check file.txt stacks || fail "-i: $(cat file.txt)"
# Any recording of faults with addresses will do.
"$ASSAY" record -q -d -c 1 -e page-faults -o plain.data -- "$WORKLOADS/touch" f.bin 300 500 2>err || fail "record -e page-faults: $(cat err)"
"$ASSAY" trace -F all -s -i plain.data >plain.txt 2>err || fail "page-faults: $(cat err)"
check plain.txt none || fail "page-faults: $(cat plain.txt)"
# Calls and faults; lines and sums; few rows.
"$ASSAY" trace -F all --syscalls -s -o both.txt -- "$WORKLOADS/touch" f.bin 300 500 2>err || fail "--syscalls: $(cat err)"
check both.txt none || fail "--syscalls: $(cat both.txt)"
grep -Eq '^   ftruncate +1 ' both.txt || fail "calls: $(cat both.txt)"
"$ASSAY" trace -F all -S -E 3 -o lines.txt -- "$WORKLOADS/touch" f.bin 300 500 2>err || fail "-S: $(cat err)"
[ "$(grep -c 'minfault \[touch_memory' lines.txt)" -eq 500 ] || fail "lines"
grep -Eq '^ +[0-9]+   in [0-9]+ more rows$' lines.txt || fail "-E 3: $(tail -30 lines.txt)"
[ "$(grep -c 'Summary of events' lines.txt)" -eq 0 ] || fail "an empty table of calls"

"$ASSAY" trace -F all -s --json -g -o faults.json -- "$WORKLOADS/touch" f.bin 300 500 2>err || fail "--json: $(cat err)"
python3 - <<'PY' || fail "--json: $(cat faults.json)"
import json
d = json.load(open("faults.json"))
for table in d["threads"], d["memory"], d["code"]:
    assert sum(r["faults"] for r in table) == d["faults"] and sum(r["major"] for r in table) == d["major"], table
assert [r["faults"] for r in d["memory"] if r.get("symbol") == "known_data"] == [64], d["memory"]
code = [r for r in d["code"] if r.get("symbol") == "touch_memory"]
assert len(code) == 1 and code[0]["faults"] == 500 and code[0]["stack"][:2] == ["touch_memory", "main"], code
assert d["threads"][1]["comm"] == "toucher" and d["threads"][1]["pid"] == d["threads"][0]["tid"], d["threads"]
PY
"$ASSAY" trace -F all -s --json -g --max-stack 1 -o cut.json -- "$WORKLOADS/touch" f.bin 300 500 2>err || fail "--max-stack: $(cat err)"
python3 -c 'import json
assert {len(r.get("stack", [])) for r in json.load(open("cut.json"))["code"]} <= {0, 1}' || fail "--max-stack 1: $(cat cut.json)"
# Only deep stacks; and what is about calls alone.
"$ASSAY" trace -F all -s --min-stack 100 -o deep.txt -- "$WORKLOADS/touch" f.bin 300 500 2>err || fail "--min-stack: $(cat err)"
grep -q 'Summary of page faults: 0,' deep.txt || fail "--min-stack: $(cat deep.txt)"
expect_exit 2 "$ASSAY" trace -F all -s --hist -- true
expect_exit 2 "$ASSAY" trace -F all -S --summary-mode total -- true
expect_exit 2 "$ASSAY" trace -F all --syscalls -s --json -- true
expect_exit 2 "$ASSAY" trace -s -E 3 -- true
expect_exit 2 "$ASSAY" trace -s -e sched:sched_switch -- true

# `assay report` of what `assay trace record` wrote: calls by command and name, from files and pipes, with and without BPF; the command line in
# the header.
#
# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

work=(sh -c 'dd if=/dev/zero of=/dev/null bs=512 count=3000 2>/dev/null; cat /etc/passwd /nonexistent >/dev/null 2>&1; :')
"$ASSAY" trace record -q -o calls.data "${work[@]}" 2>err || fail "record: $(cat err)"
"$ASSAY" report -i calls.data >report 2>err || fail "report: $(cat err)"
! grep -q 'unknown\|unresolved, in' report || fail "places of calls: $(cat report)"
count() { # COMMAND CALL: the samples of that row
	awk -v comm="$1" -v call="$2" '$1 ~ /%$/ && $3 == comm && $4 == call { print $2 }' report
}
[ "$(count dd read)" -ge 3000 ] && [ "$(count dd write)" -ge 3000 ] && [ "$(count cat openat)" -ge 3 ] || fail "rows: $(cat report)"
# `script` marks records that are no plain calls.
"$ASSAY" script -i calls.data >text 2>err || fail "script: $(cat err)"
grep -q 'sys_call: open-file NR 2147483647 ' text && grep -q 'sys_call: exit NR ' text || fail "unmarked records: $(head -3 text)"
! grep -q 'sys_call: NR 2147483647 ' text || fail "records of descriptors as calls: $(grep -m 3 'sys_call: NR 2147483647' text)"
# As often as the lines say, and as long.
"$ASSAY" trace -i calls.data >lines
[ "$(grep -c ' dd/[0-9]* write(' lines)" -eq "$(count dd write)" ] || fail "writes: $(count dd write), $(grep -c ' dd/[0-9]* write(' lines) lines"
"$ASSAY" report -i calls.data --json >report.json
"$ASSAY" trace -i calls.data --json >lines.json
python3 - <<'END' || fail "times: $(cat report)"
import json
rows = [e for e in json.load(open("report.json"))["events"] if e["name"] == "assay:sys_call"][0]["entries"]
sums = {}
for line in map(json.loads, open("lines.json")):
    if line["event"] == "call":
        key = line["comm"], line["name"]
        nr, ns = sums.get(key, (0, 0))
        sums[key] = nr + 1, ns + line.get("duration_ns", 0)
# exit_group has no end, and so no duration.
for row in rows:
    key = row["comm"], row["fields"]["syscall"]
    if row["fields"]["syscall"] != "exit_group":
        assert (row["self"]["samples"], row["self"]["period"]) == sums[key], (row, sums[key])
assert len(rows) == len(sums)
END

# Keys: beside the default, instead of it, with filters; of a recording with stacks, too.
"$ASSAY" report -i calls.data -s +pid >report && grep -qE '^ +[0-9.]+% +[0-9]+ +dd +write +[0-9]+:dd' report || fail "-s +pid: $(cat report)"
"$ASSAY" report -i calls.data -s syscall,ret -n >report && grep -qE '^ +[0-9.]+% +300[0-9] +write +512' report || fail "-s syscall,ret: $(cat report)"
"$ASSAY" report -i calls.data --comms cat >report && ! grep -q 'Command' report && grep -qE '% +[0-9]+ +openat' report || fail "--comms: $(cat report)"
"$ASSAY" report -i calls.data -s comm,dso,sym >report && grep -q unknown report || fail "perf's keys: $(cat report)"
"$ASSAY" trace record -q -g -o stacks.data true 2>err || fail "record -g: $(cat err)"
"$ASSAY" report -i stacks.data --no-children -g none -s syscall >report 2>err && grep -qE '% +mmap$' report || fail "-s syscall of stacks: $(cat report err)"
# Beside calls, a recording has the memory of their arguments, ends of tasks …, which have no stacks, and are no broken ones.
"$ASSAY" script -i stacks.data >script 2>err && ! grep -q 'WARNING' err || fail "script of stacks: $(cat err)"
"$ASSAY" report -i stacks.data -g none >report && grep -q 'Shared Object *Symbol' report || fail "report of stacks: $(head -20 report)"

# A pipe.
"$ASSAY" trace record -q -o - "${work[@]}" 2>/dev/null | "$ASSAY" report -i - >report 2>err || fail "pipe: $(cat err)"
[ "$(count dd write)" -ge 3000 ] || fail "report of a pipe: $(cat report)"

# Where BPF cannot be used, calls are the kernel's tracepoints: two for each.
if command -v setpriv >/dev/null; then
	setpriv --bounding-set -sys_admin,-bpf --inh-caps -sys_admin,-bpf "$ASSAY" trace record -o slow.data \
		dd if=/dev/zero of=/dev/null bs=512 count=100 2>err || fail "without BPF: $(cat err)"
	grep -q 'tracing by tracepoints' err || fail "with BPF: $(cat err)"
	"$ASSAY" report -i slow.data >report && [ "$(count dd write | wc -l)" -eq 2 ] && [ "$(count dd write | head -1)" -ge 100 ] || fail "without BPF: $(cat report)"
fi

# Of others, names are there for the asking.
"$ASSAY" record -q -e raw_syscalls:sys_enter -o raw.data dd if=/dev/zero of=/dev/null bs=512 count=100 2>/dev/null
"$ASSAY" report -i raw.data -s comm,syscall -n >report && [ "$(count dd write)" -ge 100 ] || fail "raw_syscalls: $(cat report)"
"$ASSAY" report -i raw.data >report && grep -q 'NR 1 (' report || fail "the text of tracepoints alone: $(cat report)"
"$ASSAY" record -q -e syscalls:sys_enter_openat,syscalls:sys_exit_openat -o one.data cat /dev/null 2>/dev/null
"$ASSAY" report -i one.data -s comm,syscall >report && [ "$(grep -cE '% +cat +openat$' report)" -eq 2 ] || fail "sys_enter_openat: $(cat report)"
expect_exit 2 "$ASSAY" report -i one.data -s nosuchfield
"$ASSAY" record -q -e cpu-clock -o clock.data true 2>/dev/null
expect_exit 2 "$ASSAY" report -i clock.data -s syscall

# The 32-bit entry.
if "$WORKLOADS/int80"; then
	"$ASSAY" trace record -q -o int80.data "$WORKLOADS/int80" 2>err || fail "int80: $(cat err)"
	"$ASSAY" report -i int80.data >report && [ "$(count int80 writev@32)" -eq 1 ] && [ -n "$(count int80 mmap)" ] || fail "32-bit calls: $(cat report)"
fi

# The header has the command that was typed.
"$ASSAY" report -i calls.data --header-only | grep -q '^# cmdline : [^ ]* trace record -q -o calls.data sh -c ' || fail "$("$ASSAY" report -i calls.data --header-only | grep cmdline)"
"$ASSAY" lock record -q -o lock.data true 2>/dev/null && { "$ASSAY" report -i lock.data --header-only | grep -q '^# cmdline : [^ ]* lock record -q' || fail "lock record"; }
"$ASSAY" kwork record -q -o kwork.data true 2>/dev/null && { "$ASSAY" report -i kwork.data --header-only | grep -q '^# cmdline : [^ ]* kwork record -q' || fail "kwork record"; }
"$ASSAY" record -q -o plain.data true 2>/dev/null
"$ASSAY" report -i plain.data --header-only | grep -q '^# cmdline : [^ ]* record -q -o plain.data true' || fail "record"

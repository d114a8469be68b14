# Stacks of system calls: known callers in code without frame pointers, of the first thread and of another, live and recorded, by BPF and by
# tracepoints; calls that have no stack any more when they end.
#
# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

frames_of() { # FILE CALL: the names below each such line, one stack a line
	awk -v call="$2(" '/^ *[0-9]+\.[0-9]+ \(/ { if (on) print line; on = index($0, call); line = ""; next }
		on { sub(/\+0x.*/, "", $1); line = line " " $1 } END { if (on) print line }' "$1"
}
deep=" (__GI___libc_)?(write|__write)( write_deep){10} thread_body "
check_stacks() { # FILE NUMBER
	[ "$(frames_of "$1" clock_nanosleep | grep -c ' sleep_ms slow_caller main ')" -eq "$2" ] || fail "slow_caller: $(frames_of "$1" clock_nanosleep | sort | uniq -c)"
	[ "$(frames_of "$1" clock_nanosleep | grep -c ' sleep_ms quick_caller main ')" -eq "$2" ] || fail "quick_caller: $(frames_of "$1" clock_nanosleep | sort | uniq -c)"
	[ "$(frames_of "$1" 'write' | grep -cE "$deep")" -eq "$2" ] || fail "write_deep: $(frames_of "$1" write | sort | uniq -c)"
}

# ---- live, by dumps of the stack ----
"$ASSAY" trace -g -o lines "$WORKLOADS/unwind_syscalls" 2>err || fail "-g: $(cat err)"
check_stacks lines 20
! grep -q 'tracing by tracepoints' err || fail "not by BPF: $(cat err)"
grep -A3 'exit_group()' lines | grep -q '_exit\|exit' || fail "exit_group has no stack: $(tail -5 lines)"
"$ASSAY" trace -g -e execve -o lines sh -c '/bin/true; /bin/true' 2>err || fail "execve: $(cat err)"
[ "$(grep -A1 'true/.*execve(' lines | grep -c 'execve (')" -eq 2 ] || fail "execve has the stack of its new program: $(cat lines)"

# A stack that is larger than what is copied ends there; frames are limited, and shallow calls left out.
"$ASSAY" trace --call-graph dwarf,64 -e write -o lines "$WORKLOADS/unwind_syscalls" 2>err || fail "64 bytes: $(cat err)"
[ "$(frames_of lines write | grep -c 'write_deep write_deep')" -eq 20 ] && ! frames_of lines write | grep -q thread_body || fail "64 bytes of stack: $(frames_of lines write | sort | uniq -c)"
"$ASSAY" trace -g --max-stack 3 -o lines "$WORKLOADS/unwind_syscalls" 3 2>err || fail "--max-stack: $(cat err)"
[ "$(frames_of lines write | awk '{ print NF }' | sort -u)" = 3 ] || fail "--max-stack 3: $(frames_of lines write)"
"$ASSAY" trace --min-stack 12 -o lines "$WORKLOADS/unwind_syscalls" 3 2>err || fail "--min-stack: $(cat err)"
[ "$(grep -c 'write(' lines)" -eq 3 ] && ! grep -q nanosleep lines || fail "--min-stack 12: $(cat lines)"

# ---- by frame pointers ----
"$ASSAY" trace --call-graph fp -o lines "$WORKLOADS/recurse" 2>err || fail "fp: $(cat err)"
frames_of lines exit_group | grep -q . || fail "fp: no stack at all: $(tail -3 lines)"
! grep -q 'tracing by tracepoints' err || fail "fp: not by BPF: $(cat err)"

# ---- JSON ----
"$ASSAY" trace --json -g -o calls.json "$WORKLOADS/unwind_syscalls" 3 2>err || fail "--json -g: $(cat err)"
"$ASSAY" trace record -q -g -o json.data "$WORKLOADS/unwind_syscalls" 3 2>err && "$ASSAY" trace -i json.data --json >recorded.json || fail "--json -i: $(cat err)"
"$ASSAY" trace --json -g --max-stack 3 -e sched:sched_process_exit,write -o short.json "$WORKLOADS/unwind_syscalls" 3 2>err || fail "--json --max-stack: $(cat err)"
"$ASSAY" script --json -i json.data >script.json 2>/dev/null
python3 - <<'END' || fail "stacks in JSON: $(head -c 2000 calls.json)"
import json
def calls_of(path):
    return [r for r in map(json.loads, open(path)) if r["event"] == "call"]
for path in "calls.json", "recorded.json":
    sleeps = [r for r in calls_of(path) if r["name"] == "clock_nanosleep"]
    names = [[f.get("symbol") for f in r["chain"]] for r in sleeps]
    assert sum(n[-4:] and "slow_caller" in n and "main" in n for n in names) == 3, names
    main = next(f for f in sleeps[0]["chain"] if f.get("symbol") == "main")
    assert main["dso"].endswith("unwind_syscalls") and int(main["ip"], 16) and main["offset"] > 0 and int(main["address"], 16), main
    assert main["file"].endswith("unwind_syscalls.c") and main["line"] > 0, main
short = [r for r in map(json.loads, open("short.json")) if r["event"] == "call"]
assert len(short) >= 3 and all(len(r["chain"]) == 3 for r in short if r["name"] == "write"), short
# A frame is the same object in both commands.
chains = [s["chain"] for s in json.load(open("script.json"))["samples"]]
sleep = next(r for r in calls_of("recorded.json") if r["name"] == "clock_nanosleep")
assert sleep["chain"] in chains, sleep
END

# ---- strace's shape ----
"$ASSAY" trace --strace -k -o lines "$WORKLOADS/unwind_syscalls" 3 2>err || fail "-k: $(cat err)"
grep -A6 'clock_nanosleep(' lines | grep -qE "^ > $WORKLOADS/unwind_syscalls\(slow_caller\+0x[0-9a-f]+\) \[0x[0-9a-f]+\]$" || fail "-k: $(head -20 lines)"

# ---- recorded ----
"$ASSAY" trace record -q -g -o calls.data "$WORKLOADS/unwind_syscalls" 2>err || fail "record -g: $(cat err)"
"$ASSAY" trace -i calls.data >lines
check_stacks lines 20
"$ASSAY" script -i calls.data 2>/dev/null | grep -A3 'NR 230 ' | grep -q ' sleep_ms+0x' || [ "$(uname -m)" != x86_64 ] || fail "script has no stack"
"$ASSAY" report -i calls.data --no-children -g none -s sym --stdio 2>/dev/null | grep -q 'clock_nanosleep' || fail "report: $("$ASSAY" report -i calls.data -g none -s sym --stdio)"
"$ASSAY" trace record -q --call-graph dwarf,keep -o kept.data "$WORKLOADS/unwind_syscalls" 3 2>err || fail "keep: $(cat err)"
"$ASSAY" trace -i kept.data >lines
check_stacks lines 3

# Each call is a sample; what was read when it began is none without a stack.
"$ASSAY" report --stdio -g none -i calls.data >report 2>err || fail "report: $(cat err)"
grep -q '^# Quality: .* 0\.[0-9]% broken' report || fail "quality of calls: $(grep Quality report)"

# More stacks than the ring buffer holds at a time: the order stays, and the reader is woken in time.
"$ASSAY" trace record -q -g -o many.data sh -c 'for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=1 count=30000; done' 2>/dev/null || fail "record -g of 180,000 calls"
"$ASSAY" report --stdio -g none -i many.data >report 2>err
! grep 'too late to be put in order' err || fail "records of many calls are out of order"

# ---- pictures: slow_caller waits 300 ms and quick_caller 100 ms, longer on a busy machine but never less ----
check_times() { # FILE
	"$ASSAY" export --format folded --weight duration -i "$1" 2>/dev/null >folded
	awk '/;slow_caller;/ { slow += $NF } /;quick_caller;/ { quick += $NF } END { exit !(slow >= 300e6 && quick >= 100e6 && slow + quick < 20e9) }' folded ||
		fail "times by stack in $1: $(cat folded)"
	"$ASSAY" flame -q --weight duration -i "$1" -o flame.svg 2>err && grep -q 'slow_caller' flame.svg && grep -q '[0-9] ns of' flame.svg || fail "flame of $1: $(cat err)"
	"$ASSAY" heatmap --syscall clock_nanosleep --csv -i "$1" 2>/dev/null | awk -F, 'NR > 1 { n += $5; early += $4 <= 4900000 } END { exit n != 40 || early }' ||
		fail "heatmap --syscall of $1: $("$ASSAY" heatmap --syscall clock_nanosleep --csv -i "$1")"
}
check_times calls.data
"$ASSAY" heatmap -q --syscall '%file,clock_*' -i calls.data -o heat.svg 2>err && grep -q 'calls of %file,clock_\*' heat.svg || fail "heat.svg: $(cat err)"
"$ASSAY" record -q --call-graph dwarf -e 'raw_syscalls:*' -o raw.data "$WORKLOADS/unwind_syscalls" 2>err || fail "raw_syscalls: $(cat err)"
check_times raw.data
"$ASSAY" record -q --call-graph dwarf -e 'syscalls:sys_*_clock_nanosleep' -o single.data "$WORKLOADS/unwind_syscalls" 2>err || fail "syscalls: $(cat err)"
check_times single.data
"$ASSAY" record -q -o clock.data true 2>/dev/null
expect_exit 1 "$ASSAY" flame --weight duration -i clock.data -o none.svg
expect_exit 2 "$ASSAY" heatmap --syscall nosuchcall -i calls.data
expect_exit 2 "$ASSAY" heatmap --syscall read --offset -i calls.data

# ---- by tracepoints ----
if command -v setpriv >/dev/null; then
	setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin "$ASSAY" trace -g -o lines "$WORKLOADS/unwind_syscalls" 2>err || fail "without BPF: $(cat err)"
	grep -q 'tracing by tracepoints' err || fail "nothing is said: $(cat err)"
	check_stacks lines 20
fi
expect_exit 2 "$ASSAY" trace -s -g true
expect_exit 2 "$ASSAY" trace --call-graph lbr true

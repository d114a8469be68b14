# `assay lock contention --user` on a program with known waits: how many, how long, for which lock, in which function, and who ended them; live
# and from a recording.
. "$(dirname "$0")/../lib.sh"
need python3
"$ASSAY" record -q -e syscalls:sys_enter_futex -o probe.data true 2>err || skip "no tracepoints of system calls: $(cat err)"

# check ROWS PROGRAM-OUTPUT BY: one row of the known lock, with the truth of the program.
check() {
	python3 - "$@" <<'PY'
import json
import sys

rows = json.load(open(sys.argv[1]))
address, rounds, measured = open(sys.argv[2]).read().split()
by, rounds, measured = sys.argv[3], int(rounds), int(measured)
waits = [r for r in rows if r["type"] == "mutex" and "wait_for_lock" in r["stack"]]
assert len(waits) == 1, rows
wait = waits[0]
assert wait["contended"] == rounds, (wait, rounds)
# The call begins after the first look at the clock, and ends before the second one; the lock is held for 20 ms from a moment at which the
# waiter has announced itself, and may not have called yet.
assert rounds * 18e6 <= wait["wait_total_ns"] <= measured, (wait, measured)
assert wait["wait_min_ns"] <= wait["avg_wait_ns"] <= wait["wait_max_ns"] <= wait["wait_total_ns"], wait
waker = wait["woken_by"]
assert waker["comm"] == "holder" and waker["times"] == rounds and "hold_lock" in waker["stack"], waker
assert wait["stack"].index("wait_for_lock") < wait["stack"].index("wait_often"), wait
if by == "address":
    assert int(wait["address"], 16) == int(address, 16) and wait["symbol"] == "known_lock", (wait, address)
if by == "thread":
    assert wait["comm"] == "waiter" and wait["tid"] != wait["pid"], wait
PY
}

"$ASSAY" lock record --user -q -o futex.data "$WORKLOADS/contended" 8 20 >truth 2>err || fail "lock record: $(cat err)"
"$ASSAY" lock contention --user --json -i futex.data >caller.json 2>err || fail "by caller: $(cat err)"
check caller.json truth caller || fail "by caller"
"$ASSAY" lock contention --user --json -l -i futex.data >address.json || fail "by address"
check address.json truth address || fail "by address"
"$ASSAY" lock contention --user --json -t -i futex.data >thread.json || fail "by thread"
check thread.json truth thread || fail "by thread"
"$ASSAY" lock contention --user --json --max-stack 1 "$WORKLOADS/contended" 8 20 >live 2>err || fail "live: $(cat err)"
grep -E '^[0-9a-f]+ 8 [0-9]+$' live >live-truth || fail "the program's output is missing: $(cat live)"
grep -vE '^[0-9a-f]+ 8 [0-9]+$' live >live.json
check live.json live-truth caller || fail "live"

# Text, in perf's layout.
"$ASSAY" lock contention --user -i futex.data >text
head -1 text | grep -q '^ contended   total wait     max wait     avg wait   woken by .* type   caller$' || fail "headings: $(head -1 text)"
grep -Eq '^         8 +[0-9.]+ ms +[0-9.]+ ms +[0-9.]+ ms   holder/[0-9]+ +mutex   wait_for_lock\+0x[0-9a-f]+$' text || fail "row: $(cat text)"
"$ASSAY" lock contention --user -l -i futex.data >text
grep -Eq " $(cut -d' ' -f1 truth)   known_lock \(mutex\)$" text || fail "address: $(cat text)"
"$ASSAY" lock report --user -v -q -i futex.data >text
grep -q 'woken 8 times by holder/' text && grep -q '  hold_lock+0x' text || fail "-v: $(cat text)"
[ "$("$ASSAY" lock contention --user -k contended -E 1 -i futex.data | wc -l)" -eq 3 ] || fail "-E 1"
"$ASSAY" lock contention --user -k contended -F contended -E 1 -i futex.data | grep -Eq '^         8   holder/[0-9]+ +mutex ' || fail "-k contended"

# -v has a stack of each thread and each lock, too.
"$ASSAY" lock contention --user -t -v -q -i futex.data >text
grep -A8 'waiter$' text | grep -q '  wait_for_lock+0x' || fail "-t -v: $(cat text)"
"$ASSAY" lock contention --user -l -v -q -i futex.data >text
grep -A8 'known_lock' text | grep -q '  wait_for_lock+0x' || fail "-l -v: $(cat text)"

# A wait on several futexes at once.
python3 - <<'PY' || skip "no futex_waitv"
import ctypes
ctypes.CDLL(None, use_errno=True).syscall(449, None, 0, 0, None, 0)
raise SystemExit(ctypes.get_errno() == 38)
PY
cat >waitv.py <<'PY'
import ctypes
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
words = (ctypes.c_uint32 * 2)()


class Waiter(ctypes.Structure):
    _fields_ = [("val", ctypes.c_uint64), ("uaddr", ctypes.c_uint64), ("flags", ctypes.c_uint32), ("reserved", ctypes.c_uint32)]


def wake():
    time.sleep(0.05)
    words[1] = 1
    libc.syscall(202, ctypes.byref(words, 4), 129, 1, None, None, 0)


waiters = (Waiter * 2)(*(Waiter(0, ctypes.addressof(words) + 4 * i, 0x82, 0) for i in range(2)))
thread = threading.Thread(target=wake)
thread.start()
result = libc.syscall(449, waiters, 2, 0, None, 0)
thread.join()
print("%x %d" % (ctypes.addressof(waiters), result))
PY
"$ASSAY" lock record --user -q -o waitv.data python3 waitv.py >truth 2>err || fail "futex_waitv: $(cat err)"
if [ "$(uname -m)" = x86_64 ] && [ "$(cut -d' ' -f2 truth)" = 1 ]; then
	"$ASSAY" lock contention --user --json -l -i waitv.data >waitv.json 2>err || fail "futex_waitv: $(cat err)"
	python3 - <<'PY' || fail "futex_waitv: $(cat waitv.json truth)"
import json
address = int(open("truth").read().split()[0], 16)
rows = [r for r in json.load(open("waitv.json")) if int(r["address"], 16) == address]
assert len(rows) == 1 and rows[0]["contended"] == 1 and 4e7 <= rows[0]["wait_total_ns"] < 5e9, rows
PY
fi

# Mistakes.
expect_exit 2 "$ASSAY" lock contention -t --max-stack 3 -i futex.data 2>err
grep -q 'no meaning with -t' err || fail "--max-stack -t: $(cat err)"
expect_exit 2 "$ASSAY" lock contention -l --max-stack 3 -i futex.data
expect_exit 2 "$ASSAY" lock contention -t -l -i futex.data
expect_exit 2 "$ASSAY" lock contention -k nope -i futex.data
expect_exit 2 "$ASSAY" lock contention -F contended, -i futex.data
expect_exit 2 "$ASSAY" lock contention -i futex.data -a
expect_exit 2 "$ASSAY" lock contention --stack-skip 3 -i futex.data 2>err
grep -q "perf's option.* not in this version of assay" err || fail "--stack-skip: $(cat err)"
expect_exit 1 "$ASSAY" lock contention -i futex.data 2>err
grep -q -- '--user shows waits of programs' err || fail "a recording of futexes without --user: $(cat err)"
"$ASSAY" record -q -e cpu-clock -o clock.data true 2>none
expect_exit 1 "$ASSAY" lock contention --user -i clock.data
expect_exit 3 "$ASSAY" lock contention --user -q sh -c 'exit 3'

# only recorder: it records all CPUs
# assay top as text and JSON: the shares of a program that is known, filters, keys, events, the end, and a recorder that is started anew.
. "$(dirname "$0")/../lib.sh"
need python3
pid=
trap 'kill -9 $pid 2>/dev/null || true' EXIT

# A command: its status, one line a refresh, and the last one when it ends.
expect_exit 0 "$ASSAY" top -q --json -d 0.5 -g -s comm,dso,sym "$WORKLOADS/seventy_thirty" 3 >split.json
python3 - <<'END' || fail "the shares of 70/30: $(tail -n 1 split.json | cut -c 1-600)"
import json
lines = [json.loads(line) for line in open("split.json")]
assert len(lines) > 2, len(lines)
event = lines[-1]["events"][0]
rows = {r.get("symbol"): r for r in event["rows"]}
seventy, thirty = rows["seventy"], rows["thirty"]
share = seventy["overhead"] / (seventy["overhead"] + thirty["overhead"])
assert 0.6 < share < 0.8, share
assert seventy["dso"] == "seventy_thirty" and seventy["comm"] == "seventy_thirty", seventy
assert rows["main"]["children"] > 80 and rows["main"]["overhead"] < 10, rows["main"]
assert all(line["own"]["memory_bytes"] > 1 << 20 for line in lines)
assert sum(line["samples"] for line in lines) > 1000
END
expect_exit 3 "$ASSAY" top -q --stdio sh -c 'exit 3' >none

# A running process, as text, until a number of refreshes.
"$WORKLOADS/seventy_thirty" 600 >none 2>&1 &
pid=$!
expect_exit 0 "$ASSAY" top -q --stdio -d 0.5 --refreshes 4 -n -p $pid >text
grep -q '^assay top: .*Hz cpu-clock\|Hz cycles.*process '"$pid"'$' text && grep -q '^own cost: ' text || fail "$(head -3 text)"
[ "$(grep -c '^Overhead  *Samples  Shared Object  *Symbol$' text)" = 4 ] || fail "$(cat text)"
grep -q '%  *[0-9][0-9]*  seventy_thirty  *\[\.\] seventy$' text || fail "$(cat text)"
# No colour and no control byte in a pipe.
! grep -q $'\033' text || fail "escapes in a pipe"
# What is hidden, and what is filtered.
expect_exit 0 "$ASSAY" top -q --stdio -d 0.5 --refreshes 3 -U -p $pid >text
! grep -q '\[\.\]' text || fail "-U: $(cat text)"
expect_exit 0 "$ASSAY" top -q --stdio -d 0.5 --refreshes 3 -K --symbols thirty -p $pid >text
grep -q '\[\.\] thirty' text && ! grep -q '\[\.\] seventy\|\[k\]' text || fail "--symbols: $(cat text)"
expect_exit 0 "$ASSAY" top -q --stdio -d 0.5 --refreshes 3 -E 1 -p $pid >text
[ "$(grep -c '%  seventy_thirty' text)" -le 3 ] || fail "-E 1: $(cat text)"
# Two events have a block each.
expect_exit 0 "$ASSAY" top -q --stdio -d 0.5 --refreshes 2 -e cpu-clock -e page-faults -p $pid >text
grep -q 'Hz cpu-clock' text && grep -q 'Hz page-faults' text || fail "two events: $(grep top: text)"

# A tracepoint of one process, filtered in the kernel.
if "$ASSAY" record -q -e raw_syscalls:sys_enter -o none.data true 2>none; then
	expect_exit 0 "$ASSAY" top -q --stdio -d 0.3 -s comm -e raw_syscalls:sys_enter --filter 'id >= 0' sleep 0.7 >text
	grep -q '%  sleep' text || fail "--filter: $(cat text)"
	expect_exit 0 "$ASSAY" top -q --stdio -d 0.3 -s comm -e raw_syscalls:sys_enter --filter 'id == 12345' sleep 0.7 >text
	! grep -q '%  sleep' text || fail "--filter has no effect: $(cat text)"
fi

# All CPUs, and a recorder that is started anew because of its size: what is shown stays, and its memory is given back.
expect_exit 0 "$ASSAY" top --json -d 0.2 --refreshes 16 --max-memory 1 >all.json 2>messages
[ "$(grep -c 'recording all CPUs' messages)" -ge 2 ] || fail "never started anew: $(cat messages)"
python3 - <<'END' || fail "started anew"
import json
lines = [json.loads(line) for line in open("all.json")]
assert len(lines) == 16
rows = [len(line["events"][0]["rows"]) for line in lines]
assert all(n > 0 for n in rows[rows.index(next(n for n in rows if n)):]), rows
END

# Ctrl-C ends it well; a reader that has gone ends it, too.
: >lines # it is read before the shell makes it in the background
"$ASSAY" top -q --json -d 0.2 -p $pid >lines &
top=$!
for _ in $(seq 300); do
	[ "$(wc -l <lines)" -lt 2 ] || break
	sleep 0.1
done
kill -INT $top
wait $top || fail "SIGINT: status $?"
"$ASSAY" top -q --json -d 0.2 -p $pid | head -n 2 | grep -c elapsed_s | grep -qx 2 || fail "head"

# What cannot be.
expect_exit 2 "$ASSAY" top -d 0 2>err
grep -q -- "-d takes seconds from 0.1" err || fail "$(cat err)"
expect_exit 2 "$ASSAY" top -s nonsense 2>err
grep -q -- "--sort: .*(comm pid tid cpu dso sym symbol srcline srcfile)" err || fail "$(cat err)"
expect_exit 2 "$ASSAY" top -F 99 -c 100 2>err
expect_exit 2 "$ASSAY" top --overwrite 2>err
grep -q "perf's option" err || fail "$(cat err)"

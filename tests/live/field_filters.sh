# --filter on a file passes what the kernel passes by the same text: each filter is given to an event of its own while recording, next to
# one without. And what is said of bad ones.
. "$(dirname "$0")/../lib.sh"
need python3

tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null ||
	skip "tracefs is not mounted on $tracing, and cannot be"
[ -r $tracing/events/sched/sched_switch/format ] || skip "only root may read tracepoints here"

cat >run.py <<'EOF'
import json
import os
import subprocess
import sys

assay = os.environ["ASSAY"]
event, work, *filters = sys.argv[1:]
options = ["-e", event]
for f in filters:
    options += ["-e", event, "--filter", f]
subprocess.run([assay, "record", "-q", "-m", "4096", *options, "-o", "f.data", "--", "sh", "-c", work], check=True)

def counts(*options):
    done = subprocess.run([assay, "report", "-q", "--json", "-i", "f.data", "-s", "comm", *options], capture_output=True, text=True)
    if "passes --filter" not in done.stderr and done.returncode:
        sys.exit(f"{options}: {done.stderr}")
    return [e["samples"] for e in json.loads(done.stdout)["events"]], done.stderr

total, _ = counts()
wrong = 0
for i, f in enumerate(filters, 1):
    ours, _ = counts("--filter", f)
    if ours[0] != total[i] or ours[i] != total[i]:
        print(f"{event} {f}: the kernel passes {total[i]} of {total[0]}, ours {ours[0]}, and {ours[i]} of what the kernel passed")
        wrong += 1
passing = sum(1 for n in total[1:] if 0 < n < total[0])
print(f"{event}: {len(filters)} filters on {total[0]} samples, {passing} of them pass some but not all")
sys.exit(1 if wrong or not total[0] or not passing else 0)
EOF

work='dd if=/dev/zero of=/dev/null bs=1k count=10 2>/dev/null; for i in 1 2 3; do sleep 0.01; done; ls >/dev/null; cat /etc/passwd >/dev/null'
python3 run.py syscalls:sys_enter_openat "$work" 'flags & 0x80000' 'flags == 0x80000' 'flags != 0x80000' 'mode > 0 || flags == 0' \
	'comm == "dd"' 'comm ~ "l*"' 'comm ~ "*a*" && !(flags == 0)' "comm != 'ls'" 'cpu == 0' 'COMM == "cat" || CPU == 1' \
	'__syscall_nr >= 257' 'common_pid > 0 && comm ~ "d?"' '!(comm == "dd" || comm == "ls") && flags >= 0' '(((comm ~ "[a-d]*")))' \
	'flags & 0x80000 && comm == "ls" || comm == "cat"' || fail "the file's filter differs from the kernel's"
python3 run.py sched:sched_process_exec "$work" 'filename ~ "*/dd"' 'filename ~ "*/s*" || pid < 0' 'filename != "/usr/bin/ls"' \
	'filename ~ "*bin*" && old_pid > 1' || fail "the file's filter differs from the kernel's"

refused() { # FILTER PATTERN
	"$ASSAY" record -q -o bad.data -e sched:sched_switch --filter "$1" -- true 2>err && fail "taken: $1"
	grep -qE "$2" err || fail "$1: no '$2': $(cat err)"
}
refused 'prev_stat == 1' "column 1: 'prev_stat' is no field of this event; did you mean 'prev_state'\?; its fields are prev_comm .*next_prio"
refused 'prev_state == 1 && next_pid ~ 3' "column 20: 'next_pid' is a number"
refused 'prev_state == ' 'column 15: expected a number or a text'
refused '(prev_state == 1' 'column 1: this bracket is not closed'
refused 'prev_comm == sh' 'column 14: text needs quotes: "sh"'
refused 'prev_comm > 1' "column 1: 'prev_comm' is text"

# A wrong filter of what was recorded is a wrong option: of a file, and of a pipe, whose events are known in the end.
"$ASSAY" record -q -o switches.data -e sched:sched_switch -- sleep 0.01
"$ASSAY" record -q -o - -e sched:sched_switch -- sleep 0.01 >switches.pipe
for command in script report "export --format folded" "flame -o /dev/null" "heatmap --offset -o /dev/null"; do
	for filter in 'prev_stat == 1' 'next_pid ~ 3' 'prev_state =='; do
		# shellcheck disable=SC2086
		expect_exit 2 "$ASSAY" $command --filter "$filter" -i switches.data
		# shellcheck disable=SC2086
		expect_exit 2 "$ASSAY" $command --filter "$filter" -i - <switches.pipe
	done
	# shellcheck disable=SC2086
	expect_exit 1 "$ASSAY" $command --filter 'next_pid == -7' -i - <switches.pipe
done

# Of several -e, each has its own.
"$ASSAY" record -q -o two.data -e sched:sched_process_exec --filter 'filename ~ "*/true"' -e syscalls:sys_enter_openat \
	--filter 'comm == "ls"' -- sh -c 'ls >/dev/null; /bin/true; cat /dev/null'
"$ASSAY" script -i two.data -F event,comm,trace >two.txt
grep -q 'ls *syscalls:sys_enter_openat' two.txt && grep -q 'sched_process_exec: filename=/bin/true' two.txt || fail "filters of two events: $(cat two.txt)"
[ "$(grep -c sched_process_exec two.txt)" -eq 1 ] || fail "the first filter let others pass: $(cat two.txt)"
grep 'sys_enter_openat' two.txt | grep -qv '^ *ls ' && fail "the second filter let others pass"
exit 0

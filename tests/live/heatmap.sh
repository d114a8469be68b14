# Heat maps of recordings: three known latencies are three bands; pairs, percentiles and cells are those of the text of both recorders' files;
# samples of a program that runs and sleeps lie where it ran.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(dirname "$0")

tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null ||
	skip "tracefs is not mounted on $tracing, and cannot be"
[ -r $tracing/events/syscalls/sys_enter_clock_nanosleep/format ] || skip "there are no tracepoints of system calls here, or only root may read them"
from=syscalls:sys_enter_clock_nanosleep
to=syscalls:sys_exit_clock_nanosleep

compare() { # FILE FROM TO KEY KEY_REGEX
	"$ASSAY" script --ns -i "$1" >text 2>err || fail "script: $(cat err)"
	# shellcheck disable=SC2086
	"$ASSAY" heatmap -i "$1" --from "$2" --to "$3" ${4:+--key $4} --json >heat.json 2>err || fail "heatmap of $1: $(cat err)"
	python3 "$here/heatmap_truth.py" text heat.json "$2" "$3" "$5" >nr || fail "$1 beside its own text"
	if [ -n "$PERF" ]; then
		"$PERF" script --ns -i "$1" >text 2>/dev/null || fail "perf script of $1"
		python3 "$here/heatmap_truth.py" text heat.json "$2" "$3" "$5" >nr || fail "$1 beside perf's text"
	fi
}

# Most sleeps end when they should, whatever else the machine does.
three_bands() { # FILE
	"$ASSAY" heatmap -i "$1" --from $from --to $to --max 30ms -o bands.svg >table 2>err || fail "$(cat err)"
	python3 - <<'PY' || fail "no three bands in $1: $(cat table)"
import xml.etree.ElementTree as ET, re
ns = "{http://www.w3.org/2000/svg}"
bands = {1: 0, 5: 0, 20: 0}
total = 0
for cell in ET.parse("bands.svg").getroot().findall(f".//{ns}g[@data-c]/{ns}rect"):
    n = int(cell[0].text.split()[0].replace(",", ""))
    total += n
    m = re.search(r"latency ([0-9.]+) ms – ([0-9.]+) ms", cell[0].text)
    for ms in bands:
        # rows of the next millisecond: a sleep is never too short, and a little too long
        if m and float(m[1]) < ms + 1 and float(m[2]) > ms:
            bands[ms] += n
assert total == 120, total
assert all(n >= 24 for n in bands.values()), bands
PY
}

"$ASSAY" record -q -o ours.data -e $from -e $to "$WORKLOADS/latencies" 40
three_bands ours.data
compare ours.data $from $to "" tid
[ "$(cat nr)" -eq 120 ] || fail "$(cat nr) sleeps instead of 120"
if [ -n "$PERF" ]; then
	perf_record -o perfs.data -e $from -e $to "$WORKLOADS/latencies" 40
	three_bands perfs.data
	compare perfs.data $from $to "" tid
	perf_record_to pipe.data -o - -e $from -e $to "$WORKLOADS/latencies" 2
	cat pipe.data | "$ASSAY" heatmap --from $from --to $to >pipe.svg 2>err || fail "of a pipe: $(cat err)"
	grep -q "^6 pairs of" err || fail "of a pipe: $(cat err)"
fi
# filters are about who began; what they leave out is said
"$ASSAY" heatmap -i ours.data --from $from --to $to --comms nobody -o none.svg >table 2>err && fail "a filter that leaves nothing is not a failure"
grep -q "Part of the recording: --comms nobody (120 pairs left out)" table || fail "$(cat table)"
"$ASSAY" heatmap -i ours.data --from "${from%e*}*" --to "${to%e*}*" --comms latencies --log -o some.svg >table 2>err || fail "$(cat err)"
grep -q "^120 pairs" table || fail "patterns: $(cat table)"
grep -q "^120 pairs of .* by sample.tid$" table || fail "the key is not said: $(cat table)"
grep -q "^Quality: 120 of 120 begins paired (100.0%); 0 of 120 ends without a begin; 0 lost, 0 throttled" table || fail "quality: $(cat table)"
grep -q "Quality: 120 of 120 begins paired" some.svg || fail "the picture does not say how good it is"
# why there is nothing: filters, keys, events that never came
"$ASSAY" heatmap -i ours.data --from $from --to $to --comms nobody -o none.svg 2>&1 >/dev/null | grep -q "no pairs are left: .* leave out all 120" ||
	fail "no word of the filters"
"$ASSAY" heatmap -i ours.data --from $from --to $to --key __syscall_nr:ret -o none.svg >/dev/null 2>err
grep -q "there are 120 begins and 120 ends, but no end has the key of a begin before it (by __syscall_nr:ret)" err ||
	fail "no word of the keys: $(cat err)"
"$ASSAY" record -q -o never.data -e $from -e sched:sched_process_hang "$WORKLOADS/latencies" 2
"$ASSAY" heatmap -i never.data --from $from --to sched:sched_process_hang -o none.svg >/dev/null 2>err
grep -q "there is no sample of sched:sched_process_hang, but 6 of $from" err || fail "no word of missing ends: $(cat err)"
# several events begin; a group that was forgotten is found
"$ASSAY" heatmap -i ours.data --from $from --from sched:nothing --to $to -o none.svg 2>err && fail "an event that is not there"
grep -q "has no event 'sched:nothing'" err || fail "$(cat err)"
"$ASSAY" heatmap -i ours.data --from $from,$to --to $to -o both.svg >table 2>err || fail "$(cat err)"
grep -q "^Quality: 120 of 240 begins paired (50.0%)" table || fail "two begins: $(cat table)"
expect_exit 1 "$ASSAY" heatmap -i ours.data --from ${from#*:} --to $to -o none.svg 2>err
grep -q "did you mean '$from'" err || fail "$(cat err)"
expect_exit 1 "$ASSAY" heatmap -i ours.data --from $from --to ${to}x -o none.svg 2>err
grep -q "did you mean '$to'" err || fail "$(cat err)"
expect_exit 1 "$ASSAY" heatmap -i ours.data --from $from --to $to --key nofield -o none.svg 2>err
grep -q "has no field 'nofield'; it has __syscall_nr which_clock" err || fail "$(cat err)"
expect_exit 2 "$ASSAY" heatmap -i ours.data 2>err
grep -q "is a recording: say which events" err || fail "$(cat err)"
# what is left of a damaged recording is drawn, and the exit status says so
"$ASSAY" record -q -o - -e $from -e $to "$WORKLOADS/latencies" 10 >whole.data
head -c $(($(stat -c %s whole.data) - 1001)) whole.data >cut.data
expect_exit 1 "$ASSAY" heatmap -i cut.data --from $from --to $to -o cut.svg >table 2>err
grep -q " pairs of" table || fail "of a cut file: $(cat table err)"

# the usual two tracepoints of disks, where there is one
note=
if [ -r $tracing/events/block/block_rq_issue/format ]; then
	"$ASSAY" record -q -a -o disk.data -e block:block_rq_issue -e block:block_rq_complete -- \
		dd if=/dev/zero of=file bs=4k count=100 oflag=dsync 2>/dev/null
	compare disk.data block:block_rq_issue block:block_rq_complete dev,sector '(\d+,\d+) \S+ .*?\) (\d+) \+'
	note=", $(cat nr) of a disk"
	[ "$(cat nr)" -eq 0 ] || "$ASSAY" heatmap -i disk.data --from block:block_rq_issue --to block:block_rq_complete --key dev,sector --log -o disk.svg \
		>/dev/null 2>err || fail "$(cat err)"
fi
# fields that are named differently: from waking up to running
"$ASSAY" record -q -a -o sched.data -e sched:sched_wakeup -e sched:sched_switch -- "$WORKLOADS/latencies" 10
compare sched.data sched:sched_wakeup sched:sched_switch pid:next_pid '(?:next_| )pid=(\d+) (?:next_)?prio='
# a field that only one of them has is no guess
expect_exit 1 "$ASSAY" heatmap -i sched.data --from sched:sched_wakeup --to sched:sched_switch --key pid -o none.svg 2>err
grep -q "'pid' is a field of sched:sched_wakeup but not of sched:sched_switch; say --key pid:prev_pid or pid:next_pid or sample.pid" err || fail "$(cat err)"
"$ASSAY" heatmap -i sched.data --from sched:sched_wakeup --to sched:sched_switch --key sample.pid -o some.svg >table 2>err || fail "$(cat err)"
grep -q " by sample.pid$" table || fail "$(cat table)"
"$ASSAY" heatmap -i sched.data --from sched:sched_wakeup --to sched:sched_switch --key pid:next_pid --key cpu -o some.svg >table 2>err || fail "$(cat err)"
grep -q " by pid:next_pid,sample.cpu$" table || fail "--key twice: $(cat table)"

# samples within each second, beside their own times
"$ASSAY" record -q -F 499 -o on.data -- sh -c "for i in 1 2 3; do '$WORKLOADS/burn' 0.2; sleep 0.3; done"
"$ASSAY" heatmap --offset -i on.data -o on.svg --comms burn >table 2>err || fail "$(cat err)"
"$ASSAY" heatmap --offset -i on.data --json >heat.json
"$ASSAY" script --ns -F time -i on.data | tr -d ' :' >times
python3 - <<'PY' || fail "the samples are not where their times are"
import json
h = json.load(open("heat.json"))
cells = {}
for t in open("times"):
    s, ns = t.strip().split(".")
    key = int(s) - h["start_ns"] // 10**9, int(ns) // 20000000
    cells[key] = cells.get(key, 0) + 1
assert h["column_ns"] == 10**9 and len(h["edges_ns"]) == 51
assert cells == {(c, r): n for c, column in enumerate(h["columns"]) for r, n in enumerate(column) if n}
assert sum(cells.values()) > 20
PY
expect_exit 1 "$ASSAY" heatmap --offset -i on.data -e nothing -o none.svg 2>err
grep -q "has no event 'nothing'" err || fail "$(cat err)"
python3 "$TOOLS/heatmap_svg.py" ./*.svg || fail "not a safe SVG"
echo "NOTE: 3 bands, 120 sleeps$note"

# A recording without system calls is no empty picture.
"$ASSAY" record -q -e cpu-clock -o clock.data true 2>/dev/null
expect_exit 1 "$ASSAY" heatmap --syscall read -i clock.data -o none2.svg >/dev/null 2>err
grep -q "no system call is in it: record them with 'assay trace record'" err || fail "--syscall without calls: $(cat err)"
[ ! -e none2.svg ] || fail "a picture of nothing"

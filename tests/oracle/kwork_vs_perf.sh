# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# Work of the kernel as perf kwork sums it up, on perf's recording and on ours.
# (--no-bpf-event: perf 6.1 writes records of BPF programs wrongly while others load some.)
. "$(dirname "$0")/../lib.sh"
need perf
need python3
"$ASSAY" record -q -a -e irq:softirq_entry -o probe.data true 2>err || skip "no tracepoints of interrupts: $(cat err)"

record_both() {
	perf_record --no-bpf-event -a -m 1024 -c 1 -R -e irq:irq_handler_entry,irq:irq_handler_exit -e irq:softirq_raise,irq:softirq_entry,irq:softirq_exit \
		-e workqueue:workqueue_activate_work,workqueue:workqueue_execute_start,workqueue:workqueue_execute_end -o perf.data -- sleep 1
	"$ASSAY" kwork record -q -o ours.data -- sleep 1 2>err || fail "kwork record: $(cat err)"
}
# A worker that is not bound can begin work on one CPU and end it on another. perf pairs by CPU, and loses that work.
has_moved_worker() { # FILE
	"$PERF" script -i "$1" -F tid,cpu,event 2>/dev/null | awk '
		/execute_start/ { at[$1] = $2 }
		/execute_end/ { if ($1 in at && at[$1] != $2) moved = 1 }
		END { exit !moved }'
}
for try in 1 2 3 4 5 6 7 8; do
	record_both
	has_moved_worker perf.data || has_moved_worker ours.data || break
	[ $try -lt 8 ] || skip "a worker changed its CPU in each of $try recordings"
done
for data in perf.data ours.data; do
	"$PERF" kwork report -i $data >perf.txt 2>perf.err || fail "perf kwork report: $(cat perf.err)"
	"$ASSAY" kwork report -i $data >ours.txt 2>err || fail "kwork report: $(cat err)"
	grep -q '^  (s)' ours.txt || skip "no soft interrupts in a second"
	diff <(head -3 perf.txt) <(head -3 ours.txt) || fail "headings"
	# Interrupts are the same rows; of work queues perf has a row for each structure, with the name of the first function that it was queued
	# for: figures of a CPU are compared with perf's, those of a function with the samples.
	diff <(grep '|' perf.txt | grep -v '^  (w)') <(grep '|' ours.txt | grep -v '^  (w)') >rows || fail "$data: $(cat rows)"
	per_cpu() { awk -F'|' '/^  \(w\)/ { n[$2] += $4 } END { for (i in n) print i, n[i] }' "$1" | sort; }
	diff <(per_cpu perf.txt) <(per_cpu ours.txt) >rows || fail "$data: work queues: $(cat rows)"
	"$PERF" script -i $data -F tid,cpu,event,trace >samples.txt 2>/dev/null || fail "perf script"
	awk '/execute_start/ { started[$1] = $6 } /execute_end/ && started[$1] == $6 { n[substr($8, 1, 15) " " substr($2, 2, 3)]++ }
		END { for (i in n) print i, n[i] }' samples.txt | sort >truth
	awk -F'|' '/^  \(w\)/ { n[substr($1, 6, 15) " " substr($2, 3, 3)] += $4 } END { for (i in n) print i, n[i] }' ours.txt |
		sed 's/  */ /g' | sort >counted
	diff truth counted >rows || fail "$data: functions of work queues: $(cat rows)"
	# perf counts a delay from the last raise; an earlier one stays, and is paired with the next entry that was not raised.
	"$PERF" script -i $data -F cpu,event,trace >samples.txt 2>/dev/null || fail "perf script"
	"$PERF" kwork latency -i $data >perf.txt 2>perf.err || fail "perf kwork latency: $(cat perf.err)"
	"$ASSAY" kwork latency --json -i $data >ours.json 2>err || fail "kwork latency: $(cat err)"
	python3 - perf.txt ours.json samples.txt <<'PY' || fail "$data: delays"
import json
import re
import sys

perf = {}
for line in open(sys.argv[1]):
    cells = [c.strip() for c in line.split("|")]
    if line.startswith("  (s)"):
        perf[re.match(r"\(s\)(\w+):", cells[0])[1], int(cells[1])] = int(cells[3]), float(cells[2].split()[0])
ours = {(r["name"], r["cpu"]): (r["count"], r["avg_ns"] / 1e6) for r in json.load(open(sys.argv[2])) if r["class"] == "softirq"}
assert perf.keys() == ours.keys(), (perf, ours)
raised, truth = set(), {}
for line in open(sys.argv[3]):
    m = re.match(r"\s*\[(\d+)\]\s+irq:softirq_(raise|entry): .*action=(\w+)", line)
    key = m and (m[3], int(m[1]))
    if m and m[2] == "raise":
        raised.add(key)
    elif m and key in raised:
        truth[key] = truth.get(key, 0) + 1
        raised.remove(key)
for key, (nr, mean) in perf.items():
    assert ours[key][0] == truth[key] <= nr, (key, nr, ours[key], truth[key])
    assert nr > truth[key] or ours[key][1] >= mean - 0.001, (key, nr, mean, ours[key])
PY
	# Each run is a line. perf cuts names one letter earlier, has no delay of work that was activated on another CPU, and of what was raised again the last one.
	"$PERF" kwork timehist -i $data >perf.txt 2>perf.err || fail "perf kwork timehist: $(cat perf.err)"
	"$ASSAY" kwork timehist -i $data >ours.txt 2>err || fail "kwork timehist: $(cat err)"
	diff <(sed 's/ *$//' perf.txt | cut -c1-76,78-89 | sed 's/ *$//') <(sed 's/ *$//' ours.txt | cut -c1-76,78-89 | sed 's/ *$//') >rows ||
		fail "$data: timehist: $(head -10 rows)"
	paste <(cut -c90- perf.txt) <(cut -c90- ours.txt) ours.txt | awk -F'\t' 'NR > 3 && $3 ~ /  \(s\)/ && $2 ~ /[0-9]/ && $1 + 0 > $2 + 0.0011 { print; bad = 1 } END { exit bad }' >rows ||
		fail "$data: timehist: delays that are shorter than perf's: $(head -5 rows)"
	[ "$(paste <(cut -c90- perf.txt) <(cut -c90- ours.txt) | awk -F'\t' 'NR > 3 && $1 + 0 == $2 + 0' | wc -l)" -gt $(($(wc -l <perf.txt) / 2)) ] ||
		fail "$data: timehist: most delays differ"
	"$ASSAY" kwork timehist -k softirq -n TIMER -C 0 -i $data >ours.txt 2>err || fail "kwork timehist -n: $(cat err)"
	[ "$(tail -n +4 ours.txt | grep -cv ' \[0000\]  (s)TIMER:1 ')" -eq 0 ] || fail "timehist -n TIMER -C 0: $(head -20 ours.txt)"
done

# Live, with -S, -k, -n; mistakes.
"$ASSAY" kwork report -S -k softirq -n RCU -- sleep 0.5 >live.txt 2>err || fail "live: $(cat err)"
grep -q 'Total time span (msec) : ' live.txt || fail "-S: $(cat live.txt)"
! grep '|' live.txt | grep -v 'Kwork Name' | grep -v '^  (s)RCU:9 ' || fail "-n RCU: $(cat live.txt)"
"$ASSAY" kwork latency -S -q -i ours.data | grep -q '^  Total delay     (msec) : ' || fail "latency -S"
expect_exit 2 "$ASSAY" kwork latency -k irq -i ours.data
expect_exit 2 "$ASSAY" kwork latency -k irq,softirq -i ours.data 2>err
grep -q 'interrupts have no delay' err || fail "latency -k irq: $(cat err)"
expect_exit 2 "$ASSAY" kwork timehist -g -i ours.data
"$ASSAY" kwork timehist -k softirq -- sleep 0.3 >live.txt 2>err || fail "timehist, live: $(cat err)"
tail -n +4 live.txt | grep -q '  (s)' || fail "timehist, live: $(cat live.txt)"
expect_exit 2 "$ASSAY" kwork report -s avg -i ours.data
expect_exit 2 "$ASSAY" kwork report -k soft -i ours.data
expect_exit 2 "$ASSAY" kwork report -i ours.data true
"$ASSAY" record -q -e cpu-clock -o clock.data true 2>none
expect_exit 1 "$ASSAY" kwork report -i clock.data

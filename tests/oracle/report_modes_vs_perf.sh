# report --stats, --tasks and --mmaps beside perf's, on files that perf recorded: one task, threads,
# forks, execs, a thread that forks, several events, compressed, a pipe, losses. And report --json,
# beside what the text says.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

record() {
	local file=$1
	shift
	perf_record -o "$file" "$@"
}

record one.data -- "$WORKLOADS/seventy_thirty" 0.3
record forks.data -g -- sh -c "'$WORKLOADS/forkstorm' 60; ls / >/dev/null"
record threads.data -z -g -- "$WORKLOADS/threadstorm" 300
record events.data -e cpu-clock,page-faults -d -- "$WORKLOADS/threads" 0.3
record mixed.data --switch-events --namespaces -g -- "$WORKLOADS/mixed" 0.3
perf_record_to pipe.data -g -o - -- "$WORKLOADS/threads" 0.3
cat >forker.py <<'PY'
import os, threading
def work():
    for _ in range(3):
        pid = os.fork()
        if not pid:
            sum(range(200000))
            os._exit(0)
        os.waitpid(pid, 0)
threads = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
PY
record forker.data -g -- python3 forker.py

nr=0
for file in *.data; do
	for mode in --stats --tasks --mmaps; do
		"$PERF" report --stdio -i "$file" $mode >theirs 2>/dev/null
		expect_exit 0 "$ASSAY" report --stdio -i "$file" $mode >ours 2>err
		[ "$(wc -l <ours)" -gt 2 ] || fail "$file $mode: hardly anything was printed"
		expect_same theirs ours "$file $mode"
		nr=$((nr + 1))
	done
done
"$ASSAY" report -i - --stats <pipe.data >ours
"$ASSAY" report -i pipe.data --stats >theirs
expect_same theirs ours "--stats of a pipe and of the same bytes in a file"

# Filters are for rows: the counts are of the whole file, as perf has it.
"$PERF" report --stdio -i forks.data --stats --comm sh 2>/dev/null | grep -v '^# comm' >theirs
"$ASSAY" report -i forks.data --stats --comms sh >ours
expect_same theirs ours "--stats with a filter"

# A small ring and a high frequency: LOST and LOST_SAMPLES.
perf_record -m 1 -c 20000 -e cpu-clock -g -o lost.data -- "$WORKLOADS/threads" 4 0.3
"$PERF" report --stdio -i lost.data --stats >theirs 2>/dev/null
"$ASSAY" report -i lost.data --stats >ours 2>err
expect_same theirs ours "--stats with losses"
if grep -q 'LOST_SAMPLES' theirs; then
	grep -q 'samples were lost' err || fail "no word about lost samples"
fi

# JSON: valid whatever the names are, and the same rows as the text.
record hostile.data -g -- "$WORKLOADS/hostile" 0.3 "$TMPDIR"
cat >check.py <<'PY'
import json, subprocess, sys
assay, path, *options = sys.argv[1:]
run = subprocess.run([assay, "report", "-i", path, "--json", *options], capture_output=True)
assert run.returncode == 0, run.stderr
report = json.loads(run.stdout.decode("utf-8"))
assert report["schema"] == "assay-report-1"
assert report["recording"]["cmdline"]
assert report["damage"] is None and report["malformed"] == 0
text = subprocess.run([assay, "report", "-i", path, "-t", "\t", "-n", "-g", "none", *options],
                      capture_output=True).stdout.decode("utf-8", "replace")
rows = [line for line in text.splitlines() if line and not line.startswith("#")]
entries = [e for event in report["events"] for e in event["entries"]]
assert len(rows) == len(entries), (len(rows), len(entries))
def check_nodes(nodes, limit):
    assert sum(n["period"] for n in nodes) <= limit
    for n in nodes:
        assert ("symbol" in n) != ("address" in n) and n["dso"]
        assert n["samples"] > 0 and 0 <= n["ending"] <= n["period"]
        check_nodes(n["children"], n["period"] - n["ending"])
for event in report["events"]:
    total = event["period"]
    assert sum(e["self"]["samples"] for e in event["entries"]) == event["samples"]
    assert sum(e["self"]["period"] for e in event["entries"]) == total
    for e in event["entries"]:
        assert ("symbol" in e) != ("address" in e) and len(e["level"]) == 1
        assert abs(e["self"]["percent"] - 100 * e["self"]["period"] / total) < 0.001
        if "children" in e:
            assert e["self"]["period"] <= e["children"]["period"] <= total
        if "tree" in e:
            check_nodes(e["tree"], e.get("children", e["self"])["period"])
# Rows of equal size may stand in another order: there are no chains to tell them apart under -g none.
nr_column = 2 if "children" in entries[0] else 1
wanted = sorted((e["self"]["samples"], e.get("children", e["self"])["percent"]) for e in entries)
cells = [[c.strip() for c in row.split("\t")] for row in rows]
shown = sorted((int(c[nr_column]), float(c[0].rstrip("%"))) for c in cells)
for (nr, percent), (nr_shown, percent_shown) in zip(wanted, shown):
    assert nr == nr_shown and abs(percent - percent_shown) < 0.0051, (nr, percent, nr_shown, percent_shown)
PY
for file in *.data; do
	python3 check.py "$ASSAY" "$file" 2>err || fail "--json of $file: $(tail -3 err)"
	python3 check.py "$ASSAY" "$file" --no-children 2>err || fail "--json --no-children of $file: $(tail -3 err)"
done
"$ASSAY" report -i forks.data --json --sort dso --percent-limit 10 >sorted.json
python3 - <<'PY'
import json
event = json.load(open("sorted.json"))["events"][0]
assert event["entries"] and event["hidden_entries"]
assert all("comm" not in e and "symbol" not in e and e["dso"] for e in event["entries"])
assert all(e["children"]["percent"] >= 10 for e in event["entries"])
PY
"$ASSAY" script -i hostile.data --json >script.json
python3 -c 'import json; assert json.load(open("script.json"))["schema"] == "assay-script-1"'

# Columns stand below their headings, whatever became of the names on the way to the terminal.
"$ASSAY" report -i hostile.data --no-children -g none >ours 2>err
[ "$(wc -l <err)" -le 1 ] || fail "a name with a line break makes lines: $(cat err)"
python3 - <<'PY'
import re
lines = open("ours", encoding="utf-8").read().splitlines()
dots = next(line for line in lines if line.startswith("# ..."))
symbol = dots.rindex("  ") + 2
rows = [line for line in lines if line.startswith("  ")]
assert rows and all(re.match(r"\[.\] ", row[symbol:]) for row in rows), rows
PY

# What a sample has beside its place, and what is missing in the file.
"$ASSAY" script -i lost.data --json >script.json 2>/dev/null
"$ASSAY" report -i lost.data --json >report.json 2>/dev/null
python3 - <<'PY'
import json
script, report = json.load(open("script.json")), json.load(open("report.json"))
for key in ("lost", "throttled", "malformed", "without_event", "late", "damage"):
    assert script[key] == report[key], key
PY
if try_perf_record -e sched:sched_switch -d -W --phys-data -o trace.data "$WORKLOADS/latencies" 20; then
	"$ASSAY" script -i trace.data --json >script.json
	"$ASSAY" script -i trace.data -F trace,weight,data_src,phys_addr >script.txt
	python3 - <<-'PY'
		import json
		samples = json.load(open("script.json"))["samples"]
		lines = open("script.txt").read().splitlines()
		assert samples and len(samples) == len(lines)
		for sample, line in zip(samples, lines):
		    assert sample["trace"] in line and "next_comm=" in sample["trace"]
		    assert str(sample["weight"]) in line
		    assert sample["data_src"][2:] in line and sample["phys_addr"][2:] in line
	PY
else
	echo "NOTE: no tracepoints here"
fi
echo "NOTE: $nr outputs beside perf's"

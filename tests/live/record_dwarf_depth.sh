# alone: it counts what short-lived threads lose
# Stacks larger than their dumps: counted, and larger dumps for the thread; the depth is all there.
. "$(dirname "$0")/../lib.sh"
depths() { # FILE: how often which depth of recurse()
	"$ASSAY" script --no-inline -i "$1" -F ip,sym --max-stack 1100 2>/dev/null |
		awk -v RS= '{ print gsub(/recurse/, "") }' | sort | uniq -c | sort -rn
}

# 600 levels of 48 bytes and more: some 28 kB. Dumps are large from the first sample on.
"$ASSAY" record -F 499 --call-graph dwarf -o deep.data "$WORKLOADS/recurse" 3 600 2>err || fail "$(cat err)"
grep -q truncated err && fail "truncated: $(cat err)"
samples=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' err)
whole=$(depths deep.data | awk '$2 >= 600 { n += $1 } END { print n + 0 }')
[ "$whole" -ge $((samples * 95 / 100)) ] || fail "only $whole of $samples stacks have 600 levels: $(depths deep.data | head -5)"
# One event, whatever was opened meanwhile: all samples belong to it, and none twice.
[ "$("$ASSAY" evlist -i deep.data | wc -l)" -eq 1 ] || fail "more than one event"
grep -q ' lost' err && fail "samples were lost: $(cat err)"
[ "$samples" -ge 100 ] || fail "only $samples samples in 3 s at 499 Hz"
[ "$samples" -le $((3 * 499 + 300)) ] || fail "$samples samples in 3 s at 499 Hz: counted twice"
"$ASSAY" script --no-inline -i deep.data -F time 2>/dev/null | sort | uniq -d | grep -q . && fail "two samples at one time"

# At a high rate the rings hold the larger dumps, too.
for try in 1 2 3; do # a busy machine may keep the recorder from its rings
	"$ASSAY" record -F 4000 --call-graph dwarf -o fast.data "$WORKLOADS/recurse" 1 600 2>err || fail "$(cat err)"
	grep -q ' lost' err || break
done
grep -q ' lost' err && fail "samples were lost at 4 kHz, three times: $(cat err)"

# Threads that live for a tenth of a second: below 3% truncated.
"$ASSAY" record -F 999 --call-graph dwarf -o short.data "$WORKLOADS/unwind_short" 30 600 2>err || fail "$(cat err)"
samples=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' err)
truncated=$(sed -n 's/.* complete, \([0-9]*\) truncated.*/\1/p' err)
[ "$samples" -ge 200 ] || fail "only $samples samples of 30 threads: $(cat err)"
[ "${truncated:-0}" -le $((samples * 3 / 100)) ] || fail "$truncated of $samples stacks of short-lived threads are truncated: $(cat err)"
short="${truncated:-0} of $samples"

# By count the rate is not known: small at first, and large once a stack was cut.
"$ASSAY" record -v -e task-clock -c 1000000 --call-graph dwarf -o count.data "$WORKLOADS/recurse" 2 600 2>err || fail "$(cat err)"
grep -q 'taken up [1-9]' err || fail "dumps of an event by count did not grow: $(cat err)"
samples=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' err)
whole=$(depths count.data | awk '$2 >= 600 { n += $1 } END { print n + 0 }')
[ "$whole" -ge $((samples / 2)) ] || fail "only $whole of $samples stacks by count have 600 levels"
[ "$("$ASSAY" script --no-inline -i count.data -F time,event 2>/dev/null | grep -c task-clock)" -eq "$samples" ] ||
	fail "samples of the twin have no name"

# A size that was given is the size of all dumps.
"$ASSAY" record -F 499 --call-graph dwarf,16384 -o given.data "$WORKLOADS/recurse" 1 600 2>err || fail "$(cat err)"
grep -q -E ' 0\.[0-9]% complete, [0-9]+ truncated at 16384 bytes' err || fail "not 16384 bytes for all: $(cat err)"
grep -q 'use --call-graph dwarf,65528' err || fail "no remedy for dumps of 16384 bytes: $(cat err)"
"$ASSAY" record -F 499 --call-graph dwarf,65528 -o large.data "$WORKLOADS/recurse" 1 600 2>err || fail "$(cat err)"
grep -q truncated err && fail "truncated at 65528 bytes: $(cat err)"
"$ASSAY" record -F 499 --call-graph dwarf -o small.data "$WORKLOADS/recurse" 1 20 2>err || fail "$(cat err)"
grep -q truncated err && fail "truncated at 20 levels: $(cat err)"
# Occurrences that are counted stay so. Loader and C library have some faults more or less from run to run.
"$ASSAY" record -e page-faults -c 1 --call-graph dwarf,64 -o faults.data "$WORKLOADS/faults" 2000 2>err || fail "$(cat err)"
samples=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' err)
"$ASSAY" stat -x, -o count.csv -e page-faults "$WORKLOADS/faults" 2000
events=$(awk -F, '/page-faults/ { print $1 }' count.csv)
difference=$((samples - events))
[ "$samples" -ge 2000 ] && [ ${difference#-} -le 20 ] || fail "$samples samples of $events faults"

# By frame pointers: the kernel cuts chains, and that is said once, with the remedy.
max=$(cat /proc/sys/kernel/perf_event_max_stack)
"$ASSAY" record -F 499 -g -o fp.data "$WORKLOADS/recurse" 0.5 $((max + 50)) 2>err || fail "$(cat err)"
[ "$(grep -c 'sysctl kernel.perf_event_max_stack=' err)" -eq 1 ] || fail "no hint at $((max + 50)) frames: $(cat err)"
"$ASSAY" record -F 499 -g -o fp.data "$WORKLOADS/recurse" 0.5 $((max / 2)) 2>err || fail "$(cat err)"
grep -q 'perf_event_max_stack' err && fail "a hint where nothing was cut: $(cat err)"
echo "NOTE: $whole stacks of 600 levels; $short truncated with short-lived threads"

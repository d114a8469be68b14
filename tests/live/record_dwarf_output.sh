# What holds for other recordings holds for unwound ones: new files, size limits, compression, pipes, a kill, a full disk.
. "$(dirname "$0")/../lib.sh"
work=$WORKLOADS/unwind_nofp
record() { "$ASSAY" record -F 1999 --call-graph dwarf "$@"; }
samples_in() { "$ASSAY" script --no-inline -i "$1" -F time,ip 2>/dev/null | grep -c ': *$' || true; }
summary() { sed -n 's/.*(\([0-9]*\) samples.*/\1/p' "$1"; }
# whole FILE: nearly all stacks go up to _start
whole() {
	"$ASSAY" script --no-inline -i "$1" -F ip,sym 2>/dev/null |
		awk -v RS= '{ all++ } /_start/ { n++ } END { exit !(all && n * 100 >= all * 95) }' || fail "$1: stacks are not whole"
}

# a new file by time and by size: each readable by itself, together all samples
record --switch-output=1s -o timed.data "$work" 2.5 2>err || fail "$(cat err)"
record --switch-output=20K -o sized.data "$work" 2 2>>err || fail "$(cat err)"
all=0 nr=0
for f in timed.data.* sized.data.*; do
	n=$(samples_in "$f")
	all=$((all + n)) nr=$((nr + 1))
	[ "$n" -lt 50 ] || whole "$f"
done
[ $nr -ge 5 ] || fail "only $nr files"
want=$(summary err | awk '{ n += $1 } END { print n }')
[ $all -eq "$want" ] || fail "$all samples in $nr files, the summaries say $want"

# a size limit
record --max-size 100K -o max.data "$work" 20 2>err || fail "$(cat err)"
grep -q 'size limit reached' err || fail "no word about the limit: $(cat err)"
[ "$(stat -c %s max.data)" -lt 400000 ] || fail "$(stat -c %s max.data) bytes"
[ "$(samples_in max.data)" -eq "$(summary err)" ] || fail "the summary says $(summary err), the file has $(samples_in max.data)"

# compressed, and through a pipe
record -z -o packed.data "$work" 0.5 2>err || fail "$(cat err)"
[ "$(samples_in packed.data)" -eq "$(summary err)" ] || fail "-z: $(cat err), and $(samples_in packed.data) samples"
record -o - "$work" 0.5 2>err | "$ASSAY" script --no-inline -i - -F time,ip >piped.txt 2>/dev/null
[ "$(grep -c ': *$' piped.txt)" -eq "$(summary err)" ] || fail "pipe: $(cat err)"

# killed: all but the last second is there. How long the work ran by then is its CPU time, which is what was sampled.
"$ASSAY" record -F 1999 --call-graph dwarf -o killed.data "$work" 30 2>/dev/null &
pid=$!
ran=0
for i in $(seq 100); do # until it had 1.5 s of CPU time
	sleep 0.2
	child=$(pgrep -P $pid | head -1)
	ran=$(awk -v hz="$(getconf CLK_TCK)" '{ printf "%d", ($14 + $15) * 1000 / hz }' "/proc/$child/stat" 2>/dev/null)
	[ "${ran:-0}" -lt 1500 ] || break
done
kill -9 $pid
kill "$child"
wait $pid 2>/dev/null || true
n=$(samples_in killed.data)
[ "$ran" -gt 1000 ] || fail "the work ran for $ran ms only"
# a tenth for what sampling by a clock misses
[ "$n" -ge $(((ran - 1000) * 1999 / 1000 * 9 / 10)) ] || fail "only $n samples are left of $ran ms at 1999 Hz"
whole killed.data

# a file that cannot grow: what fitted is readable, the rest is counted as dropped
status=0
(ulimit -f 64; exec "$ASSAY" record -F 1999 --call-graph dwarf -o limited.data sh -c "'$work' 2 && touch done") 2>err || status=$?
[ $status -eq 1 ] || fail "exit status $status instead of 1: $(cat err)"
[ -e done ] || fail "the workload did not run to its end"
grep -q 'holds what fitted' err || fail "no clear message: $(cat err)"
grep -q 'dropped' err || fail "what was not written is not reported: $(cat err)"
[ "$(samples_in limited.data)" -eq "$(summary err)" ] || fail "the summary says $(summary err), the file has $(samples_in limited.data)"
echo "NOTE: $all samples in $nr files; $n of a recorder that was killed after $ran ms of work"

# alone: it counts what is lost at 10 kHz on all CPUs
# noisy: a busy machine may keep the recorder from its rings for longer than they last, even with a realtime priority
# 10 kHz on two CPUs: nothing is lost, every stack is unwound, and the file is what the rings held.
. "$(dirname "$0")/../lib.sh"
UNWIND_FILE=$(dirname "$ASSAY")/tests/bench/unwind_file
[ "$(nproc)" -ge 2 ] || skip "one CPU only"
[ "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" -ge 10000 ] || skip "the kernel allows less than 10 kHz"
WORK=$WORKLOADS/unwind_cxx
[ -x "$WORK" ] || skip "no C++ compiler is installed"

two() { # a process on each of two CPUs
	cat >two.sh <<END
"$WORK" $1 &
"$WORK" $1
wait
END
	echo two.sh
}
script=$(two 2)
# Other programs must not keep the drain from the rings: with a realtime priority, where that is allowed.
priority=()
! "$ASSAY" record -r 10 -o priority.data true 2>&1 | grep -q "no realtime priority" && priority=(-r 10)
"$ASSAY" record "${priority[@]}" -F 10000 --call-graph dwarf -o fast.data sh "$script" 2>err || fail "$(cat err)"
samples=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' err)
lost=$(sed -n 's/.* \([0-9]*\) lost.*/\1/p' err)
rate=$(awk -v n="${lost:-0}" -v all="$samples" 'BEGIN { printf "%.3f%%", 100 * n / (n + all) }')
[ -z "$lost" ] || fail "lost $rate: $(cat err)"
[ "$("$ASSAY" script --no-inline -i fast.data -F ip 2>/dev/null | grep -c '^$')" -ge "$samples" ] || fail "not all $samples samples are there"
whole=$("$ASSAY" script --no-inline -i fast.data -F ip,sym 2>/dev/null | awk -v RS= '/_start/ { n++ } END { print n + 0 }')
[ "$whole" -ge $((samples * 95 / 100)) ] || fail "only $whole of $samples stacks are whole"

# The same rate with raw stacks: through the stage, and by a reader.
"$ASSAY" record -q -F 10000 --call-graph dwarf,keep -o raw.data sh "$(two 0.5)"
"$UNWIND_FILE" raw.data unwound.data >/dev/null
"$ASSAY" script --no-inline -i raw.data -F comm,tid,time,ip,sym --max-stack 1100 >raw.txt 2>/dev/null
"$ASSAY" script --no-inline -i unwound.data -F comm,tid,time,ip,sym --max-stack 1100 >unwound.txt 2>/dev/null
expect_same raw.txt unwound.txt "stacks of the raw file and unwound ones"
echo "NOTE: $samples samples at 10 kHz on 2 CPUs, $rate lost, $whole whole; $(stat -c %s fast.data) bytes"

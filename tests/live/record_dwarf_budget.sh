# alone: it counts what is lost at 20 kHz
# noisy: a busy machine may keep the recorder from its rings for longer than they last
# 20 kHz with stacks of 28 kB, as compilers have them: larger dumps would exceed their budget, and are given up at once. Nothing to
# speak of is lost, and samples + lost is what was counted. The same stacks at a lower rate are whole.
. "$(dirname "$0")/../lib.sh"
[ "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" -ge 20000 ] || skip "the kernel allows less than 20 kHz"
stats() { # of the summary in err
	samples=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' err)
	lost=$(sed -n 's/.* samples, \([0-9]*\) lost.*/\1/p' err)
	lost=${lost:-0}
}

"$ASSAY" record -v -F 20000 --call-graph dwarf -o fast.data "$WORKLOADS/recurse" 2 600 2>err || fail "$(cat err)"
stats
[ "$lost" -le $((samples / 100)) ] || fail "$lost lost of $samples: $(cat err)"
large=$("$ASSAY" script --no-inline -i fast.data -F ip,sym --max-stack 1100 2>/dev/null |
	awk -v RS= '{ if (gsub(/recurse/, "") >= 600) n++ } END { print n + 0 }')
# Of 28 kB each: not more than 256 MB a second, with some for the moment in which that is found out. On a busy machine all of
# them may be less than that.
ms=$("$ASSAY" script -i fast.data -F time -G 2>/dev/null | awk 'NR == 1 { first = $1 } END { printf "%d", ($1 - first) * 1000 }')
[ "$large" -le $((12 * ms)) ] || fail "$large of $samples stacks were dumped whole at 20 kHz"
if [ "$samples" -ge $((15 * ms)) ]; then
	grep -q -E 'dumps of [0-9]+ bytes: given up [1-9]' err || fail "large dumps were not given up at 20 kHz: $(cat err)"
	grep -q 'lower the rate with -F' err || fail "nothing about the rate: $(cat err)"
fi
# Losses are reported by event, and include those of twins.
reported=$("$ASSAY" script --show-lost-events -i fast.data 2>/dev/null | awk '/PERF_RECORD_LOST/ { n++ } END { print n + 0 }')
[ "$lost" -eq 0 ] || [ "$reported" -gt 0 ] || fail "$lost lost, and no record of it"

"$ASSAY" record -v -F 2000 --call-graph dwarf -o slow.data "$WORKLOADS/recurse" 1 600 2>slow.err || fail "$(cat slow.err)"
grep -q 'given up [1-9]' slow.err && fail "large dumps were given up at 2 kHz: $(cat slow.err)"
grep -q 'truncated at' slow.err && fail "truncated at 2 kHz: $(cat slow.err)"
echo "NOTE: $samples samples at 20 kHz, $lost lost, $large of them dumped whole"

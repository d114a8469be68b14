# timeout: 1000
# An arm64 guest with a PMU, whose time is counted in instructions: what is counted there is exact.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
ARM64=${ARM64-$vm/../../build-arm64} # set, and empty, where it could not be built
[ -x "$ARM64/assay" ] || skip "there is no arm64 build"

cat >script <<'END'
. /test/lib
[ -d /sys/bus/event_source/devices/armv8_pmuv3 ] || fail "the guest has no PMU"
loop="/test/known_loop 50000000"

echo "== record -e cycles; report names the loop"
assay record -e cycles -o cycles.data $loop >record.txt 2>&1 || { cat record.txt; fail "record -e cycles"; }
assay report --stdio -i cycles.data >report.txt
expect report.txt "event 'cycles'" "not sampled with cycles"
expect report.txt '^ +9[0-9]\.[0-9]+% +known_loop +known_loop +\[\.\] counted_loop' "the report does not name the loop"

echo "== record -g: cycles by default, without a notice; stacks are whole"
assay record -g -o g.data $loop >record.txt 2>&1 || { cat record.txt; fail "record -g"; }
expect_not record.txt 'cpu-clock|falls? back|not supported|instead' "record -g fell back"
assay evlist -i g.data >evlist.txt
expect evlist.txt '^cycles' "the default event is not cycles"
assay report --stdio --no-children -i g.data >report.txt
expect report.txt '^ +9[0-9]\.[0-9]+% +known_loop +known_loop +\[\.\] counted_loop' "report of record -g"
expect report.txt '^ +.*main$' "the stacks lack main"

echo "== a fixed period: one sample for each million of 400 million cycles"
assay record -e cycles:u -c 1000000 -o period.data $loop >record.txt 2>&1 || { cat record.txt; fail "record -c"; }
n=$(assay script -i period.data -F ip | grep -c .)
[ "$n" -ge 400 ] && [ "$n" -le 401 ] || fail "$n samples instead of 400"

echo "== kernel symbols, in a kernel that lists no _text"
assay record -e cycles:k -c 100000 -o k.data dd if=/dev/zero of=/dev/null bs=64k count=500 2>record.txt ||
	{ cat record.txt; fail "record -e cycles:k"; }
assay script -i k.data -F ip,sym,dso >script.txt
expect script.txt '\(\[kernel\.kallsyms\]\)' "no sample is in the kernel"
total=$(wc -l <script.txt)
unknown=$(grep -c '\[unknown\]' script.txt) || true
[ $((unknown * 20)) -lt "$total" ] || { head -20 script.txt; fail "$unknown of $total kernel samples without a name"; }

echo "== stat -e instructions:u: right, and the same each time"
first=$(count_of instructions:u $loop)
for i in 2 3; do
	again=$(count_of instructions:u $loop)
	[ "$again" = "$first" ] || fail "instructions:u differ from run to run: $first, then $again"
done
# 4 a round; 0.1% is room for starting and ending the program
[ "$first" -ge 200000000 ] && [ "$first" -le 200200000 ] || fail "instructions:u of the loop: $first"

echo "== a thousand rounds more are four thousand instructions more"
more=$(count_of instructions:u /test/known_loop 50001000)
[ $((more - first)) -eq 4000 ] || fail "$first, then $more"

echo "== stat: the default set, with IPC"
assay stat $loop 2>stat.txt || fail "stat: status $?"
expect stat.txt '^ +2[0-9]{2},?[0-9]{3},?[0-9]{3} +instructions.* # +0\.5[0-9]* +insn per cycle' "IPC"
expect stat.txt '^ +4[0-9]{2},?[0-9]{3},?[0-9]{3} +cycles' "cycles"
assay stat -e '{cycles,instructions}:u' $loop 2>stat.txt || fail "stat of a group: status $?"
expect stat.txt 'insn per cycle' "IPC of a group"

echo "== a PMU event by its sysfs name, and raw"
n=$(count_of armv8_pmuv3/inst_retired/u $loop)
[ "$n" = "$first" ] || fail "armv8_pmuv3/inst_retired/u: $n, not $first"
n=$(count_of r8:u $loop)
[ "$n" = "$first" ] || fail "r8:u: $n, not $first"

echo "== more events than counters: multiplexed, scaled, and said so"
events=r8:u,r11:u,r8:u,r11:u,r8:u,r11:u,r8:u,r11:u,r8:u,r11:u
assay stat -e $events $loop 2>stat.txt || fail "stat of ten events: status $?"
expect stat.txt 'r8:u .*\([1-9][0-9]\.[0-9]+%\)' "no share of time is shown"
awk '$2 == "r8:u" || $2 == "r11:u" { # r8 are instructions, r11 cycles
		share = $1 / ($2 == "r8:u" ? 2e8 : 4e8)
		if (share < 0.97 || share > 1.03) bad = 1
		nr++
	}
	END { exit bad || nr != 10 }' stat.txt || { cat stat.txt; fail "the scaled counts are wrong"; }
echo "NOTE: $first instructions, exactly repeated"
END
"$vm/run-guest" arm64 script "$ARM64/assay" "$ARM64/tests/workloads/known_loop"

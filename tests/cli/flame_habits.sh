# assay flame: groups that are not known, units and sums, functions on the way, and the words and files that people bring from flamegraph.pl.
. "$(dirname "$0")/../lib.sh"
need python3
read_svg() { python3 "$TOOLS/flame_read.py" "$@"; }
exec </dev/null
refused() { # STATUS SENTENCE ARGUMENT…
	local status=$1 sentence=$2 got=0
	shift 2
	"$ASSAY" flame "$@" 2>err.txt >out.txt || got=$?
	[ $got -eq "$status" ] || fail "flame $*: exit status $got instead of $status: $(cat err.txt)"
	grep -q -- "$sentence" err.txt || fail "flame $*: $(cat err.txt)"
	[ ! -s out.txt ] || fail "flame $*: a picture of nothing"
}
folded() { printf '%b' "$1" >in.folded; shift; "$ASSAY" flame in.folded --min-width 0 -o out.svg "$@" 2>said.txt || fail "flame $*: $(cat said.txt)"; }
subtitle() { grep -o 'class="subtitle"[^<]*' out.svg | sed 's/.*>//'; }

"$ASSAY" record -q -F 2000 -g -o perf.data "$WORKLOADS/recurse" 0.4 >/dev/null 2>&1
"$ASSAY" record -q -F 2000 -g --sample-cpu -e cpu-clock -e page-faults -o cpu.data "$WORKLOADS/mixed" 0.4 >/dev/null 2>&1
samples=$("$ASSAY" script -q -i perf.data -F comm | wc -l)

# By an unknown key
refused 1 'does not say on which CPU.*--sample-cpu or -a' --by cpu perf.data
printf 'a;b 3\n' >in.folded
for by in cpu pid tid comm,cpu; do
	refused 1 "in.folded does not say" --by $by in.folded
done
refused 2 'by what' --by= perf.data
"$ASSAY" flame -q --by cpu,event cpu.data -o by.svg --min-width 0
read_svg stacks by.svg | sed 's/;.*//' | sort -u >tops.txt
"$ASSAY" script -q -i cpu.data -F cpu | sed 's/[^0-9]//g; s/^0*\([0-9]\)/CPU \1/' | sort -u >cpus.txt
expect_same cpus.txt tops.txt "CPUs of the picture"
read_svg stacks by.svg | awk -F'[; ]' '{ n[$3] += $NF } END { for (i in n) print i, n[i] }' | sort >events.txt
"$ASSAY" script -q -i cpu.data -F event | sort | uniq -c | awk '{ sub(":$", "", $2); print $2, $1 }' | sort >want.txt
expect_same want.txt events.txt "events of the picture"

# Units, and sums that are larger than numbers of samples
folded 'a;b 3\na;c 9\n'
[ "$(subtitle)" = "12 samples" ] || fail "$(subtitle)"
folded 'a;b 3\na;c 9\n' --countname us
[ "$(subtitle)" = "12 us" ] && grep -q '"unit":"us"' out.svg && grep -q 'wrote out.svg: 12 us in 4 frames' said.txt || fail "$(subtitle) $(cat said.txt)"
folded 'a;b 9000000000000\na;c 18446744073709551\n'
[ "$(subtitle)" = "18,455,744,073,709,551 samples" ] || fail "$(subtitle)"
grep -q 'wrote out.svg: 18,455,744,073,709,551 samples in 4 frames' said.txt || fail "$(cat said.txt)"
[ "$(read_svg total out.svg)" -eq 18455744073709551 ] || fail "$(read_svg total out.svg)"
# --factor: widths stay, the counts shown are scaled.
folded 'a;b 400\na;c 400\nd 600\n' --factor 0.001 --countname ms
[ "$(read_svg stacks out.svg | tr '\n' ',')" = "a;b 400,a;c 400,d 600," ] || fail "--factor: $(read_svg stacks out.svg)"
[ "$(subtitle)" = "1.4 ms" ] && grep -q '"factor":0.001,' out.svg && grep -q 'wrote out.svg: 1.4 ms in 5 frames' said.txt || fail "--factor: $(subtitle) $(cat said.txt)"
folded 'a;b 400\nd 600\n' --factor 2500
[ "$(subtitle)" = "2,500,000 samples" ] || fail "--factor: $(subtitle)"
cp in.folded base.folded
printf 'a;b 900\nd 600\n' >new.folded
"$ASSAY" flame --diff base.folded new.folded --factor 0.001 --countname ms --min-width 0 -o out.svg 2>said.txt
[ "$(subtitle)" = "base.folded (1 ms) → new.folded (1.5 ms) · samples" ] || fail "--factor of a diff: $(subtitle)"
grep -q '0.4 → 0.9 ms' out.svg && grep -q '1 → 1.5 ms in 4 frames' said.txt || fail "--factor of a diff: $(cat said.txt)"
folded 'a;b 3\na;c 9\n' --total 40
[ "$(read_svg total out.svg)" -eq 40 ] && read_svg stacks out.svg | grep -qx 'a;c 9' || fail "--total"
folded 'a;b 3\na;c 9\n' --total 10
[ "$(read_svg total out.svg)" -eq 12 ] && grep -q 'less than the sum of 12' said.txt || fail "--total of less: $(cat said.txt)"

# On the way, or running
"$ASSAY" script -q -i perf.data >script.txt
read_svg fold script.txt | grep -E ';recurse[; ]' >want.folded
printf 'main;recurse;leaf 5\n' >callers.folded
refused 1 "among their callers: 'assay flame --through recurse'" -S recurse callers.folded
for pattern in recurse 're*rse' nothing,recur?e; do
	"$ASSAY" flame -q --through "$pattern" perf.data -o through.svg --min-width 0
	read_svg stacks through.svg >got.folded
	expect_same want.folded got.folded "--through $pattern"
done
grep -q 'Part of the recording: --through nothing,recur?e' through.svg || fail "the picture does not say that it is a part"
refused 1 'no sample passes --through moon' --through moon perf.data
refused 1 'no sample passes --dsos libmoon.so' -d libmoon.so perf.data
"$ASSAY" flame -q --dsos recurse perf.data -o dsos.svg
[ "$(read_svg total dsos.svg)" -eq "$("$ASSAY" script -q --dsos recurse -i perf.data -F comm | wc -l)" ] || fail "--dsos"

# Two counts a line compare themselves.
folded 'main;a 3 5\nmain;b 10 2\nmain;new 0 4\n'
grep -q 'Differential flame graph' out.svg || fail "two counts are no differential flame graph"
[ "$(subtitle)" = "before (13 samples) → after (11 samples)" ] || fail "$(subtitle)"
grep -q 'compares them' said.txt && grep -q 'wrote out.svg: 13 → 11 samples' said.txt || fail "$(cat said.txt)"
read_svg names out.svg | sort | tr '\n' ' ' | grep -qx 'a all b main new ' || fail "$(read_svg names out.svg)"
cp in.folded pair.folded
"$ASSAY" flame -q --absolute pair.folded >absolute.svg
"$ASSAY" flame -q -e after pair.folded -o out.svg --min-width 0
[ "$(read_svg stacks out.svg | tr '\n' ',')" = "main;a 5,main;b 2,main;new 4," ] || fail "-e after: $(read_svg stacks out.svg)"
refused 2 'is for comparisons' --absolute perf.data
refused 2 'is for comparisons' --negate perf.data
# --negate: the colours change places, and the legend tells.
colours() { python3 -c '
import re, sys
print(" ".join(sorted(set(re.findall(r"fill=\"#(ec4a41|4a86e8)\"[^>]*/><text[^>]*>([a-z ]*)", open(sys.argv[1]).read()) and
	[a + "=" + b for a, b in re.findall(r"fill=\"#(ec4a41|4a86e8)\"[^>]*/><text[^>]*>([a-z ]*)", open(sys.argv[1]).read())]))))' "$1"; }
"$ASSAY" flame -q pair.folded -o plain.svg
"$ASSAY" flame -q --negate pair.folded -o negated.svg
[ "$(colours plain.svg)" = "4a86e8=shrank most ec4a41=grew most" ] || fail "legend: $(colours plain.svg)"
[ "$(colours negated.svg)" = "4a86e8=grew most ec4a41=shrank most" ] || fail "--negate: $(colours negated.svg)"

# Stacks that the import cut say so; a NUL in a name is no reason to refuse all.
python3 -c "print(';'.join('f%d' % i for i in range(9000)), 5)" >deep.folded
"$ASSAY" flame deep.folded -o deep.svg --min-width 0 2>said.txt
grep -q 'lost their outer end' said.txt || fail "$(cat said.txt)"
read_svg names deep.svg | sed -n 2p | grep -qxF '[truncated]' || fail "a cut stack begins with $(read_svg names deep.svg | sed -n 2p)"
read_svg names deep.svg | tail -1 | grep -qx f8999 || fail "the inner end is lost"
folded 'ma\0in;work 3\nother;thing 4\n'
read_svg stacks out.svg | grep -qx 'other;thing 4' && [ "$(read_svg total out.svg)" -eq 7 ] || fail "$(read_svg stacks out.svg)"

# Options of flamegraph.pl: those without effect print a warning, one that cannot work is refused.
folded 'a;b 3\n' --minwidth 0.5 --hash --cp --notes 'a <note>' --height 20 --fontsize 10 --fonttype Arial --fontwidth 0.5 --bgcolors blue \
	--nametype Op: --colors io
for word in height fontsize fonttype fontwidth bgcolors nametype; do
	grep -q -- "--$word has no effect: " said.txt || fail "--$word: $(cat said.txt)"
done
grep -q 'class="note"[^>]*>a &lt;note&gt;' out.svg || fail "--notes"
read_svg check out.svg
refused 2 'has no time in it' --flamechart perf.data
refused 2 'no number above 0' --factor 0 perf.data
echo "NOTE: $samples samples, $(wc -l <want.folded) stacks on the way"

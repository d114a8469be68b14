# Every format of `assay export`, read by small readers of our own (export_check.py): all say the same, stack by stack, what the report says.
. "$(dirname "$0")/../lib.sh"
need python3
check=$TOOLS/export_check.py

# export_all PREFIX OPTION…: one file a format.
export_all() {
	local prefix=$1 format
	shift
	for format in pprof firefox speedscope chrome callgrind csv; do
		"$ASSAY" export -q --format $format "$@" -o "$prefix.$format"
	done
	"$ASSAY" export -q --format folded --with tid "$@" -o "$prefix.folded"
}

# compare_report NAME: without inlined functions, beside the report.
compare_report() {
	export_all "$1-flat" --no-inline -i "$1.data"
	"$ASSAY" report -q --json --no-inline --sort sym -i "$1.data" >"$1.report"
	python3 "$check" "$1-flat" --names --report "$1.report"
}

"$ASSAY" record -q -F 4000 -g -o recurse.data "$WORKLOADS/recurse" 1
"$ASSAY" record -q -F 4000 -g -o inlined.data "$WORKLOADS/inlined" 1
"$ASSAY" record -q -F 2000 -e cpu-clock -e page-faults -g --sample-cpu -o events.data "$WORKLOADS/mixed" 1
"$ASSAY" record -q -F 2000 -g -o threads.data "$WORKLOADS/threads" 3 1
"$ASSAY" record -q -F 2000 -o plain.data "$WORKLOADS/seventy_thirty" 1 # no call chains
for name in recurse inlined events threads plain; do
	export_all $name -i $name.data
	python3 "$check" $name --names
done
compare_report recurse
compare_report events

# Names that are out for trouble: sums stay right, JSON and UTF-8 valid, text free of control bytes.
mkdir hostile
"$ASSAY" record -q -F 2000 -g -o hostile.data "$WORKLOADS/hostile" 1 hostile
export_all hostile -i hostile.data
python3 "$check" hostile
grep -q evil hostile.csv || fail "the hostile names are not there at all"
for format in folded callgrind firefox speedscope chrome; do
	if LC_ALL=C grep -q -P '[\x00-\x08\x0b-\x1f\x7f]' "hostile.$format"; then
		fail "hostile.$format has control bytes"
	fi
done
if grep -qF '</script' hostile.firefox hostile.speedscope hostile.chrome; then
	fail "markup is not escaped"
fi

# The same bytes each time, whatever way they leave.
for format in folded pprof firefox speedscope chrome callgrind csv; do
	"$ASSAY" export -q --format $format -i events.data >again
	[ $format = folded ] || expect_same again "events.$format" "two exports to $format"
done
"$ASSAY" export -q -i events.data -o again.csv.gz
gzip -dc again.csv.gz | cmp -s - events.csv || fail "compressed output is another one"
"$ASSAY" export -q --format folded -i events.data -o - >again
"$ASSAY" export -q --format folded <events.data -i - >piped
expect_same again piped

# Filters: what is left is what they say.
"$ASSAY" export -q --format csv -S seventy -i plain.data -o s.csv
nr=$(awk -F, 'NR > 1 && $9 != "seventy"' s.csv | wc -l)
[ "$nr" -eq 0 ] && [ "$(wc -l <s.csv)" -gt 100 ] || fail "-S seventy let $nr others pass"
"$ASSAY" export -q --format csv -e page-faults -i events.data -o e.csv
awk -F, 'NR > 1 && $6 != "page-faults" { bad = 1 } END { exit bad || NR < 10 }' e.csv || fail "-e page-faults let others pass"
"$ASSAY" export -q --format csv --tid "$(awk -F, 'NR == 2 { print $4 }' threads.csv)" -i threads.data -o t.csv
[ "$(awk -F, 'NR > 1 { print $4 }' t.csv | sort -u | wc -l)" -eq 1 ] || fail "--tid let others pass"
"$ASSAY" export -q --format csv --time 0%-50% -i recurse.data -o half.csv
[ "$(wc -l <half.csv)" -lt "$(($(wc -l <recurse.csv) * 3 / 4))" ] || fail "--time let everything pass"

# What stands in front of stacks, what counts, and marks.
"$ASSAY" export -q --format folded -i inlined.data | grep -q '^inlined;.*;twice;fold;mix [0-9]*$' || fail "inlined functions are missing"
"$ASSAY" export -q --format folded --annotate -i inlined.data | grep -q ';twice;fold_\[i\];mix_\[i\] [0-9]*$' || fail "--annotate: no _[i]"
"$ASSAY" export -q --format folded --annotate -i events.data | grep -q '^cpu-clock[^;]*;mixed;.*_\[k\]' || fail "--annotate: no _[k]"
"$ASSAY" export -q --format folded --with pid -i inlined.data | grep -Eq '^inlined-[0-9]+;' || fail "--with pid"
samples=$("$ASSAY" export -q --format folded -i plain.data | awk '{ n += $NF } END { print n }')
periods=$("$ASSAY" export -q --format folded --weight period -i plain.data | awk '{ n += $NF } END { printf "%.0f", n }')
[ "$periods" -eq "$((samples * 500000))" ] || fail "--weight period: $periods of $samples samples"

# The format by the name of the file.
for file in x.folded x.collapsed x.pb.gz callgrind.out.12 x.csv x.csv.gz x.speedscope.json; do
	"$ASSAY" export -q -i plain.data -o $file || fail "no format for $file"
done
cmp -s x.folded x.collapsed || fail ".collapsed is not folded"
head -c2 x.csv.gz | cmp -s - <(printf '\037\213') || fail ".gz does not compress"
head -1 callgrind.out.12 | grep -q callgrind || fail "callgrind.out.12"
"$ASSAY" export --format list | grep -q '^pprof .*pprof' || fail "--format list"

# Mistakes: exit 2 and what to do; nothing is left behind.
expect_exit 2 "$ASSAY" export -i plain.data -o x.json 2>err
grep -q -- "--format list" err || fail "no hint at the formats: $(cat err)"
expect_exit 2 "$ASSAY" export -i plain.data --format perfetto 2>/dev/null
expect_exit 2 "$ASSAY" export -i plain.data --format csv --with pid 2>/dev/null
expect_exit 2 "$ASSAY" export -i plain.data --format csv -o plain.data 2>/dev/null
expect_exit 1 "$ASSAY" export -i plain.data --format csv -e nonsense -o nothing.csv 2>err
grep -q cpu-clock err || fail "no list of events: $(cat err)"
expect_exit 1 "$ASSAY" export -i plain.data --format csv -o nowhere/x.csv 2>/dev/null
[ ! -e nothing.csv ] || fail "a failed export left a file"
"$ASSAY" report -q -i plain.data >/dev/null || fail "the recording was touched"
expect_exit 1 "$ASSAY" export -q --format pprof -i plain.data >/dev/full 2>err
grep -q "No space" err || fail "a full disk: $(cat err)"

# A recording that is cut off: what there is, and exit 1.
head -c "$(($(stat -c %s recurse.data) * 2 / 3))" recurse.data >cut.data
expect_exit 1 "$ASSAY" export -q --format csv -i cut.data -o cut.csv 2>/dev/null
[ "$(wc -l <cut.csv)" -gt 100 ] || fail "nothing of a cut recording was exported"

echo "NOTE: $(($(wc -l <recurse.csv) + $(wc -l <events.csv) + $(wc -l <inlined.csv) + $(wc -l <threads.csv) - 4)) samples, 7 formats"

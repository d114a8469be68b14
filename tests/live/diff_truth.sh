# alone: it compares times of two recordings
# Two builds of a program, one with a function made 1.5 times slower: that function is red and significant, in the table and in the flame graph.
# Recordings of identical builds show nothing significant.
. "$(dirname "$0")/../lib.sh"
need gcc
need python3

sources=$(cd "$(dirname "$0")/../workloads" && pwd)
nr_recordings=3
build() { # DIRECTORY OPTIONS…
	local dir=$1
	shift
	mkdir "$dir"
	gcc -O1 -g -w -fno-omit-frame-pointer -fno-optimize-sibling-calls "$@" -o "$dir/app" "$sources/diff_work.c"
}
build old
build same
build slower -DSLOWER=15
build other -DEXTRA -DFEWER

# In turns, so that what the machine does meanwhile happens to all.
for i in $(seq $nr_recordings); do
	for dir in old same slower other; do
		"$ASSAY" record -q -F 4000 -e cpu-clock:u -g -o "$dir$i.data" -- "$dir/app" 800 >/dev/null 2>record.err || fail "record: $(cat record.err)"
	done
done
list() {
	seq -s , -f "$1%g.data" $nr_recordings
}

# rows of a table: SYMBOL DELTA SIGNIFICANT
rows() {
	"$ASSAY" diff --json "$@" 2>/dev/null | python3 -c '
import json, sys
for r in json.load(sys.stdin)["events"][0]["rows"]:
    s = r["sides"][1]
    assert s["basis"] == "recordings"
    print(r.get("symbol", "?"), s["delta"], s["low"], s["high"], s["significant"])'
}
rows "$(list old)" "$(list slower)" >slower.txt
read -r _ delta low high significant < <(grep '^parse ' slower.txt)
[ "$significant" = True ] || fail "parse() takes 1.5 times as long and is not significant: $(cat slower.txt)"
# 0.45 / 1.15 − 0.30 = 9.13%
python3 -c "assert 7 < $delta < 11.5 and $low < 9.13 < $high" || fail "parse() grew by $delta [$low, $high] instead of 9.13"
[ "$(head -n 1 slower.txt | cut -d ' ' -f 1)" = parse ] || fail "parse() is not the first row"
[ "$(awk '$5 == "True" && $2 > 0' slower.txt | wc -l)" -eq 1 ] || fail "something else grew significantly: $(cat slower.txt)"

rows "$(list old)" "$(list same)" >same.txt
! grep True same.txt >&2 || fail "identical builds differ significantly"
[ "$(grep -c -E '^(parse|hash|sort|lookup|format|copy|compress|check) ' same.txt)" -eq 8 ] || fail "rows are missing: $(cat same.txt)"

# Text: the columns, and what they rest on.
"$ASSAY" diff "$(list old)" "$(list slower)" >text.txt 2>/dev/null
grep -q -E '95% interval +Adj. p +Signif' text.txt || fail "no columns for noise"
grep -q -E '\+[0-9.]+% +\[\+[0-9.]+%, \+[0-9.]+%\] +[<0-9.]+ +yes +app +\[.\] parse' text.txt || fail "parse() is not marked: $(grep parse text.txt)"
grep -q "moderated t over recordings (3 and 3)" text.txt || fail "it is not said what is significant by what"
"$ASSAY" diff --interval old1.data slower1.data >text.txt 2>/dev/null
grep -q 'the true interval is wider' text.txt || fail "an interval by samples alone is not called that"
! grep -q Signif text.txt || fail "one recording a side has a verdict"

# The picture: colours of frames, by name.
frames() { # SVG
	python3 - "$1" <<-'END'
		import json, re, sys, xml.etree.ElementTree
		svg = open(sys.argv[1], encoding="utf-8").read()
		xml.etree.ElementTree.fromstring(svg.encode())
		data = json.loads(re.search(r'application/json"><!\[CDATA\[(.*?)\]\]>', svg, re.S).group(1))
		at = 0
		for row in data["rows"]:
		    for k in range(0, len(row), 4):
		        colour, name = data["colours"][at], data["names"][data["frames"][row[k + 2] * 5]]
		        red, blue = colour >> 16 & 255, colour & 255
		        print(name, "red" if red > blue + 60 else "blue" if blue > red + 40 else "pale", data["details"][at])
		        at += 1
	END
}
"$ASSAY" flame -q --diff "$(list old)" "$(list slower)" -o slower.svg
frames slower.svg >frames.txt
grep -q '^parse red .*significant' frames.txt || fail "parse() is not red: $(cat frames.txt)"
grep -q '^read_input red .*significant' frames.txt || fail "its caller is not red: $(cat frames.txt)"
! grep -E '^(hash|sort|lookup|format|copy|compress|check|write_output|work) red' frames.txt || fail "others are red, too"
grep -q '^work blue .*significant' frames.txt || fail "the share of work() shrank, and it is not blue: $(cat frames.txt)"
"$ASSAY" flame -q --diff "$(list old)" "$(list same)" -o same.svg
frames same.svg >frames.txt
! grep -E ' (red|blue) |, significant' frames.txt >&2 || fail "identical builds show colours"
# As counted, nothing but parse() and its callers changed.
"$ASSAY" flame -q --absolute --diff "$(list old)" "$(list slower)" -o absolute.svg
frames absolute.svg >frames.txt
grep -q '^parse red .*significant' frames.txt || fail "parse() is not red as counted: $(cat frames.txt)"
! grep -E '^(hash|sort|lookup|work) blue' frames.txt || fail "as counted, others did not shrink"
# What only one side has is there.
"$ASSAY" flame -q --diff "$(list old)" "$(list other)" -o other.svg
frames other.svg >frames.txt
grep -q '^added red .* new$' frames.txt || fail "what is new is not shown: $(cat frames.txt)"
grep -q '^compress blue .* gone$' frames.txt || fail "what is gone is not shown: $(cat frames.txt)"

# Ratios: their interval is one of ratios, and their verdict of periods. Nothing but parse() takes longer.
"$ASSAY" diff -c ratio -s sym "$(list old)" "$(list slower)" >ratio.txt 2>/dev/null
python3 - ratio.txt <<'END' || fail "ratios are wrong: $(cat ratio.txt)"
import re, sys
found = {}
for line in open(sys.argv[1]):
    m = re.match(r' +[\d.]+% +([\d.]+) +\[([\d.]+), ([\d.]+)\] +[<\d.]+ +(yes|no) +\[\.\] (\w+)', line)
    if m:
        found[m.group(5)] = [float(m.group(i)) for i in (1, 2, 3)] + [m.group(4)]
value, low, high, verdict = found["parse"]
assert 1.3 < value < 1.7 and low < 1.5 < high and low > 1.1 and verdict == "yes", found
for name, (value, low, high, verdict) in found.items():
    assert low < value < high and (verdict == "no" or low > 1 or high < 1), (name, found)
END
"$ASSAY" diff --absolute -s sym "$(list old)" "$(list slower)" >absolute.txt 2>/dev/null
grep -q -E '\+1[0-9.]+% +\[\+[0-9.]+%, \+[0-9.]+%\] +[<0-9.]+ +yes +\[.\] parse' absolute.txt || fail "as counted, parse() did not grow by 15%: $(cat absolute.txt)"

# A recording without samples is no run of its side, and is named.
"$ASSAY" record -q -e cpu-clock:u -c 1000000000 -o empty.data -- true >/dev/null 2>&1
"$ASSAY" diff "$(list old),empty.data" "$(list slower)" >text.txt 2>empty.err
grep -q 'empty.data has no samples of cpu-clock:u and is left out' empty.err || fail "what is empty is not named: $(cat empty.err)"
grep -q 'over recordings (3 and 3)' text.txt || fail "an empty recording counts as one"
"$ASSAY" flame --diff "$(list old),empty.data" "$(list slower)" -o empty.svg 2>empty.err
grep -q 'empty.data has no samples of cpu-clock:u and is left out' empty.err || fail "flame does not name what is empty: $(cat empty.err)"
frames empty.svg >frames.txt
grep -q '^parse red .*significant' frames.txt || fail "an empty recording hides the difference: $(grep parse frames.txt)"
grep -q 'over 3 and 3 recordings' empty.svg || fail "the picture counts an empty recording"

# The same file twice is one recording.
ln -s old1.data link.data
for command in "diff" "flame -o twice.svg --diff"; do
	# shellcheck disable=SC2086
	expect_exit 2 "$ASSAY" $command old1.data,link.data slower1.data,slower2.data >/dev/null 2>bad.err
	grep -q 'old1.data and link.data are the same file' bad.err || fail "$command takes one recording for two: $(cat bad.err)"
done
"$ASSAY" diff old1.data link.data 2>&1 >/dev/null | grep -q 'compared with itself' || fail "no word of a file that is compared with itself"

# Events of the same number are compared; what cannot be is named. Times are those of each recording.
"$ASSAY" record -q -F 2000 -e cpu-clock -g -o both.data -- old/app 100 >/dev/null 2>&1
"$ASSAY" flame -q --diff both.data old1.data -o both.svg || fail "cpu-clock and cpu-clock:u cannot be compared"
"$ASSAY" record -q -c 1 -e page-faults -g -o faults.data -- old/app 10 >/dev/null 2>&1
expect_exit 1 "$ASSAY" flame --diff old1.data faults.data -o bad.svg 2>bad.err
grep -q "faults.data has no event 'cpu-clock:u' to compare with" bad.err || fail "the file is not named: $(cat bad.err)"
"$ASSAY" flame -q --time 0%-50%:50%-100% --diff old1.data slower1.data -o parts.svg || fail "times of each recording are refused"
grep -q 'time 0%-50%:50%-100%' parts.svg || fail "the picture does not say its times"
expect_exit 2 "$ASSAY" flame --time 0%-50%:50%-100% -i old1.data -o bad.svg 2>/dev/null

# The line on quality is of all recordings.
"$ASSAY" record -q -F 2000 -e cpu-clock:u -o flat.data -- old/app 200 >/dev/null 2>&1
"$ASSAY" flame -q --diff flat.data old1.data -o flat.svg 2>/dev/null
grep -q 'Quality: [0-9.]*% of stacks complete' flat.svg || fail "the quality is that of the first recording alone: $(grep -o 'Quality[^<]*' flat.svg)"

expect_exit 2 "$ASSAY" flame --diff old1.data 2>/dev/null
expect_exit 2 "$ASSAY" flame --absolute old1.data 2>/dev/null
expect_exit 1 "$ASSAY" flame --diff old1.data,nowhere.data slower1.data -o x.svg 2>bad.err
grep -q nowhere.data bad.err || fail "what is missing is not named"
echo "NOTE: parse() grew by $delta points [$low, $high]"

# timeout: 120
# Two builds of a program, one with a function made 1.5 times slower: that function is red and significant, in the table and in the flame graph.
# Recordings of identical builds show nothing significant.
. "$(dirname "$0")/../lib.sh"
need gcc
need python3

sources=$(cd "$(dirname "$0")/../workloads" && pwd)
nr_recordings=4
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
grep -q "Welch's t over recordings (4 and 4)" text.txt || fail "it is not said what is significant by what"
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

expect_exit 2 "$ASSAY" flame --diff old1.data 2>/dev/null
expect_exit 2 "$ASSAY" flame --absolute old1.data 2>/dev/null
expect_exit 1 "$ASSAY" flame --diff old1.data,nowhere.data slower1.data -o x.svg 2>bad.err
grep -q nowhere.data bad.err || fail "what is missing is not named"
echo "NOTE: parse() grew by $delta points [$low, $high]"

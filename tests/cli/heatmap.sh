# Heat maps of lines: known numbers in, exact percentiles and cells out; hostile lines, titles and options.
. "$(dirname "$0")/../lib.sh"
need python3

python3 - >lines.txt <<'PY'
import random
random.seed(5)
for i in range(20000):
    print(f"{1700000000 + i / 1000:.6f} {random.choice((0.001, 0.005, 0.02)) * random.uniform(1, 1.05):.9f} read")
PY
"$ASSAY" heatmap -i lines.txt --json >heat.json 2>err || fail "json: $(cat err)"
[ ! -s err ] || fail "json says: $(cat err)"
python3 - <<'PY' || fail "the numbers of lines.txt are wrong"
import json, math
from decimal import Decimal
points = [(int(Decimal(t) * 10**9), int(Decimal(v) * 10**9)) for t, v, _ in map(str.split, open("lines.txt"))]
values = sorted(v for _, v in points)
h = json.load(open("heat.json"))
assert h["count"] == 20000 and h["counts"] == {"lines": 20000, "comments": 0, "bad_lines": 0, "first_bad_line": 0}, h["counts"]
for name, p in (("p50", 500), ("p90", 900), ("p99", 990), ("p99.9", 999), ("max", 1000)):
    assert h["percentiles_ns"][name] == values[math.ceil(20000 * p / 1000) - 1], name
assert h["percentiles_ns"]["min"] == values[0] and h["start_ns"] == points[0][0]
assert abs(h["percentiles_ns"]["mean"] - sum(values) / 20000) < 0.001
e = h["edges_ns"]
cells = {}
for t, v in points:
    row = next(r for r in range(len(e) - 1) if e[r] <= v < e[r + 1])
    key = (t - h["start_ns"]) // h["column_ns"], row
    cells[key] = cells.get(key, 0) + 1
assert cells == {(c, r): n for c, column in enumerate(h["columns"]) for r, n in enumerate(column) if n}
PY
# the same as CSV, as a table, through a pipe, in shuffled order, in other units
"$ASSAY" heatmap --csv <lines.txt 2>err | awk -F, 'NR > 1 { n += $5; if ($3 >= $4 || $1 >= $2) exit 1 } END { exit n != 20000 }' || fail "csv"
grep -q '^  p99.9 ' err || fail "no table beside the CSV: $(cat err)"
"$ASSAY" heatmap -i lines.txt -o a.svg >table 2>err || fail "svg: $(cat err)"
grep -q "^assay: wrote a.svg" err || fail "$(cat err)"
shuf --random-source=lines.txt lines.txt | "$ASSAY" heatmap >shuffled.svg 2>err
expect_same <(grep '^  ' table) <(grep '^  ' err) "percentiles of lines in another order"
"$ASSAY" heatmap -q <lines.txt >b.svg 2>err
[ ! -s err ] || fail "-q says: $(cat err)"
awk '{ printf "%.0f\t%.0f\n", $1 * 1000000, $2 * 1000000000 }' lines.txt | "$ASSAY" heatmap --units us,ns -o us.svg >us.table 2>/dev/null
[ "$(awk '$1 == "p50" { printf "%.0f", $2 }' us.table)" = "$(awk '$1 == "p50" { printf "%.0f", $2 * 1000000 }' table)" ] ||
	fail "units: $(cat us.table) $(cat table)"
# three bands, and nothing between them
python3 - <<'PY' || fail "there are not three bands"
import xml.etree.ElementTree as ET
ns = "{http://www.w3.org/2000/svg}"
root = ET.parse("a.svg").getroot()
cells = root.findall(f".//{ns}g[@data-c]/{ns}rect")
rows = sorted({int(c.get("data-r")) for c in cells})
bands = [[rows[0]]]
for r in rows[1:]:
    if r > bands[-1][-1] + 1:
        bands.append([])
    bands[-1].append(r)
assert len(bands) == 3, rows
assert sum(int(c[0].text.split()[0].replace(",", "")) for c in cells) == 20000
assert "latency" in cells[0][0].text and "--time 1700000000.0" in cells[0][0].text, cells[0][0].text
PY

# limits: what is outside is counted and said
"$ASSAY" heatmap -i lines.txt --max 10ms --min 2ms -o m.svg >table 2>err || fail "limits: $(cat err)"
above=$(awk '$2 > 0.01' lines.txt | wc -l)
below=$(awk '$2 < 0.002' lines.txt | wc -l)
tr -d , <table | grep -q "^$above latencies above 10 ms (--max).*; $below latencies below 2 ms (--min)" || fail "limits are not said: $(cat table)"
"$ASSAY" heatmap -i lines.txt --input-units s --units ms --max 10 --min 2 --json >m.json
python3 -c "
import json; h = json.load(open('m.json'))
assert sum(h['above']) == $above and sum(h['below']) == $below, (sum(h['above']), sum(h['below']))
assert h['edges_ns'][0] == 2000000 and h['edges_ns'][-1] == 10000001" || fail "limits"
for o in --log "--log --rows 20 --columns 30" "--rows 1 --columns 1" "--rows 1000 --columns 4000" "--log --max 5ms" "--colours linear"; do
	# shellcheck disable=SC2086
	"$ASSAY" heatmap -q -i lines.txt $o -o "$(echo "x$o.svg" | tr -d ' ')" >/dev/null || fail "$o"
done

# a median far below the longest: a log scale unless another was asked for, said in the picture; one unit in the picture and in the table
python3 -c "
for i in range(1000): print(i / 100, 0.25 if i % 100 == 7 else 0.00007)" >skewed.txt
"$ASSAY" heatmap -i skewed.txt -o auto.svg >table 2>err || fail "$(cat err)"
! grep -q 'shows the others better' err || fail "advice for what was done: $(cat err)"
grep -q '^Log scale, because the median is below a hundredth of the longest; --scale linear' table || fail "the scale is not said: $(cat table)"
grep -q '(ms, log scale)</text>' auto.svg && grep -q 'Log scale, because' auto.svg || fail "the scale is not in the picture"
[ "$(awk '$1 ~ /^(min|avg|p|max)/ { print $3 }' table | sort -u)" = ms ] || fail "not one unit: $(cat table)"
[ "$(grep -o '[0-9] [mµn]\?s</text>' auto.svg | cut -d' ' -f2 | sort -u)" = 'ms</text>' ] || fail "not one unit in the picture"
"$ASSAY" heatmap -q -i skewed.txt --json | python3 -c "import json, sys; assert json.load(sys.stdin)['scale'] == 'log'" || fail "--json: scale"
for o in "--scale linear" "--no-log" "--max 1ms"; do
	# shellcheck disable=SC2086
	"$ASSAY" heatmap -i skewed.txt $o -o linear.svg >table 2>err || fail "$o: $(cat err)"
	! grep -q -i 'log scale' linear.svg table || fail "$o: a log scale"
done
"$ASSAY" heatmap -i lines.txt --scale log -o log.svg >table 2>err || fail "$(cat err)"
grep -q '(ms, log scale)</text>' log.svg && ! grep -q '^Log scale' table || fail "--scale log: $(cat table)"

# hostile lines: counted, the first is named, the rest is drawn
{
	printf '# comment\n\n1 0.5\nnonsense \033[31m</title><script>alert(1)</script>\n2 -1\n3\n4 nan\n5 1e400\n1e-05 2e-3\n'
	head -c 100000 /dev/zero | tr '\0' 9
	printf '\n6 0.25\0\n7 0.125'
} >hostile.txt
"$ASSAY" heatmap -i hostile.txt -o h.svg --title $'</title></svg><script>alert("x")</script>]]>\x1b\x07 \xff\xfe \u202e' \
	--subtitle $'"\'><img src=x onerror=alert(1)>&amp;' >table 2>err || fail "hostile: $(cat err)"
grep -q '^Quality: 3 of 10 lines read; skipped: 5 without a time and a latency, 1 with a negative number, 1 with a number that is too large; the first is line 4: nonsense \\e\[31m' table || fail "bad lines: $(cat -v table)"
! grep -q $'\033' table || fail "an escape sequence came through"
"$ASSAY" heatmap -i hostile.txt --json -q | python3 -c "
import json, sys; h = json.load(sys.stdin)
assert h['count'] == 3 and h['counts']['bad_lines'] == 7 and h['counts']['first_bad_line'] == 4, h['counts']
assert h['percentiles_ns']['max'] == 500000000 and h['percentiles_ns']['p50'] == 125000000" || fail "hostile numbers"
printf 'a\nb\n' | expect_exit 1 "$ASSAY" heatmap >out 2>err
grep -q "none of its 2 lines has a time and a latency" err || fail "$(cat err)"
expect_exit 2 "$ASSAY" heatmap -o no.svg </dev/null >out 2>err
[ ! -e no.svg ] && grep -q "say --from EVENT --to EVENT" err || fail "nothing to draw is drawn"
expect_exit 0 "$ASSAY" heatmap - </dev/null >empty.svg 2>err
grep -q "nothing to draw" err || fail "$(cat err)"
python3 "$TOOLS/heatmap_svg.py" ./*.svg || fail "not a safe SVG"

# lines of other habits: perf's colon, the mark of an editor, decimal commas, seconds shown in microseconds
printf '\xef\xbb\xbf12.345678: 0.003\n12.5: 0.004 read\n' | "$ASSAY" heatmap --input-units s --units us -o p.svg >table 2>err || fail "$(cat err)"
grep -q '^2 latencies of standard input (times in s, latencies in s)$' table || fail "$(cat table)"
grep -q '  max  *4000.000 µs$' table || fail "$(cat table)"
printf '1,5 0,003\n2,5 0,004\n' | expect_exit 1 "$ASSAY" heatmap >out 2>err
grep -q "2 with decimal commas (1.5 and not 1,5 is read); the first is line 1: 1,5 0,003" err || fail "$(cat err)"
printf '1 1\n18446744073 1\n1 18446744073\n' | "$ASSAY" heatmap --csv -o big.csv >table 2>err || fail "$(cat err)"
grep -q '2 with a number that is too large; the first is line 2' table || fail "$(cat table)"
[ "$(wc -l <big.csv)" -eq 2 ] || fail "$(cat big.csv)"
# a lower end above everything is kept, and all is below it
"$ASSAY" heatmap -i lines.txt --min 1s -o min.svg >table 2>err || fail "$(cat err)"
grep -q '^20,000 latencies below 1 s (--min)' table || fail "--min: $(cat table)"
"$ASSAY" heatmap -i lines.txt --input-units s --units us --min 1s -o min.svg >table 2>err || fail "$(cat err)"
grep -q '^20,000 latencies below 1,000,000 µs (--min)' table || fail "--min: $(cat table)"
# pictures of any number of columns and rows are about as large; a huge one is warned of
"$ASSAY" heatmap -q -i lines.txt --columns 501 --rows 231 -o c501.svg >/dev/null
python3 -c "
import xml.etree.ElementTree as ET
root = ET.parse('c501.svg').getroot()
plot = root.find('.//{*}rect[@class=\"plot\"]')
assert plot.get('width') == '1002' and plot.get('height') == '462', (plot.get('width'), plot.get('height'))" || fail "501 columns"
python3 -c "
for i in range(160000): print(i % 400, i // 400 + 0.5)" >many.txt
"$ASSAY" heatmap -i many.txt --rows 400 --columns 400 -o many.svg >table 2>err
grep -q "160000 cells make a large picture" err || fail "$(cat err)"

# what is wrong is said
wrong() { # WORDS OPTIONS…
	local words=$1
	shift
	expect_exit 2 "$ASSAY" heatmap "$@" </dev/null >out 2>err
	grep -qF -- "$words" err || fail "no '$words' in: $(cat err)"
}
wrong "a pair needs both" --from a
wrong "has an empty name" --from a,,b --to c
wrong "10 of what? say --max 10ms" --max 10
wrong "is for lines of TIME LATENCY" --from a --to b --input-units s
wrong "are two units" --from a --to b --units s,us
wrong "trace2heatmap's --maxlat is --max here" --maxlat 10
wrong "are --input-units TIME,LATENCY here" --unitstime=us
wrong "lines are always drawn" --grid
wrong "lines.txt has lines of TIME LATENCY, no events; such lines are read without --from" --from a --to b -i lines.txt
wrong "two different pictures" --from a --to b --offset
wrong "--key is for pairs" --key dev
wrong "-e is for --offset" -e a
wrong "lines of TIME LATENCY have no tasks" --filter "pid == 1"
wrong "parts of a second" --offset --log
wrong "need --offset" --comms x
wrong "is no time such as" --max 10parsecs
wrong "is no time such as" --max -1
wrong "is none of s, ms, us, ns" --units h
wrong "has to be above" --min 3ms --max 2ms
wrong "has to be above zero" --max 0
wrong "unknown value 'pink' (log|linear|spread)" --colours pink
wrong "unknown value 'cubic'" --scale cubic
wrong "choose one" --json --csv
wrong "unexpected argument 'b'" a b
wrong "a number" --rows 0
expect_exit 1 "$ASSAY" heatmap nowhere.txt 2>err
grep -q "cannot read nowhere.txt" err || fail "$(cat err)"
expect_exit 1 "$ASSAY" heatmap lines.txt -o no/such/dir.svg 2>err
grep -q "cannot write no/such/dir.svg" err || fail "$(cat err)"
"$ASSAY" heatmap lines.txt -o /dev/full >/dev/null 2>err && fail "/dev/full"
echo "NOTE: 20000 lines, $(ls ./*.svg | wc -l) pictures"

# --demangle=short: siblings of a template are one row and one node of the call tree, offsets and samples stay what they were; perf's own
# --demangle and --no-demangle mean what they did.
. "$(dirname "$0")/../lib.sh"
need python3

"$ASSAY" record -q -g -F 2000 -e cpu-clock:u -o s.data -- "$WORKLOADS/siblings" 0.6
rows() { # OPTIONS…: "SAMPLES NAME" of each row
	"$ASSAY" report -i s.data --no-children -g none -n -s sym "$@" | awk '/^ / { n = $2; sub(/^.*\[[.k]\] /, ""); sub(/ +$/, ""); print n, $0 }'
}
rows >full
rows --demangle >asked
rows --demangle=full >as_full
rows --demangle=short >short
rows --no-demangle >raw
rows --demangle=no >as_raw
expect_same full asked "--demangle"
expect_same full as_full "--demangle=full"
expect_same raw as_raw "--demangle=no"
for t in int char double; do
	grep -q " Box<$t>::spin$" full || fail "no Box<$t>::spin: $(cat full)"
done
grep -q ' _ZN3BoxIiE4spinEm$' raw || fail "--no-demangle: $(cat raw)"
[ "$(grep -c '::spin$' short)" = 1 ] || fail "not one row: $(cat short)"
want=$(awk '/::spin$/ { n += $1 } END { print n }' full)
grep -q "^$want Box<…>::spin$" short || fail "not $want samples of Box<…>::spin: $(cat short)"

# One path in the tree, and all samples on it.
"$ASSAY" report -i s.data --no-children --json -s sym --demangle=short >short.json
python3 - "$want" <<'END' || fail "the call tree"
import json, sys
entries = json.load(open("short.json"))["events"][0]["entries"]
spin = [e for e in entries if e.get("symbol") == "Box<…>::spin"]
assert len(spin) == 1 and spin[0]["self"]["samples"] == int(sys.argv[1]), spin
names = []
def walk(nodes, depth):
    for n in nodes:
        names.append((depth, n.get("symbol")))
        walk(n["children"], depth + 1)
walk(spin[0]["tree"], 0)
assert sum(s == "host<…>" for _, s in names) == 1, names
END

# A filter takes the short name; script shows it, with the offsets of the functions themselves.
[ "$(rows --demangle=short -S 'Box<…>::spin' | awk '{ n += $1 } END { print n }')" = "$want" ] || fail "-S of a short name"
"$ASSAY" script -i s.data -F ip,sym,symoff | sed -E 's/<(int|char|double)>/<…>/' >full.script
"$ASSAY" script -i s.data -F ip,sym,symoff --demangle=short >short.script
expect_same full.script short.script "script --demangle=short"

expect_exit 2 "$ASSAY" report --demangle=tiny 2>err
grep -q 'there is short, full and no' err || fail "$(cat err)"
echo "NOTE: $want samples of three siblings"

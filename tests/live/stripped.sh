# Stripped programs whose truth is known: three hot functions of C are three rows with the right shares, by the addresses that the
# unstripped program has for them, and count as unresolved; those of Go have their names, lines and inlined functions.
. "$(dirname "$0")/../lib.sh"
need python3
need strip
need nm

strip -s -o three "$WORKLOADS/three_shares"
"$ASSAY" record -q -F 4000 -g -o three.data ./three 2 >/dev/null 2>&1
"$ASSAY" report -i three.data --json --no-children >three.json
"$ASSAY" report -i three.data --json --no-children --bare-addresses >bare.json
nm "$WORKLOADS/three_shares" | sed -n 's/^0*\([0-9a-f]*\) t \(half\|third\|rest\)_of_it$/\2 three+0x\1/p' >truth
python3 - <<'END' || fail "a stripped C program"
import json, math
truth = dict(line.split() for line in open("truth"))
report = json.load(open("three.json"))
rows = {e["symbol"]: e for e in report["events"][0]["entries"] if e.get("dso") == "three"}
n = sum(rows[name]["self"]["samples"] for name in truth.values())
print({name: rows[name]["self"]["samples"] for name in truth.values()}, "of", n)
assert n > 1000 and n > 0.8 * report["events"][0]["samples"], n
for which, share in ("half", 0.5), ("third", 0.3), ("rest", 0.2):
    row = rows[truth[which]]
    assert row["unresolved"] is True
    assert abs(row["self"]["samples"] / n - share) < 4 * math.sqrt(share * (1 - share) / n), (which, row["self"])
others = sum(e["self"]["samples"] for s, e in rows.items() if s not in truth.values())
assert others < 0.01 * n, rows.keys()
assert report["quality"]["unresolved"]["samples"] >= n
# As perf has it: a row an address
bare = [e for e in json.load(open("bare.json"))["events"][0]["entries"] if e.get("dso") == "three"]
assert len(bare) > len(rows) and all("symbol" not in e for e in bare), len(bare)
END

# One that is removed while it runs: what is one function is in the recording.
cp three gone
"$ASSAY" record -q -F 2000 -o gone.data sh -c './gone 1 & while [ ! -e /proc/$!/exe ]; do :; done; sleep 0.3; rm gone; wait' >/dev/null 2>&1
"$ASSAY" report -i gone.data --stdio 2>/dev/null | grep -q -F "$(sed -n 's/^half three/gone/p' truth)" || fail "a stripped program that is gone"

half=$(sed -n 's/^half //p' truth)
"$ASSAY" report -i three.data --json --no-children -S "$half" >only.json
python3 -c 'import json, sys; rows = json.load(open("only.json"))["events"][0]["entries"]; sys.exit([r["symbol"] for r in rows] != sys.argv[1:])' "$half" ||
	fail "-S $half: $(cut -c1-2000 only.json)"
"$ASSAY" report -i three.data --stdio --no-children -g none -U 2>/dev/null | grep -F three+0x && fail "--hide-unresolved shows them"
"$ASSAY" script -i three.data -F ip,sym 2>/dev/null | grep -F three+0x && fail "script names them"
"$ASSAY" export --format=folded -i three.data -o three.folded 2>/dev/null
grep -q -F ";$half " three.folded || fail "export: $(head -3 three.folded)"
"$ASSAY" flame -i three.data -o three.svg 2>/dev/null
grep -q -F "$half" three.svg || fail "flame"
# Another build is other code: only what is the same build is compared function by function.
if readelf -n three | grep -q 'Build ID'; then
	id=$(readelf -n three | sed -n 's/.*Build ID: \(........\).*/\1/p')
	"$ASSAY" diff three.data three.data 2>/dev/null | grep -q -F "$half [$id]" || fail "diff does not tell the build"
fi

command -v go >/dev/null || { echo "NOTE: without Go, C alone was tried"; exit 0; }
export GO111MODULE=off GOCACHE=$PWD/gocache GOFLAGS=
go build -ldflags='-s -w' -o shop "$TOOLS/go_work.go" || fail "go build"
"$ASSAY" record -q -F 2000 -g -o shop.data ./shop 2000 >/dev/null 2>&1
"$ASSAY" report -i shop.data --json --no-children >shop.json
"$ASSAY" report -i shop.data --json --no-children --sort srcline >lines.json
python3 - "$TOOLS/go_work.go" <<'END' || fail "a stripped Go program"
import json, sys
source = open(sys.argv[1]).read().split("\n")
report = json.load(open("shop.json"))
nr = {}
for e in report["events"][0]["entries"]:
    nr[e.get("symbol")] = nr.get(e.get("symbol"), 0) + e["self"]["samples"]
pack, weigh, total = nr["main.(*shop).pack"], nr["main.weigh"], report["events"][0]["samples"]
print(f"pack {pack}, weigh {weigh} of {total}")
assert total > 300 and pack + weigh > 0.8 * total
assert 1.6 < pack / weigh < 2.5
# Samples in BPF programs of others have no names.
unnamed = sum(e["self"]["samples"] for e in report["events"][0]["entries"] if e.get("dso") == "shop" and not e.get("symbol"))
assert unnamed < 0.0005 * total, unnamed
assert "main.seal" in json.dumps(report) and "main.fold" in json.dumps(report), "inlined functions"
# Nearly all lines are of the bodies of the four functions.
lines = {}
for e in json.load(open("lines.json"))["events"][0]["entries"]:
    lines[e["srcline"]] = e["self"]["samples"]
inside = 0
for name, nr in lines.items():
    if name.startswith("go_work.go:"):
        text = source[int(name.split(":")[1]) - 1]
        inside += nr if any(w in text for w in ("sum", "fold", "seal", "for i")) else 0
assert inside > 0.8 * total, lines
END
"$ASSAY" report -i shop.data --dsos shop --stdio 2>/dev/null | grep -q '0.0% of samples unresolved' || fail "quality of a stripped Go program"

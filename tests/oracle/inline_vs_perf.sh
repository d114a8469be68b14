# Inlined functions and lines beside perf's, which asks an addr2line child: script line by line, reports byte by byte but for ties. What
# differs is explained in inline_compare.py.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
need eu-addr2line
need c++filt
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$WORKLOADS/unwind_cxx" ] || skip "no C++ compiler is installed"
export XDG_CACHE_HOME=$TMPDIR/cache

# Names that perf has for functions that were not inlined, and a line in libc that binutils takes for another file's.
corrected() {
	python3 -c '
import re, sys
text = sys.stdin.read()
for line in open("aliases"):
    name, called = line.rstrip("\n").split("\t")
    text = re.sub(r"(?<![\w:~])" + re.escape(name) + r"( [^ \n;]+:[0-9]+)? \(inlined\)", lambda m: called + (m.group(1) or ""), text)
sys.stdout.write(re.sub(r"\blibc-start\.c:(58|74)\b", r"libc_start_call_main.h:\1", text))'
}

identical=0 alike=0
report() { # FILE OPTIONS…
	local f=$1
	shift
	"$PERF" report --stdio -i "$f" "$@" 2>err </dev/null | grep -v '^# (' | corrected >perf.txt
	"$ASSAY" report --stdio --bare-addresses -i "$f" "$@" 2>err </dev/null | grep -v -E '^# (\(|Quality:|WARNING:)' >ours.txt || fail "report $* of $f: $(cat err)"
	grep -q '^ *[0-9]' perf.txt || fail "perf shows nothing of $f"
	if cmp -s perf.txt ours.txt; then
		identical=$((identical + 1))
	else
		python3 "$TOOLS/same_report.py" perf.txt ours.txt || fail "report $* of $f differs from perf's"
		alike=$((alike + 1))
	fi
}

fields=comm,tid,time,ip,sym,symoff,dso,srcline
record() { # NAME HERTZ
	try_perf_record -F "$2" -e cpu-clock:u --call-graph dwarf -o "$1.data" "$WORKLOADS/$1" 0.4 || skip "perf cannot record here: $(head -1 perf-record.err)"
}
nr_lines() { "$@" script --no-inline -i inlined.data 2>/dev/null | wc -l; }
# perf finds no callers of a sample in an epilogue, and so shows other trees. One in some hundred samples is such a one: record without.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	record inlined 600
	[ "$(nr_lines "$PERF")" != "$(nr_lines "$ASSAY")" ] || break
done
record unwind_cxx 1500
for name in inlined unwind_cxx; do
	"$PERF" script -i $name.data -F $fields >perf.txt 2>/dev/null
	"$PERF" script --no-inline -i $name.data -F $fields >plain.txt 2>/dev/null
	"$ASSAY" script -i $name.data -F $fields >ours.txt 2>err || fail "script of $name: $(cat err)"
	python3 "$here/inline_compare.py" perf.txt plain.txt ours.txt aliases.$name "$(realpath "$WORKLOADS/$name")" || fail "$name: chains differ from perf's"
	"$ASSAY" script -i $name.data -F $fields >again.txt 2>err
	expect_same ours.txt again.txt "script of $name the second time, from the index"
done

# The name that binutils gives a local function of C++ is left to chance: reports are compared on C.
cp aliases.inlined aliases
cut -f1 aliases | sed 's/.*/ &+0x/' >their-names
cut -f2 aliases | sed 's/.*/ &+0x/' >our-names
"$PERF" script -i inlined.data 2>/dev/null | grep -v -F -f their-names >perf.txt
"$ASSAY" script -i inlined.data 2>/dev/null | grep -v -F -f our-names >ours.txt
expect_same_script perf.txt ours.txt "script of inlined but for functions that were not"
while read -r options; do
	# shellcheck disable=SC2086
	report inlined.data $options
done <<-'END'
	--no-children
	--sort dso,sym -g caller --no-children
	--no-children -g folded
	--no-children -g fractal
	--no-children -g caller,address
	--no-children -g callee,srcline
	--no-children --sort srcfile,dso -g none
	--no-children --sort srcline,sym -g srcline
	--no-children --sort srcline,dso -g none --full-source-path
	--no-inline --no-children --sort srcline -g none
END
echo "$identical reports are identical, $alike but for ties"

# With children perf sorts inlined functions by name and others by address into one tree, which is no order: rows come in parts. Their sums are
# right.
for tool in "$PERF" "$ASSAY"; do
	"$tool" report --stdio -i inlined.data -g none --sort dso,sym -t ';' 2>/dev/null </dev/null | corrected >"rows.$(basename "$tool")"
done
python3 - "rows.$(basename "$PERF")" "rows.$(basename "$ASSAY")" <<'PY'
import sys
def sums(path):
    out = {}
    for line in open(path):
        cells = [c.strip() for c in line.split(";")]
        if len(cells) == 4 and cells[2] == "inlined": # elsewhere perf cuts names at the width of those that were not inlined
            for i in 0, 1:
                out[cells[2], cells[3], i] = out.get((cells[2], cells[3], i), 0) + float(cells[i].rstrip("%"))
    return out
perf, ours = sums(sys.argv[1]), sums(sys.argv[2])
assert perf.keys() == ours.keys(), perf.keys() ^ ours.keys()
for key, value in perf.items():
    assert abs(value - ours[key]) < 0.1, (key, value, ours[key])
assert sum("(inlined)" in name for _, name, _ in ours) >= 6
PY

# In chains of return addresses perf 6.1 shows no inlined functions: elfutils' addr2line says what is there, of callers in front of the return.
"$ASSAY" record -q -F 1500 -g -e cpu-clock:u -o frames.data "$WORKLOADS/inlined" 0.5 >/dev/null 2>err || fail "record: $(cat err)"
"$ASSAY" script -i frames.data --json >frames.json
python3 - "$WORKLOADS/inlined" <<'PY'
import itertools, json, os, subprocess, sys
binary, known, nr_inlined, nr = os.path.realpath(sys.argv[1]), {}, 0, 0
def truth(address):
    if address not in known:
        out = subprocess.run(["eu-addr2line", "-f", "-i", "-e", binary, hex(address)], capture_output=True, text=True, check=True).stdout.split("\n")
        lines = [line.rsplit(":", 1)[0] if line.count(":") == 2 else line for line in out[1::2]]
        known[address] = [(name.split(" inlined at ")[0], line) for name, line in zip(out[::2], lines)]
    return known[address]
for sample in json.load(open("frames.json"))["samples"]:
    chain, first = sample["chain"], True
    for _, run in itertools.groupby(chain, key=lambda f: f["ip"]):
        run = list(run)
        if os.path.realpath(run[0].get("dso", "")) == binary and run[0].get("file"):
            assert all(f.get("inlined", False) for f in run[:-1]) and not run[-1].get("inlined"), run
            found = [(f["symbol"], f"{f['file']}:{f['line']}") for f in run]
            assert found == truth(int(run[0]["address"], 16) - (not first)), (run, truth(int(run[0]["address"], 16) - (not first)))
            nr, nr_inlined = nr + 1, nr_inlined + len(run) - 1
        first = False
assert nr > 500 and nr_inlined > 500 and len(known) > 10, (nr, nr_inlined)
callers = {f["symbol"] for s in json.load(open("frames.json"))["samples"] for f in s["chain"][1:] if f.get("inlined")}
assert "by_way" in callers, callers
PY
"$ASSAY" script -i frames.data --no-inline >ours.txt
"$PERF" script -i frames.data --no-inline >perf.txt 2>/dev/null
expect_same_script perf.txt ours.txt "script --no-inline of frames.data"
expect_exit 2 "$ASSAY" script -i frames.data -F srcline 2>err
grep -q "'srcline' needs 'ip'" err || fail "$(cat err)"
echo "NOTE: $identical reports identical"

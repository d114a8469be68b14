# assay export of what was imported: sums keep their weight in every format, samples without times are laid out where a format needs times,
# packed files are read to their end; and what export says where there is nothing to write or the format goes by another name.
. "$(dirname "$0")/../lib.sh"
need python3

# Sums: more than samples could be.
printf 'nginx;main;epoll_wait;schedule 48000000\nnginx;main;read;schedule 900\nnginx;main;read 70\n' >off.folded
"$ASSAY" export --format folded -i off.folded >again.folded 2>err
sort off.folded >want
sort again.folded >got
expect_same want got "folded sums after import and export"
[ ! -s err ] || fail "export of sums says: $(cat err)"
"$ASSAY" export --format folded --weight samples -i off.folded 2>err >again2.folded
expect_same again.folded again2.folded "sums with --weight samples"
grep -q 'these are sums' err || fail "--weight samples of sums is not said"
for format in chrome firefox speedscope callgrind csv; do
	"$ASSAY" export --format $format -i off.folded -o off.$format 2>err
	case $format in
	chrome | firefox) grep -q "the samples have no times: $format has them end to end" err || fail "$format: $(cat err)" ;;
	*) [ ! -s err ] || fail "$format: $(cat err)" ;;
	esac
done

# The same counts as samples, which they are where they are few.
awk '{ n = $NF; sub(/ [0-9]+$/, ""); print $0, int(n / 10000) + 1 }' off.folded >few.folded
"$ASSAY" export -q --format chrome -i few.folded -o few.chrome
"$ASSAY" export -q --format firefox -i few.folded -o few.firefox
# Tasks by name alone are threads of their own; events, too.
printf 'nginx;main;a 3\nredis;main;b 5\n' | "$ASSAY" import -q --comm -o comms.data
"$ASSAY" export -q --format chrome -i comms.data -o comms.chrome
python3 - <<'EOF'
import collections, json, sys

def load(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)

def check(right, *what):
    if not right:
        sys.exit("export_imported: " + " ".join(str(w) for w in what))

def folded(name):
    stacks = {}
    for line in open(name, encoding="utf-8"):
        stack, count = line.rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] = int(count)
    return stacks

for name in "off", "few":
    want = folded(name + ".folded")
    total = sum(want.values())
    # Slices of a thread nest, have their weight as length, and what is heavy comes first.
    trace = load(name + ".chrome")
    slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    check(all(e["dur"] > 0 and e["pid"] > 0 and e["tid"] > 0 for e in slices), name, "has slices that Perfetto does not show")
    begun = collections.defaultdict(list)
    slices.sort(key=lambda e: (e["ts"], -e["dur"]))
    opened = []
    for e in slices:
        while opened and e["ts"] >= opened[-1]["ts"] + opened[-1]["dur"]:
            opened.pop()
        check(not opened or e["ts"] + e["dur"] <= opened[-1]["ts"] + opened[-1]["dur"], "slices do not nest", e)
        opened.append(e)
        begun[len(opened)].append(e)
    check(begun[1][0]["dur"] == total and len(begun[1]) == 1, name, "is not one slice of", total)
    check([e["dur"] for e in begun[3]] == sorted((e["dur"] for e in begun[3]), reverse=True), "the heaviest is not first", begun[3])
    lengths = collections.Counter()
    for e in slices:
        lengths[e["name"]] += e["dur"]
    for function in {f for stack in want for f in stack}:
        check(lengths[function] == sum(n for stack, n in want.items() if function in stack), function, lengths[function])
    check(sum(s["weight"] for s in trace["samples"]) == total, name, "samples of the trace")
    check("end to end" in trace["otherData"]["times"], "the trace does not say so")
    # Firefox: weights, and times that go on.
    profile = load(name + ".firefox")
    [thread] = profile["threads"]
    samples = thread["samples"]
    check(sorted(samples["weight"]) == sorted(want.values()) and samples["weightType"] == "samples", name, samples)
    check(samples["time"] == [sum(samples["weight"][:i]) for i in range(len(want))], name, samples)
    check(profile["meta"]["profilingEndTime"] > total, "the last sample is outside")
    check(thread["name"] == name + ".folded", "nameless thread", thread["name"])
check(sum(load("off.speedscope")["profiles"][0]["weights"]) == 48000970, "speedscope")
text = open("off.callgrind", encoding="utf-8").read()
check("\nevents: samples\nsummary: 48000970\n" in text, "callgrind counts samples of sums")
rows = open("off.csv", encoding="utf-8").read().splitlines()
check(len(rows) == 4 and all(r.startswith(",,0,0,,samples,") for r in rows[1:]), "csv", rows)
names = {(e["pid"], e["args"]["name"]) for e in load("comms.chrome")["traceEvents"] if e["name"] == "thread_name"}
check(len(names) == 2 and {n for _, n in names} == {"nginx", "redis"} and len({p for p, _ in names}) == 2, "threads by name", names)
EOF

# Packed files one behind the other are read to the end; what is no more of them is damage.
for pack in gzip xz zstd; do
	command -v $pack >/dev/null || continue
	{ echo 'a;b 1' | $pack -q; echo 'a;c 2' | $pack -q; head -c 512 /dev/zero; } >many
	[ "$("$ASSAY" export -q --format folded -i many | tr '\n' ,)" = "a;b 1,a;c 2," ] || fail "two files of $pack are not read both"
	{ echo 'a;b 1' | $pack -q; echo 'a;c 2' | $pack -q | head -c 12; } >half
	expect_exit 1 "$ASSAY" export -q --format folded -i half >/dev/null 2>err
	grep -q damaged err || fail "half a file of $pack behind a whole one: $(cat err)"
done

# Nothing to write is said, and quality is that of what is written.
"$ASSAY" record -q -F 2000 -g -o two.data sh -c "$WORKLOADS/seventy_thirty 0.3; exec $WORKLOADS/recurse 0.3" >/dev/null
"$ASSAY" export --format csv --comms nosuch -i two.data 2>err >none.csv && fail "a filter that lets nothing pass is no failure"
grep -q 'none of the .* samples of two.data passes --comms nosuch' err || fail "an empty export: $(cat err)"
[ "$(wc -l <none.csv)" -eq 1 ] || fail "the filter lets samples pass"
if grep -q 'incomplete\|unresolved' err; then
	fail "what was not written is judged: $(cat err)"
fi
quality() {
	"$ASSAY" export -q --format callgrind -i two.data "$@" | sed -n 's/^desc: quality: //p'
}
all=$(quality)
some=$(quality -S thirty)
[ -n "$all" ] && [ -n "$some" ] || fail "no quality: '$all', '$some'"
echo "$some" | grep -q ' 0.0% of samples unresolved' || fail "the quality of functions with a name: $some"

# Formats by other names
hint() { # WORD-OF-THE-HINT OPTIONS…
	local want=$1
	shift
	expect_exit 2 "$ASSAY" export -i two.data "$@" 2>err >/dev/null
	grep -qF -- "$want" err || fail "export $*: $(cat err)"
}
hint '--format chrome' --format perfetto
hint '--format folded' --format collapsed
hint 'firefox, speedscope and chrome' --format json
hint 'firefox, speedscope and chrome' -o x.json
hint 'firefox, speedscope and chrome' -o x.json.gz
hint 'assay flame' -o x.svg
hint "did you mean 'folded'?" --format foldd
hint "--format folded (-f is --force)" -f folded two.data
hint "--format folded (-f is --force)" folded
[ ! -e x.json ] && [ ! -e x.svg ] || fail "a mistake left a file"
echo "NOTE: sums and samples without times, $all"

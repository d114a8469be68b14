# report of recordings with branch stacks beside perf's. This machine has no PMU: the recording is made up. (perf 6.1 crashes under most
# lists with symbol_from; the default is one of the others.)
. "$(dirname "$0")/../lib.sh"
need perf
need python3

export HOME=$TMPDIR # perf would keep copies of the program
python3 "$TOOLS/make_records.py" branches made-up.data "$WORKLOADS/inlined" || fail "make_records.py"

nr=0
# perf calls a line that it could not find twice in a row (null), and is not sure of the width of a column of lines.
text() { # TOOL OPTIONS…
	"$@" report --stdio -i made-up.data $options 2>err </dev/null | grep -v -E '^# (\(|Quality:)' | sed -E 's/ +$//; s/ +/ /g; s/\.+/./g'
}
while read -r options; do
	# shellcheck disable=SC2086
	text "$PERF" >perf.txt
	text "$ASSAY" >ours.txt
	[ "$(wc -l <perf.txt)" -gt 12 ] || fail "perf shows nothing under $options"
	case $options in
	*srcline*) sed -i -E '/\(null\)/d' perf.txt && grep -F -x -f perf.txt ours.txt >same.txt && expect_same perf.txt same.txt "report $options" ;;
	*) python3 "$TOOLS/same_report.py" perf.txt ours.txt || fail "report $options differs from perf's" ;;
	esac
	nr=$((nr + 1))
done <<-'END'
	-n
	--sort comm,dso_from,dso_to
	--sort comm,mispredict
	--sort cycles
	--sort comm,cycles,mispredict
	--sort sym -n
	--sort srcline_from
	--sort srcline_from,srcline_to
	--no-branch-stack
	-F overhead,sample,period --sort comm
	-t ; --sort comm,cycles
END

# What perf calls symbol_from may be called sym_from, too; and neither is of samples.
"$ASSAY" report -i made-up.data --sort sym_from,sym_to >short.txt
"$ASSAY" report -i made-up.data --sort symbol_from,symbol_to >long.txt
expect_same long.txt short.txt "sym_from and symbol_from"
expect_exit 1 "$ASSAY" report -i made-up.data --no-branch-stack --sort sym_from 2>err
grep -q "'symbol_from' is about branches.*'perf record -b'" err || fail "$(cat err)"
python3 "$TOOLS/make_records.py" records other.data
expect_exit 1 "$ASSAY" report -i other.data -b 2>err
grep -q "no branch stacks; those of 'perf record -b'" err || fail "$(cat err)"

"$ASSAY" report -i made-up.data --json --sort dso_from,symbol_from,srcline_to,mispredict,cycles >json
python3 - <<'PY'
import json
event = json.load(open("json"))["events"][0]
assert sum(e["self"]["samples"] for e in event["entries"]) == event["samples"] == event["period"]
for e in event["entries"]:
    assert e["from"]["symbol"] and e["from"]["dso"] == "inlined" and e["to"]["srcline"]
    assert isinstance(e["mispredicted"], bool) and e["cycles"] in (0, 1, 17) and "symbol" not in e
PY
echo "NOTE: $nr reports of branches beside perf's"

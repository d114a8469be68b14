# Reported once, beside the rows: files without symbols, why, and how to fix it, throttling, broken call chains. report has it
# in its header, script on stderr. -v lists where all symbols came from, -q is silent.
. "$(dirname "$0")/../lib.sh"

has() { # PATTERN FILE
	grep -q -E -- "$1" "$2" || fail "no '$1' in: $(cat "$2")"
}

# perf keeps copies of what it recorded below ~/.debug, where they are found by build-id.
export HOME=$TMPDIR
# A symbol index would still have the names.
export ASSAY_CACHE=off
for name in gone other text whole more; do
	cp "$WORKLOADS/seventy_thirty" $name
done
"$ASSAY" record -q -F 2000 -g -e cpu-clock:u -o all.data -- sh -c './gone 0.5; ./other 0.2; ./text 0.1; ./more 0.1; ./whole 0.1' 2>/dev/null
"$ASSAY" report -i all.data -s dso,sym >before 2>err
[ ! -s err ] || fail "nothing is missing, and yet: $(cat err)"
rm gone more
echo "no longer a program" >text
cp "$WORKLOADS/recurse" other

expect_exit 0 "$ASSAY" report -i all.data -s dso,sym >out 2>err
# The largest first, with its share: on the first line, since it is large. At most three of them.
head -1 out | grep -q -E '^# WARNING: [6-9][0-9]% of samples are unresolved, mostly in .*/gone \(cannot open .*/gone: No such file' ||
	fail "not the largest first: $(head -1 out)"
has '^# Quality: [0-9.]+% of samples without names in .*/other \(.*was replaced since the recording' out
has '^# Quality: and 1 more file' out
[ "$(grep -c ' in /.*/\(gone\|other\|text\|more\)' out)" -le 3 ] || fail "too many words: $(cat out)"
[ ! -s err ] || fail "said twice: $(cat err)"

expect_exit 0 "$ASSAY" report -i all.data -v >out 2>err
has '/whole: symbols from: .*/whole$' err
has '/gone: no symbols: cannot open' err
has '/more: no symbols: cannot open' err

expect_exit 0 "$ASSAY" report -i all.data -q >out 2>err
[ ! -s err ] || fail "-q: $(cat err)"
expect_exit 0 "$ASSAY" script -i all.data >out 2>err
has '^assay: WARNING: [6-9][0-9]% of samples are unresolved, mostly in .*/gone \(cannot open' err
has '^assay: quality: [0-9.]+% of samples without names in .*/other' err
expect_exit 0 "$ASSAY" script -i all.data -q >out 2>err
[ ! -s err ] || fail "script -q: $(cat err)"
expect_exit 0 "$ASSAY" report -i all.data --stats >out 2>err
[ ! -s err ] || fail "--stats needs no symbols: $(cat err)"

# Throttling, in a recording that has it for certain.
if command -v python3 >/dev/null; then
	python3 "$TOOLS/make_records.py" records made-up.data || fail "make_records.py"
	"$ASSAY" report -i made-up.data --stats >stats 2>err || true
	grep -q ' THROTTLE events' stats || fail "make_records.py makes no THROTTLE any more"
	has 'the kernel throttled sampling [0-9]+ times' err
fi

# What the rows do not tell is said on stderr, once and short: files without symbols and why, throttling, broken call chains. -v lists where
# all symbols came from, -q is silent, and nothing of it reaches stdout.
. "$(dirname "$0")/../lib.sh"

has() { # PATTERN FILE
	grep -q -E -- "$1" "$2" || fail "no '$1' in: $(cat "$2")"
}

# perf keeps copies of what it recorded below ~/.debug, where they are found by build-id.
export HOME=$TMPDIR
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
# The largest first, with its share; at most three of them.
head -1 err | grep -q -E 'no symbols for .*/gone \([3-6][0-9]\.[0-9]% of the samples\): cannot open .*/gone: No such file' ||
	fail "not the largest first: $(cat err)"
has 'no symbols for .*/other \([0-9.]+% .*was replaced since the recording' err
has 'and 1 more files without symbols \(-v lists them\)' err
[ "$(wc -l <err)" -eq 4 ] || fail "too many words: $(cat err)"
! grep -q 'no symbols for' out || fail "warnings on stdout"

expect_exit 0 "$ASSAY" report -i all.data -v >out 2>err
has '/whole: symbols from: .*/whole$' err
has '/gone: no symbols: cannot open' err
has '/more: no symbols: cannot open' err

expect_exit 0 "$ASSAY" report -i all.data -q >out 2>err
[ ! -s err ] || fail "-q: $(cat err)"
expect_exit 0 "$ASSAY" script -i all.data >out 2>err
has 'no symbols for .*/gone: cannot open' err
expect_exit 0 "$ASSAY" script -i all.data -q >out 2>err
[ ! -s err ] || fail "script -q: $(cat err)"
expect_exit 0 "$ASSAY" report -i all.data --stats >out 2>err
[ ! -s err ] || fail "--stats needs no symbols: $(cat err)"

# Throttling, in a recording that has it for certain.
if command -v python3 >/dev/null; then
	python3 "$(dirname "$0")/make_records.py" records made-up.data || fail "make_records.py"
	"$ASSAY" report -i made-up.data --stats >stats 2>err || true
	grep -q ' THROTTLE events' stats || fail "make_records.py makes no THROTTLE any more"
	has 'the kernel held sampling back [0-9]+ times' err
fi

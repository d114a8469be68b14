# assay view of more samples than a page has room for: equal ones are merged, which is said, and none is lost.
. "$(dirname "$0")/../lib.sh"

python3 "$TOOLS/make_large.py" many.data "$ASSAY" 2200000 500
"$ASSAY" view -o many.html --no-code many.data 2>err || fail "$(cat err)"
! grep -q 'writing the page' err || fail "progress in a file: $(cat err)"
python3 "$TOOLS/on_terminal.py" "$ASSAY" view -o many.html --no-code many.data >shown || fail "on a terminal: $(cat shown)"
grep -q 'writing the page [0-9]' shown || fail "no progress on a terminal: $(cat -v shown)"
grep -q '2200000 samples are too many for one page' err || fail "the merge is not told: $(cat err)"
read -r _ rows _ samples _ merged _ <<<"$(python3 "$TOOLS/page_profile.py" many.html)"
[ "$samples" = 2200000 ] || fail "$samples samples in the page"
[ "$rows" -le 2097152 ] || fail "$rows rows"
[ "$merged" -gt 0 ] || fail "the page does not tell"
echo "NOTE: $samples samples in $rows rows, merged below $merged ns, $(stat -c %s many.html) bytes"

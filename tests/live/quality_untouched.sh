# Frames with pages that were never written to: the kernel dumps no more of such a stack than up to the first of them. The advice says so.
. "$(dirname "$0")/../lib.sh"

"$ASSAY" record -q -F 2000 -e cpu-clock:u --call-graph dwarf -o untouched.data -- "$WORKLOADS/unwind_untouched" 0.4 2>err || fail "$(cat err)"
"$ASSAY" report --stdio -i untouched.data >report.txt 2>/dev/null || fail "report"
notes=$(grep -E '^# (Quality|WARNING)' report.txt)
grep -q untouched_big report.txt || fail "no samples in untouched_big: $(cat report.txt)"
grep -q -E '(9[0-9]|100)\.[0-9]% broken' <<<"$notes" || fail "$notes"
grep -q 'never written to' <<<"$notes" || fail "$notes"
! grep -q -E 'unwind-tables|dbgsym|strip' <<<"$notes" || fail "$notes"

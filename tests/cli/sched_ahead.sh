# Records of a large file are ordered ahead, in a thread, where there are two CPUs: the views of sched print the same with it and without it, of
# whole recordings and of damaged ones.
. "$(dirname "$0")/../lib.sh"
need python3
[ "$(nproc)" -ge 2 ] || skip "one CPU: there is no such thread"
here=$(dirname "$(realpath "$0")")
python3 "$TOOLS/make_sched.py" whole whole.data
python3 "$here/sched_ahead.py" "$ASSAY" whole.data || fail "the views differ"

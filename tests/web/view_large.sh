# The viewer with a million samples of 100,000 distinct stacks: the size of the page, and what opening it and choosing a time cost. CPU time is compared:
# it does not depend on what else the machine does.
. "$(dirname "$0")/../lib.sh"
need_browser

python3 "$TOOLS/make_large.py" large.data "$ASSAY" 1000000 100000
TIMEFORMAT='%U %S'
spent=$({ time "$ASSAY" view -q -i large.data -o large.html; } 2>&1) || fail "$spent"
size=$(stat -c %s large.html)
echo "NOTE: a million samples, 100,000 stacks: $size bytes, written in $spent s of CPU time (user, system)"
[ "$size" -le 15000000 ] || fail "the page has $size bytes"
node "$(dirname "$0")/view_large.mjs"

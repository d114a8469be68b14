# Recursion drawn once, in the page and by --collapse-recursion: the same picture, exact widths, the same shares; and source lines in tips.
. "$(dirname "$0")/../lib.sh"
need python3
need_browser

# See flame_recursion.mjs for the figures. Random stacks of six functions, of which each searched-for share must stay what it is.
cat >known.folded <<'EOF'
app;main;walk;step;walk;step;walk;step;leaf 30
app;main;walk;step;leaf 10
app;main;walk;step;walk;step;other 20
app;main;fib;fib;fib;fib 25
app;main;fib;fib 10
app;main;fib 5
EOF
python3 - <<'EOF'
import random
random.seed(11)
with open("random.folded", "w") as f:
    for _ in range(200):
        f.write("app;" + ";".join(random.choice("abcdef") * 3 for _ in range(random.randint(1, 30))) + f" {random.randint(1, 9)}\n")
EOF
for name in known random; do
	"$ASSAY" flame -q --min-width 0 -i $name.folded -o $name.svg
	"$ASSAY" flame -q --min-width 0 --collapse-recursion -i $name.folded -o $name-once.svg
done
"$ASSAY" flame -q --min-width 3 -i random.folded -o narrow.svg
printf 'app;main;work 5 7\napp;main;work;work 3 4\n' | "$ASSAY" flame -q -o diff.svg
printf 'app;main;work 5\n' | "$ASSAY" flame -q -o straight.svg
"$ASSAY" record -q -F 2000 -g -o perf.data "$WORKLOADS/recurse" 0.5 2>/dev/null
"$ASSAY" flame -q -i perf.data -o recorded.svg
# The truth of its lines: where each function stands, and the call and the loop that all samples are in.
recurse=$(dirname "$0")/../workloads/recurse.c
line() { grep -n -- "$1" "$recurse" | cut -d: -f1 | head -1; }
RECURSE_LINE=$(line 'r = recurse(n - 1') LEAF_FROM=$(line 'uint64_t leaf(') LEAF_TO=$(line 'uint64_t recurse(') node "$(dirname "$0")/flame_recursion.mjs"

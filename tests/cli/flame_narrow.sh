# A flame graph knows what it does not draw: a name has the same weight however wide frames must be, and every picture's figures add up.
. "$(dirname "$0")/../lib.sh"
need python3
read_svg() { python3 "$TOOLS/flame_read.py" "$@"; }

# Many narrow stacks on a few wide ones; `lookup` is on all levels, drawn and not, also below itself.
python3 - <<'EOF' >many.folded
import random
random.seed(3)
print("app;main;busy 20000")
print("app;main;lookup;wide 9000")
for i in range(4000):
    path = ["app", "main"] + [random.choice(["lookup", "walk", "hash", f"case_{i % 97}"]) for _ in range(random.randint(1, 9))]
    print(";".join(path), random.randint(1, 3))
EOF
for width in 0 1 5; do
	"$ASSAY" flame -q --min-width $width -i many.folded -o "w$width.svg"
done
read_svg check ./w*.svg
names="lookup walk case_13 busy main"
want=$(for name in $names; do
	awk -v name="$name" '{ if (index(";" $1 ";", ";" name ";")) sum += $2 } END { printf "%d ", sum }' many.folded
done)
for width in 0 1 5; do
	# shellcheck disable=SC2086
	got=$(read_svg matched "w$width.svg" $names)
	[ "$got " = "$want" ] || fail "--min-width $width: $got of $names instead of $want"
done
drawn=$(read_svg names w5.svg | wc -l)
[ "$drawn" -lt 30 ] || fail "--min-width 5 draws $drawn frames"

# More than a picture has room for: it does not grow without end, and says how much is not listed.
seq 1 60000 | sed 's/.*/app;f& 1/' >huge.folded
"$ASSAY" flame -q -i huge.folded -o huge.svg
read_svg check huge.svg
size=$(stat -c %s huge.svg)
[ "$size" -lt 2000000 ] || fail "a picture of nothing that can be seen has $size bytes"
grep -q '\[\[1,-1,-10000,' huge.svg || fail "what is not listed is not reported"

# A recording, and two of them compared.
"$ASSAY" record -q -F 5000 -g -o perf.data -- sh -c "\"$WORKLOADS/mixed\" 0.5" >/dev/null 2>&1
"$ASSAY" flame -q -i perf.data --min-width 30 -o recorded.svg
"$ASSAY" flame -q -i perf.data --min-width 0 -o recorded0.svg
read_svg check recorded.svg recorded0.svg
[ "$(read_svg matched recorded.svg main)" -eq "$(read_svg matched recorded0.svg main)" ] || fail "main is not as wide in both"
"$ASSAY" flame -q --diff many.folded many.folded --min-width 5 -o diff.svg
read_svg check diff.svg
grep -q '"narrow":\[\[' diff.svg || fail "a diff forgets what is narrow"
echo "NOTE: $drawn of $(read_svg names w0.svg | wc -l) frames drawn; $size bytes for 60,000 narrow ones"

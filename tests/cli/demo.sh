# `make demo` ends with a flame graph and says where it is; the README's ./gallery is a target of the plain build.
. "$(dirname "$0")/../lib.sh"
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

mkdir -p build/tests
ln -s "$ASSAY" build/assay
ln -s "$WORKLOADS" build/tests/workloads
BUILD=$TMPDIR/build "$top/scripts/demo" >out 2>&1 || fail "demo: $(tail -20 out)"
grep -q '^\$ .*/assay report ' out || fail "no report was shown"
grep -q '^ *file://.*/build/demo\.svg$' out || fail "where the flame graph is was not said: $(tail -20 out)"
grep -q '^ *file://.*/build/demo\.html$' out && [ -s build/demo.html ] || fail "there is no page: $(tail -20 out)"
grep -q '>seventy\|"seventy"' build/demo.svg || fail "the flame graph has no seventy()"
for command in profile report flame; do
	grep -q "^\\$ .*/assay $command " out || fail "demo shows no $command"
done

! grep -E 'WARNING|incomplete' out || fail "the first recording that a person sees is warned of"

# The first command that is advised is the one with the best stacks, wherever it is advised.
best="record --call-graph dwarf"
for page in --help "record --help" "flame --help"; do
	# shellcheck disable=SC2086
	"$ASSAY" $page >page.txt
	grep -q "$best" page.txt || fail "'assay $page' does not advise $best"
	! grep -E 'record (.* )?-[aF]*g( |$)' page.txt || fail "'assay $page' advises chains by frame pointers"
done
for file in README.md scripts/demo man/assay.1.scd man/assay-record.1.scd man/assay-flame.1.scd; do
	first=$(grep -o -m 1 'assay"\? record .*' "$top/$file") || fail "$file advises no recording"
	[ "${first#*"$best"}" != "$first" ] || fail "the first recording of $file is '$first'"
done
(cd / && expect_exit 1 "$ASSAY" report </dev/null 2>"$TMPDIR/none.err")
grep -q "$best" none.err || fail "without a recording: $(cat none.err)"

# what the README and scripts/screenshots profile is one ninja target away, without the tests
if command -v meson >/dev/null && command -v c++ >/dev/null && command -v ninja >/dev/null; then
	(cd "$top" && meson setup "$TMPDIR/plain") >setup 2>&1 || fail "meson: $(tail -5 setup)"
	ninja -n -C plain tests/workloads/gallery >none 2>&1 || fail "a plain build has no gallery: $(tail -2 none)"
	! ninja -n -v -C plain | grep -q 'gallery' || fail "a plain build builds gallery, which needs C++"
	steps=$(ninja -n -C plain tests/workloads/gallery | tail -1 | sed 's/.*\/\([0-9]*\)\].*/\1/')
	[ "$steps" -lt 10 ] || fail "gallery alone takes $steps steps"
	for word in gallery demo; do
		make -C "$top" -n BUILD="$TMPDIR/plain" "$word" >none 2>&1 || fail "make $word: $(tail -3 none)"
	done
fi
grep -q 'make gallery' "$top/README.md" || fail "the README does not say how to build gallery"
echo "NOTE: $(wc -c <build/demo.svg) bytes of flame graph"

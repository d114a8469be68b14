# A program with 100 MB of debug information in 100 units: 1000 addresses spread over all of it need at most 300 MB of memory, with the
# symbol index and without. One unit is compiled and linked in again and again: the linker takes the first of equal symbols and keeps all code.
. "$(dirname "$0")/../lib.sh"
need gcc
need python3
lookup=$WORKLOADS/../tools/lookup
[ -x "$lookup" ] || skip "lookup is not built (meson configure -Dtests=true)"
big=$WORKLOADS/many_units # kept in the build directory: it takes some seconds to make

. "$TOOLS/many_units.bash"
make_many_units "$big"
size=$(readelf -SW "$big" | sed -n 's/.* \.debug_[a-z_]* *PROGBITS *[0-9a-f]* [0-9a-f]* \([0-9a-f]*\) .*/\1/p' |
	python3 -c 'import sys; print(sum(int(l, 16) for l in sys.stdin) // 1000000)')
[ "$size" -ge 100 ] || fail "the program has $size MB of debug information: no test"
readelf -SW "$big" | python3 -c '
import re, sys
m = re.search(r"\] \.text\s+PROGBITS\s+(\w+) \w+ (\w+)", sys.stdin.read())
start, size = int(m[1], 16), int(m[2], 16)
for i in range(1, 1001):
    print(hex(start + size * i // 1001))' >addresses

check() { # WHAT
	"$lookup" -t "$big" <addresses >"$1.txt" 2>"$1.err" || fail "lookup: $(cat "$1.err")"
	# Every address is in one of the functions, and most are in something inlined.
	[ "$(grep -c '^step_' "$1.txt")" -ge 990 ] || fail "$1: only $(grep -c '^step_' "$1.txt") of 1000 addresses have their function"
	[ "$(grep -c '^mix$' "$1.txt")" -ge 400 ] || fail "$1: only $(grep -c '^mix$' "$1.txt") addresses in an inlined function"
	kb=$(sed -n 's/.*max \([0-9]*\) kB/\1/p' "$1.err")
	[ "$kb" -le 300000 ] || fail "$1: $kb kB of memory for $size MB of debug information"
	figures="${figures-}$1: $(cat "$1.err"); "
}

ASSAY_CACHE=off check "no index"
export XDG_CACHE_HOME=$TMPDIR/cache
check "index made"
check "index used"
expect_same "no index.txt" "index made.txt"
expect_same "no index.txt" "index used.txt"
head -40 addresses >few
addr2line -a -f -i -e "$big" <few | sed 's/ (discriminator [0-9]*)//; s/:?$/:0/' >theirs
"$lookup" "$big" <few | sed 's/:?$/:0/' >ours
expect_same theirs ours "40 addresses by addr2line and by us"
echo "NOTE: $size MB of debug information; ${figures}"

# Inlined functions without linkage names have the names of what is around them, as demangled ones have, and --demangle=short folds them.
. "$(dirname "$0")/../lib.sh"
need g++
here=$(dirname "$(realpath "$0")")
lookup=$WORKLOADS/../tools/lookup
[ -x "$lookup" ] || skip "lookup is not built (meson configure -Dtests=true)"
export ASSAY_CACHE=off

cp "$here/inlined_names.cc" names.cc
names() { # PROGRAM: of all functions at its addresses
	local start size
	read -r start size <<<"$(readelf -SW "$1" | sed -n 's/.* \.text *PROGBITS *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p')"
	for ((a = 0x$start; a < 0x$start + 0x$size; a++)); do printf '%x\n' $a; done | "$lookup" "$1" | awk 'NR > 1 && !/^0x/ { if (n++ % 2 == 0) print; next } /^0x/ { n = 0 }' |
		sort -u | c++filt
}
nr=0
for how in "-gdwarf-5" "-gdwarf-4" "-gdwarf-5 -flto" "-gdwarf-5 -gsplit-dwarf"; do
	# shellcheck disable=SC2086
	g++ -O1 $how names.cc -o names-$nr 2>build.txt || { nr=$((nr + 1)); continue; }
	names ./names-$nr >names.txt
	for name in 'outer::(anonymous namespace)::hidden::inner::turn' 'outer::run<outer::work()::<lambda(long unsigned int)> >' \
		'outer::holder<long unsigned int, outer::work()::<lambda(long unsigned int)> >::each' 'outer::work::{lambda}::operator()' at_top main; do
		grep -q -x -F "$name" names.txt || grep -q -F "${name%%<*}<" names.txt || fail "$how: no $name in: $(cat names.txt)"
	done
	! grep -q -E -x '(turn|each|operator\(\)|run<.*)' names.txt || fail "$how: $(cat names.txt)"
	nr=$((nr + 1))
done

# The whole names of this compiler, and folded ones
"$ASSAY" record -q -g -F 2000 -e cpu-clock:u -o chain.data ./names-0 >/dev/null || fail "record -g"
for fold in full short; do
	"$ASSAY" script -i chain.data -F ip,sym --demangle=$fold >$fold.txt 2>/dev/null || fail "script --demangle=$fold"
done
grep -q 'outer::(anonymous namespace)::hidden::inner::turn (inlined)$' full.txt || fail "no turn: $(sort full.txt | uniq -c | sort -rn | head -20)"
grep -q 'outer::holder<.*>::each (inlined)$' full.txt || fail "no each: $(sort full.txt | uniq -c | sort -rn | head -20)"
grep -q 'outer::holder<…>::each (inlined)$' short.txt || fail "each is not folded: $(sort short.txt | uniq -c | sort -rn | head -20)"
grep -q 'outer::run<…> (inlined)$' short.txt || fail "run is not folded: $(sort short.txt | uniq -c | sort -rn | head -20)"
grep -q 'outer::(anonymous namespace)::hidden::inner::turn (inlined)$' short.txt || fail "turn is no longer itself: $(sort short.txt | uniq -c | sort -rn | head -20)"
! grep -F '<outer' short.txt || fail "an inlined name is not folded"
echo "NOTE: names in $nr forms of debug information"

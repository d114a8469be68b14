# Profiles as large as the importer takes them, in every view: none takes more than 10 s, 512 MB and the output that is the limit for its
# size, and what is left out is said.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)
limit=$((640 << 20))

mkdir hostile
python3 "$here/hostile_import.py" hostile inlined_deep_fits comb_distinct long_names_fits long_names_inlined_fits same_ends_fits \
	types_by_depth_fits folded_names_fits folded_comb folded_formulas folded_name_of_5_MB counted >names

nr=0
view() { # STATUS FILE ARGS…: one command on one file
	local want=$1 name=$2 got
	shift 2
	got=$(python3 "$here/measure.py" "$limit" "$ASSAY" "$@" -i "hostile/$name") || fail "$name"
	[ "$got" -eq "$want" ] || fail "$* of $name: exit status $got instead of $want: $(tail -3 err.txt)"
	[ "$want" -eq 0 ] || grep -q 'the output is more than [0-9]* MB, which is the limit for an input of this size' err.txt ||
		fail "$* of $name: $(cat err.txt)"
	nr=$((nr + 1))
}

# Trees of 480,000 levels: neither the stack of calls nor the indentation grows with them.
for how in graph fractal flat folded caller; do
	case $how in
	fractal) view 0 inlined_deep_fits report --stdio --no-children -g $how,0 ;;
	*) view 1 inlined_deep_fits report --stdio -g $how,0 ;;
	esac
done
view 1 inlined_deep_fits report --json
view 0 inlined_deep_fits flame -o out.svg
view 0 inlined_deep_fits script
# Each level of a comb branches: the indentation would be the square of its depth.
view 0 folded_comb report --stdio --no-children -g graph,0
"$ASSAY" report --stdio --no-children -g caller,0 -i hostile/folded_comb 2>/dev/null >comb.txt
grep -q '\[lines below level 128 are not indented further\]' comb.txt || fail "a deep tree does not say where its indentation ends"
[ "$(wc -L <comb.txt)" -lt 1600 ] || fail "a line of a deep tree has $(wc -L <comb.txt) columns"
view 1 comb_distinct report --stdio -g graph,0
view 0 same_ends_fits report --stdio --no-children -g graph,0
# 16 kB a name, 8,000 of them a stack.
for how in script "export --format csv -o out.x" "export --format folded -o out.x" "export --format chrome -o out.x"; do
	view 1 long_names_inlined_fits $how
done
[ ! -e out.x ] || fail "an export that is too large leaves a file"
for format in pprof speedscope firefox callgrind; do
	view 0 long_names_fits export --format $format -o out.x
done
view 1 types_by_depth_fits report --stdio
# 580,000 functions.
view 0 folded_names_fits report --stdio
view 0 folded_names_fits flame -o out.svg
view 0 folded_names_fits export --format firefox -o out.x
view 0 folded_name_of_5_MB report --stdio
# Cells that a spreadsheet would run.
view 0 folded_formulas export --format csv -o out.csv
python3 - <<'EOF' || fail "a cell of the CSV begins a formula"
import csv, sys
sys.exit(any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for row in csv.reader(open("out.csv")) for cell in row))
EOF
echo "NOTE: $nr views"

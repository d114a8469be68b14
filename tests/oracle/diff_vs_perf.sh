# diff beside perf's, byte by byte: all computations, orders, keys, filters and several files, on recordings of perf.
. "$(dirname "$0")/../lib.sh"
need perf
need gcc

sources=$(cd "$(dirname "$0")/../workloads" && pwd)

# perf 6.1 takes stubs of the PLT for the end of _init: programs without them.
build() { # DIRECTORY OPTIONS…
	local dir=$1
	shift
	mkdir -p "$dir"
	gcc -O1 -g -w -fno-plt -fno-omit-frame-pointer "$@" -o "$dir/mixed" "$sources/mixed.c"
}

# Without samples in the vdso, whose symbols perf has only where it keeps a copy of it, and in BPF programs of others, which perf looks for as files.
has_odd_samples() { "$PERF" script -F ip,sym,dso -i "$1" 2>/dev/null | grep -qF -e '[vdso]' -e bpf_prog_ -e '[unknown] ([unknown])'; }
record() { # FILE OPTIONS… -- COMMAND…
	local file=$1 i
	shift
	for i in $(seq 20); do
		perf_record -N -o "$file" "$@"
		has_odd_samples "$file" || break
	done
}

build old
build new -DNR_PAGES=256 -O2
build bare -s
sed 's/user_work/other_work/' "$sources/mixed.c" >renamed.c
gcc -O1 -g -w -fno-plt -fno-omit-frame-pointer -I"$sources" -o new/mixed renamed.c
gcc -O1 -g -w -fno-plt -s -I"$sources" -o bare/mixed2 renamed.c && mkdir -p bare2 && mv bare/mixed2 bare2/mixed
record a.data -F 1500 -e cpu-clock -- old/mixed 0.3
record b.data -F 1500 -e cpu-clock -- new/mixed 0.4
record c.data -F 1500 -e cpu-clock -- "$WORKLOADS/seventy_thirty" 0.3
record ev1.data -F 1500 -e cpu-clock,page-faults -- old/mixed 0.2
record ev2.data -F 1500 -g -e page-faults,cpu-clock:u -- new/mixed 0.2
record cpu.data -F 1500 -e cpu-clock --sample-cpu -- old/mixed 0.2
record bare1.data -F 1500 -e cpu-clock -- bare/mixed 0.2
record bare2.data -F 1500 -e cpu-clock -- bare2/mixed 0.2
for _ in $(seq 20); do
	"$ASSAY" record -q -F 1500 -e cpu-clock -o ours.data -- old/mixed 0.2 2>/dev/null
	has_odd_samples ours.data || break
done
cp a.data perf.data.old
cp b.data perf.data

identical=0 alike=0 skipped=0
compare() { # ARGUMENTS of diff…
	if ! "$PERF" diff "$@" >perf.txt 2>perf.err </dev/null; then
		# It has no lines of a neighbour's BPF program, and gives up.
		grep -q 'addr2line bpf_prog_' perf.err || fail "perf diff $*: $(cat perf.err)"
		skipped=$((skipped + 1))
		return
	fi
	"$ASSAY" diff --bare-addresses --match file "$@" >ours.full 2>ours.err </dev/null || grep -q 'no sample of these recordings passes' ours.err ||
		fail "diff $*: $(cat ours.err)"
	# without what ours says of noise in the end
	case $(tail -n 1 ours.full) in "# 'assay diff "*) head -n -3 ours.full ;; *) cat ours.full ;; esac >ours.txt
	if cmp -s perf.txt ours.txt; then
		identical=$((identical + 1))
	elif [ "$(sort perf.txt | md5sum)" = "$(sort ours.txt | md5sum)" ]; then
		alike=$((alike + 1)) # ties, which perf orders by where its rows lie in a hash table
	elif grep -q '@plt' ours.txt; then
		skipped=$((skipped + 1)) # a library's
	else
		diff -u perf.txt ours.txt | head -30 >&2
		fail "diff $* differs from perf's"
	fi
}

compare
compare b.data
several="ev1.data ev2.data"
while read -r options; do
	case $several in c*) several="ev1.data ev2.data" ;; *) several="c.data ours.data a.data" ;; esac
	# shellcheck disable=SC2086
	compare $options a.data b.data
	# shellcheck disable=SC2086
	compare $options $several
done <<'END'
-c delta-abs
-c delta -p
-c ratio -p -F
-c wdiff:2,3 -p -F
-F
-b -c ratio
-o 0
-s comm
-s comm,dso
-s pid,sym
-t , -c ratio -p -F
-d mixed -c ratio -p
-d libc.so.6,mixed -b -o 0
END
for options in "" "-b" "-s sym" "-s dso" "-c wdiff:-3,2" "-q" "-t ," "-d mixed,libc.so.6"; do
	# shellcheck disable=SC2086
	compare $options bare1.data bare2.data
done
for options in "-S read_zero" "-C nobody" "-o 2 -c ratio" "-o 2 -c wdiff:1,1" "-o 2 -c delta" "-o 0 -c delta-abs"; do
	# shellcheck disable=SC2086
	compare $options b.data c.data a.data
done
# (of a baseline without any of them perf says -nan)
compare -S read_zero,touch_pages --percentage relative a.data b.data
compare -s cpu cpu.data cpu.data
compare -s +cpu cpu.data a.data
compare --cpu "0-$(($(nproc) - 1))" cpu.data cpu.data
# (without the command among the keys, perf filters rows of mixed commands by the first one)
compare -s comm,sym -C mixed,nobody a.data b.data
compare -s srcline -S user_work,touch_pages a.data ours.data
compare --time 0%-50% a.data b.data
compare --time 10%/2 -c ratio b.data a.data
from=$("$ASSAY" script -i a.data -F time 2>/dev/null | sed -n 20p | tr -d ' :') to=$("$ASSAY" script -i b.data -F time 2>/dev/null | sed -n 30p | tr -d ' :')
compare --time "$from,:,$to" a.data b.data
[ "$skipped" -le $((identical / 4)) ] || fail "$skipped tables have stubs of the PLT in them and were not compared, $identical were"

# What is wrong is refused.
for bad in "-c cycles" "-c wdiff" "-c wdiff:1" "-c wdiff:0,1" "-c what" "-o 2" "-s what" "-s dso_from" "-t ." "-t ab" "--percentage half" "--stream"; do
	# shellcheck disable=SC2086
	expect_exit 2 "$ASSAY" diff $bad a.data b.data 2>bad.err
	[ -s bad.err ] || fail "diff $bad says nothing"
done
expect_exit 1 "$ASSAY" diff a.data nowhere.data 2>bad.err
grep -q nowhere.data bad.err || fail "what is missing is not named: $(cat bad.err)"
head -c $(($(stat -c %s b.data) - 3000)) b.data >cut.data
expect_exit 1 "$ASSAY" diff a.data cut.data >cut.txt 2>bad.err
grep -q read_zero cut.txt || fail "nothing of a damaged recording is shown"
"$ASSAY" diff --json a.data b.data c.data 2>/dev/null | python3 -c '
import json, sys
d = json.load(sys.stdin)
rows = d["events"][0]["rows"]
assert d["schema"] == "assay-diff-1" and len(d["sides"]) == 3 and len(rows) > 10
for side in range(3):
    total = sum(r["sides"][side]["percent"] for r in rows)
    assert abs(total - 100) < 0.1, total
for r in rows:
    s = r["sides"][1]
    assert abs(s["percent"] - r["sides"][0]["percent"] - s["delta"]) < 0.001 and s["low"] <= s["delta"] <= s["high"] or s["percent"] < 1
    assert s["basis"] == "samples" and s["significant"] is None and s["adjusted_p"] is None
' || fail "the JSON is not as it should be"
[ "$identical" -gt $((alike + skipped)) ] || fail "hardly a table is identical: the comparison is no longer worth much"
echo "NOTE: $identical tables are identical, $alike but for ties, $skipped not compared (PLT)"

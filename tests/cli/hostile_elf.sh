# ELF and core files that are small on disk and claim, repeat or leave out gigabytes (hostile_elf.py, hostile_core.py): each costs at most 512 MB
# and 10 s of CPU, whichever command opens it, and a file that is cut short by that is named.
. "$(dirname "$0")/../lib.sh"
need python3
[ "$(uname -m)" = x86_64 ] || skip "the files have code for x86_64"
here=$(cd "$(dirname "$0")" && pwd)
tools=$WORKLOADS/../tools
[ -x "$tools/lookup" ] || skip "lookup is not built (meson configure -Dtests=true)"
export ASSAY_CACHE=off

# bounded NAME COMMAND…: its CPU time and its largest resident size.
bounded() {
	python3 "$here/bounded.py" 10 512 "$@" || fail "$1 costs too much: $(tail -1 figures)"
}

mkdir elf core
python3 "$here/hostile_elf.py" elf >elf.names
python3 "$here/hostile_core.py" core >core.names
mkfifo elf/pipe
echo 0x1004 >address
for name in $(cat elf.names); do
	bounded "$name" "$tools/lookup" "elf/$name" <address >out 2>err
	bounded "$name" "$tools/unwind_dump" "elf/$name" >out 2>err
done
# Names of functions: all that are listed are in memory, sorted and printed.
for name in symbols_long_names stubs_long_names many_sections; do
	for how in -x -k; do
		bounded "probe $name" "$ASSAY" probe $how "$PWD/elf/$name" -F >out 2>err
		[ "$(wc -c <out)" -lt 300000000 ] || fail "probe -F $name: $(wc -c <out) bytes"
	done
done
grep -q 'functions are left out: the names of all have more than 128 MB' <("$ASSAY" probe -x elf/symbols_long_names -F 2>&1 >/dev/null) ||
	fail "probe -F does not say what was left out"
for name in $(cat core.names); do
	bounded "$name" "$ASSAY" stack -n 0 --core "core/$name" >out 2>err
	case $name in
	notes_*) grep -q 'bytes of its notes are not read' err || fail "$name: what was left out is not said: $(cat err)" ;;
	many_threads) grep -q 'the stacks of .* threads are left out' err || fail "$name: what was left out is not said: $(cat err)" ;;
	esac
done

# Whole commands, on those of each kind that took most.
for name in note_sections debug_holes executable_holes go_magic stubs_indirect packed_shared section_count_some link_to_sparse; do
	python3 "$here/hostile_run.py" "elf/$name" &
	pid=$!
	trap 'kill $pid 2>/dev/null || true' EXIT
	bounded "record $name" "$ASSAY" record -q -F 200 -o plain.data -p $pid -- sleep 0.3 2>err
	bounded "record dwarf $name" "$ASSAY" record -F 200 --call-graph dwarf -o dwarf.data -p $pid -- sleep 0.3 2>record.err
	bounded "stack $name" "$ASSAY" stack -p $pid >out 2>err
	kill $pid
	wait $pid 2>/dev/null || true
	bounded "report $name" "$ASSAY" report -i plain.data >out 2>report.err
	grep -q "$name" out || fail "$name: no sample lies in it: $(head -20 out)"
	bounded "report --sort srcline $name" "$ASSAY" report --sort srcline -i dwarf.data >out 2>err
	bounded "script $name" "$ASSAY" script -i dwarf.data >out 2>script.err
	bounded "flame $name" "$ASSAY" flame -i dwarf.data -o flame.svg >out 2>err
	case $name in
	executable_holes) grep -q 'ended early: its headers claim' record.err script.err || fail "$name: what was left out is not said: $(cat record.err script.err)" ;;
	debug_holes) grep -q 'debug information ended early' script.err || fail "$name: what was left out is not said: $(cat script.err)" ;;
	stubs_indirect) grep -q 'symbols ended early' report.err || fail "$name: what was left out is not said: $(cat report.err)" ;;
	link_to_sparse) grep -q 'claims many times as many' report.err || fail "$name: what was left out is not said: $(cat report.err)" ;;
	esac
done
echo "NOTE: the most: $(sort -t: -k2 -n figures | tail -1); $(sort -t: -k3 -n figures | tail -1)"

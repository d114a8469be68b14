# Dumps that no compiler writes: bounded in time and memory, refused with a reason where they are not believed.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)

# Limits of the reader: 10 s of CPU time, 1 GB of memory.
for kind in sparse huge overlapping escapes damaged growing foreign link; do
	[ "$kind" != foreign ] || [ "$(id -u)" = 0 ] || continue
	"$ASSAY" record -q -F 999 -o hostile.data python3 "$here/jit_hostile.py" $kind || fail "$kind: not recorded"
	(
		ulimit -t 10 -v 1500000
		"$ASSAY" report -i hostile.data >report.txt 2>report.err
	) || fail "$kind: report ended with $?: $(cat report.err)"
	grep -q _PyEval_EvalFrameDefault report.txt || fail "$kind: names of files are missing: $(head -20 report.txt)"
	! grep -q "$(printf '\033')" report.txt report.err || fail "$kind: escape sequences"
	case $kind in
	sparse) grep -q 'mostly holes' report.err ;;
	huge) grep -q 'larger than 256 MB' report.err ;;
	foreign) grep -q 'belongs to user 12345' report.err ;;
	link) grep -q 'not the file that was recorded\|symbolic link' report.err ;;
	*) [ ! -s report.err ] || ! grep -q dump report.err ;;
	esac || fail "$kind: $(cat report.err)"
	rm -f jit-*.dump*
done

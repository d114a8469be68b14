# Callers that nothing but a frame pointer tells are guessed, never complete: generated code has no unwind tables, with frame pointers or
# without. And the advice fits: such code is not to be rebuilt, nor are 32-bit programs.
. "$(dirname "$0")/../lib.sh"
need python3

stacks() { # NAME CLASS…: their share in percent, added up
	local name=$1
	shift
	"$ASSAY" report --json -i "$name.data" 2>/dev/null | python3 -c '
import json, sys
s = json.load(sys.stdin)["quality"]["stacks"]
print(round(100 * sum(s[k] for k in sys.argv[1:]) / s["recorded"]))' "$@"
}
notes() { "$ASSAY" report --stdio -i "$1.data" 2>/dev/null | grep -E '^# (Quality|WARNING)'; }
rec() { # NAME MODE COMMAND…
	local name=$1 mode=$2
	shift 2
	"$ASSAY" record -q -F 2000 -e cpu-clock:u --call-graph "$mode" -o "$name.data" -- "$@" >"$name.out" 2>err || fail "$name: $(cat err)"
}

for mode in dwarf fp; do
	rec jit-$mode $mode "$WORKLOADS/jit" 0.4
	rm -f "$(head -1 jit-$mode.out)"
	[ "$(stacks jit-$mode complete)" -le 5 ] || fail "$mode: $(notes jit-$mode)"
	[ "$(stacks jit-$mode guessed broken)" -ge 95 ] || fail "$mode: $(notes jit-$mode)"
	! notes jit-$mode | grep -q -E 'unwind-tables|strip' || fail "$mode: $(notes jit-$mode)"
	notes jit-$mode | grep -q 'PreserveFramePointer' || fail "$mode: $(notes jit-$mode)"
done
# The recorder says so, too.
"$ASSAY" record -F 2000 -e cpu-clock:u --call-graph dwarf -o said.data -- "$WORKLOADS/jit" 0.3 >said.out 2>err
rm -f "$(head -1 said.out)"
grep -q -E '[0-9]+ stacks, [0-4]\.[0-9]% complete, (9[0-9]|100)\.[0-9]% guessed' err || fail "the recorder says: $(cat err)"
# Walked while recording or by the reader: the same.
rec jit-raw dwarf,keep "$WORKLOADS/jit" 0.4
rm -f "$(head -1 jit-raw.out)"
[ "$(stacks jit-raw guessed broken)" -ge 95 ] || fail "raw: $(notes jit-raw)"

# The marks of guessed walks are nothing to perf.
if [ -n "$PERF" ]; then
	python3 "$(dirname "$0")/strip_marks.py" jit-dwarf.data plain.data >marks
	grep -q '[56]:' marks || fail "no guessed walk is marked: $(cat marks)"
	for file in jit-dwarf plain; do
		"$PERF" script --no-inline -i $file.data >$file.txt 2>perf.err
		[ ! -s perf.err ] || fail "perf script warns: $(head -3 perf.err)"
	done
	expect_same jit-dwarf.txt plain.txt "perf script without and with marks"
fi

if command -v java >/dev/null && command -v javac >/dev/null; then
	cat >Work.java <<-'JAVA'
		public class Work {
			static long leaf(long n) { long s = 0; for (long i = 0; i < n; i++) s += i ^ (s << 1); return s; }
			static long middle(long n) { return leaf(n) + 1; }
			public static void main(String[] a) {
				long end = System.nanoTime() + 1_500_000_000L, s = 0;
				while (System.nanoTime() < end) s += middle(100000);
				System.out.println(s);
			}
		}
	JAVA
	javac Work.java 2>err || fail "javac: $(cat err)"
	rec java dwarf java -XX:TieredStopAtLevel=4 Work
	echo "NOTE: java: $(notes java | grep 'of stacks complete')"
	[ "$(stacks java guessed broken)" -ge 50 ] || fail "java: $(notes java)"
fi

if echo 'int main(void) { for (volatile int i = 0; i < 300000000; i++) ; return 0; }' | cc -m32 -O1 -x c - -o narrow 2>/dev/null; then
	rec narrow dwarf ./narrow
	echo "NOTE: 32 bits: $(notes narrow | grep 'of stacks complete')"
	! notes narrow | grep -q 'unwind-tables' || fail "32 bits: $(notes narrow)"
fi

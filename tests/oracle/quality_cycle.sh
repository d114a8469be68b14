# A frame pointer that leads back to itself is no deep recursion: its stacks are broken, not truncated, and are cut after one turn. Recursion
# that the kernel cut is truncated and stays as it is, also where a jump stands for a call.
. "$(dirname "$0")/../lib.sh"
need python3

rec() { # NAME COMMAND…
	local name=$1
	shift
	"$ASSAY" record -q -F 2000 -e cpu-clock:u -g -o "$name.data" -- "$@" 2>err || fail "$name: $(cat err)"
}
stacks() { # NAME CLASS: in whole percent, by each view
	"$ASSAY" "$3" --json -i "$1.data" 2>/dev/null | python3 -c '
import json, sys
s = json.load(sys.stdin)["quality"]["stacks"]
print(100 * s[sys.argv[1]] // s["recorded"])' "$2"
}
deepest() { # NAME: frames of the deepest stack that is drawn
	"$ASSAY" export --format=folded -i "$1.data" 2>/dev/null | awk -F ';' '{ if (NF > n) n = NF } END { print n }'
}

for kind in call data pair; do
	rec $kind "$WORKLOADS/pointer_cycle" 0.3 $kind
	for view in report script; do
		[ "$(stacks $kind broken $view)" -ge 95 ] || fail "$kind: not broken in $view: $("$ASSAY" report -i $kind.data 2>&1 | grep Quality)"
	done
	"$ASSAY" report --stdio -i $kind.data >out 2>err
	! grep -q perf_event_max_stack out || fail "$kind: $(grep perf_event_max_stack out)"
	[ "$(deepest $kind)" -le 8 ] || fail "$kind: $(deepest $kind) frames"
done
# What was recorded is printed as it is.
if [ -n "$PERF" ]; then
	"$PERF" script --no-inline -i call.data >perf.txt 2>/dev/null
	"$ASSAY" script --no-inline -i call.data >ours.txt 2>/dev/null
	expect_same_script perf.txt ours.txt "script of a circle"
fi

rec deep "$WORKLOADS/recurse" 0.3 300
if command -v cc >/dev/null; then
	cat >jump.c <<-'C'
		#include <time.h>
		__attribute__((noinline)) long hop(long n);
		__attribute__((noinline)) long walk(long n)
		{
			if (n == 0)
				for (int i = 0; i < 100000; i++)
					__asm__ volatile("");
			else
				n = hop(n - 1);
			__asm__ volatile("" : "+r"(n));
			return n + 1;
		}
		__attribute__((noinline)) long hop(long n)
		{
			__asm__ volatile("" : "+r"(n));
			return walk(n);
		}
		int main(void)
		{
			time_t end = time(NULL) + 1;
			while (time(NULL) < end)
				walk(300);
			return 0;
		}
	C
	cc -O2 -g -fno-omit-frame-pointer -foptimize-sibling-calls -fno-inline jump.c -o jump
	rec jump ./jump
fi
for name in deep jump; do
	[ -e $name.data ] || continue
	[ "$(stacks $name truncated report)" -ge 90 ] || fail "$name: $("$ASSAY" report --stdio -i $name.data 2>&1 | grep Quality)"
	[ "$(deepest $name)" -ge 100 ] || fail "$name: cut to $(deepest $name) frames"
	"$ASSAY" report --stdio -i $name.data 2>/dev/null | grep -q 'sysctl kernel.perf_event_max_stack=1024' || fail "$name: no advice"
done

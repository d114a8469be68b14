# Go programs that read the clock and call C code, stripped and not. Both leave the goroutine's stack: stacks are those of the program, end where
# the other stack begins, and never go on into what others have left there.
. "$(dirname "$0")/../lib.sh"
need go
need python3
here=$(cd "$(dirname "$0")" && pwd)
export GO111MODULE=off GOCACHE=$PWD/gocache GOFLAGS=
mkdir pure mixed
cp "$here/go_switches.go" pure/work.go
cp "$here/go_switches.go" mixed/work.go
printf 'package main\n\nfunc through(sum *int64) {}\n' >pure/through.go
cat >mixed/through.go <<'G'
package main

/*
__attribute__((noinline)) static long burn(long x)
{
	for (int i = 0; i < 100000; i++)
		__asm__ volatile("" : "+r"(x));
	return x;
}
static long in_c(long x) { return burn(x) + 1; }
*/
import "C"

func through(sum *int64) { *sum = int64(C.in_c(C.long(*sum))) }
G

cat >check.py <<'P'
import sys
stacks = [[line.split(None, 1)[1].replace(".abi0", "") for line in s.split("\n") if line.strip()] for s in sys.stdin.read().split("\n\n")]
ends = ("runtime.goexit runtime.systemstack runtime.mcall runtime.morestack runtime.asmcgocall runtime.clone runtime.rt0_go time.now "
        "runtime.nanotime1 runtime.cgocallback crosscall_amd64 crosscall1 clone3 __clone3 __GI___clone3 _start").split()
whole = ["main.tick", "main.watch", "main.main", "runtime.main", "runtime.goexit"]
nr, seen, bad, astray = 0, {"before": 0, "clock": 0, "C": 0}, [], 0
for s in stacks:
    if not s:
        continue
    nr += 1
    if "runtime.sigtramp" in s:
        # A handler's stack is another one: only what it interrupted is known.
        astray += s[-1] not in ends and s[-1] != "burn"
    elif "burn" in s or s[-1] == "runtime.asmcgocall":
        seen["C"] += 1
        # Called by the function that cgo has made, or inside it. C functions of stripped programs have no names.
        if s[-1] != "runtime.asmcgocall" or ("burn" in s and len(s) - s.index("burn") > 4):
            bad.append(s)
    elif "time.now" in s and "main.tick" in s:
        seen["before"] += 1
        if s[-5:] != whole:
            bad.append(s)
    elif s[-1] == "time.now":
        # the clock itself; or an instruction that the other stack is in force at
        seen["clock"] += 1
    elif "main.tick" in s and s[-5:] != whole:
        bad.append(s)
    elif s[-1] not in ends:
        astray += 1
        if astray > nr / 100 + 2:
            bad.append(s)
print(nr, "samples", *(f"{k} {v}" for k, v in seen.items()))
for s in bad[:5]:
    print(" <- ".join(s))
sys.exit(1 if bad or nr < 200 or not seen["clock"] or (sys.argv[1] == "mixed" and not seen["C"]) else 0)
P

run() { # DIRECTORY NAME ARGUMENT…
	local dir=$1 name=$2 line
	shift 2
	(cd "$dir" && go build "$@" -o "../$name" work.go through.go) || return 1
	"$ASSAY" record -q -F 2000 --call-graph dwarf -o "$name.data" -- "./$name" 1.2 >/dev/null 2>record.err || fail "record: $(cat record.err)"
	"$ASSAY" report --stdio -i "$name.data" >report.txt 2>/dev/null
	line=$(grep '^# Quality: ' report.txt)
	# On a busy machine there are few samples: one is half a percent then.
	awk -v l="$line" 'BEGIN {
		split(l, w, /[ %,]+/)
		for (i in w)
			if (w[i] == "guessed")
				guessed = w[i - 1]
		exit !(w[3] >= 98 && guessed <= 1.5)
	}' || fail "$name: $line"
	"$ASSAY" script --no-inline -i "$name.data" -F ip,sym 2>/dev/null | python3 check.py "$dir" >check.txt || fail "$name: $(cat check.txt)"
	echo "$name: $(head -1 check.txt)" >>figures.txt
}

run pure plain || fail "go build"
run pure plain.s '-ldflags=-s -w'
if command -v gcc >/dev/null; then
	run mixed cgo || echo "NOTE: no cgo here"
	run mixed cgo.s '-ldflags=-s -w'
fi
# The goroutine's stack holds while time.now has not left it yet.
awk '{ for (i = 1; i < NF; i++) if ($i == "before") nr += $(i + 1) } END { exit !nr }' figures.txt || fail "no callers of time.now: $(cat figures.txt)"
echo "NOTE: $(paste -sd ';' figures.txt)"

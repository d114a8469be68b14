# Stacks that end in an outermost function are complete, whatever its origin: entry points, threads, children, coroutines, other C
# libraries. The truth is known: nothing is missing from any of them.
. "$(dirname "$0")/../lib.sh"
need python3

# NAME WANT PROGRAM…: at least WANT percent complete, and at most 2 guessed or broken.
expect_complete() {
	local name=$1 want=$2
	shift 2
	"$ASSAY" record -q -F 4000 -e cpu-clock:u --call-graph dwarf -o "$name.data" -- "$@" 2>err || fail "$name: $(cat err)"
	"$ASSAY" report --json -i "$name.data" >"$name.json" 2>err || fail "$name: $(cat err)"
	python3 - "$name" "$want" <<-'PY' || fail "$name: $("$ASSAY" report --stdio -i "$name.data" 2>&1 | grep Quality)"
		import json, sys
		name, want = sys.argv[1], float(sys.argv[2])
		s = json.load(open(name + ".json"))["quality"]["stacks"]
		n = s["recorded"]
		print("NOTE:", name, {k: round(100 * s[k] / n, 1) for k in ("complete", "guessed", "truncated", "broken")}, "of", n)
		sys.exit(not (n >= 50 and s["complete"] >= want / 100 * n))
	PY
}
# NAME PATTERN: the outermost frames of most stacks.
expect_outermost() {
	"$ASSAY" script --no-inline -i "$1.data" -F ip,sym 2>/dev/null | awk -v RS= -F '\n' '{ print $NF }' >outermost
	[ $(($(grep -c -E "$2" outermost) * 100)) -ge $(($(wc -l <outermost) * 90)) ] || fail "$1: $(sort outermost | uniq -c | sort -rn | head -3)"
}

expect_complete starts 98 "$WORKLOADS/unwind_starts" 0.6
expect_complete coroutines 98 "$WORKLOADS/unwind_contexts" 0.4
expect_outermost coroutines ' (__start_context|_start)$'
# Start-up is all that a short program is: the stacks of the dynamic linker.
cat >short.sh <<'SH'
i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i + 1)); done
SH
expect_complete short 95 sh short.sh

# Debug files and names are not what it hangs on.
cp "$WORKLOADS/unwind_starts" "$WORKLOADS/unwind_contexts" .
strip unwind_starts unwind_contexts
expect_complete starts-stripped 98 ./unwind_starts 0.6
expect_complete coroutines-stripped 98 ./unwind_contexts 0.4

if command -v musl-gcc >/dev/null; then
	source=$(dirname "$0")/../workloads/unwind_starts.c
	musl-gcc -O2 -g "$source" -o musl 2>err || fail "musl-gcc: $(cat err)"
	musl-gcc -O2 -g -static "$source" -o musl-static 2>err || fail "musl-gcc: $(cat err)"
	expect_complete musl 98 ./musl 0.6
	expect_complete musl-static 98 ./musl-static 0.6
else
	echo "NOTE: without musl-gcc, musl is not tried"
fi

# Go: goroutines, and the runtime's own work on the scheduler's stack, which call frame information does not know of.
if command -v go >/dev/null; then
	cat >work.go <<-'GO'
		package main

		import "sync"

		//go:noinline
		func fill(n int) []*int {
			all := make([]*int, n)
			for i := range all {
				x := i
				all[i] = &x
			}
			return all
		}

		func main() {
			var wg sync.WaitGroup
			for k := 0; k < 4; k++ {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for i := 0; i < 300; i++ {
						fill(20000)
					}
				}()
			}
			wg.Wait()
		}
	GO
	if GO111MODULE=off GOCACHE=$TEST_CACHE_HOME/go-build go build -o go-work work.go 2>err; then
		expect_complete go 95 ./go-work
		expect_outermost go ' (runtime\.(goexit|systemstack|mcall|mstart|clone|rt0_go)(\.abi0)?|_rt0_.*)$'
	else
		echo "NOTE: go cannot build here: $(head -1 err)"
	fi
fi

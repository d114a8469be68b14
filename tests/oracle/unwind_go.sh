# Go programs, stripped and not: the unwind table from Go's own table is the one from .debug_frame, row by row, on both machines; stacks are
# complete, without a guess, and end where goroutines begin or where the runtime has changed stacks.
. "$(dirname "$0")/../lib.sh"
need go
need perf
here=$(cd "$(dirname "$0")" && pwd)
dump=$WORKLOADS/../tools/unwind_dump
[ -x "$dump" ] || skip "unwind_dump is not built (meson configure -Dtests=true)"
export GO111MODULE=off GOCACHE=$PWD/gocache GOFLAGS= CGO_ENABLED=0
cp "$here/go_stacks.go" .

rows=0
for arch in amd64 arm64; do
	GOARCH=$arch go build -o $arch go_stacks.go && GOARCH=$arch go build -ldflags='-s -w' -o $arch.s go_stacks.go || fail "go build for $arch"
	for file in $arch $arch.s; do
		# What .debug_frame of arm64 says without need: the stack pointer is the CFA, the link register as it is.
		"$dump" $file 2>dump.err | sed 's/ sp=v+0$//; s/ ra=s$//' >$file.rows || fail "$(cat dump.err)"
	done
	nr=$(grep -vc gap $arch.rows)
	[ "$nr" -gt 3000 ] || fail "$arch: $nr rows"
	diff $arch.rows $arch.s.rows >rows.diff || fail "$arch: rows of the stripped program differ: $(head -5 rows.diff)"
	rows=$((rows + nr))
done

case $(uname -m) in x86_64) native=amd64 ;; aarch64) native=arm64 ;; *) skip "Go programs of this machine" ;; esac
for program in $native $native.s; do
	perf_record -F 2000 --call-graph dwarf -o $program.data -- ./$program 0.5
	"$ASSAY" report --stdio -i $program.data >report.txt 2>/dev/null
	line=$(grep '^# Quality: .*of stacks complete' report.txt)
	awk -v l="$line" 'BEGIN { split(l, w, /[ %]+/); exit !(w[3] >= 99) }' || fail "$program: $line"
	case $line in *' 0.0% guessed'*) ;; *) fail "$program: $line" ;; esac
	"$ASSAY" script --no-inline -i $program.data -F ip,sym 2>/dev/null | awk -v RS= -F '\n' '
		/runtime\.sigtramp/ { next } # its stack is another one, and the dump has no other
		/main\.fib/ { nr++; if (!/main\.work/ || $NF !~ /runtime\.goexit/) bad = bad $0 "\n\n" }
		END { if (nr < 20 || bad != "") { printf "%d samples of fib; not so called:\n%s", nr, bad; exit 1 } }' >fib.txt || fail "$program: $(head -20 fib.txt)"
	echo "$program $(echo "$line" | sed 's/.*: \([0-9.]*%\).*/\1/')" >>figures.txt
done
echo "NOTE: $rows rows; complete: $(paste -sd ' ' figures.txt)"

# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
# `assay trace -p`: threads that start while /proc is read and the programs are attached are traced. In a chain of threads, each started by the
# one before it, one that is missed hides all that follow.
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

"$WORKLOADS/thread_chain" &
chain=$!
trap 'kill $chain 2>/dev/null' EXIT
for turn in 1 2 3; do
	timeout -s INT 60 "$ASSAY" trace -p $chain -e getpriority --max-events 1000 -o lines 2>err || fail "turn $turn: $(cat err)"
	! grep -v ' thread_chain/[0-9]* getpriority(' lines || fail "turn $turn: lines of others, or without a name"
	sed -E 's/.*who: ([0-9]+).*/\1/' lines >numbers
	[ "$(wc -l <numbers)" -eq 1000 ] || fail "turn $turn: $(wc -l <numbers) calls: $(cat err)"
	awk 'NR > 1 && $1 != last + 1 { print "after " last " comes " $1; exit 1 } { last = $1 }' numbers || fail "turn $turn: a thread is missing"
done
timeout -s INT 2 "$ASSAY" trace -s --summary-mode total -p $chain -o sums 2>err || true
awk '$1 == "getpriority" { calls = $2 } $1 == "clone3" || $1 == "clone" { clones = $2 }
	END { exit !(calls > 100 && calls - clones <= 1 && clones - calls <= 1) }' sums || fail "sums: $(cat sums err)"
# Of one thread alone (-t), and of those that are there (--no-inherit), others are not traced.
timeout -s INT 1 "$ASSAY" trace --no-inherit -p $chain -e getpriority -o lines 2>err || true
[ "$(wc -l <lines)" -le 1 ] || fail "--no-inherit: $(head -3 lines)"
timeout -s INT 1 "$ASSAY" trace -t $chain -e getpriority -o lines 2>err || true
[ ! -s lines ] || fail "-t: $(head -3 lines)"

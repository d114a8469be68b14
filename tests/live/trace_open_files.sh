# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
# `assay trace -p`: what processes have open when tracing begins. It is known however much it is, and however soon the process ends.
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

cat >opens.py <<'EOF'
import os, resource, sys
nr, others = int(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (nr + 100, nr + 100))
files = [os.open("opened", os.O_RDONLY) for _ in range(nr)]
while others and os.fork() != 0:
    others -= 1
os.write(1, b"ready %d\n" % os.getpid())
os.read(0, 1)
os.read(files[-1], 5)
os._exit(0)
EOF
echo text >opened
mkfifo go
opened() { # FILES OTHERS: processes with so many files; their numbers are in `pids`
	: >ready
	python3 -S opens.py "$@" <go >>ready &
	exec 8>go
	until [ "$(grep -c ready ready)" -eq $(($2 + 1)) ]; do
		kill -0 $! 2>/dev/null || fail "opens.py $*"
		sleep 0.05
	done
	pids=$(awk '{ print $2 }' ready | paste -sd,)
}
trap 'kill ${pids//,/ } 2>/dev/null' EXIT

# ---- it ends at once ----
opened 10 0
"$ASSAY" trace --strace -y -p "$pids" -o lines 2>err 8>&- &
tracer=$!
until grep -q "^read(0<$PWD/go>, " lines 2>/dev/null; do sleep 0.02; done
exec 8>&-
wait $tracer || fail "trace: $(cat err)"
grep -q "^read([0-9]*<$PWD/opened>, \"text.n\", 5) *= 5\$" lines || fail "no path: $(grep read lines)"

# ---- more than the ring buffer holds ----
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 18000 ] || skip "at most $(ulimit -Hn) files may be open"
opened 17000 2
"$ASSAY" trace record -o open.data -p "$pids" 2>err 8>&- &
tracer=$!
until [ "$(find . -name 'open.data*' -size +10M | wc -l)" -gt 0 ]; do sleep 0.02; done
exec 8>&-
wait $tracer || fail "trace record: $(cat err)"
! grep missing err || fail "descriptors are missing"
"$ASSAY" script -i open.data | grep -c ' open-file ' >described
[ "$(cat described)" -ge 51000 ] || fail "only $(cat described) of 51000 descriptors are described"

# -e of `assay trace -s` and of lines: calls whose numbers are in no table pass only where all others do, and 32-bit calls by their own table.
#
# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
. "$(dirname "$0")/../lib.sh"
need python3
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

# Numbers that no kernel has, one in x32's range: they fail, and do nothing.
cat >odd.py <<'END'
import ctypes, os
call = ctypes.CDLL(None, use_errno=True).syscall
for nr in (600, 1023, 1024, 5000, 0x40000000 + 39, 0x7FFFFFFF):
    for _ in range(3):
        assert call(ctypes.c_long(nr)) == -1
os.getppid()
END
odd=' syscall_\(600\|1023\|1024\|5000\|1073741863\|2147483647\)  *3  *3 '
"$ASSAY" trace -s -o sums python3 odd.py 2>err || fail "all: $(cat err)"
[ "$(grep -c "$odd" sums)" -eq 6 ] || fail "all calls: $(cat sums)"
"$ASSAY" trace -s -e getppid -o sums python3 odd.py 2>err || fail "getppid: $(cat err)"
[ "$(grep -cE ' {3}[a-z_0-9@]+ +[0-9]+ ' sums)" -eq 1 ] && grep -q ' getppid  *1 ' sums || fail "-e getppid: $(cat sums)"
"$ASSAY" trace -s -e '!getppid' -o sums python3 odd.py 2>err || fail "!getppid: $(cat err)"
[ "$(grep -c "$odd" sums)" -eq 6 ] && ! grep -q getppid sums || fail "-e '!getppid': $(cat sums)"
# Lines, and a recording, choose the same.
for how in "-o lines" "record -q -o calls.data"; do
	# shellcheck disable=SC2086
	"$ASSAY" trace $how -e getppid python3 odd.py 2>err || fail "$how: $(cat err)"
	[ "${how%% *}" = -o ] || "$ASSAY" trace -i calls.data >lines
	grep -q 'getppid()' lines && ! grep -q 'syscall_\|0x' lines || fail "$how -e getppid: $(cat lines)"
done

# Numbers of i386 are others: 4 is write there, and stat here; 39 is mkdir, and getpid.
if "$WORKLOADS/int80"; then
	"$ASSAY" trace -s -e writev,openat -o sums "$WORKLOADS/int80" 2>err || fail "int80: $(cat err)"
	grep -q ' writev@32  *1 ' sums && grep -q ' openat@32  *1 ' sums && ! grep -q ' \(open\|close\|mmap\)[@ ]' sums || fail "int80 -e writev: $(cat sums)"
	"$ASSAY" trace -s -e writev@64,openat@64 -o sums "$WORKLOADS/int80" 2>err || fail "int80: $(cat err)"
	! grep -q '@32' sums && grep -q ' openat  *[0-9]' sums || fail "int80 -e writev@64: $(cat sums)"
fi

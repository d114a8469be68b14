# alone: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# `assay trace --strace` of a 32-bit program: structs and numbers as strace has them.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
[ "$(uname -m)" = x86_64 ] || skip "no 32-bit programs of x86 here"
command -v strace >/dev/null || skip "no strace"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"${CC:-cc}" -m32 -w -idirafter /usr/include/x86_64-linux-gnu -o narrow "$here/trace_narrow.c" 2>err || skip "cc -m32: $(tail -1 err)"
./narrow || skip "the kernel runs no 32-bit programs"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

# What differs from run to run, and the environment, are left out of -v.
for options in -f '-f -v -e !execve,statx,getrusage,wait4' '-f -y -s 5 -e !recvmsg,sendmsg'; do
	# shellcheck disable=SC2086
	strace $options -o strace.lines ./narrow || fail "strace $options"
	# shellcheck disable=SC2086
	"$ASSAY" trace --strace $options -o assay.lines ./narrow || fail "trace $options"
	python3 "$here/trace_compare.py" strace.lines assay.lines >result || fail "$options: $(cat result)"
done
echo "NOTE: $(cat result)"

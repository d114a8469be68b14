# only recorder: perf 6.1 aborts while a BPF program of ours is loaded
# `assay trace` of a task that hangs: the call that it is in is shown, whether it began before tracing or since, with its arguments, and is no
# call that ended.
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

mkfifo fifo
cat fifo >copied &
hung=$!
# By its calls it is seen that tracing has begun.
sh -c 'while sleep 0.02; do :; done' &
ticks=$!
trap 'kill $hung $ticks 2>/dev/null' EXIT
in_open() { grep -q "^$(awk '$1 == "openat" { print $2 }' numbers) " "/proc/$1/syscall" 2>/dev/null; }
"$ASSAY" trace --json -e openat -o open.json cat /dev/null || fail "trace of cat: $(cat open.json)"
sed -n 's/.*"name":"openat","nr":\([0-9]*\),.*/openat \1/p' open.json | head -1 >numbers
until in_open $hung; do sleep 0.02; done

traced() { # PATTERN OPTION…: until a line of `lines` matches
	local pattern=$1 tracer status=0
	shift
	rm -f lines
	"$ASSAY" trace "$@" -o lines 2>err &
	tracer=$!
	until grep -q "$pattern" lines 2>/dev/null; do
		[ -d /proc/$tracer ] || fail "trace $*: it ended: $(cat err)"
		sleep 0.02
	done
	kill -INT $tracer
	wait $tracer || status=$?
	[ $status -eq 130 ] || fail "trace $*: status $status: $(cat err)"
}

# ---- it hangs all the time ----
traced 'sh/.* wait4(' -p $hung,$ticks
grep -q "^ *-\?[0-9.]* (> *[0-9]*\.[0-9]* ms): cat/$hung openat(dfd: CWD, filename: \"fifo\", flags: RDONLY) *= ? <unfinished>$" lines ||
	fail "no line of a call that began before: $(grep cat/ lines)"
[ "$(grep -c "cat/$hung" lines)" -eq 1 ] || fail "not one line: $(grep cat/ lines)"
traced wait4 --json -p $hung,$ticks
grep "\"tid\":$hung," lines >call || fail "--json: no line"
grep '"name":"openat".*"text":"\\"fifo\\"".*"began_before":true,"is_pending":true,"duration_ns":[0-9]*}$' call | grep -v '"result"\|"cpu"' |
	cmp -s - call || fail "--json: $(cat call)"
traced "^$hung *openat" --strace -p "$hung $ticks"
grep -q "^$hung *openat(AT_FDCWD, \"fifo\", O_RDONLY\( <unfinished ...>\| <detached ...>\)$" lines || fail "--strace: $(grep openat lines)"
# Filters hold for it, too.
traced 'sh/.* wait4(' -e wait4 -p $hung,$ticks
! grep "cat/" lines || fail "-e wait4 shows it"
traced 'sh/.* wait4(' -z -p $hung,$ticks
! grep "cat/" lines || fail "-z shows it"
traced 'sh/.* wait4(' --duration 1 -p $hung,$ticks
grep -q "cat/$hung openat(.*<unfinished>$" lines || fail "--duration 1 does not show it: $(cat lines)"
# A recording has it: for lines, but not for times of calls, which it has not ended.
"$ASSAY" trace record -o hung.data -p $hung,$ticks 2>err &
recorder=$!
until grep -q assay "/proc/$recorder/comm" && find "/proc/$recorder/fd" -lname '*bpf*' 2>/dev/null | grep -q .; do sleep 0.02; done
sleep 0.3 # calls of the shell come meanwhile, or not: neither matters
kill -INT $recorder
wait $recorder || true
"$ASSAY" trace -i hung.data -p $hung >lines || fail "trace -i: $(cat lines)"
grep -q "cat/$hung openat(dfd: CWD, filename: \"fifo\", flags: RDONLY) *= ? <unfinished>$" lines || fail "trace -i: $(cat lines)"
"$ASSAY" trace --strace --input hung.data -p $hung >lines || fail "--strace --input"
grep -q "^$hung *openat(AT_FDCWD, \"fifo\", O_RDONLY <detached ...>$" lines || fail "--strace --input: $(cat lines)"
"$ASSAY" script -i hung.data | grep -q "began-before pending NR $(awk '{ print $2 }' numbers) " || fail "script"

# ---- it ends while it is traced ----
"$ASSAY" trace -p $hung,$ticks -o lines 2>err &
tracer=$!
until grep -q 'sh/.* wait4(' lines 2>/dev/null; do sleep 0.02; done
echo text >fifo
until grep -q "cat/$hung exit_group" lines; do sleep 0.02; done
kill -INT $tracer
wait $tracer || true
grep -q "(> *[0-9]*\.[0-9]* ms): cat/$hung openat(dfd: CWD, filename: \"fifo\", flags: RDONLY) *= 3$" lines || fail "its end: $(grep cat/ lines)"
[ "$(grep -c "cat/$hung openat(" lines)" -eq 1 ] || fail "its end: not one line: $(grep cat/ lines)"
! grep "cat/$hung.*<unfinished>" lines || fail "it has ended"

# ---- it began while it was traced ----
"$ASSAY" trace -o lines sh -c 'cat fifo' 2>err &
tracer=$!
until hung=$(sed -n 's|.*cat/\([0-9]*\) close(.*|\1|p' lines 2>/dev/null | head -1) && [ -n "$hung" ] && in_open "$hung"; do sleep 0.02; done
kill -INT $tracer
until grep -q "([ 0-9]*\.[0-9]* ms): cat/$hung openat(dfd: CWD, filename: \"fifo\", flags: RDONLY) *= ? <unfinished>$" lines; do
	kill -0 $tracer 2>/dev/null || grep -q '<unfinished>' lines || fail "of a command: $(grep cat/ lines)"
	sleep 0.02
done
echo >fifo # the command runs on
wait $tracer || true

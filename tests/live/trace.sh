# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# `assay trace` on programs with known truth: counts as strace has them, lines, exits, targets, statuses, recordings, other traces beside it.
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

traced() { # COMMAND…: writes lines, messages go to err
	"$ASSAY" trace -o lines "$@" 2>err
}

# ---- counts ----
# Each call once, exactly: sums, lines, and a recording.
dd_command=(dd if=/dev/zero of=/dev/null bs=512 count=5000)
"$ASSAY" trace -s -o sums "${dd_command[@]}" 2>err || fail "trace -s: $(cat err)"
traced "${dd_command[@]}" || fail "trace: $(cat err)"
"$ASSAY" trace record -q -o calls.data "${dd_command[@]}" 2>err || fail "trace record: $(cat err)"
"$ASSAY" trace -i calls.data >from-file
counts_of() { # FILE: "name number" of lines; exit_group has no result
	sed -E 's/^[^)]*\): *//; s/^[^ ]* ([a-z0-9_]+)\(.*/\1/' "$1" | grep -v exit_group | sort | uniq -c | awk '{ print $2, $1 }'
}
awk '$2 ~ /^[0-9]+$/ { print $1, $2 }' sums | sort >by-sums
grep -q '^read 500[0-9]$' by-sums && grep -q '^write 500[0-9]$' by-sums || fail "reads and writes of dd: $(cat by-sums)"
counts_of lines | diff by-sums - || fail "sums and lines differ"
counts_of from-file | diff by-sums - || fail "sums and a recording differ"
if command -v strace >/dev/null; then
	strace -c -o strace.out "${dd_command[@]}" 2>/dev/null
	awk '$4 ~ /^[0-9]+$/ && $NF != "total" { print $NF, $4 }' strace.out | sort | diff - by-sums || fail "strace counts otherwise"
fi
"$ASSAY" trace -s --summary-mode total -o total sh -c '/bin/true; /bin/true' 2>err || fail "total: $(cat err)"
[ "$(awk '$1 == "execve" { print $2 }' total)" = 3 ] || fail "execve of three programs: $(cat total)"
[ "$(grep -c 'events' total)" -eq 2 ] || fail "more than one table in total: $(cat total)"
# The kernel's sums and those of lines have the same rows: without exit_group, which has no end.
for options in -S '-s --errno-summary'; do
	"$ASSAY" trace $options -o sums "${dd_command[@]}" 2>err || fail "trace $options: $(cat err)"
	awk '$2 ~ /^[0-9]+$/ && NF == 8 { print $1, $2 }' sums | sort | diff by-sums - || fail "sums of -s and of $options differ"
done

# More numbers than a task remembers at a time: the others are found in a list.
cat >numbers.py <<'END'
import ctypes
for turn in range(3):
    for number in range(600, 670):
        ctypes.CDLL(None).syscall(number)
END
"$ASSAY" trace -s -o sums python3 -S numbers.py 2>err || fail "seventy numbers: $(cat err)"
[ "$(awk '$1 ~ /[0-9]$/ && $2 == 3 && $3 == 3' sums | wc -l)" -eq 70 ] || fail "seventy numbers, three calls and errors each: $(cat sums)"

# ---- lines ----
echo "a path with spaces" >"a file"
traced --data 64 cat "a file" >/dev/null
grep -q 'openat(dfd: CWD, filename: "a file", flags: RDONLY) *= 3$' lines || fail "openat: $(grep openat lines)"
grep -q "read(fd: 3<$PWD/a file>, buf: \"a path with spaces\\\\n\", count: [0-9]*) *= 19\$" lines || fail "read: $(grep read lines)"
grep -q 'close(fd: 3' lines || fail "close: $(grep close lines)"
head -1 lines | grep -q 'execve(filename: "[^"]*/cat", argv: \["cat", "a file"\], envp: 0x[0-9a-f]* /\* [0-9]* vars \*/) *= 0$' ||
	fail "the first line is not the command: $(head -1 lines)"
traced env -i $(seq -f V%g=1 40) /bin/true $(seq 20) || fail "env: $(cat err)" # numbers without blanks
grep -q 'execve(filename: "/bin/true", argv: \["/bin/true", "1", .*, "19", "20"\], envp: 0x[0-9a-f]* /\* 40 vars \*/) *= 0$' lines ||
	fail "forty variables, twenty arguments: $(grep execve lines)"
"$ASSAY" trace --strace -f -o lines sh -c 'trap : USR2; for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done; kill -USR2 $$; kill -USR1 $$' 2>err && fail "killed by a signal: status 0"
[ "$(grep -c '+++ exited with 0 +++' lines)" -eq 10 ] || fail "ten programs, $(grep -c exited lines) exits"
grep -q -e '--- SIGUSR2 {si_signo=SIGUSR2, si_code=SI_USER, si_pid=[0-9]*, si_uid=0} ---' lines || fail "no signal: $(grep -e --- lines)"
grep -q '+++ killed by SIGUSR1 +++' lines || fail "not killed: $(tail -2 lines)"
traced --failure cat /nonexistent/file && fail "cat of what does not exist: status 0"
grep -q 'openat(dfd: CWD, filename: "/nonexistent/file".* = -1 ENOENT (No such file or directory)$' lines || fail "the failure is missing: $(cat lines)"
! grep -q ' = [0-9]' lines || fail "calls that did not fail: $(cat lines)"
traced --duration 50 sh -c 'sleep 0.2' || fail "duration: $(cat err)"
grep -q 'clock_nanosleep\|nanosleep' lines || fail "--duration 50: $(cat lines)"
short=$(sed -n 's/^[^(]*( *\([0-9.]*\) ms.*/\1/p' lines | awk '$1 < 50')
[ -z "$short" ] || fail "--duration 50 shows calls of $short ms"
traced --duration 0.5 sh -c 'sleep 0.002' || fail "--duration 0.5: $(cat err)"
grep -q 'nanosleep' lines || fail "--duration 0.5: $(cat lines)"
short=$(sed -n 's/^[^(]*( *\([0-9.]*\) ms.*/\1/p' lines | awk '$1 < 0.5')
[ -z "$short" ] || fail "--duration 0.5 shows calls of $short ms"
for bad in 0 -1 x 0.5x nan 1e30; do
	expect_exit 2 "$ASSAY" trace --duration "$bad" true 2>err
	grep -q 'number of milliseconds' err || fail "--duration $bad: $(cat err)"
done
traced --max-events 3 true || fail "max-events: $(cat err)"
[ "$(wc -l <lines)" -eq 3 ] || fail "--max-events 3: $(cat lines)"

# A path is that of the file that is open, also where not all calls are shown.
echo b >"b file"
traced -e read cat "a file" "b file" >/dev/null || fail "read of two files: $(cat err)"
! grep -q 'fd: 3<.*a file>.*= 2$' lines || fail "the second file has the path of the first: $(cat lines)"

# A descriptor that a call makes: as an argument what it was, as a result what it is. In perf's lines the result has no path.
again=(bash -c 'exec 3<"a file" 4<"b file"; exec 3<&4')
traced -e dup2 "${again[@]}" || fail "dup2: $(cat err)"
grep -q "dup2(oldfd: [0-9]*<$PWD/b file>, newfd: 3<$PWD/a file>) *= 3\$" lines || fail "dup2: $(cat lines)"
"$ASSAY" trace --json -e dup2 -o lines "${again[@]}" || fail "dup2 as JSON"
grep -q '"text":"3[^"]*/a file>".*"result_text":"3[^"]*/b file>"' lines || fail "dup2 as JSON: $(cat lines)"
"$ASSAY" trace record -q -o again.data "${again[@]}" 2>err || fail "trace record of dup2: $(cat err)"
"$ASSAY" trace --strace --input again.data -y -e openat,dup2 -o lines || fail "dup2 of a recording"
grep -q '"b file", O_RDONLY) *= [0-9]*<[^>]*b file>$' lines && grep -q 'dup2([0-9]*<[^>]*b file>, 3<[^>]*a file>) *= 3<[^>]*b file>$' lines ||
	fail "dup2 of a recording: $(cat lines)"

# ---- the 32-bit entry ----
if "$WORKLOADS/int80"; then
	traced "$WORKLOADS/int80" || fail "int80: $(cat err)"
	grep -q 'open(filename: "/dev/null", flags: WRONLY) *= 3$' lines || fail "open of i386: $(tail lines)"
	grep -q 'writev(fd: 3</dev/null>, vec: \[.*iov_len=4}, .*iov_len=7}\], vlen: 2) *= 11$' lines || fail "writev of i386: $(tail lines)"
	"$ASSAY" trace -s -o sums32 "$WORKLOADS/int80" 2>err || fail "int80 -s: $(cat err)"
	grep -q ' writev@32 *1  *0 ' sums32 && grep -q ' openat@32 *1  *1 ' sums32 || fail "sums of i386: $(cat sums32)"
fi

# ---- targets, statuses ----
expect_exit 3 traced --max-events 3 sh -c 'exit 3'
expect_exit 2 "$ASSAY" trace -i calls.data -a
expect_exit 1 "$ASSAY" trace -i calls.data -p 1
expect_exit 2 "$ASSAY" trace -s --summary-mode totl true
head -c 20000 calls.data >cut.data
expect_exit 1 "$ASSAY" trace -i cut.data
"$ASSAY" record -q -o clock.data true 2>/dev/null
expect_exit 1 "$ASSAY" trace -i clock.data
expect_exit 3 traced sh -c 'exit 3'
expect_exit 127 traced ./nope
expect_exit 2 "$ASSAY" trace --duratoin 3 true
sh -c 'while :; do cat /dev/null; sleep 0.02; done' &
loop=$!
"$ASSAY" trace -o lines -p $loop 2>err &
tracer=$!
for _ in $(seq 200); do [ "$(grep -c 'cat/.*execve' lines 2>/dev/null)" -lt 3 ] || break; sleep 0.1; done
kill -INT $tracer
wait $tracer || true
kill $loop
grep -q "sh/$loop" lines && [ "$(grep -c 'cat/.*execve' lines)" -ge 3 ] ||
	fail "-p and what it starts: $(wc lines; head -20 lines; grep 'execve\|exit_group' lines | tail -20; cat err)"

# The kernel stack of a task that has ended is soon another's, which is not traced.
sh -c 'while :; do uname; done' >/dev/null &
loop=$!
traced sh -c 'i=0; while [ $((i += 1)) -le 200 ]; do /bin/true; done' || fail "two hundred programs: $(cat err)"
kill $loop
[ "$(grep -c 'exit_group()' lines)" -eq 201 ] || fail "201 programs end, $(grep -c 'exit_group()' lines) are shown"
! grep -q ' uname(' lines || fail "calls of a program that is not traced: $(grep -m 3 ' uname(' lines)"

# ---- several at a time ----
"$ASSAY" trace -o outer "$ASSAY" trace -o inner true 2>err || fail "a trace of a trace: $(cat err)"
grep -q 'true/.*execve' inner && grep -q 'true/.*execve' outer && grep -q 'bpf(' outer || fail "a trace of a trace: $(wc -l inner outer)"

# ---- nothing stays ----
if bpftool=$(command -v bpftool || command -v /usr/sbin/bpftool); then
	rm -f lines
	"$ASSAY" trace -o lines sleep 100 2>err &
	tracer=$!
	for _ in $(seq 200); do ! grep -q 'clock_nanosleep\|brk' lines 2>/dev/null || break; sleep 0.1; done
	programs=$("$bpftool" prog show 2>/dev/null | grep -c 'name on_enter' || true)
	[ "$programs" -ge 1 ] || fail "the program is not there while it runs"
	child=$(pgrep -P $tracer)
	kill -KILL $tracer
	wait $tracer || true
	kill $child || true
	for _ in $(seq 100); do
		now=$("$bpftool" prog show 2>/dev/null | grep -c 'name on_enter' || true)
		[ "$now" -ge "$programs" ] || break
		sleep 0.1
	done
	[ "$now" -lt "$programs" ] || fail "after SIGKILL $now programs are still there"
fi

# ---- what was done before a long wait is shown before it ends ----
for stacks in '' -g; do
	"$ASSAY" trace $stacks -o waiting sh -c 'echo $$ >pid; exec sleep 120' 2>err &
	tracer=$!
	for _ in $(seq 300); do
		! grep -q 'execve(.*sleep' waiting 2>/dev/null || break
		sleep 0.1
	done
	grep -q 'execve(.*sleep' waiting || fail "no line of a task that waits: $(cat err)"
	kill "$(cat pid)"
	wait $tracer || true
	rm pid waiting
done

# ---- without BPF ----
if command -v setpriv >/dev/null; then
	setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin "$ASSAY" trace -o lines cat "a file" 2>err >/dev/null || fail "without BPF: $(cat err)"
	grep -q 'tracing by tracepoints' err || fail "nothing is said: $(cat err)"
	grep -q 'openat(dfd: CWD, filename: 0x[0-9a-f]*, flags: RDONLY) *= 3$' lines || fail "without BPF: $(cat lines)"
fi
echo "NOTE: $(awk '{ n += $2 } END { print n }' by-sums) calls, each exactly once"

# A disk that is full is reported with the name of the file.
for options in "" -s; do
	# shellcheck disable=SC2086
	expect_exit 1 "$ASSAY" trace $options -o /dev/full true 2>err
	grep -q 'cannot write /dev/full: No space left on device' err || fail "trace $options -o /dev/full: $(cat err)"
done

# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# `assay trace --strace` writes what strace writes: each line of each task, of a program that makes some 200 different calls.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
command -v strace >/dev/null || skip "no strace"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

compared() { # NAME COMMAND…: the same command under both, and its lines
	local name=$1
	shift
	rm -rf "$name".strace* "$name".assay* made
	strace -o "$name.strace" "$@" >out.text 2>&1 || fail "strace $*: $(cat out.text)"
	rm -rf made
	"$ASSAY" trace --strace -o "$name.assay" "$@" >out.text 2>&1 || fail "trace $*: $(cat out.text)"
	for which in strace assay; do # -ff: in the order of their numbers
		[ -f "$name.$which" ] || printf '%s\n' "$name.$which".* | sort -V | xargs cat >"$name.$which"
	done
	python3 "$here/trace_compare.py" "$name.strace" "$name.assay" >"$name.result" || fail "$name: $*: $(cat "$name.result")"
	runs=$((runs + 1)) lines=$((lines + $(wc -l <"$name.strace")))
}
runs=0 lines=0

compared calls -f "$WORKLOADS/syscalls"
compared pipes -f sh -c 'cat /etc/passwd | tr a-z A-Z | cut -c 1-3; kill -0 $$'
compared files -f find /etc/apt -newer /etc/passwd
compared python -f python3 -S -c 'import os; os.system("echo x"); print(os.listdir("/"))'
calls=$(sed -n 's/ different calls.*//p' calls.result)
[ "$calls" -ge 80 ] || fail "only $calls different calls: $(cat calls.result)"

# Programs with all that they do, where two runs of one do the same.
program() { # NAME COMMAND…
	local name=$1
	shift
	! command -v "$1" >/dev/null || compared "$name" -f "$@"
}
mkdir -p tree/deep
printf 'int main(void) { return 0; }\n' >tree/main.c
program ls ls -la /etc
program ssh ssh -V
program awk awk 'BEGIN { while (("cat /etc/passwd" | getline line) > 0) n++; print n }'
program sed sed -n '/root/p' /etc/passwd /etc/group
if command -v git >/dev/null; then
	git init -q repository
	git -C repository -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x
	program git git clone -q repository made
	program git-log git -C repository log --oneline
fi
program gcc "${CC:-cc}" -S -o made tree/main.c
program tar tar -cf made tree
program cp cp -a tree made

# ---- options ----
printf 'some text with \001 and \377\n' >data
ln -sf "$PWD/data" link
options() { # NAME OPTION…
	compared "$@" sh -c 'cat link; cat /nonexistent/file; :'
}
options separate -ff
options paths -f -y
options failed -f -Z -s 5
options successful -f -z
options unfinished -f -e status=unfinished -e 'signal=!SIGCHLD'
options path -f -y -P link
compared numbers -n -a 60 -qq -e trace=openat,close,exit_group cat link
compared hex -x -v -e '!execve' cat link
compared allhex -xx -e trace=%file -e quiet=exit cat link
compared dump -s 4 -e trace=read,write -e read=3 -e write=1 -e raw=write sh -c 'exec tr a-z A-Z <data'
compared traps -f sh -c 'trap : USR1; kill -USR1 $$; kill -WINCH $$; exit 0'
compared no-signals -e signal=none sh -c 'trap : USR1; kill -USR1 $$; exit 0'
python=$(python3 -c 'import sys; print(sys.executable)')
described() { # NAME OPTION…: descriptors of all kinds. Where and when Python asks for memory is chance
	compared "$@" -e 'trace=!%memory' "$python" -S "$here/trace_descriptors.py"
}
described all-details -yy
described details-paths -y
described sockets --decode-fds=socket
described devices-of-some --decode-fds=dev,pidfd
compared inherited -yy sh -c 'read -r a; echo x >&2; exec cat /dev/null' </dev/null
# The same from a recording.
"$ASSAY" trace record -q -o described.data "$python" -S "$here/trace_descriptors.py" || fail "record"
"$ASSAY" trace --strace -yy --input described.data >lines || fail "--input"
grep -q '<TCP:\[127.0.0.1:' lines || fail "-yy of a recording: $(grep -n 'socket\|null' lines)"
if "$WORKLOADS/int80"; then
	compared int80 "$WORKLOADS/int80"
	compared int80-forks -f "$WORKLOADS/int80"
fi

# ---- threads: where malloc() puts what they have is chance, so not all lines ----
"$ASSAY" trace --strace -f -e clone3,clone -o lines python3 -S -c 'import _thread; a = _thread.allocate_lock(); a.acquire(); _thread.start_new_thread(a.release, ()); a.acquire()' || fail "threads"
strace -f -e clone3,clone -o strace.lines python3 -S -c 'import _thread; a = _thread.allocate_lock(); a.acquire(); _thread.start_new_thread(a.release, ()); a.acquire()' || fail "threads under strace"
parent_tids() { grep -c 'parent_tid=\[\([0-9]*\)\].* = \1$' "$1" || true; }
[ "$(parent_tids lines)" -eq "$(parent_tids strace.lines)" ] || fail "a thread: $(cat strace.lines lines)"

# One that executes a program goes on as the main thread, which ends for it.
executes='import _thread, os, time; _thread.start_new_thread(os.execv, ("/bin/echo", ["echo", "x"])); time.sleep(100)'
"$ASSAY" trace --strace -f -e execve,clock_nanosleep -o lines "$python" -S -c "$executes" >/dev/null || fail "a thread that executes: $(cat lines)"
strace -f -e execve,clock_nanosleep -o strace.lines "$python" -S -c "$executes" >/dev/null || fail "a thread that executes, under strace"
shape() { sed -E 's/^([0-9]+) +/\1 /; s/0x[0-9a-f]+/P/g; s/tv_n?sec=[0-9]+/T/g; s/ +=/ =/' "$1" | awk '{ if (!($1 in n)) n[$1] = ++nr; $1 = "task " n[$1]; print }' |
	sed -E 's/in pid [0-9]+/in pid N/; s/execve\("([^"]*)", .* (= 0|<unf)/execve(\1 \2/' | grep -v sleep | sort; }
shape strace.lines | diff - <(shape lines) || fail "a thread that executes: $(cat lines)"

# ---- whose line it is, and lines that others cut ----
"$ASSAY" trace --strace -f sh -c 'sleep 0.2; /bin/true; :' 2>lines || fail "to standard error: $(cat lines)"
head -1 lines | grep -q '^execve(' || fail "one task, but it is named: $(head -1 lines)"
grep -q '^\[pid [ 0-9]*[0-9]\] execve("/bin/true"' lines || fail "several tasks, not named: $(grep execve lines)"
grep -q '^strace: Process [0-9]* attached$' lines || fail "a new process is not announced: $(grep attached lines)"
grep -q '^\[pid [ 0-9]*\] wait4(-1,  <unfinished ...>$' lines || fail "no line is cut: $(grep wait4 lines)"
grep -q '^<... wait4 resumed>\[{WIFEXITED(s) && WEXITSTATUS(s) == 0}\], 0, NULL) = [0-9]*$' lines || fail "no line goes on: $(grep wait4 lines)"
tail -1 lines | grep -q '^+++ exited with 0 +++$' || fail "the last task is alone, but named: $(tail -1 lines)"

# ---- times ----
"$ASSAY" trace --strace -ttt -T -o lines sleep 0.2 || fail "-ttt -T"
grep -q '^[0-9]\{10\}\.[0-9]\{6\} clock_nanosleep(.* <0\.[2-9][0-9]*>$' lines || fail "-ttt -T: $(grep nanosleep lines)"
now=$(date +%s)
awk -v now="$now" '{ t = $1 } END { exit !(now - t < 60 && t - now < 2) }' lines || fail "-ttt is not the time of day: $(tail -1 lines), now $now"
"$ASSAY" trace --strace -r -tt -o lines true || fail "-r -tt"
! grep -v '^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]\{6\} (+     0\.[0-9]\{6\}) ' lines || fail "-r -tt: $(head -3 lines)"

"$ASSAY" trace --strace --absolute-timestamps=unix,ms --syscall-times=ns --relative-timestamps=s -o lines true || fail "times with a precision"
! grep -v '^[0-9]\{10\}\.[0-9]\{3\} (+     0) .*\( <0\.[0-9]\{9\}>\|= ?\|+++\)$' lines || fail "times with a precision: $(head -3 lines)"

# ---- names of tasks ----
"$ASSAY" trace --strace -f -Y -o lines sh -c '/bin/true; kill -0 $$; :' || fail "-Y"
grep -q '^[0-9]*<sh> kill([0-9]*<sh>, 0) *= 0$' lines && grep -q '^[0-9]*<true> exit_group' lines || fail "-Y: $(grep -v mmap lines)"

# ---- another user ----
"$ASSAY" trace --strace -u nobody -e getuid,getgid -o lines id >out.text || fail "-u nobody: $(cat lines)"
id nobody | diff - out.text || fail "-u nobody: other groups"
grep -q "^getuid() *= $(id -u nobody)$" lines || fail "-u nobody: $(cat lines)"
expect_exit 1 "$ASSAY" trace --strace -u 'no such user' true
# A program with the set-user-ID bit gets its privileges, and all is seen of it.
if [ -u /usr/bin/passwd ]; then
	compared set-user-id -f -u nobody /usr/bin/passwd -S
	grep -q '"/etc/shadow".* = [0-9]' set-user-id.assay || fail "set-user-ID: $(grep shadow set-user-id.assay)"
fi

# ---- sums ----
strace -c -f -o strace.sums sh -c 'cat link; cat /nonexistent/file; :' >/dev/null 2>&1
"$ASSAY" trace --strace -c -f -S calls -o sums sh -c 'cat link; cat /nonexistent/file; :' >/dev/null 2>&1 || fail "-c"
counts() { awk 'NF >= 5 && $1 ~ /^[0-9.]+$/ { print $NF, $4, (NF == 6 ? $5 : "") }' "$1" | sort; }
counts sums >counts.assay
counts strace.sums | diff - counts.assay || fail "-c: other counts"
head -2 strace.sums | diff - <(head -2 sums) || fail "-c: another heading"
awk 'NF >= 5 && $1 ~ /^[0-9.]+$/ && $NF != "total" { if (last != "" && $4 > last) exit 1; last = $4 }' sums || fail "-S calls: $(cat sums)"
"$ASSAY" trace --strace -c -o sums -e clock_nanosleep sleep 0.3 || fail "-c of sleep"
awk '$NF == "clock_nanosleep" { exit !($2 < 0.1) }' sums || fail "-c counts what a call waits: $(cat sums)"
"$ASSAY" trace --strace -c -w -o sums -e clock_nanosleep sleep 0.3 || fail "-c -w"
awk '$NF == "clock_nanosleep" { exit !($2 >= 0.3) }' sums || fail "-c -w does not count what a call waits: $(cat sums)"
strace -c -U name,calls,errors -S name -o strace.sums sh -c 'cat link; cat /nonexistent/file; :' >/dev/null 2>&1
"$ASSAY" trace --strace -c -U name,calls,errors -S name -o sums sh -c 'cat link; cat /nonexistent/file; :' >/dev/null 2>&1 || fail "-U"
diff strace.sums sums || fail "-U: other columns"
"$ASSAY" trace --strace -C -o sums -e openat cat link >/dev/null || fail "-C"
grep -q '^openat(' sums && grep -q ' openat$' sums && tail -1 sums | grep -q ' total$' || fail "-C: $(cat sums)"

# ---- of a recording, without -f, too ----
"$ASSAY" trace record -q -o calls.data cat link >/dev/null 2>&1 || fail "trace record"
"$ASSAY" trace --strace --input calls.data -o lines || fail "--strace --input"
grep -q '^[0-9]* *execve("' lines || fail "--strace --input: $(head -3 lines)"

# ---- the name ----
ln -sf "$ASSAY" strace
./strace -E NEW=1 -e execve -o lines sh -c '[ "$NEW" = 1 ]' || fail "as strace: $(cat lines)"
head -1 lines | grep -q '^execve("' || fail "as strace: $(cat lines)"
for refused in -i -D --daemonize=session '-b execve' --inject=open:error=EPERM --kvm=vcpu '-U colour' --absolute-timestamps=x '-e fault=open' '-e trace=opne' '-e signal=SIGX' '-S colour' '-o |cat' '-c -ff -o x' -A -w; do
	# shellcheck disable=SC2086
	expect_exit 2 ./strace $refused true
done
expect_exit 2 ./strace
expect_exit 2 "$ASSAY" trace -q --strace true
echo "NOTE: strace and trace --strace agree in $runs runs, $lines lines; of one: $(cat calls.result)"

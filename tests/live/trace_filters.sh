# Filters of `assay trace`, live and on a recording; JSON lines; colours; times.
# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracing system calls needs root"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"
"$ASSAY" trace -o probe true 2>err || fail "trace true: $(cat err)"
! grep -q 'tracing by tracepoints' err || skip "$(cat err)"

head -c 5000 /dev/zero >large
echo small >small
command=(sh -c 'head -c 5000 large >/dev/null; cat small /nonexistent/file; :')
"$ASSAY" trace record -q -o calls.data "${command[@]}" >/dev/null 2>&1 || fail "trace record"
lines_of() { # OPTION…: of the recording
	"$ASSAY" trace -i calls.data "$@" >lines 2>err || fail "$*: $(cat err)"
}
all_match() { # PATTERN WHAT
	[ -s lines ] && ! grep -v -e "$1" lines >others || fail "$2: $(head -3 others lines)"
}
lines_of --comm 'he?d'
all_match ': head/' "--comm"
lines_of --errno ENOENT -P /nonexistent/file
all_match 'openat(dfd: CWD, filename: "/nonexistent/file".*ENOENT' "--errno"
lines_of --min-size 4096
all_match ' = \(4096\|5000\)$' "--min-size"
lines_of --fd 3 -e read,close
all_match '\(read\|close\)(fd: 3' "--fd"
lines_of -P 'sm*l' -e '!newfstatat' # of a recording the directory is not known
all_match 'small' "-P"
lines_of -z
! grep -q ' = -1 ' lines || fail "-z: $(grep ' = -1' lines)"
lines_of -e status=unfinished
all_match 'exit_group(' "-e status="
pid=$("$ASSAY" trace -i calls.data -e execve --comm cat | sed -n 's|.*: cat/\([0-9]*\) .*|\1|p' | head -1)
lines_of -p "$pid"
all_match "/$pid " "-p of a recording"
lines_of -T --sort-events
until=$(awk 'NR == 5 { printf "%.6f", $1 / 1000 + 0.000001 }' lines)
lines_of "--time=0,$until"
[ "$(wc -l <lines)" -eq 5 ] || fail "--time=0,$until: $(wc -l <lines) lines"
lines_of --color always --failure
grep -q "$(printf '\033\[36mopenat\033\[m(.*= \033\[31m-1 ENOENT')" lines || fail "--color: $(head -2 lines)"
expect_exit 1 "$ASSAY" trace -i calls.data --comm nobody
expect_exit 2 "$ASSAY" trace --errno ENOPE true
expect_exit 2 "$ASSAY" trace --fd x true
expect_exit 2 "$ASSAY" trace -e status=good true
expect_exit 2 "$ASSAY" trace --color sometimes true
expect_exit 2 "$ASSAY" trace --json -s true
expect_exit 2 "$ASSAY" trace --time=1,2 true

# ---- live: the path is exact also where only reads are shown ----
"$ASSAY" trace -e read -P '*/small' -o lines cat large small >/dev/null 2>err || fail "-P: $(cat err)"
all_match 'read(fd: 3<.*/small>' "-P and -e read"

# So it is in lines of few calls, of a program that has ended by then.
"$ASSAY" trace -e read -o lines cat small >/dev/null 2>err || fail "-e read: $(cat err)"
all_match ' read(fd: 3<.*libc.so\|/small>\|locale\|gconv' "-e read"
grep -q 'read(fd: 3<.*/small>, .* = 6$' lines || fail "-e read: $(cat lines)"

# Nor may it be that of another file which has the number by then.
mkdir -p first second
cat >again.py <<'EOF'
import os, time
fd = os.open("first", os.O_RDONLY)
try:
    os.read(fd, 1)
except IsADirectoryError:
    pass
os.close(fd)
assert os.open("second", os.O_RDONLY) == fd
time.sleep(0.3)
EOF
for how in --failure '--failure -e read' '-e status=failed' '--strace -y -Z'; do
	# shellcheck disable=SC2086
	"$ASSAY" trace $how -o lines python3 -S again.py 2>err || fail "$how: $(cat err)"
	grep -q ' \?read(\(fd: \)\?[0-9]*<[^>]*/first>.* EISDIR' lines || fail "$how: the path of another file: $(grep EISDIR lines)"
	! grep -v ' = -1 E\|SIG\|+++' lines || fail "$how: calls that did not fail"
done
cat >longer.py <<'EOF'
import os, time
a, b = os.pipe(), os.open("first", os.O_RDONLY)
os.dup2(a[0], 0)
if os.fork() == 0:
    time.sleep(0.1)
    os._exit(os.write(a[1], b"x") - 1)
os.read(0, 1)
os.dup2(b, 0)
time.sleep(0.3)
EOF
"$ASSAY" trace --duration 50 -o lines python3 -S longer.py 2>err || fail "--duration: $(cat err)"
grep -q ' read(fd: 0[,<]' lines || fail "--duration: $(cat lines)"
! grep ' read(fd: 0<[^>]*/first>' lines || fail "--duration: the path of another file"

"$ASSAY" trace record -q -e read -o reads.data cat small >/dev/null 2>&1 && "$ASSAY" trace -i reads.data >lines || fail "record -e read"
all_match ' read(\|SIG\|exit' "record -e read"

# ---- JSON ----
"$ASSAY" trace --json -o calls.json sh -c 'cat small; kill -9 $$' >/dev/null 2>err && fail "killed, but status 0"
python3 - <<'EOF' || fail "JSON: $(head -3 calls.json)"
import json
records = [json.loads(line) for line in open("calls.json")]
calls = [r for r in records if r["event"] == "call"]
opened = next(r for r in calls if r["name"] == "openat" and '"small"' in r["args"][1]["text"])
assert opened["comm"] == "cat" and opened["result"] == 3 and opened["errno"] is None, opened
assert [a["name"] for a in opened["args"]][:2] == ["dfd", "filename"] and int(opened["args"][0]["value"], 16) & 0xFFFFFFFF == 0xFFFFFF9C
assert opened["duration_ns"] > 0 and opened["time_ns"] > 0 and opened["pid"] == opened["tid"]
assert any(r["errno"] == "ENOENT" and r["result"] == -2 for r in calls if "errno" in r)
ends = [r for r in records if r["event"] == "exit"]
assert {"status": 0}.items() <= ends[0].items() and ends[-1]["killed_by"] == "SIGKILL", ends
EOF

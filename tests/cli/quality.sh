# What a recording is worth is said of every recording: on one line of the header, on the very first line where it misleads. Programs with
# known faults: stripped, deleted, without frame pointers, deeper than the kernel records; and one with none.
. "$(dirname "$0")/../lib.sh"
need python3
need strip

has() { # PATTERN FILE
	grep -q -E -- "$1" "$2" || fail "no '$1' in: $(head -c 2000 "$2")"
}
lacks() {
	! grep -q -E -- "$1" "$2" || fail "'$1' in: $(head -c 2000 "$2")"
}
share() { # complete|truncated|broken FILE: in percent, without decimals
	case $1 in
	complete) sed -n -E 's/^# Quality: ([0-9]+)\.[0-9]% of stacks complete.*/\1/p' "$2" ;;
	*) sed -n -E "s/^# Quality: .* ([0-9]+)\.[0-9]% $1[,;].*/\1/p" "$2" ;;
	esac
}

rec() { # FILE OPTIONS… -- COMMAND…
	local f=$1
	shift
	"$ASSAY" record -q -F 2000 -e cpu-clock:u -o "$f" "$@" 2>record.err || fail "record $*: $(cat record.err)"
}
# perf keeps copies of what it recorded below ~/.debug, where they are found by build-id.
export HOME=$TMPDIR
# Copies of their own: what one test strips is not the workload of the next.
cp "$WORKLOADS/seventy_thirty" stripped
strip stripped
cp "$WORKLOADS/seventy_thirty" gone
rec good.data -g -- "$WORKLOADS/seventy_thirty" 1.2
rec stripped.data -g -- ./stripped 0.4
rec gone.data -- ./gone 0.4
rm gone
rec nofp.data -g -- "$WORKLOADS/unwind_nofp" 0.4
rec deep.data -g -- "$WORKLOADS/recurse" 0.4 300
rec dump.data --call-graph dwarf,keep,1024 -- "$WORKLOADS/recurse" 0.4 300

# Nothing wrong: one line, where perf has its own comments, and the first row where it was.
expect_exit 0 "$ASSAY" report --stdio -i good.data >good 2>err
[ ! -s err ] || fail "nothing is missing, and yet: $(cat err)"
[ "$(grep -c '^# Quality' good)" = 1 ] || fail "not one line: $(grep '^# Quality' good)"
has '^# Quality: (99|100)\.[0-9]% of stacks complete, 0\.0% guessed, 0\.0% truncated, [01]\.[0-9]% broken; [01]\.[0-9]% of samples unresolved; 0 lost, 0 throttled$' good
grep -A1 '^# Total Lost Samples' good | tail -1 | grep -q '^# Quality' || fail "not behind perf's own comments: $(head -12 good)"
lacks 'WARNING' good

# The symbol index remembers the whole program by its build-id, which is that of the stripped one, too.
export XDG_CACHE_HOME=$TMPDIR/.fresh

# 95% and more unresolved: the first line says so, which file it is and how to fix it.
for f in stripped gone; do
	expect_exit 0 "$ASSAY" report --stdio -i $f.data >out 2>err
	head -1 out | grep -q -E "^# WARNING: (9[0-9]|100)% of samples are unresolved, in .*/$f.*: [a-z]" || fail "$f: the first line is: $(head -1 out)"
	[ ! -s err ] || fail "said twice: $(cat err)"
	"$ASSAY" report --stdio --header -i $f.data | head -1 | grep -q '^# WARNING: ' || fail "$f: not in front of the header"
	"$ASSAY" report --header-only -i $f.data | head -1 | grep -q '^# WARNING: ' || fail "$f: not in front of the header alone"
	"$ASSAY" script --header -i $f.data 2>err | tail -1 | grep -q '^# Quality: .*unresolved' || fail "$f: not behind the records"
	has '^assay: WARNING: .*unresolved' err
	expect_exit 0 "$ASSAY" script -i $f.data >out 2>err
	head -1 err | grep -q "^assay: WARNING: .*% of samples are unresolved, in .*/$f" || fail "script of $f says: $(cat err)"
	lacks '^#' out
done
# The fix is for the file as it is now: one that is gone, or was replaced, is not to be rebuilt.
"$ASSAY" report --stdio -i stripped.data | head -1 | grep -q 'without stripping it' || fail "stripped: $("$ASSAY" report -i stripped.data | head -1)"
"$ASSAY" report --stdio -i gone.data | head -1 | grep -q 'gone from its place' || fail "gone: $("$ASSAY" report -i gone.data | head -1)"
if command -v cc >/dev/null; then
	echo 'int main(void) { for (volatile int i = 0; i < 200000000; i++) ; return 0; }' >changed.c
	cc -O1 -Wl,--build-id=none changed.c -o changed
	rec changed.data -- ./changed
	echo 'int other(void) { return 1; } int main(void) { return other(); }' >changed.c
	cc -O1 -Wl,--build-id=none changed.c -o changed
	"$ASSAY" report --stdio -i changed.data >out 2>err
	head -1 out | grep -q 'WARNING: .*/changed.*record again: ' || fail "changed: $(head -3 out)"
	lacks 'strip' out
fi
has 'stacks not recorded' <("$ASSAY" report -i gone.data)
"$ASSAY" report -q -i gone.data >out 2>err
lacks '^#' out
[ ! -s err ] || fail "-q: $(cat err)"

# Stacks
"$ASSAY" report --stdio -i nofp.data >out
[ "$(share broken out)" -ge 50 ] || fail "without frame pointers: $(grep '^# Quality' out)"
head -1 out | grep -q -E '^# WARNING: [0-9]+% of stacks are incomplete .*--call-graph dwarf' || fail "$(head -1 out)"
"$ASSAY" report --stdio -i deep.data >out
[ "$(share truncated out)" -ge 90 ] || fail "127 of 300 frames: $(grep '^# Quality' out)"
has '^# WARNING: .* sysctl kernel.perf_event_max_stack=1024' out
"$ASSAY" report --stdio --max-stack 1000 -i dump.data >out
[ "$(share truncated out)" -ge 90 ] || fail "a kilobyte of stack: $(grep '^# Quality' out)"
has '^# WARNING: .* record with --call-graph dwarf,65528' out
"$ASSAY" report --stdio --max-stack 10 -i dump.data >out
has '^# WARNING: .*--max-stack 65535 shows all' out

# The header of a file, a pipe's, and documents.
"$ASSAY" report --header-only -i good.data >out
tail -3 out | head -1 | grep -q '^# Quality: ' || fail "not the last line of the header: $(tail -4 out)"
"$ASSAY" script --header -i good.data 2>err >out
tail -1 out | grep -q '^# Quality: ' || fail "not behind the samples: $(tail -1 out)"
# A sample or two may be in code without a name.
! grep -v 'of frames without names in \[unknown\]$' err || fail "script --header: $(cat err)"
# It is known when all samples were read; that happens once.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	for command in "script --header" "script --header-only" "report --stdio --header-only"; do
		strace -f -e trace=openat -o calls "$ASSAY" $command -i good.data >/dev/null 2>&1 || true # leak checkers fail under strace
		# Once to see what it is, once to read it.
		[ "$(grep -c good.data calls)" -le 2 ] || fail "$command opens the recording more than once: $(grep good.data calls)"
	done
fi
rec - -g -- ./stripped 0.4 >pipe.data
expect_exit 0 "$ASSAY" script --header -i - <pipe.data >out 2>err
has '^assay: WARNING: .*unresolved' err
tail -1 out | grep -q '^# Quality: ' || fail "a pipe: not behind the samples: $(tail -1 out)"
expect_exit 0 "$ASSAY" report --stdio -i - <pipe.data >out 2>err
head -1 out | grep -q '^# WARNING: .*unresolved' || fail "of a pipe the first line is: $(head -1 out)"
[ ! -s err ] || fail "said twice: $(cat err)"
"$ASSAY" report --header-only -i - <pipe.data >out 2>err
has '^# Quality: ' out

for command in report script; do
	"$ASSAY" $command --json -i stripped.data >out.json 2>err || fail "$command --json"
	[ ! -s err ] || fail "$command --json: said twice: $(cat err)"
	python3 - <<-'PY' || fail "$command --json"
		import json
		q = json.load(open("out.json"))["quality"]
		assert q["unresolved"]["percent"] >= 90 and q["unresolved"]["samples"] <= q["samples"], q
		s = q["stacks"]
		assert s["recorded"] == q["samples"] == s["complete"] + s["guessed"] + s["truncated"] + s["broken"], q
		worst = q["modules"][0]
		assert worst["path"].endswith("/stripped") and worst["samples"] == q["unresolved"]["samples"] and worst["remedy"], q
		assert len(q["warnings"]) == 1 and "unresolved" in q["warnings"][0], q
	PY
done

# Red on a terminal, and nowhere else.
cat >terminal.py <<-'PY'
	import os, pty, subprocess, sys
	env = dict(os.environ, TERM="xterm")
	env.pop("NO_COLOR", None)
	ours, theirs = pty.openpty()
	process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=theirs, env=env)
	os.close(theirs)
	print(os.read(ours, 80).decode().split("\n")[0])
	while True:
	    try:
	        if not os.read(ours, 65536):
	            break
	    except OSError:
	        break
	process.wait()
PY
python3 terminal.py "$ASSAY" report --stdio -i stripped.data >out
head -1 out | grep -q $'^\033\\[1;31m# WARNING' || fail "not red: $(head -1 out | cat -v)"
echo "NOTE: complete of the good one $(share complete good)%"

# Exit codes and the one sentence on stderr; what fails leaves an older file alone.
. "$(dirname "$0")/../lib.sh"

# fails CODE PATTERN COMMAND…
fails() {
	local want=$1 pattern=$2 got=0
	shift 2
	"$@" 2>err >/dev/null || got=$?
	[ "$got" -eq "$want" ] || fail "exit status $got instead of $want: $* ($(cat err))"
	grep -q -E -- "$pattern" err || fail "$*: the message has no '$pattern': $(cat err)"
	[ "$(grep -c '^assay: ' err)" -le 2 ] || fail "more than a sentence: $(cat err)"
}

rec() {
	"$ASSAY" record -q "$@"
}

# the workload's status
expect_exit 0 rec -o a.data true
expect_exit 3 rec -o a.data sh -c 'exit 3'
expect_exit 137 rec -o a.data sh -c 'kill -9 $$'
expect_exit 7 rec -o a.data -a -- sh -c 'exit 7'

# a workload that cannot be started
echo precious >perf.data
cp perf.data perf.data.old
fails 127 '^assay: ./nope: No such file or directory$' "$ASSAY" record ./nope
fails 127 'nope: No such file' "$ASSAY" record -a -- ./nope
echo text >not-runnable
fails 126 'not-runnable: Permission denied' "$ASSAY" record ./not-runnable
[ "$(cat perf.data perf.data.old)" = "precious
precious" ] || fail "an older file was touched"
[ "$(echo perf.data*)" = "perf.data perf.data.old" ] || fail "files are left over: $(echo perf.data*)"

# targets that are not there
fails 1 'no process 4194303' "$ASSAY" record -o b.data -p 4194303
fails 1 'no thread 4194303' "$ASSAY" record -o b.data -t 4194303
fails 1 "no user 'nobody-of-this-name'" "$ASSAY" record -o b.data -u nobody-of-this-name
fails 1 '9999' "$ASSAY" record -o b.data -C 9999 true
fails 1 'no-such-event' "$ASSAY" record -o b.data -e no-such-event true
fails 1 'directory' "$ASSAY" record -o /nonexistent-dir/x true
[ ! -e b.data ] || fail "a failed recording left a file"

# usage
fails 2 'did you mean' "$ASSAY" record --call-grpah fp true
fails 2 "not '65529'" "$ASSAY" record --call-graph dwarf,65529 true
fails 2 "not '0'" "$ASSAY" record --call-graph dwarf,0 true
fails 2 "not 'all'" "$ASSAY" record --call-graph dwarf,8192,all true
fails 2 "not 'lbr,1'" "$ASSAY" record --call-graph lbr,1 true
fails 1 'call-graph dwarf' "$ASSAY" record -o d.data -e cpu-clock --call-graph lbr true
[ ! -e d.data ] || fail "a failed recording left a file"
fails 2 'exclude' "$ASSAY" record -F 100 -c 100 true
fails 2 'exclude' "$ASSAY" record --all-user --all-kernel true
fails 2 "'0'" "$ASSAY" record -F 0 true
fails 2 'AUX' "$ASSAY" record -S true
fails 2 'clock' "$ASSAY" record -k sundial true
fails 2 "not '5x'" "$ASSAY" record --switch-output=5x true
fails 2 "not '10'" "$ASSAY" record --max-size=10 true
fails 2 "not 'soon'" "$ASSAY" record -D soon true
fails 2 'column' "$ASSAY" record -p 1,x true

# rates above the kernel's
max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
fails 1 "$max" "$ASSAY" record -o c.data -F $((max + 1)) --strict-freq true
"$ASSAY" record -o c.data -F $((max + 1)) true 2>err
grep -q "lowered from $((max + 1))" err || fail "a lowered rate is not reported: $(cat err)"

# symbolic links are not written through
ln -s target-that-is-not dangling
fails 1 'symbolic link' "$ASSAY" record -o dangling true
[ ! -e target-that-is-not ] || fail "wrote through a dangling link"

# the older file cannot be moved away: recorded all the same, under another name
if [ "$(id -u)" -eq 0 ]; then
	mkdir stuck
	(
		cd stuck || exit
		echo precious >perf.data
		mkdir -p perf.data.old/full
		expect_exit 3 "$ASSAY" record sh -c 'exit 3' 2>err
		grep -q 'recording into perf.data\.......' err || fail "nothing is said of the name: $(cat err)"
		name=$(sed -n 's/.*recording into \(perf.data\.......\).*/\1/p' err)
		[ -s "$name" ] || fail "$name is not there"
		"$ASSAY" script -i "$name" >/dev/null || fail "$name cannot be read"
		grep -q "wrote .* $name" err || fail "the summary names another file: $(cat err)"
		[ "$(cat perf.data)" = precious ] || fail "the older file was touched"
	)
fi

# a directory of PATH that may not be searched is no command that may not be executed
mkdir -p closed
if command -v setpriv >/dev/null && [ "$(id -u)" -eq 0 ]; then
	let_others_run
	chmod 700 closed && chmod 777 .
	fails 127 'nosuchcmd: No such file' setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
		env PATH="$PWD/closed:/usr/bin:/bin" "$ASSAY" record -o nobody.data -e cpu-clock:u nosuchcmd
	chmod 755 .
fi

# without privileges
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 . && mkdir -p open && chmod 777 open
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ]; then
		fails 1 'perf_event_paranoid|CAP_PERFMON' setpriv --reuid 65534 --clear-groups \
			--inh-caps=-all --bounding-set=-all "$ASSAY" record -o open/u.data -a -- true
		fails 1 "'cycles:P'" setpriv --reuid 65534 --clear-groups \
			--inh-caps=-all --bounding-set=-all "$ASSAY" record -o open/u.data --all-kernel true
		# one's own processes, without the kernel
		setpriv --reuid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
			"$ASSAY" record -o open/own.data "$WORKLOADS/burn" 0.3 2>err || fail "as nobody: $(cat err)"
		grep -q 'user code only' err || fail "nothing is said of the kernel: $(cat err)"
		[ "$("$ASSAY" script -f -i open/own.data -F comm,ip,sym | grep -c burn)" -gt 100 ] ||
			fail "no samples as nobody: $(cat err)"
		"$ASSAY" evlist -f -v -i open/own.data | grep -q 'exclude_kernel: 1' || fail "the kernel is not excluded"
	fi
fi

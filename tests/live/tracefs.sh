# tracefs is mounted where it is missing and may be, silently, and only when it is needed; where it may not, the message has the command.
# Globs of events, and --exclude-perf.
. "$(dirname "$0")/../lib.sh"

tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null ||
	skip "tracefs is not mounted on $tracing, and cannot be"
[ -r $tracing/events/sched/sched_switch/format ] || skip "only root may read tracepoints here"
unshare -m true 2>/dev/null || skip "no mount namespace of our own"

# Inside of a mount namespace, without tracefs: no other program sees it.
without() { # SHELL
	unshare -m sh -c "while umount /sys/kernel/debug/tracing 2>/dev/null || umount $tracing 2>/dev/null; do :; done
		[ ! -d $tracing/events ] || { echo still there; exit 99; }
		$1"
}
without true || skip "tracefs cannot be unmounted here: $(without true 2>&1)"
without "'$ASSAY' record -q -o new.data -e sched:sched_process_exec -- true && [ -d $tracing/events ]" >out 2>&1 ||
	fail "tracefs was not mounted: $(cat out)"
[ ! -s out ] || fail "mounting it is nothing to talk about: $(cat out)"
[ "$("$ASSAY" script -i new.data | wc -l)" -eq 1 ] || fail "no sample of a tracepoint"
without "'$ASSAY' record -q -o new.data -- true && '$ASSAY' report -i new.data >/dev/null 2>&1; [ ! -d $tracing/events ]" ||
	fail "tracefs was mounted for nothing"
without "'$ASSAY' doctor; [ ! -d $tracing/events ]" >out 2>&1 || fail "doctor mounted it"
grep -q 'tracefs .*not mounted' out && grep -q "mount -t tracefs nodev $tracing" out || fail "doctor does not say that it is missing: $(cat out)"
if command -v setpriv >/dev/null; then
	without "setpriv --bounding-set -sys_admin '$ASSAY' record -q -o no.data -e sched:sched_switch -- true" >out 2>&1 &&
		fail "tracepoints without tracefs"
	grep -q "'sudo mount -t tracefs nodev $tracing'" out || fail "no command that mounts it: $(cat out)"
fi

"$ASSAY" record -q -o glob.data -e 'sched:sched_process_*' -e '*:sched_sw*' -e 'syscalls:sys_enter_op*' -- true
"$ASSAY" evlist -i glob.data >events
grep -q '^sched:sched_process_fork' events && grep -q '^sched:sched_switch' events && grep -q '^syscalls:sys_enter_openat$' events ||
	fail "globs: $(cat events)"
refused() { # EVENT PATTERN
	"$ASSAY" record -q -o bad.data -e "$1" -- true 2>err && fail "taken: $1"
	grep -q "$2" err || fail "$1: no '$2': $(cat err)"
}
refused 'shced:*' "no tracepoint of this kernel matches 'shced:\*'; did you mean the system 'sched'?"
refused 'sched:sched_swich*' "did you mean 'sched:sched_switch'?"
refused 'sched:x*' "no tracepoint of this kernel matches 'sched:x\*'; 'assay list"

# Of the recorder itself, under a name of its own, as others may record too, nothing is left.
ln -s "$ASSAY" own-recorder
own() { # OPTIONS…
	./own-recorder record -q -a -o own.data -e raw_syscalls:sys_enter "$@" -- sleep 1
	"$ASSAY" script -i own.data -F comm 2>/dev/null | grep -c '^ *own-recorder *$' || true
}
with=$(own) without=$(own --exclude-perf)
[ "$with" -ge 10 ] || fail "the recorder made $with system calls without --exclude-perf"
[ "$without" -eq 0 ] || fail "--exclude-perf left $without of $with system calls of the recorder"
echo "$without of $with system calls of the recorder with --exclude-perf"
"$ASSAY" record -q -o bad.data -e cpu-clock --exclude-perf -- true 2>err && fail "--exclude-perf without a tracepoint"
grep -q 'cpu-clock.*no tracepoint' err || fail "$(cat err)"

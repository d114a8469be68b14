# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# script of each tracepoint that fires, system by system, beside perf's: byte by byte, on recordings of both recorders. The log lists the
# events that fired.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
here=$(dirname "$(realpath "$0")")

tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null ||
	skip "tracefs is not mounted on $tracing, and cannot be"
[ -r $tracing/events/sched/sched_switch/format ] || skip "only root may read tracepoints here"

# To open an event takes up to 0.1 s on a loaded machine: of the system calls those that the program makes.
calls="brk bind kill mmap read close fcntl fsync futex ioctl lseek mkdir wait4 write execve openat rename sendto socket accept4 connect
mprotect newfstatat setitimer exit_group rt_sigaction clock_nanosleep"
for call in $calls; do
	for e in sys_enter_$call sys_exit_$call; do
		[ ! -r $tracing/events/syscalls/$e/format ] || calls_events="${calls_events-}${calls_events:+,}syscalls:$e"
	done
done

globs() { # SYSTEM…: those that this kernel has
	local s list=
	for s; do
		[ ! -d $tracing/events/"$s" ] || list="$list${list:+,}$s:*"
	done
	echo "$list"
}

# perf 6.1 knows no precedence of & over |: its timer_start claims the flags D, P and I for every timer.
without_wrong_flags() { sed -i '/ timer:timer_start: /s/ flags=[DPIM|]*$//' "$@"; }
# Processes of others may have any name: perf prints control characters as they are. Such lines are left out of both.
without_control_characters() { # TEXT OF_PERF >TEXT
	LC_ALL=C awk 'NR == FNR { if (/[^ -~\t]/) bad[FNR]; next } !(FNR in bad)' "$2" "$1"
}

compare() { # FILE
	"$PERF" script -i "$1" >perf.txt 2>perf.err || fail "perf script of $1: $(cat perf.err)"
	"$ASSAY" script -i "$1" >ours.txt 2>ours.err || fail "script of $1: $(cat ours.err)"
	[ -s perf.txt ] || fail "perf shows nothing of $1"
	if ! cmp -s perf.txt ours.txt; then
		without_control_characters ours.txt perf.txt >ours.plain
		without_control_characters perf.txt perf.txt >perf.plain
		without_wrong_flags ours.plain perf.plain
		cmp -s perf.plain ours.plain || {
			diff perf.plain ours.plain | head -20 >&2
			fail "script of $1 differs from perf's"
		}
	fi
	sed -n 's/^.\{16\}.*[0-9]: *\([a-z_0-9]*:[a-zA-Z_0-9]*\): .*/\1/p' ours.txt | sort | uniq -c >>met
}

# What happens outside of the program is recorded too, where it is not much.
for recorder in perf assay; do
	for part in all program calls; do
		case $part in
		all) set -- -a -e "$(globs sched block irq timer workqueue signal net)" ;;
		program) set -- -e "$(globs kmem exceptions)" ;;
		calls) set -- -e "$calls_events" ;;
		esac
		mkdir -p files
		# perf 6.1 rejects the record of a BPF program of others whose name it does not find.
		set -- --no-bpf-event -m 1M "$@" -o $recorder-$part.data -- python3 "$here/tracepoints_work.py" files
		if [ $recorder = perf ]; then
			perf_record "$@"
		else
			"$ASSAY" record -q "$@" >/dev/null 2>record.err || fail "record $*: $(cat record.err)"
		fi
		compare $recorder-$part.data
	done
done

# As many that threads print them; perf loses some on a busy machine.
perf_record -m 1M -e 'raw_syscalls:*' -o many.data -- dd if=/dev/zero of=/dev/null bs=1 count=10000
compare many.data
[ "$(wc -l <ours.txt)" -gt 20000 ] || fail "only $(wc -l <ours.txt) lines of system calls"

awk '{ nr[$2] += $1 } END { for (e in nr) print e, nr[e] }' met | sort >events
for system in sched block irq timer workqueue signal net kmem exceptions syscalls; do
	[ ! -d $tracing/events/$system ] && continue
	grep "^$system:" events | paste -sd " " -
	grep -q "^$system:" events || [ $system = block ] || fail "no event of $system fired"
done
nr=$(wc -l <events)
[ "$nr" -ge 60 ] || fail "only $nr events fired"
echo "$nr events"

# only recorder: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# Fields of tracepoints beside perf's, on recordings of both recorders: byte by byte.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null ||
	skip "tracefs is not mounted on $tracing, and cannot be"
[ -r $tracing/events/sched/sched_switch/format ] || skip "only root may read tracepoints here"

# Of each shape: texts and flags, hex, symbols, names for numbers, dynamic strings, constant strings of the kernel.
events=
for e in sched:sched_switch sched:sched_wakeup sched:sched_process_exec sched:sched_process_fork syscalls:sys_enter_read \
	syscalls:sys_exit_read syscalls:sys_enter_openat raw_syscalls:sys_enter irq:softirq_entry kmem:kmalloc kmem:kfree \
	kmem:mm_page_alloc timer:timer_start timer:hrtimer_start workqueue:workqueue_queue_work workqueue:workqueue_execute_start \
	rcu:rcu_utilization signal:signal_generate block:block_rq_issue block:block_rq_complete block:block_bio_queue \
	task:task_newtask filemap:mm_filemap_add_to_page_cache mmap:vm_unmapped_area exceptions:page_fault_user skb:kfree_skb \
	net:net_dev_queue sock:inet_sock_set_state cgroup:cgroup_attach_task; do
	[ -r "$tracing/events/${e%%:*}/${e#*:}/format" ] && events="$events${events:+,}$e"
done
first=sched:sched_switch,syscalls:sys_enter_read,syscalls:sys_exit_read
work='dd if=/dev/zero of=file bs=64k count=20 conv=fsync 2>/dev/null; cat /etc/passwd >/dev/null; sleep 0.1; kill -0 $$; ls >/dev/null'

# perf 6.1 knows no precedence of & over |: its timer_start claims the flags D, P and I for every timer (the kernel's own text, in
# $tracing/trace, does not).
without_wrong_flags() {
	sed '/ timer:timer_start: /s/ flags=[DPIM|]*$//' "$1" >"$1.fair"
}
# Processes of others may have any name: perf prints control characters as they are. Such lines are left out of both.
without_control_characters() { # TEXT OF_PERF >TEXT
	LC_ALL=C awk 'NR == FNR { if (/[^ -~\t]/) bad[FNR]; next } !(FNR in bad)' "$2" "$1"
}

compare() { # FILE OPTIONS…
	local f=$1
	shift
	"$PERF" script --no-inline -i "$f" "$@" >perf.txt 2>perf.err || fail "perf script $* of $f: $(cat perf.err)"
	"$ASSAY" script --no-inline -i "$f" "$@" >ours.txt 2>ours.err || fail "script $* of $f: $(cat ours.err)"
	[ -s perf.txt ] || fail "perf shows nothing of $f"
	without_control_characters ours.txt perf.txt >ours.plain
	without_control_characters perf.txt perf.txt >perf.plain
	for side in perf ours; do
		mv $side.plain $side.txt
		without_wrong_flags $side.txt
	done
	cmp -s perf.txt.fair ours.txt.fair && return
	python3 "$TOOLS/same_but_plt.py" perf.txt.fair ours.txt.fair || {
		diff perf.txt.fair ours.txt.fair | head -20 >&2
		fail "script $* of $f differs from perf's"
	}
}

for recorder in perf assay; do
	if [ $recorder = perf ]; then
		perf_record -a -e "$events" -o perf.data -- sh -c "$work"
	else
		"$ASSAY" record -q -a -e "$events" -o assay.data -- sh -c "$work" >/dev/null 2>record.err || fail "record failed: $(cat record.err)"
	fi
	if [ $recorder = perf ]; then
		perf_record -g -e "$first" -o perf-g.data -- sh -c "$work"
		perf_record_to perf-pipe.data -e "$first" -o - -- sh -c "$work"
	else
		"$ASSAY" record -q -g -e "$first" -o assay-g.data -- sh -c "$work" >/dev/null 2>record.err ||
			fail "record -g failed: $(cat record.err)"
		"$ASSAY" record -q -e "$first" -o - -- sh -c "$work" >assay-pipe.data 2>record.err || fail "record -o - failed: $(cat record.err)"
	fi
	compare $recorder.data
	compare $recorder.data -F comm,event,trace
	compare $recorder-g.data
	"$PERF" script --no-inline -i - <$recorder-pipe.data >perf.txt 2>/dev/null
	"$ASSAY" script --no-inline -i - <$recorder-pipe.data >ours.txt
	[ -s perf.txt ] || fail "perf shows nothing of $recorder's pipe"
	expect_same_script perf.txt ours.txt "script of $recorder's pipe"
done
"$ASSAY" script -i perf.data | grep -q 'prev_comm=.* ==> next_comm=' || fail "no fields of sched_switch"
echo "$("$ASSAY" script -i assay.data -F event -G 2>/dev/null | sort -u | wc -l) of $(echo "$events" | tr , '\n' | wc -l) events were met"

# Fields of tracepoints as columns and sort keys beside perf's: same columns, same rows, on recordings of both recorders.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null ||
	skip "tracefs is not mounted on $tracing, and cannot be"
[ -r $tracing/events/sched/sched_switch/format ] || skip "only root may read tracepoints here"

# Of each shape: texts and flags, symbols, names for numbers, dynamic strings, values that other fields are part of.
events=
for e in sched:sched_switch sched:sched_wakeup sched:sched_process_exec sched:sched_process_fork \
	raw_syscalls:sys_exit syscalls:sys_enter_openat irq:softirq_entry kmem:kmalloc kmem:mm_page_alloc timer:hrtimer_start \
	workqueue:workqueue_execute_start signal:signal_generate block:block_rq_issue block:block_bio_queue task:task_newtask \
	exceptions:page_fault_user; do
	[ -r "$tracing/events/${e%%:*}/${e#*:}/format" ] && events="$events${events:+,}$e"
done
work='dd if=/dev/zero of=file bs=64k count=3 conv=fsync 2>/dev/null; sleep 0.05; ls >/dev/null; true & kill $!; wait'

# perf cuts cells to the width of their headings, unless it is asked for more. Beyond its line buffer it prints what the row before left
# there: one wide column, or many narrower ones.
widths_of() { # KEYS
	case $1 in
	trace) echo 8,8,300 ;;
	*,trace) echo 8,8,60,60,300 ;;
	*trace_fields* | *'*') echo "8,8$(printf ',60%.0s' $(seq 30))" ;;
	*) echo 8,8,150,150,150 ;;
	esac
}
nr=0
compare() { # FILE KEYS OPTIONS…
	local f=$1 keys=$2
	shift 2
	"$PERF" report --stdio --no-inline -n -w "$(widths_of "$keys")" -t @ -i "$f" -s "$keys" "$@" >perf.txt 2>perf.err </dev/null ||
		fail "perf report -s $keys of $f: $(cat perf.err)"
	"$ASSAY" report -n -t @ -i "$f" -s "$keys" "$@" >ours.txt 2>ours.err || fail "report -s $keys of $f: $(cat ours.err)"
	python3 "$(dirname "$0")/field_rows.py" perf.txt ours.txt @ >compared.txt || {
		head -20 compared.txt >&2
		fail "report -s $keys of $f differs from perf's"
	}
	echo "$f -s $keys: $(tail -1 compared.txt)"
	nr=$((nr + 1))
}

compare_default() { # FILE OPTIONS…
	local f=$1
	shift
	"$PERF" report --stdio --no-inline -n -w "$(case "$*" in *raw*) widths_of trace_fields ;; *+period) echo 8,8,20,300 ;; *) echo 8,8,300,60 ;; esac)" -t @ -i "$f" "$@" >perf.txt 2>perf.err </dev/null || fail "perf report of $f: $(cat perf.err)"
	"$ASSAY" report --bare-addresses -n -t @ -i "$f" "$@" >ours.txt 2>ours.err || fail "report $* of $f: $(cat ours.err)"
	python3 "$(dirname "$0")/field_rows.py" perf.txt ours.txt @ >compared.txt || {
		head -20 compared.txt >&2
		fail "report $* of $f differs from perf's"
	}
	echo "$f $*: $(tail -1 compared.txt)"
	nr=$((nr + 1))
}

# Switches name other programs, too. perf prints the line breaks in the names that some tests give to theirs.
with_plain_names() { # FILE COMMAND…
	local f=$1 try
	shift
	for try in $(seq 30); do
		"$@" >/dev/null 2>record.err || fail "record failed: $(cat record.err)"
		"$ASSAY" script -F comm,trace -i "$f" 2>/dev/null >names
		grep -q '\\[nt]\|\\x' names || return 0
		sleep 0.2
	done
	fail "programs beside this test have line breaks in their names"
}

for recorder in perf assay; do
	if [ $recorder = perf ]; then
		with_plain_names perf.data perf_record -e "$events" -o perf.data -- sh -c "$work"
	else
		with_plain_names assay.data "$ASSAY" record -q -e "$events" -o assay.data -- sh -c "$work"
	fi
	for keys in trace_fields trace_fields/raw trace comm,prev_state prev_state/raw,comm sched:sched_switch.prev_state \
		sched_switch.prev_comm 'sched_switch.*' dev,nr_sector switch.next_pid %1.prev_pid sched_wakeup.comm,comm gfp_flags,comm; do
		compare $recorder.data "$keys"
	done
	compare $recorder.data trace_fields --raw-trace
	# Without keys, rows are by text, and with others added to it.
	compare_default $recorder.data
	compare_default $recorder.data --raw-trace
	compare_default $recorder.data -s +comm
	compare_default $recorder.data -F +period
done
"$ASSAY" report -i perf.data -s comm,prev_state | grep -qE '%  sh +[SDRTZI]' || fail "no states of tasks"

# Others than tracepoints have no fields, and no text. In a shell that is stripped, samples have addresses that only we give a function.
with_plain_names mixed.data perf_record -e cpu-clock -e sched:sched_switch -o mixed.data -- "$WORKLOADS/mixed" 0.2
compare mixed.data comm,prev_state,trace
compare mixed.data trace_fields
compare_default mixed.data
# A pipe's events are not known when keys are chosen.
perf_record_to pipe.data -e raw_syscalls:sys_enter -o - -- true
"$PERF" report --stdio -t @ -i - <pipe.data 2>/dev/null | grep '@' | sed 's/ *$//' >perf.txt
"$ASSAY" report -t @ -i - <pipe.data 2>/dev/null | grep '@' | sed 's/ *$//' >ours.txt
[ -s perf.txt ] && diff perf.txt ours.txt || fail "report of a pipe differs from perf's"
echo "$nr reports compared"

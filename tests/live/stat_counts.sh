# What stat counts is what the program did: page faults, context switches, system calls, threads.
. "$(dirname "$0")/../lib.sh"

# count EVENT OPTIONS…: the number before the event's name
count() {
	local event=$1
	shift
	"$ASSAY" stat --no-big-num -e "$event" "$@" 2>out >/dev/null || fail "stat -e $event $*: $(cat out)"
	awk -v e="${event%%,*}" '$2 == e { print $1; found = 1 } END { exit !found }' out ||
		fail "no count of $event: $(cat out)"
}
between() {
	[ "$2" -ge "$1" ] && [ "$2" -le "$3" ] || fail "$4: $2 is not between $1 and $3"
}
counted=$WORKLOADS/counted

a=$(count page-faults "$counted" faults 1000)
b=$(count page-faults "$counted" faults 31000)
between 29990 $((b - a)) 30010 "30000 pages touched"
a=$(count page-faults:u "$counted" faults 1000)
b=$(count page-faults:u "$counted" faults 31000)
between 29990 $((b - a)) 30010 "30000 pages touched, :u"
b=$(count page-faults:k "$counted" faults 31000)
between 0 $b 1000 "pages touched by the kernel"

# each sleep is a switch; load adds some
between 300 "$(count context-switches "$counted" switches 300)" 600 "300 sleeps"

tp=syscalls:sys_enter_getppid
if "$ASSAY" stat -e $tp true 2>/dev/null; then
	[ "$(count $tp "$counted" calls 12345)" -eq 12345 ] || fail "12345 calls: $(cat out)"
	[ "$(count $tp "$counted" threads 20)" -eq 2000 ] || fail "20 threads with 100 calls: $(cat out)"
	[ "$(count $tp -i "$counted" threads 20)" -eq 0 ] || fail "-i counts threads: $(cat out)"
	[ "$(count $tp "$counted" calls 0)" -eq 0 ] || fail "0 calls: $(cat out)"
	# all of one group have the same times, and values of their own
	"$ASSAY" stat --no-big-num -e "{$tp,page-faults,context-switches}" "$counted" calls 777 2>out
	grep -q " 777 *$tp" out || fail "in a group: $(cat out)"
	"$ASSAY" stat --no-big-num -e "{page-faults,$tp}" "$counted" threads 20 2>out
	grep -q " 2000 *$tp" out || fail "threads in a group: $(cat out)"
	# whole CPUs; other programs call it rarely
	between 50000 "$(count $tp -a "$counted" calls 50000)" 50500 "-a"
	n=0
	for c in $("$ASSAY" stat --no-big-num -a -A -e $tp "$counted" calls 50000 2>&1 | awk '/^CPU/ { print $2 }'); do
		n=$((n + c))
	done
	between 50000 $n 50500 "the sum of -A"
	# filters
	tp=syscalls:sys_enter_write
	dd='dd if=/dev/zero of=/dev/null bs=100 count=50 status=none'
	[ "$(count $tp --filter 'count == 100' $dd)" -eq 50 ] || fail "filter: $(cat out)"
	[ "$(count $tp --filter 'count == 101' $dd)" -eq 0 ] || fail "filter for none: $(cat out)"
fi

# a cgroup
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$root" ] && mkdir "$root/assay-stat-$$" 2>/dev/null; then
	"$ASSAY" stat --no-big-num -a -e context-switches -G assay-stat-$$ \
		sh -c "echo \$\$ >'$root/assay-stat-$$/cgroup.procs'; exec '$counted' switches 200" 2>out || true
	rmdir "$root/assay-stat-$$"
	between 200 "$(awk '/context-switches/ { print $1 }' out)" 300 "200 switches in a cgroup"
fi

# a process that runs already, while another command lasts, and until it ends
"$counted" switches 100000 &
pid=$!
sleep 0.1
between 50 "$(count context-switches -p $pid sleep 0.5)" 5000 "-p for half a second"
between 50 "$(count context-switches -t $pid sleep 0.5)" 5000 "-t for half a second"
between 50 "$(count context-switches -p $pid --timeout 500)" 5000 "-p --timeout"
(sleep 0.5; kill $pid) &
between 50 "$(count context-switches -p $pid)" 5000 "-p until it ends"
wait 2>/dev/null || true

# times: a busy second is a second of task-clock, and its elapsed, user and system time fit
"$ASSAY" stat --no-big-num -e task-clock,user_time,system_time,duration_time \
	sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' 2>out
awk '/task-clock/ { clock = $1 / 1000 }
     / user_time/ { u = $1 / 1e9 } / system_time/ { s = $1 / 1e9 } / duration_time/ { d = $1 / 1e9 }
     /seconds user/ { user = $1 } /seconds sys/ { sys = $1 } /time elapsed/ { elapsed = $1 }
     function off(a, b, by) { return a - b > by || b - a > by }
     END { exit off(clock, user + sys, 0.1) || clock > elapsed + 0.01 || off(user, u, 1e-6) || off(sys, s, 1e-6) ||
	off(d, elapsed, 1e-6) }' out || fail "times do not fit: $(cat out)"

# -D: what happens before does not count
a=$(count page-faults -D 300 sh -c "'$counted' faults 5000; sleep 0.6; '$counted' faults 1000")
between 1000 "$a" 2500 "after -D 300"
# -n: no events
"$ASSAY" stat -n true 2>out
grep -q elapsed out && ! grep -q page-faults out || fail "-n: $(cat out)"
# --pre and --post, for each run
"$ASSAY" stat -r 3 --pre 'echo "a  b"' --post 'echo post' -e page-faults true 2>out >hooks
[ "$(sort hooks | uniq -c | tr -s ' ' | tr '\n' ';')" = " 3 a b; 3 post;" ] || fail "hooks: $(cat hooks)"

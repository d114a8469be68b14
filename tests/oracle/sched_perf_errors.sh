# What perf sched gets wrong: the list of assay-sched(1) with the proof of each entry, on recordings whose truth is known (tools/make_sched.py says
# what each has). An entry that this version of perf no longer shows has to leave the list.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
version=$("$PERF" --version | sed -E 's/^perf version ([0-9]+\.[0-9]+).*/\1/')
case $version in 6.1 | 7.2) ;; *) skip "the list is of perf 6.1 and 7.2, and this is $version" ;; esac
nr=0

# error VERSIONS KIND COMMAND… -- WRONG RIGHT: in these versions perf prints a line with WRONG (an extended regular expression; spaces are any
# number of them) where assay prints RIGHT, and no line with the other's.
error() {
	local versions=$1 kind=$2 words=()
	shift 2
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	local wrong=$2 right=$3
	[ -e "$kind.data" ] || python3 "$TOOLS/make_sched.py" "$kind" "$kind.data"
	"$ASSAY" sched "${words[@]}" -i "$kind.data" 2>err | sed -E 's/ +/ /g; s/ $//' >ours.txt || fail "${words[*]}: $(cat err)"
	grep -Eq -- "$right" ours.txt || fail "$kind, ${words[*]}: no '$right': $(cat ours.txt)"
	! grep -Eq -- "$wrong" ours.txt || fail "$kind, ${words[*]}: '$wrong', as perf says: $(cat ours.txt)"
	case " $versions " in *" $version "*) ;; *) return 0 ;; esac
	"$PERF" sched -i "$kind.data" "${words[@]}" 2>perf.err | sed -E 's/ +/ /g; s/ $//' >perf.txt || true
	grep -Eq -- "$wrong" perf.txt || fail "perf $version no longer errs: $kind, ${words[*]}: no '$wrong': $(cat perf.txt)"
	nr=$((nr + 1))
}

# A task that exits runs on until it leaves its CPU, and waited before: perf has forgotten it, with all that it did until then.
error 7.2 exits timehist -- ' child\[12\] 0\.000 0\.000 2\.000$' ' child\[12\] 4\.000 1\.000 2\.000$'
error 7.2 exits timehist -s -- '\[12\] -1 1 2\.000 2\.000 ' '\[12\] -1 2 2\.000 0\.000 '
# task11 was switched to 7 ms ago, and its switch to task13 is missing: how long that ran is not known.
error "6.1 7.2" missing timehist -- ' task13\[13\] 0\.000 0\.000 7\.000$' ' task13\[13\] \? \? \?$'
# Five records of CPU 0 were lost: perf has it idle meanwhile.
error "6.1 7.2" lost timehist -- ' <idle> 0\.000 0\.000 2\.000$' ' <idle> \? \? \?$'
error "6.1 7.2" lost timehist -- ' task13\[13\] 2\.000 0\.000 2\.000$' ' task13\[13\] \? \? 2\.000$'
# A CPU that ran something all the time, with one switch after the other.
error "6.1 7.2" exits timehist -s -- 'CPU 0 idle entire time window' 'CPU 0 idle for 0\.000 msec \( 0\.00%\)'
# The task moves four times.
error "6.1 7.2" whole timehist -s -- ' two\[12\] -1 5 3\.220 .* 0$' ' two\[12\] -1 5 3\.220 .* 4$'
# The first event of the task is a run time, 5 ms before it is woken, 1 ms before it comes.
error 7.2 runtime latency -p -- ' task12:12 \| 0\.200 ms \| 1 \| avg: 6\.000 ms' ' task12:12 \| 0\.200 ms \| 1 \| avg: 1\.000 ms'
# A preempted task is runnable until it comes back.
error 6.1 whole timehist -- ' thread\[13/11\] 0\.060 0\.000 0\.090$' ' thread\[13/11\] 0\.060 0\.060 0\.090$'
# Woken by sched_waking alone: three of four waits are not counted, and the delay of none.
error 6.1 whole latency -p -- ' kworker/0:1:15 \| 0\.400 ms \| 1 \| avg: 0\.000 ms' ' kworker/0:1:15 \| 0\.400 ms \| 4 \| avg: 0\.050 ms'
[ $nr -ge 7 ] || fail "only $nr errors were proven with perf $version"
echo "NOTE: $nr errors of perf $version"

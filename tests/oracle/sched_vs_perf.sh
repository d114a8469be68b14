# alone: recorders of all CPUs mark the records of others (tools/stray_build_ids.py)
# The scheduler's events as perf sched shows them, on perf's recording, on ours and on one whose truth is known. What perf gets wrong is left
# out: tests/oracle/sched_compare.py names it, tests/cli/sched.sh proves it.
. "$(dirname "$0")/../lib.sh"
here=$(dirname "$0")
need perf
need python3
"$ASSAY" sched record -q -o probe.data -- true 2>err || skip "no tracepoints of the scheduler: $(cat err)"

# Pipes and sleeps: tasks that wake each other, on all CPUs.
work='for i in 1 2 3; do seq 2000 | tail -1; sleep 0.02; done >none'
"$ASSAY" sched record -q -o ours.data -- sh -c "$work" 2>err || fail "sched record: $(cat err)"
# As try_perf_record: perf 6.1 aborts at times.
for i in 1 2 3 4 5; do
	if timeout -k 5 60 "$PERF" sched record --no-bpf-event -B -o perfs.data -- sh -c "$work" >none 2>err; then
		break
	fi
	[ "$i" != 5 ] || fail "perf sched record: $(cat err)"
done
for kind in whole exits late; do
	python3 "$TOOLS/make_sched.py" $kind $kind.data
done
for data in ours.data perfs.data whole.data exits.data late.data; do
	python3 "$here/sched_compare.py" "$ASSAY" "$PERF" $data || fail "$data"
done

# Lines with each option, on a recording with call chains; perf 6.1 does not know all of them, and its -I shows other lines than 7.2's.
python3 "$TOOLS/make_sched.py" idle idle.data
python3 "$TOOLS/make_sched.py" kallsyms idle.symbols
# The delay of the idle task is 0 in perf 6.1, all of its wait in 7.2.
plain_lines() { sed -E 's/ *$//; s/(<idle> .* [0-9.]+ +)[0-9.]+( +[0-9.]+)/\1-\2/' "$1"; }
for words in "" -w -n -wn -M -V --state -g --no-call-graph "--max-stack 2" "-t 11,13" "-p 12" "-C 1" --show-prio "--prio 120" -P; do
	# shellcheck disable=SC2086
	"$PERF" sched timehist $words --kallsyms idle.symbols -i idle.data >perf.txt 2>perf.err || continue
	# shellcheck disable=SC2086
	"$ASSAY" sched timehist $words --kallsyms idle.symbols -i idle.data >ours.txt 2>err || fail "timehist $words: $(cat err)"
	diff <(plain_lines perf.txt) <(plain_lines ours.txt) >differ || fail "timehist $words: $(head differ)"
done

# perf 6.1 replays no wakes of sched_waking, only that of the fork: of 9 wakes (tests/cli/sched_replay.sh has the truth) it has one. A later perf
# that has all is not wrong.
python3 "$TOOLS/make_sched.py" replay replay.data
"$ASSAY" sched replay -r 1 -i replay.data 2>err | grep -q '^nr_wakeup_events: *9$' || fail "replay: $(cat err)"
timeout 60 "$PERF" sched -i replay.data replay -r 1 >perf.txt 2>perf.err || fail "perf sched replay: $(cat perf.err)"
grep -q '^nr_wakeup_events: *[19]$' perf.txt || fail "perf replays other wakes: $(head -8 perf.txt)"

# The events are perf's.
events() { "$ASSAY" evlist -i "$1" | grep ^sched: | sort; }
diff <(events perfs.data) <(events ours.data) || fail "other events than perf's"

# With call chains, on the same file.
"$ASSAY" sched record -q -g -o chains.data -- sh -c "$work" 2>err || fail "sched record -g: $(cat err)"
"$PERF" sched -i chains.data timehist >perf.txt 2>perf.err || fail "perf: $(cat perf.err)"
"$ASSAY" sched timehist -i chains.data >ours.txt 2>err || fail "timehist: $(cat err)"
# The functions of the kernel at which tasks left: names of programs are known better here.
chains() { sed -n 's/.*[0-9?]    \([^ ]*\) <- .*/\1/p' "$1"; }
[ "$(chains perf.txt | grep -cv unknown)" -ge 20 ] || skip "no call chains of the kernel"
diff <(chains perf.txt) <(chains ours.txt) >differ || fail "chains: $(head -20 differ)"

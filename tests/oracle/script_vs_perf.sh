# script beside perf's on recordings of both recorders: byte by byte.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/recordings.bash"
need perf
need python3

# Stubs of .plt.got and .plt.sec have names here (as in newer perf); perf 6.1 calls them unknown, or by a neighbour.
compare() { # FILE OPTIONS…
	local f=$1
	shift
	# shellcheck disable=SC2046
	set -- "$@" $(own_processes "$f")
	"$PERF" script --no-inline -i "$f" "$@" >perf.txt 2>perf.err || fail "perf script $* of $f: $(cat perf.err)"
	"$ASSAY" script --no-inline -i "$f" "$@" >ours.txt 2>ours.err || fail "script $* of $f: $(cat ours.err)"
	# Other programs run here while the whole machine is recorded: what they lack is theirs.
	without_quality ours.err >said
	[ ! -s said ] ||
		fail "script $* of $f says: $(cat said)"
	[ -s perf.txt ] || fail "perf shows nothing of $f"
	cmp -s perf.txt ours.txt && return
	python3 "$TOOLS/same_but_plt.py" perf.txt ours.txt || fail "script $* of $f differs from perf's"
}

make_recordings
nr=0
for f in *.data; do
	compare "$f"
	nr=$((nr + 1))
done
echo "$nr recordings are the same"
for f in perf-chains.data assay-plain.data assay-events.data assay-shell.data; do
	compare "$f" --ns
	compare "$f" -F comm,pid,tid,time,event,ip,sym,dso
	compare "$f" -F ip,sym,symoff
	compare "$f" -F comm,time,event
	compare "$f" -F -dso
	compare "$f" -F +pid,+misc
	compare "$f" -G
	compare "$f" --max-stack 3
	compare "$f" --show-task-events --show-mmap-events
	compare "$f" --show-lost-events --header
done
compare perf-cpu.data -F +addr
compare assay-cpu.data -F comm,cpu,addr,ip,sym,dso
# shellcheck disable=SC2046
cpu=$("$ASSAY" script -i assay-all.data -F cpu -G $(own_processes assay-all.data) | tr -dc '0-9\n' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 + 0 }')
compare assay-all.data --cpu "$cpu" # on a busy machine our processes may have used one CPU alone
compare assay-all.data --show-round-events
compare perf-all-plain.data --show-round-events
compare perf-threads.data --show-round-events --show-task-events
first=$("$ASSAY" script -i perf-chains.data -F time -G | head -1 | tr -d ' :')
compare perf-chains.data --time "$first,$(awk "BEGIN { printf \"%.6f\", $first + 0.05 }")"
compare perf-chains.data --time 10%-20%
compare perf-chains.data --time 10%/3
compare assay-forks.data --comms forkstorm
tid=$("$ASSAY" script -i assay-threads.data -F tid -G | sort | uniq -c | sort -rn | awk 'NR == 2 { print $2 }')
compare assay-threads.data --tid "$tid"
compare assay-threads.data --pid "$("$ASSAY" script -i assay-threads.data -F pid -G | head -1 | tr -d ' ')"

# Reading from a pipe
"$PERF" script --no-inline -i - <assay-pipe.data >perf.txt 2>/dev/null
cat assay-pipe.data | "$ASSAY" script --no-inline >ours.txt
expect_same_script perf.txt ours.txt "script of a pipe"
"$ASSAY" script --no-inline -i - <assay-pipe.data >ours.txt
expect_same_script perf.txt ours.txt "script of standard input"

# perf reads ours without a word.
for f in assay-*.data; do
	for tool in "script" "report --stdio" "evlist -v"; do
		"$PERF" $tool -i "$f" >perf.txt 2>perf.err </dev/null || fail "perf $tool of $f fails: $(cat perf.err)"
		grep -v '^$' perf.err >perf.warn || true
		[ ! -s perf.warn ] || fail "perf $tool warns of $f: $(cat perf.warn)"
	done
done

# script --show-…-events beside perf's: records that this kernel makes, and made-up ones of every kind.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

w() { "$PERF" record -q "$@" >/dev/null 2>&1 || fail "perf record $*"; }
w --switch-events -o switch.data "$WORKLOADS/burn" 0.1
w -a --switch-events -o switch-all.data sleep 0.05
w -a --namespaces -o namespaces.data sleep 0.05
w -a --all-cgroups -o cgroups.data sleep 0.05
w --buildid-mmap -o buildid.data "$WORKLOADS/burn" 0.1
w -m 1 -F 25000 -g -a -o lost.data "$WORKLOADS/burn" 0.3
w -o fork.data "$WORKLOADS/forkstorm"
w -o threads.data "$WORKLOADS/threads"
python3 "$(dirname "$0")/make_records.py" records made-up.data

all="--show-task-events --show-mmap-events --show-switch-events --show-lost-events"
all="$all --show-namespace-events --show-bpf-events --show-cgroup-events"
for f in *.data; do
	"$PERF" script --no-inline $all -i "$f" >perf.txt 2>/dev/null
	"$ASSAY" script --no-inline $all -i "$f" >ours.txt 2>/dev/null
	[ -s perf.txt ] || fail "perf script printed nothing of $f"
	python3 "$(dirname "$0")/same_but_plt.py" perf.txt ours.txt || fail "the records of $f differ"
done
for option in $all; do
	"$PERF" script --no-inline $option -i made-up.data >perf.txt 2>/dev/null
	"$ASSAY" script --no-inline $option -i made-up.data >ours.txt 2>/dev/null
	python3 "$(dirname "$0")/same_but_plt.py" perf.txt ours.txt || fail "script $option differs"
done

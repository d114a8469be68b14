# script --show-…-events beside perf's: records that this kernel makes of processes of this test's own, and made-up
# ones of every kind, also those of a whole machine and of BPF programs.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

perf_record --switch-events -o switch.data "$WORKLOADS/burn" 0.1
perf_record --switch-events -o switch-threads.data "$WORKLOADS/threads" 2 0.1
perf_record --namespaces -o namespaces.data "$WORKLOADS/forkstorm"
perf_record --all-cgroups -o cgroups.data "$WORKLOADS/forkstorm"
perf_record --buildid-mmap -o buildid.data "$WORKLOADS/burn" 0.1
perf_record -m 1 -F 25000 -g -o lost.data "$WORKLOADS/burn" 0.3
perf_record -o fork.data "$WORKLOADS/forkstorm"
perf_record -o threads.data "$WORKLOADS/threads"
python3 "$TOOLS/make_records.py" records made-up.data

all="--show-task-events --show-mmap-events --show-switch-events --show-lost-events"
all="$all --show-namespace-events --show-bpf-events --show-cgroup-events"
for f in *.data; do
	"$PERF" script --no-inline $all -i "$f" >perf.txt 2>/dev/null
	"$ASSAY" script --no-inline $all -i "$f" >ours.txt 2>/dev/null
	[ -s perf.txt ] || fail "perf script printed nothing of $f"
	python3 "$TOOLS/same_but_plt.py" perf.txt ours.txt || fail "the records of $f differ"
done
for option in $all; do
	"$PERF" script --no-inline $option -i made-up.data >perf.txt 2>/dev/null
	"$ASSAY" script --no-inline $option -i made-up.data >ours.txt 2>/dev/null
	python3 "$TOOLS/same_but_plt.py" perf.txt ours.txt || fail "script $option differs"
done

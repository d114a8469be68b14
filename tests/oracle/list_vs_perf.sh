# list beside perf's, byte by byte: kinds, patterns, parts of names, several words, names only.
#
# Where the two cannot be equal: perf brings the CPU vendor's events and metrics along in tables of its
# own; our metrics are the portable ones of `stat -M`, and vendors' events are libpfm4's. All these are cut
# out of both lists.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

# An own build-id cache: other tests record at the same time. Its SDT probes are libstdc++'s, twice.
export HOME=$TMPDIR/home
mkdir "$HOME"
for lib in /usr/lib/*/libstdc++.so.6 /usr/lib/gcc/*/*/cc1 /usr/lib/*/libc.so.6; do
	[ ! -e "$lib" ] || "$PERF" buildid-cache --add "$(realpath "$lib")" 2>/dev/null || true
done

kernel_only() {
	awk '/^Metric( Group)?s:$/ { cut = 1 }
	     /^  .* \[[A-Za-z ]*\]$/ { cut = 0 }
	     / OR .*\[Kernel PMU event\]$/ {
		split($3, a, "/")
		if ((getline x <("/sys/bus/event_source/devices/" a[1] "/events/" a[2])) < 0)
			next
	     }
	     !cut && /\]$/ && !/^       / && !/\[libpfm4 event\]$/ { print }'
}
compare() { # WORDS
	local try
	# again where another test has just defined a probe
	for try in 1 2 3; do
		"$PERF" list "$@" 2>/dev/null </dev/null | kernel_only >perf.txt
		"$ASSAY" list "$@" 2>err | kernel_only >ours.txt
		cmp -s perf.txt ours.txt && break
	done
	expect_same perf.txt ours.txt "list $*"
}
if [ "${1-}" = pmus ]; then # called by itself, below
	compare pmu
	[ "$(wc -l <ours.txt)" -eq 7 ] || fail "not all events of the PMUs: $(cat ours.txt)"
	for word in imc CPU-CYC 'cpu/*' energy slots; do compare "$word"; done
	"$ASSAY" list --raw-dump pmu >ours.txt
	grep -q '^cpu/cpu-cycles/ cpu/slots/ power/energy-pkg/ uncore_imc_0/cas_count_read/ ' ours.txt ||
		fail "names only: $(cat ours.txt)"
	"$ASSAY" list -j energy | grep -q '"ScaleUnit": "2.3283064365386963e-10Joules"' ||
		fail "the scale: $("$ASSAY" list -j energy)"
	exit
fi

for kind in hw hardware sw software cache hwcache pmu tracepoint sdt; do
	compare $kind
done
[ "$(wc -l <ours.txt)" -gt 0 ] || echo "NOTE: no binary with SDT probes here"
compare
[ "$(wc -l <ours.txt)" -gt 20 ] || fail "the whole list is short: $(cat ours.txt)"
"$ASSAY" list >all.txt
! grep -n "$(printf '\033')" all.txt || fail "an escape sequence in a pipe"
compare --no-desc
compare --long-desc
compare -d
compare --deprecated
for word in 'syscalls:*' 'sched:*' 'sched:sched_switch' 'sched:sched_s[tw]*' 's*:*_open*' \
	'syscalls:sys_*_read' '*:*fault*' 'ext?:*' sched cpu 'cpu*' mem msr tsc clock '*fault*' fault faults \
	duration_time time 'sys_enter_open*' 'sdt_*:*' 'sdt_python:*' ftrace:function 'kvm:*' xfs cs migrations; do
	compare "$word"
done
compare sw pmu
compare pmu sw sw
compare clock 'sched:sched_sw*' hw

# names only: a blank after each
for kind in sw hw cache tracepoint sdt 'sched:*' 'syscalls:*open*'; do
	for try in 1 2 3; do
		"$PERF" list --raw-dump "$kind" >perf.txt 2>/dev/null
		"$ASSAY" list --raw-dump "$kind" >ours.txt 2>/dev/null || true
		cmp -s perf.txt ours.txt && break
	done
	expect_same perf.txt ours.txt "list --raw-dump $kind"
done

# a machine with PMUs, made of files
put() { mkdir -p "$(dirname "pmus/$1")" && echo "$2" >"pmus/$1"; }
put cpu/type 4
put cpu/format/event config:0-7
put cpu/events/cpu-cycles event=0x3c
put cpu/events/slots event=0x04
put power/type 9
put power/cpumask 0
put power/events/energy-pkg event=0x02
put power/events/energy-pkg.unit Joules
put power/events/energy-pkg.scale 2.3283064365386962890625e-10
for i in 0 1; do
	put uncore_imc_$i/type 1$i
	put uncore_imc_$i/cpumask 0
	put uncore_imc_$i/events/cas_count_read event=0x04
	put uncore_imc_$i/events/clockticks event=0xff
done
if unshare -m mount --bind pmus /sys/bus/event_source/devices 2>/dev/null; then
	mkdir again
	unshare -m sh -c 'mount --bind pmus /sys/bus/event_source/devices && TMPDIR=$TMPDIR/again exec bash "$0" pmus' \
		"$0" || fail "with PMUs made of files"
else
	echo "NOTE: no mounts here: PMUs were compared as they are"
fi

# the layout of metrics, by the shape of the lines
shape() { sed -e 's/^[A-Za-z0-9_.-]\+:$/GROUP:/; s/^[A-Za-z0-9_.-]\+$/GROUP/' -e 's/^  [A-Za-z0-9_.-]\+$/  METRIC/' \
	-e 's/^       \[.*\]$/       [TEXT]/' | awk '!seen[$0]++ || !length' | sort -u; }
for words in metric metricgroup "--details metric"; do
	"$PERF" list $words 2>/dev/null >perf.txt
	grep -q '^ *[A-Za-z0-9_.-]*[^:]$' perf.txt || continue # it has none for this CPU
	"$ASSAY" list $words | shape >o
	shape <perf.txt >p
	expect_same p o "the shape of list $words"
done

# JSON: perf's keys
"$ASSAY" list -j >list.json
python3 - "$("$ASSAY" list | kernel_only | wc -l)" <<'END'
import json, sys
items = json.load(open("list.json"))
keys = {"Unit", "EventName", "EventAlias", "ScaleUnit", "EventType", "BriefDescription", "Encoding",
        "MetricGroup", "MetricName", "MetricExpr"}
assert not {k for i in items for k in i} - keys, {k for i in items for k in i} - keys
events = [i for i in items if "EventName" in i]
assert len(events) >= int(sys.argv[1]) > 0, len(events)
clock = next(i for i in events if i["EventName"] == "cpu-clock")
assert clock == {"Unit": "software", "EventName": "cpu-clock", "EventType": "Software event",
                 "Encoding": "1:0x0"}, clock
assert any(i.get("MetricName") == "ipc" for i in items)
END

# an encoding is an event, too
"$ASSAY" list -j pmu sw | python3 -c 'import json, sys
for i in json.load(sys.stdin):
    if "Encoding" in i and "?" not in i["Encoding"]: print(i["Encoding"])' >encodings
while read -r e; do
	"$ASSAY" record -q -o /dev/null -e "$e" -- true 2>err ||
		! grep -q 'unknown\|expected' err || fail "-e $e: $(cat err)"
done <encodings

# what perf answers with silence
expect_exit 1 "$ASSAY" list page-fualts 2>err >out
grep -q "did you mean 'page-faults'" err || fail "no suggestion: $(cat err)"
[ ! -s out ] || fail "nothing fits, and yet: $(cat out)"
expect_exit 1 "$ASSAY" list page-fualts cpu-clock 2>err >out
grep -q cpu-clock out || fail "one wrong word kept another from being answered"
expect_exit 0 "$ASSAY" list PAGE-FAULTS | grep -q page-faults || fail "case was not passed over"
expect_exit 2 "$ASSAY" list --raw-dump -j 2>err
if "$ASSAY" list sched:sched_switch >/dev/null 2>&1; then
	expect_exit 0 "$ASSAY" list --details sched:sched_switch >out
	grep -q '^        prev_comm prev_pid .*next_pid' out || fail "no fields: $(cat out)"
	expect_exit 1 "$ASSAY" list 'scehd:*' 2>err
	grep -q "did you mean 'sched:\*'" err || fail "no suggestion: $(cat err)"
fi

# thousands of tracepoints at once: no more CPU time than perf (the best of five each)
best() {
	python3 - "$@" <<'END'
import resource, subprocess, sys

def cpu_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime

times = []
for _ in range(5):
    start = cpu_time()
    subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    times.append(cpu_time() - start)
print(int(min(times) * 1e6))
END
}
ours=$(best "$ASSAY" list)
theirs=$(best "$PERF" list)
echo "NOTE: list: $ours us, perf $theirs us"
[ "$ours" -le "$theirs" ] || fail "list takes $ours us of CPU time, perf's $theirs us"

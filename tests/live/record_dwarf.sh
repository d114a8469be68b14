# Stacks unwound while recording: as small as promised, as cheap, and the same as those unwound from raw stacks.
. "$(dirname "$0")/../lib.sh"
UNWIND_FILE=$(dirname "$ASSAY")/tests/bench/unwind_file
WORK=$WORKLOADS/unwind_cxx
[ -x "$WORK" ] || skip "no C++ compiler is installed"

frames() { # FILE: the samples as text, without times and ids
	"$ASSAY" script --no-inline -i "$1" --max-stack 1100 -F ip,sym,dso 2>/dev/null
}
number() { sed -n "s/.*(\([0-9]*\) samples.*/\1/p" "$1"; }
lost() { sed -n "s/.* samples, \([0-9]*\) lost.*/\1/p" "$1"; }

# Raw stacks through the recorder's stage and by a reader: the same to the last frame, in any number of pieces.
"$ASSAY" record -F 999 --call-graph dwarf,keep -o raw.data "$WORK" 1 2>err || fail "keep: $(cat err)"
"$UNWIND_FILE" raw.data unwound.data >ends.txt
frames raw.data >raw.txt
frames unwound.data >unwound.txt
[ "$(number err)" -gt 100 ] || fail "too few samples: $(cat err)"
expect_same raw.txt unwound.txt "stacks of the raw file and unwound ones"
"$UNWIND_FILE" raw.data spooled.data 65536 2 >spooled.txt
expect_same unwound.data spooled.data "with a spool"
read -r free all < <(stat -f -c '%a %b' .)
if [ "$free" -gt $((all / 9)) ]; then # a tenth of the disk stays free
	[ "$(awk '/^spooled/ { print $2 }' spooled.txt)" -gt 65536 ] || fail "nothing was spooled: $(cat spooled.txt)"
fi

# So are lines and inlines, also where a signal came in (there addresses are exact), and how walks ended. With little of the stack in
# the dump, and with a handler on a stack of its own, some end early.
lines() { "$ASSAY" script -i "$1" --max-stack 1100 -F ip,sym,srcline 2>/dev/null; }
quality() { "$ASSAY" report --stdio -i "$1" 2>/dev/null | grep '^# Quality: .* of stacks'; }
marks=$(dirname "$0")/strip_marks.py
i=0
while read -r dump program arguments; do
	i=$((i + 1))
	"$ASSAY" record -q -F 499 --call-graph "dwarf,$dump,keep" -o part.data "$WORKLOADS/$program" $arguments
	"$UNWIND_FILE" part.data part.unwound >part.ends
	lines part.data >part.raw.txt
	lines part.unwound >part.txt
	expect_same part.raw.txt part.txt "lines of $program, $dump bytes"
	[ "$(grep -c ':[0-9]' part.txt)" -gt 80 ] || fail "$program: hardly any line is known"
	[ -n "$(quality part.data)" ] || fail "$program: no quality is shown"
	[ "$(quality part.data)" = "$(quality part.unwound)" ] ||
		fail "$program: $(quality part.unwound) instead of $(quality part.data) ($(tr '\n' ' ' <part.ends))"
	python3 "$marks" part.unwound plain.data >part.marks
	[ "$i" -eq 1 ] || grep -q '[123]:' part.marks || fail "no end is marked: $(cat part.marks)"
	[ -n "$PERF" ] || continue
	# The marks that tell it are nothing to perf.
	for command in script "script --max-stack 5" "report --stdio -G" "report --stdio --no-children -g caller"; do
		for file in plain.data part.unwound; do
			"$PERF" $command --no-inline -i $file 2>perf.err | grep -v -E '^# (cmdline|.Tip)' >perf.$file.txt
			[ ! -s perf.err ] || fail "perf $command warns: $(head -3 perf.err)"
		done
		[ "$(wc -l <perf.plain.data.txt)" -gt 50 ] || fail "perf $command of $program shows nothing"
		expect_same perf.plain.data.txt perf.part.unwound.txt "perf $command of $program without and with marks"
	done
done <<'END'
8192 unwind_signals 0.4
1024 unwind_signals 0.4 altstack
1024 unwind_cxx 0.4
END

# What is recorded: no raw stack, an attr like that of -g but for what tells that stacks were walked, and perf reads it without a word.
"$ASSAY" record -F 999 --call-graph dwarf -o live.data "$WORK" 2 2>err || fail "dwarf: $(cat err)"
live=$(number err)
[ -z "$(lost err)" ] || fail "lost: $(cat err)"
"$ASSAY" evlist -v -i live.data >attr.txt
grep -q -E 'REGS_USER|STACK_USER' attr.txt && fail "raw stacks in the attr: $(cat attr.txt)"
grep -q 'exclude_callchain_user: 1.* sample_stack_user: 65528' attr.txt || fail "nothing tells that stacks were walked: $(cat attr.txt)"
grep -q CALLCHAIN attr.txt || fail "no call chains: $(cat attr.txt)"
# The stacks of the live recording are those of the raw one: whole, from _start to the leaf.
complete=$("$ASSAY" script --no-inline -i live.data -F ip,sym 2>/dev/null | awk -v RS= '/_start/ { n++ } END { print n + 0 }')
[ "$complete" -ge $((live * 98 / 100)) ] || fail "only $complete of $live stacks reach _start"
folded() { # FILE: a stack a line, names alone
	"$ASSAY" script --no-inline -i "$1" -F ip,sym --max-stack 1100 2>/dev/null |
		awk -v RS= '{ gsub(/[[:space:]]+[0-9a-f]+ /, ";"); gsub(/\n/, ""); print }' | sort
}
folded raw.data | uniq >raw.all
# Callers alone: which leaf a sample hits is chance.
sed 's/^;[^;]*//' raw.all | sort -u >raw.callers
folded live.data | sed 's/^;[^;]*//' | uniq -c | awk '$1 >= 20 { $1 = ""; sub(/^ /, ""); print }' >live.callers
[ -s live.callers ] || fail "no two stacks are alike"
strange=$(grep -v -x -F -f raw.callers live.callers || true)
[ -z "$strange" ] || fail "common callers while recording, unknown to the raw file: $(echo "$strange" | head -3)"

if [ -n "$PERF" ]; then
	"$PERF" script --no-inline -i live.data >perf.txt 2>perf.err
	[ ! -s perf.err ] || fail "perf script warns: $(head -3 perf.err)"
	"$ASSAY" script --no-inline -i live.data >ours.txt 2>/dev/null
	expect_same_script perf.txt ours.txt "script of the unwound file"
	"$PERF" report --stdio --no-inline -i live.data >/dev/null 2>perf.err
	[ ! -s perf.err ] || fail "perf report warns: $(head -3 perf.err)"
	# The size, for the same number of samples.
	perf_record -F 999 --call-graph dwarf -o perf.data "$WORK" 2
	theirs=$("$PERF" report -i perf.data --stats 2>/dev/null | awk '/^ *SAMPLE events:/ { print $3; exit }')
	ours_each=$(($(stat -c %s live.data) / live))
	theirs_each=$(($(stat -c %s perf.data) / theirs))
	[ $((theirs_each / ours_each)) -ge 30 ] || fail "$ours_each bytes a sample, perf $theirs_each"
	echo "NOTE: $ours_each bytes a sample, perf $theirs_each"
fi

# The recorder's own CPU time, attached to a program that runs anyway.
"$WORK" 60 &
pid=$!
trap 'kill $pid 2>/dev/null || true' EXIT
cpu() { # RATE SECONDS: of the recorder and of `sleep`, in ms
	python3 - "$ASSAY" "$1" "$2" "$pid" <<'END'
import os, sys
assay, rate, seconds, pid = sys.argv[1:]
with open("cpu.err", "w") as err:
    child = os.posix_spawn(assay, [assay, "record", "-F", rate, "--call-graph", "dwarf", "-o", "cpu.data", "-p", pid, "--",
                                   "sleep", seconds], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, err.fileno(), 2)])
    _, status, usage = os.wait4(child, 0)
print(round((usage.ru_utime + usage.ru_stime) * 1000))
sys.exit(os.waitstatus_to_exitcode(status))
END
}
ms=$(cpu 999 4)
[ -z "$(lost cpu.err)" ] || fail "lost: $(cat cpu.err)"
[ "$ms" -le 200 ] || fail "the recorder took $ms ms in 4 s: more than 5% of a core"
echo "NOTE: $live samples, $complete whole; recorder at 999 Hz: $ms ms of 4 s"

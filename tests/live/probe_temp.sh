# only recorder: BPF programs make perf 6.1 abort
# --temp: a probe for one command. It counts threads and children exactly, fetches what a probe of the kernel fetches, is in no file of tracefs, and
# nothing is left of it when the recorder is killed.
. "$(dirname "$0")/../lib.sh"
tracing=/sys/kernel/tracing
[ "$(uname -m)" = x86_64 ] || skip "the registers are those of x86_64"
[ "$(id -u)" -eq 0 ] || skip "probes need root"
"$ASSAY" version --build-options 2>/dev/null | grep -qi 'bpf.*on' || skip "built without BPF"
prog=temp$$
cp "$WORKLOADS/probe_calls" "$prog"
cp "$WORKLOADS/sdt_probes" "sdt$$"
mine() { grep -E "$prog|sdt$$" $tracing/uprobe_events 2>/dev/null || true; }

echo "== counted: all threads and children of the command, and no other process"
"./$prog" 100000 >/dev/null & # the same file, at the same time
other=$!
"$ASSAY" stat -x, -o count --temp take --temp 'take%return' "./$prog" 25 >/dev/null || fail "stat"
kill $other 2>/dev/null || true
[ "$(sed -n '/^[0-9<]/{s/,.*//;p}' count)" = "100
100" ] || fail "100 calls and returns: $(cat count)"
grep -q "probe_$prog:take__return" count || fail "$(cat count)"
"$ASSAY" stat -r 3 -x, -o count --temp take -e task-clock "./$prog" 5 >/dev/null
grep -q "^20,,probe_$prog:take," count || fail "-r 3: $(cat count)"
"$ASSAY" stat -i -x, -o count --temp take "./$prog" 5 >/dev/null
grep -q "^5,,probe_$prog:take," count || fail "-i: the first thread alone: $(cat count)"
[ -z "$(mine)" ] || fail "in tracefs: $(mine)"

echo "== recorded: the same text as of a probe of the kernel"
args='n=%di:s32 text=+0(%si):string r=%dx number=+0(%dx):s64 half=+8(%dx):u16 small=+10(%dx):s8 hex=+11(%dx):x8 wide=+0(%dx) stack=$stack0 bits=+8(%dx):b4@4/16 seven=\7:u32'
"$ASSAY" record -q -o temp.data --temp "take $args" --temp 'take%return $retval:s64' "./$prog" 3 >printed
"$ASSAY" script -i temp.data -F event,trace >temp
address=$(sed -n 's/.*record //p' printed)
[ "$(grep -c "probe_$prog:take:" temp)" -eq 12 ] && [ "$(grep -c "probe_$prog:take__return:" temp)" -eq 12 ] || fail "12 calls and returns: $(cat temp)"
grep -q "n=2 text=\"child\" r=$address number=-5 half=40000 small=-3 hex=0x69 " temp || fail "$(head -3 temp)"
grep -q "take__return: ([0-9a-f]* <- [0-9a-f]*) arg1=40004$" temp || fail "$(grep return temp)"
[ -z "$(mine)" ] || fail "in tracefs: $(mine)"
if [ -w $tracing/uprobe_events ]; then
	"$ASSAY" probe -q -x "./$prog" "take $args" 'take%return $retval:s64'
	# shellcheck disable=SC2064
	trap "'$ASSAY' probe -q -d 'probe_$prog:*' || true" EXIT
	setarch -R "$ASSAY" record -q -o kernel.data -e "probe_$prog:take" -e "probe_$prog:take__return" "./$prog" 3 >/dev/null
	setarch -R "$ASSAY" record -q -o temp.data --temp "take $args" --temp 'take%return $retval:s64' "./$prog" 3 >/dev/null
	for kind in kernel temp; do
		"$ASSAY" script -i $kind.data -F event,trace | sed 's/^ *//' | sort >$kind.text
	done
	cmp kernel.text temp.text || fail "the kernel's probe and ours differ: $(diff kernel.text temp.text | head -6)"
	"$ASSAY" probe -q -d "probe_$prog:*"
	trap - EXIT
fi
if [ -n "$PERF" ]; then
	# Signed bytes are unsigned to perf 6.1, also of its own probes.
	"$PERF" script -i temp.data -F comm,tid,time,event,trace 2>/dev/null | sed 's/ small=253 / small=-3 /' >by-perf
	"$ASSAY" script -i temp.data -F comm,tid,time,event,trace >by-us
	[ -s by-perf ] || fail "perf cannot read it"
	cmp by-perf by-us || fail "perf reads it otherwise"
fi
"$ASSAY" record -q -g -o chain.data --temp take "./$prog" 1 >/dev/null
"$ASSAY" script -i chain.data >script
# at the entry of a function its own frame is not there yet, and the caller's is skipped
grep -q ' take+0x0 ' script && grep -q ' main+0x' script || fail "callers: $(cat script)"
"$ASSAY" report -q -i chain.data --stdio >report && grep -q 'take' report || fail "report: $(cat report)"
"$ASSAY" trace --temp 'take text=+0(%si):string' "./$prog" 1 >/dev/null 2>trace
grep -q "probe_$prog:take(.*text=\"child\"" trace || fail "trace: $(cat trace)"
"$ASSAY" record -q -o both.data -e context-switches -c 1 --temp take "./$prog" 2 >/dev/null
"$ASSAY" evlist -i both.data >events
grep -q '^context-switches' events && grep -q "^probe_$prog:take" events || fail "beside another event: $(cat events)"

echo "== SDT probes by -e alone, with their semaphore"
"$ASSAY" record -q -o sdt.data -e sdt_assay_test:guarded "./sdt$$" 3 >printed
grep -q 'guarded 3$' printed || fail "the semaphore was not set: $(cat printed)"
"$ASSAY" script -i sdt.data | grep -q 'sdt_assay_test:guarded: ([0-9a-f]*) arg1=3$' || fail "$("$ASSAY" script -i sdt.data)"
"$ASSAY" stat -x, -o count -e sdt_assay_test:many "./sdt$$" 7 >/dev/null
grep -q '^7,,sdt_assay_test:many,' count || fail "$(cat count)"
"$ASSAY" stat -x, -o count -e 'sdt_assay_test:*' "./sdt$$" 7 >/dev/null
[ "$(grep -cE '^7,,sdt_assay_test:(plain|guarded|many|globals),' count)" = 4 ] || fail "SDT probes by a pattern: $(cat count)"
"$ASSAY" record -q -o sdt.data --temp '%sdt_assay_test:plain arg2:string n=arg1' "./sdt$$" 3 >/dev/null
"$ASSAY" script -i sdt.data | grep -q 'plain: ([0-9a-f]*) arg2="a text" n=3$' || fail "$("$ASSAY" script -i sdt.data)"
"./sdt$$" 3 | grep -q 'guarded 0$' || fail "the semaphore is still set"

echo "== of a library, by a process that runs, of a path with blanks"
mkdir 'a b;c'
cp "$prog" "a b;c/x #1"
n=$("$ASSAY" stat -x, --temp './a b;c/x #1:take' './a b;c/x #1' 2 2>&1 >/dev/null | sed 's/,.*//')
[ "$n" = 8 ] || fail "a path that tracefs cannot name: $n"
! "$ASSAY" probe -x './a b;c/x #1' take 2>err || fail "taken by tracefs"
grep -q 'use --temp' err || fail "$(cat err)"
libc=$(ldd "$prog" | sed -n 's/.*libc\.so\.6 => \([^ ]*\) .*/\1/p')
n=$("$ASSAY" stat -x, --temp "$libc:fork" "./$prog" 2 2>&1 >/dev/null | sed 's/,.*//')
[ "$n" = 1 ] || fail "fork was called once, not $n times"

echo "== nothing is left after SIGKILL"
before=$(cat $tracing/uprobe_events 2>/dev/null || true)
"$ASSAY" record -q -o killed.data --temp "./sdt$$:%sdt_assay_test:guarded" -- sleep 300 &
recorder=$!
until "./sdt$$" 1 | grep -q 'guarded 1$'; do
	kill -0 $recorder || fail "the recorder has ended"
	sleep 0.1
done
child=$(ps -o pid= --ppid $recorder)
kill -9 $recorder
wait $recorder 2>/dev/null || true
[ -z "$child" ] || kill $child # one word a process
for _ in $(seq 100); do
	left=$("./sdt$$" 1 | sed 's/.*guarded //')
	[ "$left" != 0 ] || break
	sleep 0.1
done
[ "$left" = 0 ] || fail "the probe outlives the recorder"
[ "$(cat $tracing/uprobe_events 2>/dev/null || true)" = "$before" ] || fail "tracefs changed"

echo "== what cannot be"
refused() { # PATTERN COMMAND…
	local pattern=$1
	shift
	! "$@" >out 2>err || fail "taken: $*"
	grep -q -- "$pattern" err || fail "$*: no '$pattern': $(cat err)"
}
refused "say which program" "$ASSAY" stat --temp take
refused "has no function 'nothing'" "$ASSAY" stat --temp nothing "./$prog"

echo "== returns: return addresses that the kernel replaced end programs that unwind their stacks"
"$ASSAY" stat -x, -o count --temp "$WORKLOADS/unwind_cxx:main%return" true 2>err || fail "stat: $(cat err)"
grep -q "'main%return': an exception .* ends the program" err || fail "no warning: $(cat err)"
"$ASSAY" stat -x, -o count --temp "$WORKLOADS/unwind_cxx:main" true 2>err && [ ! -s err ] || fail "a warning of an entry: $(cat err)"
if [ -w $tracing/uprobe_events ]; then
	"$ASSAY" probe -n -x "$WORKLOADS/unwind_cxx" main%return >out 2>err || fail "probe -n: $(cat err)"
	grep -q "an exception .* ends the program" err || fail "probe: no warning: $(cat err)"
fi
"$ASSAY" stat -x, -o count --temp 'take%return' "./$prog" 1 2>err >/dev/null && [ ! -s err ] || fail "a warning for a program in C: $(cat err)"
if command -v go >/dev/null; then
	printf 'package main\n\nfunc main() {}\n' >go$$.go
	GO111MODULE=off GOCACHE=$TMPDIR/go-cache CGO_ENABLED=0 go build -o go$$ go$$.go || fail "go build"
	refused "ends Go programs" "$ASSAY" stat --temp 'main.main%return' "./go$$"
	"$ASSAY" stat -x, -o count --temp main.main "./go$$" && grep -q "^1,,probe_go$$:main," count || fail "an entry of Go: $(cat count)"
fi

echo "== beside times off the CPU: both are in the file"
"$ASSAY" record -q -o both.data --off-cpu --off-cpu-thresh 0 --temp take "./$prog" 3 >/dev/null || fail "--off-cpu --temp"
"$ASSAY" script -i both.data -F event >both
[ "$(grep -c "probe_$prog:take:" both)" -eq 12 ] && grep -q 'offcpu-time' both || fail "--off-cpu --temp: $(sort both | uniq -c)"
refused 'frame pointers (-g)' "$ASSAY" record -q --call-graph dwarf --temp take "./$prog"
refused 'not mixed with system calls' "$ASSAY" trace --syscalls --temp take "./$prog"
refused 'leave out -A' "$ASSAY" stat -a -A --temp "./$prog:take" true

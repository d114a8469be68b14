# `assay probe`: what is defined counts exactly the calls, and fetches what the program was given; names, rollback, deletion.
# waits: the kernel takes its time to remove probes
. "$(dirname "$0")/../lib.sh"
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null || skip "tracefs is not mounted on $tracing, and cannot be"
[ -w $tracing/uprobe_events ] || skip "this user may not define probes, or the kernel has none"
[ "$(uname -m)" = x86_64 ] || skip "the registers are those of x86_64"

# Groups of our own: others may use probes, too.
prog=calls$$
group=probe_$prog
cp "$WORKLOADS/probe_calls" "$prog"
objcopy --strip-debug --remove-section .note.gnu.build-id "$prog" "$prog.nodebug"
strip -o "$prog.stripped" "$prog"
mine() { grep -E "probe_(lib)?$prog/|sdt_assay_test$$/|own$$/" $tracing/uprobe_events || true; }
# shellcheck disable=SC2317
clean() {
	local line
	mine | sed 's/^[pr][0-9]*:\([^ ]*\) .*/-:\1/' | sort -u | while read -r line; do echo "$line" >>$tracing/uprobe_events || true; done
}
trap clean EXIT

echo "== counted exactly, at an entry and a return"
"$ASSAY" probe -x "./$prog" take 'take%return $retval' >out || fail "probe: $(cat out)"
grep -qE "^  $group:take +\(on take in $PWD/$prog\)$" out && grep -qE "^  $group:take__return +\(on take%return in .* with \\\$retval\)$" out || fail "$(cat out)"
grep -q "assay record -e $group:take__return -aR sleep 1" out || fail "no hint: $(cat out)"
"$ASSAY" stat -x, -o count -e "$group:take,$group:take__return" "./$prog" 25 >/dev/null
[ "$(sed -n '/^[0-9<]/{s/,.*//;p}' count | sort -u)" = 100 ] || fail "100 calls: $(cat count)"
"$ASSAY" stat -x, -o count -e "$group:*" "./$prog" 5 >/dev/null
[ "$(grep -c '^20,' count)" -eq 2 ] || fail "a glob: $(cat count)"

echo "== values are the program's own: registers, memory, strings, arrays, casts"
"$ASSAY" probe -q -x "./$prog" 'args=take n=%di:s32 text=+0(%si):string r=%dx number=+0(%dx):s64 half=+8(%dx):u16 small=+10(%dx):s8 first=+11(%dx):x8[4]' >out
[ ! -s out ] || fail "-q says: $(cat out)"
"$ASSAY" record -q -o args.data -e "$group:args" -e "$group:take__return" "./$prog" 3 >printed
address=$(sed -n 's/.*record //p' printed)
"$ASSAY" script -i args.data >script
for i in 0 1 2; do
	for text in first thread child; do
		grep -q "$group:args: ([0-9a-f]*) n=$i text=\"$text\" r=$address number=-5 half=40000 small=-3 first={0x69,0x6e,0x20,0x74}\$" script ||
			fail "no line of n=$i text=$text r=$address: $(cat script)"
	done
	grep -q "$group:take__return: ([0-9a-f]* <- [0-9a-f]*) arg1=$((2 * i + 40000))\$" script || fail "return of $i: $(cat script)"
done
[ "$(grep -c "$group:args:" script)" -eq 12 ] || fail "12 calls: $(cat script)"
"$ASSAY" trace -e "$group:args" "./$prog" 1 >/dev/null 2>trace
grep -q "$group:args(.*n=0 text=\"child\"" trace || fail "trace: $(cat trace)"
"$ASSAY" record -q -o filter.data -e "$group:args" --filter 'n == 2' "./$prog" 4 >/dev/null
[ "$("$ASSAY" script -i filter.data | wc -l)" -eq 4 ] || fail "--filter of a field"

echo "== listed, also by pattern"
"$ASSAY" probe -l "$group:*" >list
[ "$(wc -l <list)" -eq 3 ] || fail "$(cat list)"
grep -qE "^  $group:args +\(on take(@[^ ]*)? in $PWD/$prog with n text r number half small first\)$" list || fail "$(cat list)"
"$ASSAY" probe -l nothing_of_this_name >list && [ ! -s list ] || fail "-l PATTERN"

echo "== names that are taken, -f, dry runs"
expect_exit 1 "$ASSAY" probe -x "./$prog" take 2>err
grep -q "'assay probe -d $group:take' deletes it, -f adds" err || fail "$(cat err)"
"$ASSAY" probe -f -x "./$prog" take >out && grep -q "$group:take_1 " out || fail "-f: $(cat out)"
before=$(mine)
"$ASSAY" probe -n -x "./$prog" dry=take >out && grep -q "^Would add new event:" out || fail "-n: $(cat out)"
"$ASSAY" probe -n -d "$group:*" >out && grep -q "^Would remove event: $group:take" out || fail "-n -d: $(cat out)"
[ "$(mine)" = "$before" ] || fail "a dry run changed something"

echo "== all of a command or nothing"
for bad in no_such_function 'take x=%zz' 'take $retval' 'take+100000' 'a.b=take' 'take:999'; do
	! "$ASSAY" probe -x "./$prog" good=take "bad=$bad" 2>err >out || fail "taken: $bad"
	[ -s err ] && ! grep -q 'Added' out || fail "$bad: $(cat err out)"
	[ "$(mine)" = "$before" ] || fail "$bad left something: $(mine)"
done

echo "== a name that is not defined"
expect_exit 1 "$ASSAY" stat -e "probe_no$$:take" true 2>err
grep -q "no probe 'probe_no$$:take' is defined; 'assay probe -l' lists.*'assay probe -x FILE take' defines one" err || fail "$(cat err)"

echo "== in use"
"$ASSAY" record -q -o busy.data -a -e "$group:args" -- sleep 1000 &
recorder=$!
until ls -l "/proc/$recorder/fd" 2>/dev/null | grep -q perf_event; do sleep 0.1; done
expect_exit 1 "$ASSAY" probe -d "$group:args" 2>err
grep -q "'$group:args' is in use and was not deleted" err || fail "$(cat err)"
kill $recorder
wait $recorder || true
echo 1 >"$tracing/events/$group/args/enable"
expect_exit 1 "$ASSAY" probe -d "$group:args" 2>err
grep -q "in use by ftrace.*echo 0 > $tracing/events/$group/args/enable" err || fail "$(cat err)"
echo 0 >"$tracing/events/$group/args/enable"

echo "== deleted, by patterns, and only those"
"$ASSAY" probe -d "$group:take*" >out
[ "$(grep -c "^Removed event: $group:take" out)" -eq 3 ] || fail "$(cat out)"
"$ASSAY" probe -d "$group:*" >out || fail "-d"
[ -z "$(mine)" ] || fail "left: $(mine)"
expect_exit 1 "$ASSAY" probe -d "$group:*" 2>err
grep -q "no probe matches" err || fail "$(cat err)"

echo "== without debug information; stripped; another architecture; no program"
"$ASSAY" probe -x "./$prog.nodebug" 'plain=take+4 n=%di:s32' >out || fail "$(cat out)"
"$ASSAY" probe -l "$group:plain" | grep -qE "\(on take\+4 in $PWD/$prog.nodebug with n\)$" || fail "-l without debug information"
"$ASSAY" probe -q -d "$group:plain"
expect_exit 1 "$ASSAY" probe -x "./$prog.stripped" take 2>err
grep -q "no function 'take'\|no symbols" err || fail "$(cat err)"
head -c 20000 /bin/true >cut
for file in cut /etc/passwd /nonexistent .; do
	expect_exit 1 "$ASSAY" probe -x "$file" main 2>err >out
	[ -s err ] || fail "$file: nothing is said"
done
[ -z "$(mine)" ] || fail "left: $(mine)"
# A shared library, by a symbol that is only in .dynsym; and where the C library is called.
libc=$(ldd "$prog" | sed -n 's/.*libc\.so\.6 => \([^ ]*\) .*/\1/p')
"$ASSAY" probe -x "$libc" "own$$:pid=getpid" "own$$:fork=fork" >out || fail "$libc: $(cat out)"
n=$("$ASSAY" stat -x, -e "own$$:fork" "./$prog" 1 2>&1 >/dev/null | sed 's/,.*//')
[ "$n" = 1 ] || fail "fork was called once, not $n times"
"$ASSAY" probe -q -d "own$$:*"

echo "== SDT probes: arguments, and a semaphore that is set while they are in use"
"$ASSAY" list sdt "$WORKLOADS/sdt_probes" >list
[ "$(grep -c 'sdt_assay_test:.*\[SDT event\]' list)" -eq 4 ] || fail "list sdt FILE: $(cat list)"
cp "$WORKLOADS/sdt_probes" "sdt$$"
"$ASSAY" probe -q -x "./sdt$$" "sdt_assay_test$$:plain=%sdt_assay_test:plain" "sdt_assay_test$$:guarded=%sdt_assay_test:guarded" \
	"sdt_assay_test$$:many=%sdt_assay_test:many" "sdt_assay_test$$:globals=%sdt_assay_test:globals"
"$ASSAY" record -q -o sdt.data -e "sdt_assay_test$$:*" "./sdt$$" 2 >printed
grep -q '^passes 2 .* guarded 2$' printed || fail "$(cat printed)"
text=$(sed -n 's/.* text \(0x[0-9a-f]*\) .*/\1/p' printed)
"$ASSAY" script -i sdt.data >script
grep -q ":plain: ([0-9a-f]*) arg1=2 arg2=$((text))\$" script && grep -q ":guarded: ([0-9a-f]*) arg1=1\$" script &&
	grep -q ':many: ([0-9a-f]*) arg1=-2 arg2=-2 arg3=40002 arg4=-7$' script &&
	grep -q ':globals: ([0-9a-f]*) arg1=1002 arg2=-3$' script || fail "$(cat script)"
"$ASSAY" probe -q -d "sdt_assay_test$$:*"
"$ASSAY" probe -x "./sdt$$" -D '%sdt_assay_test:plain arg2:string n=arg1 low=arg1:x8' >out
grep -qE ' arg2=\+0\(%[a-z0-9]+\):string n=%([a-z0-9]+):s32 low=%\1:x8$' out || fail "arguments by the names of the note: $(cat out)"
expect_exit 1 "$ASSAY" probe -x "./sdt$$" sdt_assay_test:palin 2>err
grep -q "did you mean 'sdt_assay_test:plain'" err || fail "$(cat err)"
expect_exit 1 "$ASSAY" probe -x "./$prog" '%sdt_a:b' 2>err
grep -q 'has no SDT probes' err || fail "$(cat err)"
[ -z "$(mine)" ] || fail "left: $(mine)"

if [ ! -e $tracing/kprobe_events ]; then
	expect_exit 1 "$ASSAY" probe tcp_sendmsg 2>err
	grep -q 'this kernel has no kprobes' err && grep -q 'tracepoints near it are tcp' err || fail "$(cat err)"
fi

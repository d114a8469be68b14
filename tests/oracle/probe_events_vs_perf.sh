# `assay probe` beside `perf probe`: what is written to uprobe_events, and the text of -l, also of each other's probes.
. "$(dirname "$0")/../lib.sh"
need perf
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null || skip "tracefs is not mounted on $tracing, and cannot be"
[ -w $tracing/uprobe_events ] || skip "this user may not define probes, or the kernel has none"
[ "$(uname -m)" = x86_64 ] || skip "the registers are those of x86_64"
perf() { timeout -k 5 60 "$PERF" "$@"; }
ours=ours$$
cp "$WORKLOADS/probe_calls" $ours
nodebug=plain$$
# without a build-id, by which the debug information of the other would be found in the symbol index
objcopy --strip-debug --remove-section .note.gnu.build-id $ours $nodebug
# shellcheck disable=SC2064
trap "'$ASSAY' probe -q -d 'probe_$ours:*,probe_$nodebug:*,sdt_assay_test:*' 2>/dev/null || true" EXIT
lines() { grep "$PWD/" $tracing/uprobe_events | sort || true; }

# list TOOL: each by itself, because perf 6.1 shows the line or offset of one probe for those that it lists behind it.
list() {
	lines | sed 's/^[pr][0-9]*:\([^ ]*\) .*/\1/; s,/,:,' | while read -r event; do "$@" probe -l "$event" 2>/dev/null; done
}

same() { # FILE DEFINITION…: both write the same lines
	local file=$1 group=probe_${1%%-*}
	shift
	# perf 6.1 refuses a name that a probe of any other group has, which may be of another test
	for _ in 1 2 3 4 5; do
		! perf probe -q -x "./$file" "${@/#/--add=}" 2>err || break
		sleep 2
	done
	[ "$(lines | wc -l)" -eq $# ] || fail "perf probe $*: $(cat err)"
	lines >perf.lines
	list perf >perf.list
	list "$ASSAY" >ours.list
	cmp perf.list ours.list || fail "-l of perf's probes: $(diff perf.list ours.list)"
	perf probe -q -d "$group:*" 2>/dev/null || fail "perf probe -d"
	"$ASSAY" probe -q -x "./$file" "$@" || fail "assay probe $*"
	lines >ours.lines
	cmp perf.lines ours.lines || fail "$*: $(diff perf.lines ours.lines)"
	list perf >perf.list
	cmp perf.list ours.list || fail "-l by perf of our probes: $(diff perf.list ours.list)"
	"$ASSAY" probe -q -d "$group:*" || fail "assay probe -d"
	[ -z "$(lines)" ] || fail "left: $(lines)"
	nr=$((nr + $#))
}
nr=0
same $ours "x$$=take" "take%return"
same $nodebug "x$$=take" "take%return \$retval" "x$$off=take+3 a=%di b=%si:u32" "x$$mem=take s=+0(%si):string +8(%sp):x32 \$stack \$stack1"
same $nodebug "x$$=main" "x$$a=run n=%ax:s8 m=%cx:x64"
libc=$(ldd $ours | sed -n 's/.*libc\.so\.6 => \([^ ]*\) .*/\1/p')
perf probe -x "$libc" -D malloc 2>/dev/null | sed 's/0x0*/0x/' >perf.out
"$ASSAY" probe -x "$libc" -D malloc >ours.out
cmp perf.out ours.out || fail "malloc of $libc: $(cat perf.out ours.out)"

# Names of groups, by what a file is called.
for name in a-b 3foo lib+x.so _u libfoo-2.0.so ABC.d "q'q"; do
	cp $ours "./$name"
	perf probe -x "./$name" -D take 2>/dev/null | sed 's/ .*//' >perf.out
	"$ASSAY" probe -x "./$name" -D take 2>/dev/null | sed 's/ .*//' >ours.out
	cmp perf.out ours.out || fail "$name: $(cat perf.out ours.out)"
done

# SDT probes: perf takes them from its cache.
sdt=sdt$$
cp "$WORKLOADS/sdt_probes" $sdt
perf buildid-cache --add "./$sdt"
perf probe -q -x "./$sdt" --add=sdt_assay_test:plain --add=sdt_assay_test:guarded 2>err || fail "perf: $(cat err)"
lines >perf.lines
# Where no line begins, perf 6.1 shows one near it (pass:6 of what is the end of line 5): ours is the offset.
"$ASSAY" probe -l | grep -qE '  sdt_assay_test:plain \(on pass\+[0-9]+@[^ ]*sdt_probes.c in .* with arg1 arg2\)$' || fail "$("$ASSAY" probe -l)"
perf probe -q -d 'sdt_assay_test:*' 2>/dev/null
"$ASSAY" probe -q -x "./$sdt" "sdt_assay_test:plain" "%sdt_assay_test:guarded" || fail "SDT"
lines >ours.lines
"$ASSAY" probe -q -d 'sdt_assay_test:*'
cmp perf.lines ours.lines || fail "SDT: $(diff perf.lines ours.lines)"
perf list sdt 2>/dev/null | grep -c 'sdt_assay_test:' >perf.nr
"$ASSAY" list sdt "./$sdt" | grep -c 'sdt_assay_test:' >ours.nr
cmp perf.nr ours.nr || fail "list sdt: $(cat perf.nr ours.nr)"
echo "NOTE: $nr definitions and 2 SDT probes alike"

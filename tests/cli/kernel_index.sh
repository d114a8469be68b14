# Kernel symbols: read from /proc/kallsyms once, then taken from the index, with the same names; a user to whom the kernel hides its
# addresses finds nothing, leaves nothing that is wrong, and does not see what root has kept.
. "$(dirname "$0")/../lib.sh"

grep -q '^0*[1-9a-f][0-9a-f]* T _stext$' /proc/kallsyms || skip "/proc/kallsyms hides addresses"
[ -s /sys/kernel/notes ] || skip "the kernel has no build-id"
export HOME=$TMPDIR/home
mkdir "$HOME"
ASSAY_CACHE=off "$ASSAY" record -q -F 5000 -g -e cpu-clock -o k.data -- dd if=/dev/zero of=/dev/null bs=512 count=200k status=none ||
	skip "kernel samples cannot be recorded"
show() { # NAME [VARIABLE=VALUE…]
	local name=$1
	shift
	env "$@" "$ASSAY" report -v --stdio -i k.data >"$name.report" 2>"$name.err" || fail "report: $(cat "$name.err")"
	env "$@" "$ASSAY" script -i k.data >"$name.script" 2>/dev/null || fail "script failed"
}
from() { # NAME PATTERN
	grep -q -E "\[kernel.kallsyms\]: symbols from: $2\$" "$1.err" || fail "$1: not $2: $(cat "$1.err")"
}
show off ASSAY_CACHE=off
grep -q '\[kernel.kallsyms\]' off.script || skip "there are no kernel samples"
from off /proc/kallsyms
show first
from first /proc/kallsyms
show second
from second 'index, made of /proc/kallsyms'
for name in first second; do
	expect_same off.report $name.report "report, without the index and $name,"
	expect_same off.script $name.script "script, without the index and $name,"
done
"$ASSAY" cache | grep -q 'kernel symbols  *\[kernel.kallsyms\]$' || fail "the list: $("$ASSAY" cache)"
"$ASSAY" cache verify >/dev/null || fail "verify failed"
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	strace -f -e trace=openat -o calls "$ASSAY" report --stdio -i k.data >/dev/null 2>&1 || true # leak checkers fail under strace
	grep -q k.data calls || fail "strace shows nothing"
	! grep -q '/proc/kallsyms' calls || fail "the second run reads /proc/kallsyms: $(grep kallsyms calls)"
fi

# Recording leaves the symbols for a reader under another kernel, where kernel code was sampled.
export XDG_CACHE_HOME=$TMPDIR/recorder
"$ASSAY" record -q -e cpu-clock:u -o u.data -- true || fail "record failed"
! "$ASSAY" cache | grep -q 'kernel symbols' || fail "kept without kernel samples: $("$ASSAY" cache)"
"$ASSAY" record -q -F 5000 -g -e cpu-clock -o k2.data -- dd if=/dev/zero of=/dev/null bs=512 count=200k status=none || fail "record failed"
show recorder
from recorder 'index, made of /proc/kallsyms'
expect_same off.report recorder.report "report, with the recorder's index,"

# A damaged index is not used.
index=$(grep -l -a '\[kernel.kallsyms\]' "$XDG_CACHE_HOME"/assay/*.idx)
printf 'XXXX' | dd of="$index" bs=1 seek=200000 conv=notrunc status=none
show damaged
from damaged /proc/kallsyms
expect_same off.report damaged.report "report, with a damaged index,"

# Another user, from whom addresses are hidden: no names, and nothing kept.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"; }
	chmod 755 "$TMPDIR"
	chmod 644 k.data
	mkdir "$TMPDIR/other"
	chown 65534:65534 k.data "$TMPDIR/other"
	let_others_run
	if ! as_nobody grep -q '^0*[1-9a-f][0-9a-f]* T _stext$' /proc/kallsyms; then
		for cache in "$TMPDIR/other" "$XDG_CACHE_HOME"; do
			as_nobody env XDG_CACHE_HOME="$cache" HOME="$TMPDIR/other" "$ASSAY" script -F sym,dso -i k.data >hidden 2>err || true
			! grep -q -E 'vfs_read|ksys_read|do_syscall' hidden || fail "hidden symbols were shown with $cache: $(head -5 hidden)"
		done
		! grep -q -a -r 'kernel.kallsyms' "$TMPDIR/other" || fail "hidden symbols were kept"
	fi
fi

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The way of a user through a program that measures memory (tests/workloads/pointer_chase.c): which functions it has, the source of one, the variables
# at a line, a probe there, exactly as many counts as the program makes steps, and the address that the program prints itself.
# waits: the kernel takes its time to remove probes
. "$(dirname "$0")/../lib.sh"
need gcc
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null || skip "tracefs is not mounted on $tracing, and cannot be"
[ -w $tracing/uprobe_events ] || skip "this user may not define probes, or the kernel has none"
# The source is beside the workloads, and the name of a group is that of the program.
source=$(cd "$(dirname "$0")/../workloads" && pwd)/pointer_chase.c
prog=chase$$
group=probe_$prog
# shellcheck disable=SC2064
trap "'$ASSAY' probe -q -d '$group:*' 2>/dev/null || true" EXIT

# delete: what was in use a moment ago may be so a little longer
delete() {
	until "$ASSAY" probe -q -d "$group:*" 2>err; do grep -q 'in use' err || fail "$(cat err)"; done
}

compilers="gcc"
! command -v clang >/dev/null || compilers="gcc clang"
for cc in $compilers; do
	for level in 0 2; do
		echo "== $cc -O$level"
		$cc -g -O$level -o $prog "$source"
		"$ASSAY" probe -x ./$prog -F | grep -qx chase || fail "-F: $("$ASSAY" probe -x ./$prog -F)"
		"$ASSAY" probe -x ./$prog -L chase >lines
		grep -qE '^ +9  	+HUNDRED_LOADS$' lines || fail "-L: $(cat lines)"
		"$ASSAY" probe -x ./$prog -V chase:9 >vars
		grep -q "^	@<chase+[0-9]*>$" vars && grep -qE '^		void\*\*	p$' vars && grep -qE '^		size_t	step($|	#)' vars || fail "-V: $(cat vars)"
		"$ASSAY" probe -x ./$prog 'bl9=chase:9 addr=p' >added || fail "probe: $(cat added)"
		"$ASSAY" probe -l "$group:bl9" | grep -qE "^  $group:bl9 +\(on chase:9@.* in $PWD/$prog with addr\)$" ||
			fail "-l: $("$ASSAY" probe -l "$group:*")"

		"$ASSAY" stat -x, -o count -e "$group:bl9" ./$prog 1234 >printed
		want=$(sed -n 's/^steps \([0-9]*\) from 0x[0-9a-f]*$/\1/p' printed)
		[ "$want" = 3702 ] || fail "the program: $(cat printed)"
		[ "$(sed -n "s/^\([0-9]*\),,$group:bl9,.*/\1/p" count)" = "$want" ] || fail "$want steps: $(cat count)"

		"$ASSAY" record -q -o chase.data -e "$group:bl9" ./$prog 50 >printed
		address=$(sed -n 's/^steps 150 from \(0x[0-9a-f]*\)$/\1/p' printed)
		"$ASSAY" script -i chase.data >script
		[ "$(grep -c "$group:bl9: ([0-9a-f]*) addr=$address\$" script)" -eq 150 ] || fail "150 steps from $address: $(head -5 script)"
		[ "$(wc -l <script)" -eq 150 ] || fail "150 steps: $(wc -l <script)"
		delete

		n=$("$ASSAY" stat -x, --temp 'bl9=chase:9 addr=p' ./$prog 100 2>&1 >/dev/null | sed -n "s/^\([0-9]*\),,$group:bl9,.*/\1/p")
		[ "$n" = 300 ] || fail "--temp: 300 steps are $n"
	done
done

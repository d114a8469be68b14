# Where stacks end, by raw stacks that perf recorded: epilogues, stacks that were made by hand, the return from a signal handler, the start of
# a program in the dynamic loader, musl's start; and programs of 32 bits. Of each nearly all stacks are complete, with perf's frames (of musl and 32 bits perf has none) and what the program does.
. "$(dirname "$0")/../lib.sh"
need perf
need python3
here=$(cd "$(dirname "$0")" && pwd)

# few NAME.data PERCENT-COMPLETE MIN: whether no more are incomplete than MIN allows, or two, of the few samples of a busy machine
few() {
	"$ASSAY" script --no-inline -F tid -G -i "$1" 2>/dev/null | awk -v s="$2" -v m="$3" 'END { bad = (100 - s) / 100 * NR; exit !(s >= m || NR >= 20 && bad < 2.5) }'
}

complete() { # NAME: percent of NAME.data's stacks
	"$ASSAY" report --stdio -i "$1.data" 2>report.err | sed -n 's/^# Quality: \([0-9.]*\)% of stacks complete.*/\1/p'
}

check() { # NAME MIN COMMAND…
	local name=$1 min=$2 share alike
	shift 2
	perf_record -F 2500 --call-graph dwarf -o "$name.data" -- "$@"
	"$ASSAY" script --no-inline -i "$name.data" -F comm,tid,time,ip,sym,dso >"$name.ours" 2>ours.err || fail "script of $name: $(cat ours.err)"
	case $name in
	musl* | *32) cp "$name.ours" "$name.perf" ;; # perf has one frame of these, or guesses
	*) "$PERF" script --no-inline -i "$name.data" -F comm,tid,time,ip,sym,dso >"$name.perf" 2>perf.err || fail "perf script of $name: $(cat perf.err)" ;;
	esac
	alike=$(awk -v m="$min" 'BEGIN { print m + 0.5 }')
	[ "$name" != short ] || alike=85
	python3 "$TOOLS/unwind_compare.py" "$name" "$name.perf" "$name.ours" "$alike" || fail "$name: not perf's frames, or not the program's"
	share=$(complete "$name")
	few "$name.data" "$share" "$min" || fail "$name: $share% of stacks are complete, not $min%"
	echo "$name $share%" >>figures.txt
}

check epilogue 99 "$WORKLOADS/unwind_epilogue" 0.4
check contexts 99 "$WORKLOADS/unwind_contexts" 0.4
check sigreturn 99 "$WORKLOADS/unwind_sigreturn" 0.4
grep -q __restore_rt sigreturn.ours || fail "no sample returns from a signal handler"
# perf goes astray in the loader of programs that have just been executed, in 1 to 6 of 100 samples.
check short 97 sh -c 'i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done'
if command -v musl-gcc >/dev/null; then
	sources=$here/../workloads
	for kind in static dynamic; do
		musl-gcc $([ $kind = static ] && echo -static) -O2 -g -fomit-frame-pointer -idirafter "$sources" -o musl_$kind "$sources/recurse.c" 2>musl.err ||
			fail "musl-gcc: $(cat musl.err)"
		check musl_$kind 99 ./musl_$kind 0.3
	done
else
	echo "NOTE: musl-gcc is not installed: its programs are not tested"
fi
narrow() { # NAME WORKLOAD
	"${CC:-cc}" -m32 -idirafter /usr/include/x86_64-linux-gnu -O2 -g -w -fomit-frame-pointer -pthread -I"$here/../workloads" -o "$1" \
		"$here/../workloads/$2.c" -lm 2>narrow.err
}
if [ "$(uname -m)" = x86_64 ] && narrow recurse32 recurse; then
	narrow threads32 unwind_threads && narrow signals32 unwind_signals || fail "cc -m32: $(cat narrow.err)"
	check recurse32 99 ./recurse32 0.3
	check threads32 99 ./threads32 0.3
	check signals32 99 ./signals32 0.3
	grep -q '__kernel_sigreturn (\[vdso32\])' signals32.ours || fail "no frame in the vdso of 32-bit programs"
	"$ASSAY" record -q -F 2500 --call-graph dwarf -o walked32.data -- ./threads32 0.3 >/dev/null 2>record.err || fail "record: $(cat record.err)"
	share=$(complete walked32)
	few walked32.data "$share" 99 || fail "walked while recording: $share% of stacks are complete"
else
	echo "NOTE: programs of 32 bits cannot be built here"
fi
echo "NOTE: complete: $(paste -sd ' ' figures.txt)"

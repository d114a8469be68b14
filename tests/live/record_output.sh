# Names, modes and numbers of output files.
. "$(dirname "$0")/../lib.sh"
need perf

quiet_perf() {
	"$PERF" "$@" >perf.out 2>perf.err || fail "perf $*: $(cat perf.err)"
	[ ! -s perf.err ] || fail "perf $* warns: $(head -3 perf.err)"
}

# the old file is kept, the new one is ours alone
"$ASSAY" record -q true
first=$(stat -c %i perf.data)
"$ASSAY" record -q true
[ "$(stat -c %i perf.data.old)" = "$first" ] || fail "the older file was not kept as perf.data.old"
[ "$(stat -c %a perf.data)" = 600 ] || fail "mode $(stat -c %a perf.data) instead of 600"
[ "$(echo perf.data*)" = "perf.data perf.data.old" ] || fail "left over: $(echo perf.data*)"
# a link to a file is moved away, its target stays
echo precious >target
ln -s target link.data
"$ASSAY" record -q -o link.data true
[ "$(cat target)" = precious ] || fail "wrote through a link"
[ ! -L link.data ] || fail "the link is still there"
"$ASSAY" record -q -o /dev/null true

# the summary
"$ASSAY" record -o sum.data "$WORKLOADS/burn" 0.2 2>err
grep -q -E '^\[ assay record: Woken up [0-9]+ times to write data \]$' err || fail "summary: $(cat err)"
grep -q -E '^\[ assay record: Captured and wrote 0\.[0-9]{3} MB sum.data \([0-9]+ samples\) \]$' err ||
	fail "summary: $(cat err)"
"$ASSAY" record -q -o quiet.data true 2>err
[ ! -s err ] || fail "-q says something: $(cat err)"

# build-ids of what was mapped, and none with -B
quiet_perf buildid-list -i sum.data
grep -q "/burn$" perf.out || fail "no build-id of the workload: $(cat perf.out)"
grep -q '\[kernel.kallsyms\]' perf.out || [ ! -r /sys/kernel/notes ] || fail "no build-id of the kernel"
want=$(readelf -n "$WORKLOADS/burn" 2>/dev/null | awk '/Build ID/ { print $3 }')
[ -z "$want" ] || grep -q "$want" perf.out || fail "the build-id is wrong"
"$ASSAY" record -q -B -o b.data "$WORKLOADS/burn" 0.05
! "$PERF" report -i b.data --header-only 2>/dev/null | grep -q 'BUILD_ID$' || fail "-B saved build-ids"

# compressed
"$ASSAY" record -o plain.data -F 5000 -g "$WORKLOADS/burn" 0.5 2>/dev/null
"$ASSAY" record -o z.data -F 5000 -g -z "$WORKLOADS/burn" 0.5 2>err
grep -q 'compressed (original 0\.[0-9]* MB, ratio is ' err || fail "-z: $(cat err)"
quiet_perf script -i z.data
grep -q burn perf.out || fail "-z: nothing in it"
[ $(($(stat -c %s z.data) * 2)) -lt "$(stat -c %s plain.data)" ] || fail "-z saves nothing"

# a timestamp in the name
"$ASSAY" record -o stamp.data --timestamp-filename "$WORKLOADS/burn" 0.1 2>err
[[ $(echo stamp.data*) =~ ^stamp\.data\.20[0-9]{14}$ ]] || fail "names: $(echo stamp.data*)"
grep -q 'Dump stamp.data.20' err || fail "the name is not reported: $(cat err)"

# several files: by time, by size, by signal
"$ASSAY" record -o time.data --switch-output=1s "$WORKLOADS/burn" 2.5 2>err
[ "$(ls time.data.* | wc -l)" -ge 3 ] || fail "--switch-output=1s: $(ls time.data*)"
total=0
for f in time.data.*; do
	quiet_perf script -i "$f" -F ip,sym
	grep -q burn perf.out || fail "$f knows no symbols of the workload"
	total=$((total + $(wc -l <perf.out)))
done
grep -q "($total samples)" err || fail "$total samples in all files, but: $(cat err)"

"$ASSAY" record -q -F 20000 -g -m 16 -o size.data --switch-output=100K "$WORKLOADS/burn" 1
n=$(ls size.data.* | wc -l)
[ "$n" -ge 3 ] || fail "--switch-output=100K made $n files"
quiet_perf script -i "$(ls size.data.* | sed -n 2p)" -F ip,sym # the last one may be empty
grep -q burn perf.out || fail "the second file knows no symbols"

"$ASSAY" record -q -F 20000 -g -m 16 -o few.data --switch-output=100K --switch-max-files=2 "$WORKLOADS/burn" 1
[ "$(ls few.data.* | wc -l)" -eq 2 ] || fail "--switch-max-files=2: $(ls few.data.*)"

# A device is no file of the recorder's: it stays where it is.
if mknod device c 1 3 2>/dev/null; then
	"$ASSAY" record -q -F 20000 -g -m 16 -o device --switch-output=100K --switch-max-files=1 "$WORKLOADS/burn" 1
	[ -c device ] || fail "--switch-max-files removed the device of -o"
	[ -z "$(ls | grep '^device\.')" ] || fail "files beside the device of -o: $(ls | grep '^device\.')"
fi

"$ASSAY" record -q -o sig.data --switch-output "$WORKLOADS/burn" 1 & rec=$!
sleep 0.5
kill -USR2 $rec
wait $rec
[ "$(ls sig.data.* | wc -l)" -eq 2 ] || fail "SIGUSR2: $(ls sig.data*)"

# every file knows who runs: an orphan, and a child that a named process starts later
cat >orphan.sh <<W
sleep \$1
('$WORKLOADS/burn' 2.2 &)
sleep 2.4
W
"$ASSAY" record -q -o orphan.data --switch-output=1s sh orphan.sh 0
sh orphan.sh 0.3 & target=$!
"$ASSAY" record -q -o later.data --switch-output=1s -p $target
wait $target
for name in orphan later; do
	[ "$(ls $name.data.* | wc -l)" -ge 3 ] || fail "$name: $(ls $name.data*)"
	for f in $(ls $name.data.* | head -2); do
		quiet_perf script -i "$f" -F comm,ip,sym
		n=$(grep -c '^ *burn .*burn' perf.out)
		[ "$n" -gt 100 ] || fail "$f knows only $n samples of burn: $(sort perf.out | uniq -c | sort -rn | head -3)"
	done
done

# the highest compression does not keep up: plain records stand between packed ones
"$ASSAY" record -o z22.data -F 10000 -g -m 32 -z22 "$WORKLOADS/burn" 1 2>err
n=$(sed -n 's/.*(\([0-9]*\) samples.*/\1/p' err)
[ "$("$ASSAY" script -i z22.data -F time 2>/dev/null | wc -l)" -eq "$n" ] || fail "-z22: assay reads other than $n samples"
"$PERF" script -i z22.data -F time >perf.out 2>/dev/null # it warns where samples are lost
[ "$(wc -l <perf.out)" -eq "$n" ] || fail "-z22: perf reads $(wc -l <perf.out) samples of $n"

# options that have nothing to do, or little
"$ASSAY" record -q -o accepted.data --tail-synthesize --no-buffering --synth=task --num-thread-synthesize 2 \
	--proc-map-timeout 100 -r 1 true

# a size limit: the workload runs on, its status is passed on
"$ASSAY" record -F 20000 -g -o max.data --max-size=200K "$WORKLOADS/burn" 1 4 2>err && status=0 || status=$?
[ $status -eq 4 ] || fail "--max-size: exit status $status instead of 4"
grep -q 'size limit reached' err || fail "--max-size says nothing: $(cat err)"
quiet_perf script -i max.data -F time
size=$(stat -c %s max.data)
[ "$size" -ge 200000 ] && [ "$size" -lt 1000000 ] || fail "--max-size=200K made $size bytes"

# a delay, and ranges: checked by times, because the number of samples depends on the load. The bounds are wide for the same reason.
times() { # FILE: samples, and ms: exec to first, largest gap, last to exit
	"$PERF" script -i "$1" --show-task-events -F comm,time,ip 2>/dev/null | awk '
		{ match($0, /[0-9]+\.[0-9]+:/); t = substr($0, RSTART, RLENGTH - 1) * 1000 }
		/PERF_RECORD_COMM exec/ { exec_at = t; next }
		/PERF_RECORD_EXIT/ { exit_at = t; next }
		/PERF_RECORD/ { next }
		!n++ { first = last = t }
		{ if (t - last > gap) gap = t - last; last = t }
		END { printf "%d %d %d %d\n", n, first - exec_at, gap, exit_at - last }'
}
"$ASSAY" record -q -o delay.data -D 300 "$WORKLOADS/burn" 1.5
quiet_perf script -i delay.data -F ip,sym
grep -q burn perf.out || fail "-D: maps are missing"
read -r n before gap after <<<"$(times delay.data)"
[ "$n" -gt 50 ] || fail "-D 300 of 1500 ms: $n samples"
[ "$before" -ge 200 ] || fail "-D 300: the first sample comes after $before ms"
[ "$after" -lt 1000 ] || fail "-D 300: the last sample comes $after ms before the end"
"$ASSAY" record -q -o ranges.data -D 100-300,700-900 "$WORKLOADS/burn" 1.8
read -r n before gap after <<<"$(times ranges.data)"
[ "$n" -gt 50 ] || fail "-D ranges of 400 ms in all: $n samples"
[ "$before" -ge 50 ] && [ "$gap" -ge 150 ] && [ "$after" -ge 300 ] ||
	fail "-D 100-300,700-900 of 1800 ms: the first sample after $before ms, a gap of $gap ms, nothing for $after ms"
"$ASSAY" record -q -o never.data -D -1 "$WORKLOADS/burn" 0.1
[ "$("$PERF" script -i never.data 2>/dev/null | wc -l)" -eq 0 ] || fail "-D -1 took samples"

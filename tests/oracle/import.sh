# assay import: what was exported comes back the same, byte by byte; the text of perf script gives the report of the recording itself; perf
# reads what was imported; every command imports on the way; what makes no sense is counted and said.
. "$(dirname "$0")/../lib.sh"
need python3

record() { # NAME OPTIONS…
	local name=$1
	shift
	"$ASSAY" record -q -o "$name.data" "$@" >/dev/null 2>record.err || fail "record $*: $(cat record.err)"
}
record chains -F 2000 -g -- "$WORKLOADS/mixed" 0.3
record plain -F 2000 -- "$WORKLOADS/mixed" 0.3
record events -F 1500 -g -e cpu-clock,page-faults,context-switches -- "$WORKLOADS/mixed" 0.3
record inlined -F 2000 -g -- "$WORKLOADS/inlined" 0.4
record recurse -F 2000 -g -- "$WORKLOADS/recurse" 0.3
record shell -F 3000 -g --sample-cpu -- sh -c 'ls -l /usr/bin >/dev/null; sort /etc/passwd | uniq -c >/dev/null'
record forks -F 1000 -- "$WORKLOADS/forkstorm"
recordings="chains plain events inlined recurse shell forks"
if "$ASSAY" record -q -e sched:sched_switch -g -o tracepoints.data -- "$WORKLOADS/latencies" 20 >/dev/null 2>&1; then
	recordings="$recordings tracepoints"
fi

# Rows of a report in any order: events come in the order of the text, and rows of equal weight in that of samples. Places without a name go
# by where they were in memory, which not every text tells: they are left out.
rows() { # FILE OPTIONS…
	local f=$1
	shift
	"$ASSAY" report -q --stdio -g none -i "$f" "$@" 2>/dev/null | sed -E '/^#/d; /^$/d; s/ +$//; /( (0x)?[0-9a-f]{16}|\+0x[0-9a-f]+)$/d' | sort
}

# The text of perf script, of both programs where both are here.
nr=0
for name in $recordings; do
	"$ASSAY" script -q -i $name.data >ours.txt
	cp ours.txt text.txt
	for by in ours perf; do
		if [ $by = perf ]; then
			# Names of other tasks in tracepoints are printed as they are by perf, line breaks and all.
			[ -n "$PERF" ] && [ $name != tracepoints ] || continue
			"$PERF" script --no-inline -i $name.data >text.txt 2>/dev/null
		fi
		"$ASSAY" import -q -o imported.data text.txt || fail "$name: the text of $by is not imported"
		"$ASSAY" script -q -i imported.data >again.txt
		expect_same text.txt again.txt "$name: script of what was imported from the text of $by"
		nr=$((nr + 1))
	done
	# Of a chain that the kernel left empty the text does not say where it was.
	[ $name != tracepoints ] || continue
	"$ASSAY" import -q -o imported.data ours.txt
	for options in "--no-children" "--children" "--no-children --sort pid,sym" "--children --sort comm,dso,sym --no-inline"; do
		# shellcheck disable=SC2086
		rows $name.data $options >want
		# shellcheck disable=SC2086
		rows imported.data $options >got
		# Threads are processes of their own there: the text has no pids.
		case $options in *pid*) [ $name = recurse ] || continue ;; esac
		expect_same want got "$name: report $options of imported text"
	done
	[ -s want ] || fail "$name: an empty report"
done
echo "$nr texts come out as they went in"

# Other fields of the text
for name in chains plain; do
	for options in "--ns" "-F comm,pid,tid,time,event,ip,sym,dso" "-F ip,sym,symoff" "-F comm,time,event" "-F -dso" "-F +pid,+misc" "-G" \
		"-F comm,tid,event,ip,sym" "-F +srcline" "-F comm,tid,period,event,ip,sym,dso"; do
		# shellcheck disable=SC2086
		"$ASSAY" script -q -i $name.data $options >text.txt 2>/dev/null || continue
		"$ASSAY" import -q -o imported.data text.txt || fail "$name: script $options is not imported"
		# shellcheck disable=SC2086
		"$ASSAY" script -q -i imported.data $options >again.txt || fail "$name: script $options fails for what was imported"
		expect_same text.txt again.txt "$name: script $options of what was imported"
		nr=$((nr + 1))
	done
done

for options in "-F +srcline" "-G -F +srcline" "--no-inline"; do
	# shellcheck disable=SC2086
	"$ASSAY" script -q -i inlined.data $options >text.txt
	"$ASSAY" import -q -o imported.data text.txt
	# shellcheck disable=SC2086
	"$ASSAY" script -q -i imported.data $options >again.txt
	expect_same text.txt again.txt "inlined: script $options of what was imported"
done

# Only its line says which offset of a file an address is.
"$ASSAY" record -q -F 4000 -o vdso.data -- "$WORKLOADS/unwind_calls" 0.3 2>/dev/null
"$ASSAY" script -q -i vdso.data -F +srcline >text.txt
grep -qF '[vdso][' text.txt || fail "nothing was sampled in the vdso"
"$ASSAY" import -q -o imported.data text.txt
"$ASSAY" script -q -i imported.data -F +srcline >again.txt
expect_same text.txt again.txt "vdso: script -F +srcline of what was imported"

# pprof and folded stacks: export, import, export. Functions of one name are one function in pprof; the kernel has some.
awk '{ print $3 }' /proc/kallsyms | sort | uniq -d >twice
of_unique_names() {
	awk 'NR == FNR { twice[$1]; next } !($NF in twice)' twice -
}
for name in $recordings; do
	"$ASSAY" export -q --format pprof -o a.pb.gz $name.data
	"$ASSAY" import -q -o imported.data a.pb.gz || fail "$name: pprof is not imported"
	"$ASSAY" export -q --format pprof -o b.pb.gz imported.data
	gunzip -kf a.pb.gz b.pb.gz
	cmp -s a.pb b.pb || fail "$name: pprof is another one after import and export"
	rows $name.data --no-children -s comm,dso,sym | of_unique_names >want
	rows a.pb.gz --no-children | of_unique_names >got # also of tracepoints: it has no fields
	expect_same want got "$name: report of pprof"
	for options in "" "--annotate" "--annotate --with tid"; do
		# shellcheck disable=SC2086
		"$ASSAY" export -q --format folded $options -o a.folded $name.data
		for comm in "" "--comm"; do
			# Event and task are two frames in front where there are several events.
			[ -z "$comm" ] || [ $name != events ] || continue
			# Tasks that are gone have no ids to tell them apart by.
			case "$name $comm $options" in "tracepoints --comm"*tid) continue ;; esac
			# shellcheck disable=SC2086
			"$ASSAY" import -q $comm -o imported.data a.folded || fail "$name: folded stacks are not imported"
			# Without --comm the task is a frame, and stands in front without being asked for.
			[ -n "$comm" ] && again=$options || again=${options%--with tid}
			# shellcheck disable=SC2086
			"$ASSAY" export -q --format folded $again -o b.folded imported.data
			expect_same a.folded b.folded "$name: folded stacks $options after import $comm and export"
		done
	done
	[ $name = events ] && continue
	"$ASSAY" export -q --format folded --no-inline -o a.folded $name.data
	"$ASSAY" import -q --comm -o imported.data a.folded
	rows $name.data --children --no-inline --sort comm,sym | sed 's/\[[.k]\]//' | sort >want
	# Folded stacks have one name for all places of a module without one, and no marks here.
	rows imported.data --children --sort comm,sym | sed 's/\[[.k]\]//; /\[[^]]*\]$/d' | sort >got
	[ $name != recurse ] || expect_same want got "$name: report of folded stacks"
done

# perf reads what was imported, without a word.
if [ -n "$PERF" ]; then
	for name in chains plain $(echo "$recordings" | grep -o tracepoints); do
		"$ASSAY" script -q -i $name.data >text.txt
		"$ASSAY" export -q --format pprof -o a.pb.gz $name.data
		"$ASSAY" export -q --format folded -o a.folded $name.data
		for from in text.txt a.pb.gz a.folded; do
			"$ASSAY" import -q -o imported.data $from
			for tool in "script" "report --stdio" "evlist -v"; do
				# shellcheck disable=SC2086
				"$PERF" $tool -i imported.data >perf.txt 2>perf.err </dev/null || fail "perf $tool of $name from $from fails: $(cat perf.err)"
				[ -z "$(grep -v '^$' perf.err)" ] || fail "perf $tool of $name from $from warns: $(cat perf.err)"
			done
			"$PERF" evlist -i imported.data | grep -q . || fail "perf sees no events of $name from $from"
		done
	done
fi

# By every road: files, pipes, packed; and every command.
"$ASSAY" script -q -i chains.data >text.txt
"$ASSAY" export -q --format folded -o a.folded chains.data
"$ASSAY" export -q --format pprof -o a.pb.gz chains.data
rows chains.data --no-children >want
cat text.txt | "$ASSAY" report -q --stdio --no-children -g none -i - 2>/dev/null >piped.txt
"$ASSAY" report -q --stdio --no-children -g none -i text.txt 2>/dev/null >direct.txt
expect_same direct.txt piped.txt "a text and the same through a pipe"
(sleep 0.1; head -c 5 text.txt; sleep 0.1; tail -c +6 text.txt) | "$ASSAY" report -q --stdio --no-children -g none 2>/dev/null >piped.txt
expect_same direct.txt piped.txt "a slow pipe"
for pack in "gzip" "xz" "zstd -q"; do
	command -v "${pack%% *}" >/dev/null || continue
	$pack <text.txt >packed
	rows packed --no-children >got
	expect_same want got "text packed by $pack"
	$pack <chains.data >packed
	rows packed --no-children >got
	expect_same want got "a recording packed by $pack"
done
for from in text.txt a.folded a.pb.gz; do
	"$ASSAY" flame -q --by comm -i $from -o flame.svg || fail "flame of $from"
	"$ASSAY" export -q --format speedscope -i $from -o s.json || fail "export of $from"
	"$ASSAY" evlist -i $from >events.txt || fail "evlist of $from"
	[ -s events.txt ] || fail "evlist of $from shows nothing"
	"$ASSAY" diff -q chains.data $from >diff.txt 2>/dev/null || fail "diff of $from"
done
"$ASSAY" flame -q --min-width 0 -i chains.data -o original.svg
"$ASSAY" flame -q --min-width 0 -i text.txt -o text.svg
"$ASSAY" flame -q --min-width 0 -i a.pb.gz -o pprof.svg
for f in original text pprof; do
	python3 "$TOOLS/flame_read.py" stacks $f.svg >$f.stacks
done
expect_same original.stacks text.stacks "flame graphs of a recording and of its text"
expect_same original.stacks pprof.stacks "flame graphs of a recording and of its pprof"

# Sums that are no samples are drawn as what they are.
printf 'a;b 70000000000\na;c 30000000000\n' >bytes.folded
"$ASSAY" report -q --stdio --no-children -g none -i bytes.folded 2>/dev/null | grep -q '70\.00%.* b$' || fail "large sums in a report"
"$ASSAY" flame -q -i bytes.folded -o bytes.svg
[ "$(python3 "$TOOLS/flame_read.py" total bytes.svg)" = 100000000000 ] || fail "large sums in a flame graph"

# Mistakes: lines are counted and said; nothing of use is an error.
printf 'a;b 1\nnonsense\na;c 2\nmore nonsense\n' >some.folded
"$ASSAY" import -o imported.data some.folded 2>err.txt
grep -q 'some.folded: 2 of 4 lines are no folded stacks and were left out, the first is line 2' err.txt || fail "$(cat err.txt)"
{ head -20 text.txt; echo "what is this"; sed -n 21,40p text.txt; } >some.txt
"$ASSAY" import -o imported.data some.txt 2>err.txt
grep -q 'some.txt: 1 of 41 lines are no samples' err.txt && grep -q 'line 21$' err.txt || fail "$(cat err.txt)"
cp imported.data before.data
echo "just some words" >words.txt
expect_exit 1 "$ASSAY" import -o imported.data words.txt 2>err.txt
grep -q 'words.txt is not a perf.data file and none of what can be imported' err.txt || fail "$(cat err.txt)"
expect_exit 1 "$ASSAY" import --format folded -o imported.data words.txt 2>err.txt
grep -q 'words.txt has no sample: line 1 is not a folded stack' err.txt || fail "$(cat err.txt)"
expect_exit 1 "$ASSAY" import -o imported.data no-such-file 2>err.txt
grep -q 'there is no file no-such-file' err.txt || fail "$(cat err.txt)"
head -c $(($(stat -c %s a.pb.gz) / 2)) a.pb.gz >half.pb.gz
expect_exit 1 "$ASSAY" import -o imported.data half.pb.gz 2>err.txt
grep -q 'half.pb.gz is damaged' err.txt || fail "$(cat err.txt)"
cmp -s imported.data before.data || fail "a failed import changes the file that was there"
expect_exit 2 "$ASSAY" import --format moon x 2>/dev/null
expect_exit 1 "$ASSAY" report -i words.txt 2>err.txt
grep -q 'words.txt is not a perf.data file (it looks like text)' err.txt || fail "$(cat err.txt)"
# A bomb: 400 MB of zeroes in 400 KB.
python3 -c '
import zlib
z = zlib.compressobj(9, zlib.DEFLATED, 31)
with open("bomb.gz", "wb") as f:
    for _ in range(400):
        f.write(z.compress(bytes(1 << 20)))
    f.write(z.flush())'
expect_exit 1 "$ASSAY" import -o imported.data bomb.gz 2>err.txt
grep -q 'bomb.gz unpacks to more than .* gzip -dc bomb.gz | assay import$' err.txt || fail "$(cat err.txt)"
# What the sentence says helps where it is text: 72 MB in some KB.
python3 -c '
for _ in range(72):
    print("main;run;work 1\n" * 65536, end="")' | xz -1 >same.xz
expect_exit 1 "$ASSAY" import -o imported.data same.xz 2>err.txt
sh -c "$(sed -n "s/.*unpacked: \(.*\)assay import$/\1/p" err.txt) '$ASSAY' import -o imported.data" 2>err.txt || fail "$(cat err.txt)"
grep -q ' 4718592 samples of folded imported into imported.data' err.txt || fail "$(cat err.txt)"

# Stopped in the middle, nothing is left but what was there before.
mkdir stopped
(cd stopped && cp ../before.data imported.data)
for signal in INT TERM; do
	python3 - "$ASSAY" $signal <<'EOF' || fail "an import could not be stopped by SIG$signal"
import os, signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "import", "-q", "-o", "imported.data", "-"], stdin=subprocess.PIPE, cwd="stopped",
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
p.stdin.write(b"main;work 1\n" * 300000)
p.stdin.flush()
time.sleep(0.3)
p.send_signal(getattr(signal, "SIG" + sys.argv[2]))
sys.exit(p.wait() != -getattr(signal, "SIG" + sys.argv[2]))
EOF
	[ "$(ls stopped)" = imported.data ] || fail "SIG$signal leaves $(ls stopped)"
	cmp -s stopped/imported.data before.data || fail "SIG$signal changes what was there"
done

# Damaged names are reported, and nothing else is shown instead of them.
"$ASSAY" import -q -o imported.data text.txt
python3 - <<'EOF'
data = bytearray(open("imported.data", "rb").read())
at = data.rindex(b"asayimp2")
data[at + 23] = 0xff
open("damaged.data", "wb").write(data)
data[at + 7] = ord("1")
open("other.data", "wb").write(data)
EOF
expect_exit 1 "$ASSAY" report -i damaged.data 2>err.txt >/dev/null
grep -q 'the names that were imported with it cannot be read' err.txt || fail "$(cat err.txt)"
expect_exit 1 "$ASSAY" report -i other.data 2>err.txt >/dev/null
grep -q 'import its source again: assay import -o other.data SOURCE' err.txt || fail "$(cat err.txt)"

# 350,000 samples
grow=$(dirname "$ASSAY")/tests/bench/grow
said="no large text: grow is not built"
if [ -x "$grow" ]; then
	"$grow" chains.data big.data 350000
	"$ASSAY" script -q -i big.data >big.txt
	said=$(python3 - "$ASSAY" import -q -o big.imported big.txt <<'EOF' || fail "the import of a large text takes too long"
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
took = used.ru_utime + used.ru_stime
print(f"{os.stat('big.txt').st_size >> 20} MB of text in {took:.2f} s of CPU time, {used.ru_maxrss >> 10} MB")
sys.exit(status != 0 or took > 5)
EOF
	)
	[ "$("$ASSAY" script -q -i big.imported -F comm -G | wc -l)" -eq 350000 ] || fail "samples got lost"
fi
echo "NOTE: $nr texts, $(echo "$recordings" | wc -w) recordings; $said"

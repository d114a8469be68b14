# timeout: 900
# Recordings that are small to write and endless to read (hostile_data.py has the kinds): no command takes more than 512 MB, 10 s of CPU or
# text out of proportion, and where something is left out, it is said.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1 ASSAY_CACHE=off
python3 -c 'import ctypes; ctypes.CDLL("libzstd.so.1")' 2>/dev/null || skip "python3 cannot load libzstd.so.1"

python3 "$here/hostile_data.py" make . >kinds
cost() { # COMMANDS KIND…
	COMMANDS=$1 python3 "$here/hostile_data.py" run "$ASSAY" . "${@:2}" || fail "a command costs too much"
}
python3 "$here/hostile_data.py" run "$ASSAY" . || fail "a command costs too much"
# A dump shows each record as it is, so one kind of each size of record, and of what is unpacked, says enough.
cost "script -D" zstd-samples zstd-stacks zstd-forks zstd-long-names zstd-large-dumps features fork-maps many-events many-repeats tracing-data
# Two recordings at a time, lines of all places, and times.
cost "flame -o /dev/null --diff,diff,export --format csv" aliases
cost "flame -o /dev/null --diff" alias-stacks real-files
cost diff zstd-attrs
cost "heatmap --offset -o /dev/null" zstd-timed zstd-large-timed
# Code of all functions, pages, copies, and what divides time.
cost "annotate --stdio" real-files
cost "annotate --json,view -q -o /dev/null" alias-stacks many-events
# As many histograms as events, and samples of none that is looked for.
cost "report --json -s srcline,report --json -s srcfile,trace -s" many-events
cost "view -q -o /dev/null,inject -b -o /dev/null" zstd-deep zstd-forks aliases build-ids-dsos
cost "wall,timechart -o /dev/null,report --stdio --latency" zstd-timed fork-maps
# Sums of pairs, and descriptors through forks.
cost "kmem stat --page --caller --alloc" zstd-pages
cost "kwork report,kwork timehist" zstd-works
# A row for each frame, tasks that are met only when all is read, and states of tasks in a page.
cost "report --stdio,report --json" zstd-locks
cost "report --stdio,sched summary,timechart -o /dev/null,wall,view -q -o /dev/null,export --format chrome -o /dev/null" zstd-wakes
cost "trace,trace --json,trace -s" fork-files

# said PATTERN COMMAND…: exit status 1, and one sentence that says what was left out
said() {
	local pattern=$1 got=0
	shift
	"$@" >out 2>err || got=$?
	[ "$got" -eq 1 ] || fail "exit status $got instead of 1: $*: $(cat err)"
	grep -q -E -- "$pattern" err || fail "$*: no '$pattern': $(cat err)"
}
said 'zstd-samples: reading stopped at offset [0-9]+: [0-9]+ kB of compressed data unpack to more than 64 MB' "$ASSAY" report --stdio -i zstd-samples
said 'zstd-pipe: reading stopped at offset' "$ASSAY" script -i zstd-pipe
said 'standard input: reading stopped at offset' "$ASSAY" report --stdio -i - <zstd-pipe
said 'zstd-stacks: reading stopped at offset [0-9]+: what it describes needs more than 160 MB of memory' "$ASSAY" report --stdio -i zstd-stacks
said 'pprof has a value of each event in each sample: 25000 events' "$ASSAY" export --format pprof many-events
"$ASSAY" report --stdio -i repeats 2>err | grep -q . || fail "repeats: no report"
grep -q 'stand for more than 2097152 in all' err || fail "repeats: nothing is said: $(cat err)"


said 'zstd-wakes: reading stopped at offset [0-9]+: .*, the last [0-9]+ of them are left out' "$ASSAY" sched latency -i zstd-wakes
"$ASSAY" report --stdio -i zstd-locks 2>err | grep -q '^# [0-9]* samples, or callers of theirs, are in no row: the rows exceed the limit' ||
	fail "zstd-locks: nothing is said of rows that are left out: $(cat err)"

# One file under many names is one file, and has its symbols under each that is looked for.
"$ASSAY" report --stdio -s sym -i aliases >out 2>err || fail "aliases: $(cat err)"
grep -q 'aliases: it names more than 10000 files, the limit' err || fail "aliases: nothing is said: $(cat err)"
grep -q '\[\.\] [a-z_]' out || fail "aliases: no symbols: $(head -20 out)"

# What is loaded of files is bounded, and it is said where that ends.
python3 "$here/hostile_data.py" symfs jit
formats=$(printf ',export --symfs jit --format %s' folded pprof firefox speedscope chrome callgrind csv)
cost "report --stdio --symfs jit,script --symfs jit,diff --symfs jit,flame --symfs jit -o /dev/null --diff$formats" jit-maps
"$ASSAY" report --stdio -s sym --symfs jit -i jit-maps >out 2>err || fail "jit-maps: $(cat err)"
grep -q 'jit-maps: what is loaded of its files has reached 176 MB, the limit' err || fail "jit-maps: nothing is said: $(cat err)"
! grep -q 'let the program write its map file' out err || fail "jit-maps: the advice is to write files that are there: $(cat err)"
[ "$(grep -c 'function_' out)" -ge 4 ] || fail "jit-maps: the first files have no symbols: $(cat out)"

# What an honest recording prints is not cut: the limit of text is for bombs.
"$ASSAY" script -i zstd-recursion 2>err | wc -c >printed
[ "$(cat printed)" -gt 600000000 ] && ! grep -q 'the output is more than' err || fail "script of a recording is cut after $(cat printed) bytes: $(cat err)"

# Maps of a child are those of its parent and its own.
said 'the output is more than [0-9]+ MB, which is the limit' "$ASSAY" report --mmaps -i fork-maps
[ "$(grep -c '10000-11000' out)" -gt 1 ] || fail "the maps of the parent are gone"

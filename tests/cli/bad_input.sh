# What is no perf.data, or a damaged one: no signal, no hang, no runaway memory; one sentence with the
# file and the offset; whole records before the damage are shown; exit status 1.
. "$(dirname "$0")/../lib.sh"
need python3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PYTHONDONTWRITEBYTECODE=1

# refused PATTERN COMMAND…: exit 1, nothing on stdout, one line on stderr with the pattern
refused() {
	local pattern=$1 got=0
	shift
	(ulimit -v 1000000 && exec timeout 10 "$@") >out 2>err </dev/null || got=$?
	[ "$got" -eq 1 ] || fail "exit status $got instead of 1: $*: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || fail "not one sentence: $*: $(cat err)"
	grep -q -E -- "$pattern" err || fail "$*: no '$pattern': $(cat err)"
	[ ! -s out ] || fail "$*: prints something"
}

# no perf.data at all
echo 'some text, long enough to be a header' >text
printf 'PERF' >start
printf 'PERFILE2' >magic
: >empty
echo text | gzip >gzip
head -c 5000 /dev/zero >zeroes
python3 -c "import random, sys; sys.stdout.buffer.write(random.Random(1).randbytes(65536))" >noise
mkdir -p no-data with-bad-data
echo text >with-bad-data/data
mkfifo fifo
for command in "report --stdio" script "evlist" "script -D" "report --header-only" "report --json"; do
	set -- "$ASSAY" $command -i
	refused 'text is not a perf.data file \(it looks like text\)' "$@" text
	refused 'true is not a perf.data file \(it looks like an ELF file\)' "$@" "$(type -P true)"
	refused 'gzip is not a perf.data file .*unpack it first' "$@" gzip
	refused 'zeroes is not a perf.data file' "$@" zeroes
	refused 'noise is not a perf.data file' "$@" noise
	refused 'start is cut inside its header, at offset 4' "$@" start
	refused 'magic is cut inside its header, at offset 8' "$@" magic
	refused 'empty is empty' "$@" empty
	refused '/dev/null is empty' "$@" /dev/null
	refused 'standard input is empty' "$@" -
	refused '/dev/zero is not a perf.data file' "$@" /dev/zero
	refused "no-data is a directory .* no readable file 'data'" "$@" no-data
	refused 'with-bad-data/data is not a perf.data file' "$@" with-bad-data
	refused 'no file missing' "$@" missing
	refused 'text/below: Not a directory' "$@" text/below
	printf 'x' >fifo &
	refused 'fifo is not a perf.data file' "$@" fifo
done

# damage, many thousand times; real recordings too
"$ASSAY" record -q -g -F 2000 -e cpu-clock,page-faults -o plain.data "$WORKLOADS/burn" 0.1 2>record.err ||
	skip "cannot record here: $(cat record.err)"
"$ASSAY" record -q -g -F 4000 -z -o zstd.data "$WORKLOADS/burn" 0.2
"$ASSAY" record -q -g -F 2000 -o - "$WORKLOADS/burn" 0.1 >pipe.data

set -- --recorded plain.data --recorded pipe.data --compressed zstd.data
if "$ASSAY" record -q -e sched:sched_switch,sched:sched_process_exec,sched:sched_process_fork -o trace.data \
	sh -c 'ls / >/dev/null; ls' >/dev/null 2>&1; then
	set -- "$@" --tracing trace.data
fi

# The build with sanitizers, where it is not older than the sources.
asan=$here/../../build-asan/assay
if [ ! -x "$asan" ] || [ -n "$(find "$here/../../src" -newer "$asan" -name '*.[ch]' | head -1)" ]; then
	asan=
fi
python3 "$here/mutate.py" "$ASSAY" --asan "${ASSAY_ASAN-$asan}" "$@"

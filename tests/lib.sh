# Sourced by the shell tests: . "$(dirname "$0")/../lib.sh"
#
# tests/run sets ASSAY (the binary), WORKLOADS (the directory of the programs to profile), PERF (the
# real perf; empty where there is none, and in the tiers that do without it) and TMPDIR (fresh, removed
# afterwards), and starts the test in TMPDIR. A test exits 0 if it passes, 77 with a line "SKIP: reason"
# if the machine lacks something, and with any other status if it fails.
#
# TOOLS is the directory of what several tiers share.
set -eu

_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TOOLS=$_top/tests/tools
if [ -z "${ASSAY-}" ]; then
	ASSAY=$_top/build/assay
	WORKLOADS=$_top/build/tests/workloads
	PERF=$(command -v perf || true)
	TMPDIR=$(mktemp -d)
	trap 'rm -rf "$TMPDIR"' EXIT
	cd "$TMPDIR"
fi
# Do not fill or use the symbol index of the user who runs the tests.
# What tests keep across runs (the guests of tests/vm) stays in the user's cache.
TEST_CACHE_HOME=${TEST_CACHE_HOME-${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}}
XDG_CACHE_HOME=$TMPDIR/.cache
# perf keeps copies of files in the home directory: two tests that share one make perf 6.1 abort or hang at times.
[ ! -d "${HOME-}/.pyenv" ] || export PYENV_ROOT="${PYENV_ROOT-$HOME/.pyenv}"
HOME=$TMPDIR/.home
mkdir -p "$HOME"
unset ASSAY_CACHE ASSAY_CACHE_SIZE
# Terminals of tests show what is printed; cli pager tests the other.
export ASSAY_PAGER=cat
export ASSAY WORKLOADS PERF TOOLS TMPDIR TEST_CACHE_HOME XDG_CACHE_HOME HOME LC_ALL=C PYTHONDONTWRITEBYTECODE=1

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

# need perf | need PROGRAM: skips where the machine lacks it.
need() {
	if [ "$1" = perf ]; then
		[ -n "$PERF" ] || skip "perf is not installed"
	else
		command -v "$1" >/dev/null || skip "$1 is not installed"
	fi
}

# perf_record OPTIONS…: by real perf. Version 6.1 aborts, or hangs, at times when a process or a BPF program of others ends while it
# lists them, and cannot read its file where another recorder ran beside it (tools/stray_build_ids.py); then once more, soon without listing BPF
# programs, at last without build-ids, which is where it aborts. A perf that aborts every time is no oracle: skipped.
# perf_record_to FILE OPTIONS…: with its standard output. try_perf_record OPTIONS…: fails where perf cannot record that.
perf_record() {
	perf_record_to /dev/null "$@"
}
perf_record_to() {
	local status=0
	try_perf_record_to "$@" || status=$?
	[ $status -lt 124 ] || skip "perf aborts or hangs at each of ten tries: $(tail -n 1 perf-record.err)"
	[ $status -eq 0 ] || fail "perf record to $*: $(cat perf-record.err)"
}
try_perf_record() {
	try_perf_record_to /dev/null "$@"
}
try_perf_record_to() {
	local i status=0 stdout=$1 file=perf.data arg last= without=
	shift
	for arg; do
		[ "$last" != -o ] || file=$arg
		last=$arg
	done
	[ "$file" != - ] || file=$stdout
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ $i -le 3 ] || sleep 3 # the other one takes longer
		[ $i -le 2 ] || without=--no-bpf-event
		[ $i -le 5 ] || without="--no-bpf-event -B"
		status=0
		timeout -k 5 60 "$PERF" record -q $without "$@" >"$stdout" 2>perf-record.err || status=$?
		if [ $status -ge 124 ]; then
			rm -rf "$HOME/.debug" # a copy of a file that it did not finish would be read for the file
		elif ! [ -f "$file" ] || ! python3 "$TOOLS/stray_build_ids.py" "$file"; then
			break
		fi
	done
	return $status
}

# need_browser: sets up what tests/web/browser.mjs works with, or skips.
need_browser() {
	local dir found=
	need node
	CHROMIUM=$(command -v chromium || command -v chromium-browser || true)
	[ -n "$CHROMIUM" ] || skip "chromium is not installed"
	for dir in "$(dirname "$ASSAY")" "$(dirname "${BASH_SOURCE[0]}")/../build"; do
		if [ -z "$found" ] && [ -d "$dir/web-tests/node_modules/playwright-core" ]; then
			found=$(cd "$dir/web-tests/node_modules" && pwd)
		fi
	done
	[ -n "$found" ] || skip "playwright-core is not installed (scripts/install-deps --tests installs it where npm can)"
	export CHROMIUM NODE_PATH=$found HOME=$TMPDIR
}

# let_others_run: gives other users an $ASSAY and $WORKLOADS they may execute where the build directory is closed to them (/root often is).
let_others_run() {
	setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$ASSAY" && return
	mkdir for-all
	find "$WORKLOADS" -maxdepth 1 -type f -perm -100 -exec cp {} for-all/ \;
	cp "$ASSAY" for-all/assay
	chmod 755 for-all for-all/*
	ASSAY=$PWD/for-all/assay WORKLOADS=$PWD/for-all
}

# expect_exit CODE COMMAND…: runs it; its output goes on as it is.
expect_exit() {
	local want=$1 got=0
	shift
	"$@" || got=$?
	[ "$got" -eq "$want" ] || fail "exit status $got instead of $want: $*"
}

# What headers, or stderr, say of a recording's quality, which perf does not (tools/same_report.py and same_but_plt.py know it too).
without_quality() {
	grep -v -E '^(# (Quality|WARNING)|assay: (quality|WARNING)): ' "$1" || true
}

# expect_same FILE_A FILE_B [WHAT]: byte by byte, but for quality; shows the first differences.
expect_same() {
	cmp -s "$1" "$2" && return
	cmp -s <(without_quality "$1") <(without_quality "$2") && return
	diff -u "$1" "$2" | head -40 >&2 || true
	fail "${3:-$1 and $2} differ"
}

# expect_same_script PERF OURS [WHAT]: texts of `script`, byte by byte but for PLT stubs that only assay names.
expect_same_script() {
	cmp -s "$1" "$2" && return
	python3 "$TOOLS/same_but_plt.py" "$1" "$2" >&2 || fail "${3:-$1 and $2} differ"
}

# Sourced by the shell tests: . "$(dirname "$0")/../lib.sh"
#
# tests/run sets ASSAY (the binary), WORKLOADS (the directory of the programs to profile), PERF (the
# real perf, or empty) and TMPDIR (fresh, removed afterwards), and starts the test in TMPDIR. A test
# exits 0 when it holds, 77 with a line "SKIP: reason" when the machine lacks something, else not.
set -eu

if [ -z "${ASSAY-}" ]; then
	_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	ASSAY=$_top/build/assay
	WORKLOADS=$_top/build/tests/workloads
	PERF=$(command -v perf || true)
	TMPDIR=$(mktemp -d)
	trap 'rm -rf "$TMPDIR"' EXIT
	cd "$TMPDIR"
fi
export ASSAY WORKLOADS PERF TMPDIR LC_ALL=C

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
		[ -n "$PERF" ] || skip "there is no real perf here to compare with"
	else
		command -v "$1" >/dev/null || skip "there is no $1 here"
	fi
}

# expect_exit CODE COMMAND…: runs it; its output goes on as it is.
expect_exit() {
	local want=$1 got=0
	shift
	"$@" || got=$?
	[ "$got" -eq "$want" ] || fail "exit status $got instead of $want: $*"
}

# expect_same FILE_A FILE_B [WHAT]: byte by byte; shows the first differences.
expect_same() {
	cmp -s "$1" "$2" && return
	diff -u "$1" "$2" | head -40 >&2 || true
	fail "${3:-$1 and $2} differ"
}

# expect_same_script PERF OURS [WHAT]: texts of `script`, byte by byte but for PLT stubs that only assay names.
expect_same_script() {
	cmp -s "$1" "$2" && return
	python3 "$(dirname "${BASH_SOURCE[0]}")/golden/same_but_plt.py" "$1" "$2" >&2 || fail "${3:-$1 and $2} differ"
}

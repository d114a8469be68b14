# The unwind table that is made of a stripped Go program's own table, beside .debug_frame of the same program that was not stripped.
. "$(dirname "$0")/../lib.sh"
need go
need python3
need readelf
here=$(cd "$(dirname "$0")" && pwd)
dump=$WORKLOADS/../tools/unwind_dump
[ -x "$dump" ] || skip "unwind_dump is not built (meson configure -Dtests=true)"
export GO111MODULE=off GOCACHE=$PWD/gocache GOFLAGS=
cp "$TOOLS/go_work.go" .
figures=

compare() { # NAME ARGUMENT…: builds NAME and NAME.s
	local name=$1 nr
	shift
	go build "$@" -o "$name" go_work.go || return 1
	# not -ldflags=-s: code and addresses stay as they are
	objcopy --strip-all "$name" "$name.s" 2>/dev/null || ${GOARCH:+aarch64-linux-gnu-}objcopy --strip-all "$name" "$name.s" || return 1
	nr=$(python3 "$here/same_go_unwind_table.py" readelf "$dump" "$name" "$name.s") || fail "$name: $nr"
	figures="$figures $name $nr"
}

compare exe || fail "go build"
compare pie -buildmode=pie
GOARCH=arm64 compare arm64
# -ldflags='-s -w' makes the same of it
go build -ldflags='-s -w' -o small go_work.go
"$dump" exe.s >exe.txt 2>/dev/null
"$dump" small >small.txt 2>/dev/null
nr=$(wc -l <small.txt)
[ "$nr" -ge 4000 ] || fail "only $nr rows without symbols"
awk '{ $1 = ""; print }' exe.txt | sort >exe.rules
awk '{ $1 = ""; print }' small.txt | sort >small.rules
expect_same exe.rules small.rules "the rules of a program linked without symbols"
echo "NOTE:$figures places"

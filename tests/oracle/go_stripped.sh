# Stripped Go programs beside the same programs that were not: names, lines and inlined functions of thousands of addresses as Go's own
# tools and DWARF have them. Linked by Go, by the system's linker, position-independent, for arm64, without section headers; Go itself.
. "$(dirname "$0")/../lib.sh"
need go
need python3
here=$(cd "$(dirname "$0")" && pwd)
lookup=$WORKLOADS/../tools/lookup
[ -x "$lookup" ] || skip "lookup is not built (meson configure -Dtests=true)"
export ASSAY_CACHE=off GO111MODULE=off GOCACHE=$PWD/gocache GOFLAGS=
cp "$TOOLS/go_work.go" .

compare() { # STRIPPED FULL
	python3 "$here/go_compare.py" "$lookup" "$1" "$2" 4000 | tee -a figures.txt
	[ "${PIPESTATUS[0]}" -eq 0 ] || fail "$1: functions or lines differ"
}

both() { # NAME ARGUMENT…: builds NAME and NAME.s
	local name=$1
	shift
	go build "$@" -o "$name" go_work.go && go build "$@" -ldflags='-s -w' -o "$name.s" go_work.go
}

both exe || fail "go build"
compare exe.s exe
strip -o exe.strip exe
compare exe.strip exe
if both pie -buildmode=pie; then compare pie.s pie; fi
if GOARCH=arm64 both arm64; then compare arm64.s arm64; fi

# -w alone: symbols, and Go's table for lines
go build -ldflags=-w -o lines go_work.go && compare lines exe

# Without section headers the table is found by its magic.
python3 - exe.s <<'PY'
import struct, sys
elf = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<Q", elf, 0x28, 0)
struct.pack_into("<HHH", elf, 0x3A, 0, 0, 0)
open("bare", "wb").write(elf)
PY
compare bare exe

# With C inside, by the system's linker: position-independent, the table has no section of its own.
sed 's|^package main|package main\n\n// int half(int n) { return n / 2; }\nimport "C"|; s|rounds := 1000|rounds := int(C.half(2000))|' go_work.go >c.go
if command -v gcc >/dev/null; then
	for mode in exe pie; do
		CGO_ENABLED=1 go build -buildmode=$mode -o "c-$mode" c.go && CGO_ENABLED=1 go build -buildmode=$mode -ldflags='-s -w' -o "c-$mode.s" c.go ||
			{ echo "NOTE: no cgo here"; break; }
		compare "c-$mode.s" "c-$mode"
	done
fi
echo "NOTE: $(sed -n 's/^\([^ ]*\): \([0-9]*\) addresses.*(\([0-9.]*%\) equal)/\1 \3 of \2/p' figures.txt | paste -sd ' ')"

# perf inject rewrites a recording, header and all: also one with sections that perf does not know, which are assay's own.
. "$(dirname "$0")/../lib.sh"
need perf
need python3

# inject FILE: the samples are the same afterwards, for perf and for assay.
inject() {
	"$PERF" inject -b -i "$1" -o injected.data >/dev/null 2>err || fail "perf inject -b of $1: status $?, $(head -3 err)"
	"$PERF" script -F comm,tid,time,event,ip -i "$1" >before.txt 2>/dev/null
	"$PERF" script -F comm,tid,time,event,ip -i injected.data >after.txt 2>/dev/null
	[ -s before.txt ] || fail "$1: no samples"
	expect_same before.txt after.txt "$1, by perf, before and after perf inject"
	"$ASSAY" script -F comm,tid,time,event,ip -i injected.data >after.txt 2>/dev/null
	expect_same before.txt after.txt "$1 after perf inject, by assay"
}

# A program without a build-id: the recording says which file it was.
printf 'int main(void) { for (volatile long i = 0; i < 200000000; i++) ; return 0; }\n' >plain.c
${CC:-cc} -O0 -Wl,--build-id=none -o plain plain.c || skip "no compiler is installed"
"$ASSAY" record -q -F 999 -o own.data ./plain
python3 - <<'PY' || fail "the header of own.data"
import struct
data = open("own.data", "rb").read()
off, size = struct.unpack_from("<QQ", data, 56)
assert size and data[off:off + 8] == b"ASSAYSEC", "no section of assay's own to try this with"
assert not any(data[72 + 4:104]), "a feature that perf does not know"
PY
inject own.data
"$ASSAY" record -q -F 999 -g -z -o packed.data ./plain
inject packed.data

# and an imported one
printf 'app;main;work 5\napp;main;rest 3\n' >app.folded
"$ASSAY" import -o imported.data app.folded 2>err || fail "import: $(cat err)"
"$PERF" inject -b -i imported.data -o injected.data >/dev/null 2>err || fail "perf inject of an import: status $?, $(head -3 err)"

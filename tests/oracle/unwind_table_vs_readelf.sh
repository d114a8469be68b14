# The unwind table of real files, row by row beside `readelf -wF`: libraries, the dynamic linker, python3, programs of gcc and clang
# with and without optimisation, with a realigned stack, with .debug_frame; of both machines, whatever this one is.
. "$(dirname "$0")/../lib.sh"
need readelf
need python3
dump=$WORKLOADS/../tools/unwind_dump
[ -x "$dump" ] || skip "unwind_dump is not built (meson configure -Dtests=true)"
here=$(dirname "$(realpath "$0")")
total=0 files=0

compare() { # READELF FILE…
	local readelf=$1 file nr
	shift
	for file; do
		[ -e "$file" ] || continue
		nr=$(python3 "$here/same_unwind_table.py" "$readelf" "$dump" "$(realpath "$file")") || fail "$nr"
		total=$((total + nr)) files=$((files + 1))
	done
}

cat >frames.c <<'C'
#include <stdio.h>
#include <string.h>
int use(void *, int);
/* a realigned stack: the CFA is an expression in gcc's */
__attribute__((noinline)) int aligned(int n)
{
	char room[64] __attribute__((aligned(64)));
	memset(room, n, sizeof(room));
	return use(room, n);
}
__attribute__((noinline)) int dynamic(int n)
{
	char room[n + 1];
	memset(room, n, (unsigned)n);
	return use(room, n) + aligned(n);
}
int main(int argc, char **argv) { (void)argv; return dynamic(argc) + printf("%d\n", argc); }
C
echo 'int use(void *p, int n) { return ((char *)p)[n / 2]; }' >use.c

case $(uname -m) in
x86_64) libs=/lib/x86_64-linux-gnu loader=/lib64/ld-linux-x86-64.so.2 ;;
*) libs=/lib/aarch64-linux-gnu loader=/lib/ld-linux-aarch64.so.1 ;;
esac
compare readelf $libs/libc.so.6 $libs/libm.so.6 $libs/libstdc++.so.6 $libs/libgcc_s.so.1 $loader "$(command -v python3)" "$ASSAY"
for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	for flags in -O0 -O2 '-O2 -fno-omit-frame-pointer' '-O2 -mno-red-zone'; do
		# shellcheck disable=SC2086
		$cc $flags -w -o frames-$cc frames.c use.c 2>/dev/null || continue
		compare readelf frames-$cc
	done
done
if command -v aarch64-linux-gnu-readelf >/dev/null && [ "$(uname -m)" != aarch64 ]; then
	compare aarch64-linux-gnu-readelf /usr/aarch64-linux-gnu/lib/libc.so.6 /usr/aarch64-linux-gnu/lib/libstdc++.so.6 \
		/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 /usr/lib/aarch64-linux-gnu/libdw.so.1
	for flags in -O0 -O2 '-O2 -mbranch-protection=pac-ret+leaf'; do
		# shellcheck disable=SC2086
		aarch64-linux-gnu-gcc $flags -w -o frames-arm64 frames.c use.c || continue
		compare aarch64-linux-gnu-readelf frames-arm64
	done
fi
[ $files -ge 6 ] || fail "only $files files were compared"

# .debug_frame instead of .eh_frame, from the file itself, compressed, and from a separate debug file: the same rules.
if command -v gcc >/dev/null && command -v objcopy >/dev/null; then
	gcc -g -O2 -w -o with-eh frames.c use.c
	gcc -g -O2 -w -fno-asynchronous-unwind-tables -fno-unwind-tables -o with-debug frames.c use.c
	gcc -g -O2 -w -gz=zlib -fno-asynchronous-unwind-tables -fno-unwind-tables -o packed frames.c use.c
	objcopy --only-keep-debug with-debug with-debug.dbg
	strip -o stripped with-debug
	"$dump" with-debug >file.txt 2>/dev/null
	"$dump" stripped with-debug.dbg >separate.txt 2>/dev/null
	"$dump" packed >packed.txt 2>/dev/null
	expect_same file.txt separate.txt "the table with a separate debug file"
	expect_same file.txt packed.txt "the table of a compressed section"
	for how in zlib-gnu zstd; do
		objcopy --compress-debug-sections=$how with-debug packed 2>/dev/null || continue
		[ $how != zlib-gnu ] || readelf -SW packed | grep -q ' .zdebug_frame ' || continue
		"$dump" packed >packed.txt 2>/dev/null
		expect_same file.txt packed.txt "the table of a section compressed by $how"
	done
	main=$(nm with-debug | awk '$3 == "main" { print $1 }')
	python3 - file.txt "$main" <<'PY' || fail "main has no rules from .debug_frame: $(cat file.txt)"
import sys
rows = [line.split() for line in open(sys.argv[1])]
at = int(sys.argv[2], 16)
before = [r for r in rows if int(r[0], 16) <= at]
sys.exit(not before or before[-1][1] == "gap")
PY

	# Without section headers .eh_frame is found by its program header: the same rows.
	python3 - with-eh no-sections <<'PY'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
b[0x28:0x30] = bytes(8)  # e_shoff
b[0x3c:0x40] = bytes(4)  # e_shnum, e_shstrndx
open(sys.argv[2], "wb").write(b)
PY
	"$dump" with-eh >eh.txt 2>/dev/null
	"$dump" no-sections >header.txt 2>no-sections.err
	expect_same eh.txt header.txt "the table of a file without section headers"
	grep -q ' 0 damaged' no-sections.err || fail "damage where there is none: $(cat no-sections.err)"

	# A C library's return from signal handlers without call frame information is known by its instructions.
	case $(uname -m) in
	x86_64) code='mov $15, %rax; syscall' ;;
	*) code='mov x8, #139; svc #0' ;;
	esac
	printf '__asm__(".text; .globl back; nop; back: %s"); int main(void) { return 0; }\n' "$code" >back.c
	gcc -o back back.c
	"$dump" back 2>/dev/null | grep -q ' signal ' || fail "the return from signals was not found: $("$dump" back)"
	# also in the text of a large program, and where it lies across two of the pieces (of 1 MB) that are searched one after another
	at=$((0x$(nm back | awk '$3 == "back" { print $1 }') % 4096))
	for before in 5000000 $((1048576 - at - 4)); do
		printf '__asm__(".text; .globl back; .space %d; nop; back: %s"); int main(void) { return 0; }\n' $before "$code" >back.c
		gcc -o back back.c
		"$dump" back 2>/dev/null | grep -q ' signal ' || fail "the return from signals behind $before bytes was not found"
	done
fi
echo "NOTE: $total places of $files files"

# The text of instructions beside objdump's: libc, a C++ library, our own program, in both syntaxes; 32-bit and arm64 code where it is there.
# What capstone does not know is decoded here, so that all of libc is the same: a share below what was seen is a loss.
. "$(dirname "$0")/../lib.sh"
need objdump
need python3
here=$(dirname "$(realpath "$0")")
dump=$WORKLOADS/../tools/disasm_dump
[ -x "$dump" ] || skip "disasm_dump is not built (meson configure -Dtests=true)"
"$ASSAY" version --build-options | grep -q 'libcapstone.*\[ *on' || skip "this build has no capstone"

compare() { # OBJDUMP SYNTAX LEAST FILE
	[ -e "$4" ] || return 0
	python3 "$here/same_disasm.py" "$1" "$dump" "$2" "$3" "$(realpath "$4")" >out || fail "$2: $(cat out)"
	echo "$2: $(cat out)"
}

if [ "$(uname -m)" = x86_64 ]; then
	libc=$(ldd "$ASSAY" | sed -n 's/.*=> \(.*libc\.so\.6\).*/\1/p')
	[ -n "$libc" ] || libc=/lib/x86_64-linux-gnu/libc.so.6
	compare objdump att 99.9 "$libc"
	compare objdump att 99.9 /usr/lib/x86_64-linux-gnu/libstdc++.so.6
	compare objdump att 99.9 "$ASSAY"
	compare objdump intel 99 "$libc"
	compare objdump att 99.5 "$(dirname "$libc")/libmvec.so.1" # rounds where nothing else does
	compare objdump att 99 /lib32/libc.so.6
fi
# Vectors of AVX-512, each with registers, a mask, memory and what it repeats: video codecs and linear algebra, which few machines have installed.
if [ "$(uname -m)" = x86_64 ]; then
	python3 "$here/evex_forms.py" >evex.s
	cc -shared -nostdlib -o evex.so evex.s || fail "evex.s is not assembled"
	compare objdump att 100 evex.so
	compare objdump intel 100 evex.so
fi
if command -v aarch64-linux-gnu-objdump >/dev/null; then
	compare aarch64-linux-gnu-objdump att 99 /usr/aarch64-linux-gnu/lib/libc.so.6
	compare aarch64-linux-gnu-objdump att 99 /usr/aarch64-linux-gnu/lib/libstdc++.so.6
fi

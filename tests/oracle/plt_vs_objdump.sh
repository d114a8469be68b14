# Names of the stubs of procedure linkage tables beside objdump's: libraries and programs of this machine, and programs of every layout that the
# linkers here know: lazy or not, with endbr, without a section of their own, static, with indirect functions. And how their callers are found
# where the linker wrote no call frame information (lld).
. "$(dirname "$0")/../lib.sh"
need objdump
need python3
need cc
here=$(dirname "$(realpath "$0")")
dump=$WORKLOADS/../tools/plt_dump
unwind_dump=$WORKLOADS/../tools/unwind_dump
[ -x "$dump" ] || skip "plt_dump is not built (meson configure -Dtests=true)"

total=0
compare() { # OBJDUMP FILE…
	local nr
	nr=$(python3 "$here/same_plt.py" "$1" "$dump" "${@:2}") || fail "$nr"
	total=$((total + nr))
}

files=()
for file in /lib/*-linux-gnu/libc.so.6 /lib/*-linux-gnu/libstdc++.so.6 /usr/lib/*-linux-gnu/libstdc++.so.6 /lib/*-linux-gnu/libm.so.6 \
	/lib*/ld-linux-*.so.* /usr/bin/python3 /usr/bin/perl /usr/bin/git /usr/bin/objdump /usr/bin/busybox "$ASSAY"; do
	[ -e "$file" ] || continue
	case $(readelf -h "$file" 2>/dev/null | sed -n 's/.*Machine: *//p') in
	*X86-64*) [ "$(uname -m)" != x86_64 ] || files+=("$(realpath "$file")") ;;
	*AArch64*) [ "$(uname -m)" != aarch64 ] || files+=("$(realpath "$file")") ;;
	esac
done
compare objdump "${files[@]}"
[ $total -gt 500 ] || fail "only $total stubs compared"

cat >program.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int implementation(int x) { return x + 1; }
static void *pick(void) { return implementation; }
int chosen(int) __attribute__((ifunc("pick")));
__thread int local;
int main(int argc, char **argv)
{
	int (*volatile print)(const char *) = puts;
	char room[99];

	memset(room, argc, sizeof(room));
	return print("x") + printf("%d %s\n", chosen(argc) + atoi(argv[0]), room) + (int)strlen(argv[0]) + local;
}
C
cat >library.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__thread int local;
static int implementation(int x) { return x + 1; }
static void *pick(void) { return implementation; }
static int chosen(int) __attribute__((ifunc("pick")));
int (*pointer)(const char *) = puts;
int library(const char *s)
{
	int (*volatile print)(const char *) = puts;

	local += (int)strlen(s);
	return pointer(s) + print("a") + chosen(atoi(s)) + printf("%s", s) + local + puts("b");
}
C
nr=0
layout() { # OBJDUMP COMMAND…: what cannot be built here is passed over
	local objdump=$1
	shift
	nr=$((nr + 1))
	"$@" -O1 -o layout-$nr >build.txt 2>&1 || return 0
	compare "$objdump" layout-$nr
	"$dump" layout-$nr >names.txt
	grep -q ' chosen@plt$' names.txt || fail "the indirect function has no stub in '$*': $(cat names.txt)"
	# Retpolines call.
	case $* in
	*retpoline*) ;;
	*) rows=$(python3 "$here/plt_rows.py" "${objdump%objdump}objcopy" "$dump" "$unwind_dump" layout-$nr) || fail "in '$*': $rows" ;;
	esac
	# It is bound as all others are: stubs have the names of those that they call.
	case $* in *-static*) grep -q ' str[a-z]*@plt$' names.txt || fail "no names in a static program" ;; esac
	built="${built-} $nr"
}
for linker in bfd gold lld mold; do
	for options in "" -Wl,-z,now -Wl,-z,lazy "-fcf-protection=full -Wl,-z,ibtplt" "-no-pie" "-static" "-static-pie" \
		"-Wl,-z,retpolineplt" "-Wl,-z,retpolineplt -Wl,-z,now"; do
		# shellcheck disable=SC2086
		layout objdump cc program.c -fuse-ld=$linker $options
	done
	layout objdump cc library.c -fuse-ld=$linker -shared -fPIC -mtls-dialect=gnu2 -Wl,-z,lazy
	layout objdump cc library.c -fuse-ld=$linker -shared -fPIC
done
[ "$(wc -w <<<"${built-}")" -ge 6 ] || fail "only these layouts were built: ${built-}"
if command -v aarch64-linux-gnu-gcc >/dev/null && command -v aarch64-linux-gnu-objdump >/dev/null; then
	for options in "" "-mbranch-protection=standard" "-static" "-no-pie"; do
		# shellcheck disable=SC2086
		layout aarch64-linux-gnu-objdump aarch64-linux-gnu-gcc program.c $options
	done
	# Otherwise objdump takes the stub of thread-local variables for one of a function.
	layout aarch64-linux-gnu-objdump aarch64-linux-gnu-gcc library.c -shared -fPIC -mtls-dialect=trad
fi
echo "NOTE: $total stubs, $(wc -w <<<"$built") layouts of linkers"

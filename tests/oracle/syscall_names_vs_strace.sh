# Names of flags and values, their order, and the classes of system calls beside strace's: a program makes a call for each name, and strace
# refuses all of them.
. "$(dirname "$0")/../lib.sh"
need python3
need gcc
need strace
here=$(dirname "$(realpath "$0")")
dump=$WORKLOADS/../tools/syscall_dump
[ -x "$dump" ] || skip "syscall_dump is not built (meson configure -Dtests=true)"
case $(uname -m) in
x86_64) arch=x86_64 ;;
aarch64) arch=arm64 ;;
*) skip "no table of $(uname -m)" ;;
esac
strace -o /dev/null true || skip "strace cannot trace here"

"$dump" flags >flags
"$dump" calls $arch >calls
build() { # NAME: from what syscall_names.py NAME prints
	python3 "$here/syscall_names.py" "$1" $arch calls flags >"$1.c"
	gcc -nostdlib -static -O1 -fno-stack-protector -o "$1" "$1.c" || skip "gcc cannot build a program without libc"
}

build program
strace -o names.txt -e inject='!execve,exit_group:error=EXDEV' ./program || fail "strace of the program: $?"
nr=$(python3 "$here/syscall_names.py" compare $arch calls flags names.txt) || fail "names"
[ "$nr" -gt 1500 ] || fail "only $nr names compared"
echo "$nr names"

# A call that is in a class fails with another error than one that is not.
build each
for class in file desc network net process memory signal ipc creds clock pure stat lstat fstat %stat statfs fstatfs %statfs; do
	strace -o trace.txt -e inject='!execve,exit_group:error=EXDEV' -e inject="%$class:error=EDOM" ./each 2>strace.err || :
	grep -q EXDEV trace.txt || fail "strace of class $class: $(cat strace.err)"
	sed -n 's/^\([a-z_0-9]*\)(.* EDOM .*INJECTED.*/\1/p' trace.txt | grep -v '^execve$' | sort -u >theirs.txt
	sed -n 's/^\([a-z_0-9]*\)(.*INJECTED.*/\1/p' trace.txt | sort -u >all.txt
	"$dump" set $arch "%$class" | sort -u | comm -12 - all.txt >ours.txt
	cmp -s theirs.txt ours.txt || fail "class $class: $(diff theirs.txt ours.txt)"
	[ -s ours.txt ] || [ "$class$arch" = statarm64 ] || [ "$class$arch" = lstatarm64 ] || fail "class $class is empty"
done

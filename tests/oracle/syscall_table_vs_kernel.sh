# The tables of system calls beside the kernel: names of arguments as tracefs has them, values of flags and sizes of structs as the headers
# have them.
. "$(dirname "$0")/../lib.sh"
need python3
need gcc
here=$(dirname "$(realpath "$0")")
dump=$WORKLOADS/../tools/syscall_dump
[ -x "$dump" ] || skip "syscall_dump is not built (meson configure -Dtests=true)"
case $(uname -m) in
x86_64) arch=x86_64 ;;
aarch64) arch=arm64 ;;
*) skip "no table of $(uname -m)" ;;
esac

"$dump" flags >flags
nr=$(python3 "$here/syscall_values.py" flags $arch gcc) || fail "$nr"
[ "${nr%% *}" -gt 1200 ] || fail "only $nr values of flags compared"
echo "$nr values of flags"
"$dump" types >types
nr=$(python3 "$here/syscall_types.py" types $arch gcc) || fail "$nr"
[ "$nr" -gt 20 ] || fail "only $nr structs compared"
if [ $arch = x86_64 ]; then
	nr=$(python3 "$here/syscall_types.py" types i386 gcc -m32 -I/usr/include/x86_64-linux-gnu) || fail "$nr"
	if command -v aarch64-linux-gnu-gcc >/dev/null; then
		nr=$(python3 "$here/syscall_values.py" flags arm64 aarch64-linux-gnu-gcc) || fail "$nr"
		echo "$nr values of flags of arm64"
		nr=$(python3 "$here/syscall_types.py" types arm64 aarch64-linux-gnu-gcc) || fail "$nr"
	fi
fi

tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null || skip "tracefs is not mounted on $tracing, and cannot be"
[ -r $tracing/events/syscalls/sys_enter_openat/format ] || skip "this kernel has no tracepoints of system calls, or only root may read them"
# Some names are those of functions, not of calls.
awk '
	/^name: / { name = substr($2, 11); args = ""; if (name ~ /^new(stat|lstat|fstat|uname)$/) name = substr(name, 4)
		if (name == "umount") name = "umount2"; if (name == "sendfile64") name = "sendfile" }
	/^\tfield:/ && !/ common_/ && !/__syscall_nr/ { sub(/;.*/, ""); sub(/.*[ *]/, ""); args = args " " $0 }
	/^print fmt/ { print name args }' $tracing/events/syscalls/sys_enter_*/format | sort >kernel.txt
"$dump" calls $arch | sed 's/[=:][a-z_0-9]*//g' | awk '{ printf "%s", $2; for (i = 4; i <= NF; i++) printf " %s", $i; print "" }' | sort >ours.txt
# Calls that this kernel is built without are not in tracefs; older kernels named some arguments otherwise.
join -j 1 -v 1 <(cut -d' ' -f1 kernel.txt | sort) <(cut -d' ' -f1 ours.txt | sort) >unknown.txt
case $(uname -r) in
[1-5].* | 6.[0-9].* | 6.1[0-7].*) ;;
*)
	[ ! -s unknown.txt ] || fail "not in the table: $(tr '\n' ' ' <unknown.txt)"
	comm -23 kernel.txt ours.txt >other.txt
	[ ! -s other.txt ] || fail "other arguments than the kernel's: $(cat other.txt)"
	;;
esac
nr=$(comm -12 kernel.txt ours.txt | wc -l)
[ "$nr" -gt 200 ] || fail "only $nr calls have the kernel's arguments"
echo "$nr calls with the kernel's arguments"

# Probes at FUNC@plt count exactly the calls that a program makes through its stub of FUNC, however it was linked; by --temp and by a definition.
# waits: the kernel takes its time to remove probes
. "$(dirname "$0")/../lib.sh"
need gcc
tracing=/sys/kernel/tracing
[ -d $tracing/events ] || mount -t tracefs nodev $tracing 2>/dev/null || skip "tracefs is not mounted on $tracing, and cannot be"
[ -w $tracing/uprobe_events ] || skip "this user may not define probes, or the kernel has none"
"$ASSAY" version --build-options | grep -q 'bpf: \[ on' || skip "built without BPF"

cat >calls.c <<'C'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = atoi(argv[1]); i > 0; i--)
		sum += getppid() & 1;
	return sum < 0 || argc != 2;
}
C
prog=plt$$
# shellcheck disable=SC2064
trap "'$ASSAY' probe -q -d 'probe_$prog:*' 2>/dev/null || true" EXIT

counted() { # WORDS OF stat…: the count of its only event
	"$ASSAY" stat -x, -o count "$@" || fail "stat $*: $(cat count)"
	sed -n 's/^\([0-9]*\),,probe_.*/\1/p' count
}

nr=0
while IFS='|' read -r how options; do
	# shellcheck disable=SC2086
	gcc -O2 $options -o $prog calls.c 2>link.err || { echo "NOTE: not linked $how: $(head -1 link.err)"; continue; }
	objdump -d --section=.plt --section=.plt.sec --section=.plt.got $prog 2>/dev/null | grep -q '<getppid@plt' || [ "$how" = lld ] ||
		fail "$how: the program has no stub: no test"
	n=$(counted --temp 'stub=getppid@plt' ./$prog 123)
	[ "$n" = 123 ] || fail "$how: 123 calls are $n: $(cat count)"
	nr=$((nr + 1))
done <<'TXT'
lazy|-Wl,-z,lazy
now|-Wl,-z,now
no PIE|-no-pie -Wl,-z,lazy
IBT|-fcf-protection=full -Wl,-z,ibtplt
stripped|-s -Wl,-z,lazy
lld|-fuse-ld=lld
TXT
[ $nr -ge 4 ] || fail "$nr programs were linked"

gcc -O2 -o $prog calls.c
"$ASSAY" probe -q -x ./$prog 'stub=getppid@plt' 2>err || fail "probe: $(cat err)"
n=$(counted -e probe_$prog:stub ./$prog 45)
[ "$n" = 45 ] || fail "a definition: 45 calls are $n"
echo "NOTE: $nr ways to link"

# A program that is gone, and only its separate debug file left: stacks (by .debug_frame) and lines are those that they were with the
# program, although the program headers of such a file no longer say where the code was in the other.
. "$(dirname "$0")/../lib.sh"
need gcc
need objcopy

export HOME=$TMPDIR/home ASSAY_CACHE=off
unset DEBUGINFOD_URLS
mkdir "$HOME"
cat >prog.c <<'C'
#include <time.h>
#define KEPT __attribute__((noinline, noclone, noipa))
static volatile unsigned long sink;
KEPT void inner(unsigned long n)
{
	char room[100];
	room[n % 100] = 1;
	__asm__ volatile("" ::"r"(room) : "memory");
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}
KEPT void middle(unsigned long n) { inner(n); sink++; }
KEPT void outer(unsigned long n) { middle(n); sink++; }
int main(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 4;
	while (clock() < end)
		outer(100000);
	return 0;
}
C
nr=0
for pie in -pie -no-pie; do
	gcc -g -O2 -fPIE -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables $pie -Wl,--build-id -o prog prog.c
	"$ASSAY" record -q -F 1000 -e cpu-clock:u --call-graph dwarf,keep -o p.data -- ./prog
	"$ASSAY" script -i p.data -F ip,sym,srcline >with.txt 2>/dev/null
	full=$(awk '/ inner$/ { i = 1 } / middle$/ { m = i } / outer$/ { o = m } / main$/ { nr += o; i = m = o = 0 } END { print nr + 0 }' with.txt)
	[ "$full" -ge 20 ] || fail "$pie: only $full whole stacks of the program itself: $(head -20 with.txt)"
	grep -q 'prog.c:10' with.txt || fail "$pie: no lines of the program itself: $(head with.txt)"
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	mkdir -p "found/$id"
	objcopy --only-keep-debug prog "found/$id/debuginfo"
	rm prog
	DEBUGINFOD_CACHE_PATH=$TMPDIR/found "$ASSAY" script -i p.data -F ip,sym,srcline >without.txt 2>/dev/null
	expect_same with.txt without.txt "$pie: stacks and lines with the program, and with its debug file alone,"
	nr=$((nr + full))
done
echo "NOTE: $nr stacks by a debug file alone"

# A recording with unwound stacks leaves the large unwind tables that it used in the symbol index: the next one compiles none.
. "$(dirname "$0")/../lib.sh"
export XDG_CACHE_HOME=$PWD/cache

# More than a megabyte of call frame information: tables that large are compiled in pieces. And more than four megabytes, because of a smaller file
# that was written just now a copy is read, which has no index.
cat >large.c <<'C'
volatile int x;
const char padding[5 << 20] = { 1 };
__asm__(".pushsection .text\n.rept 60000\n.cfi_startproc\nnop\n.cfi_adjust_cfa_offset 16\nnop\n.cfi_endproc\n.endr\n.popsection");
__attribute__((noinline)) void work(void) { for (int i = 0; i < 20000; i++) x += i; }
int main(void) { for (int i = 0; i < 8000; i++) work(); return padding[x & 1] == 5; }
C
"${CC:-cc}" -O1 -w -o large large.c || skip "no compiler"
"$ASSAY" record -q -F 2000 --call-graph dwarf -o a.data ./large 2>err || skip "cannot record here: $(cat err)"
"$ASSAY" record -vv -F 2000 --call-graph dwarf -o b.data ./large 2>verbose || fail "$(cat verbose)"
grep 'unwind table from the index' verbose | grep -q '/large' || fail "the second recording compiled it again: $(grep -i 'unwind' verbose)"
# Without an index nothing is compiled for it.
ASSAY_CACHE=off "$ASSAY" record -vv -F 2000 --call-graph dwarf -o c.data ./large 2>verbose || fail "$(cat verbose)"
! grep -q 'from the index' verbose || fail "there is no index: $(cat verbose)"

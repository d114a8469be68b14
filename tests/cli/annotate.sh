# annotate: its options, what it says where code or source cannot be shown, hostile source files, and JSON.
. "$(dirname "$0")/../lib.sh"
need cc
need jq
need python3
"$ASSAY" version --build-options | grep -q 'libcapstone.*\[ *on' || skip "this build has no capstone"

mkdir src
cat >src/work.c <<'C'
static inline unsigned mix(unsigned x) { return (x * 2654435761u) >> 3 ^ x; }
/* escape: [31mred */
__attribute__((noinline)) unsigned hot(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++)
		s += mix(i + s) / 7;
	return s;
}
__attribute__((noinline)) unsigned leaf(unsigned x) { asm volatile(""); return x / 3; }
__attribute__((noinline)) unsigned calls(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++)
		s += leaf(s);
	return s;
}
int main(void)
{
	volatile unsigned sum = 0;

	for (int i = 0; i < 200; i++)
		sum += hot(1000000 + i) + calls(100000 + i);
	return 0;
}
C
sed -i 's/escape: /&\x1b/' src/work.c
cc -O2 -g -o work "$PWD/src/work.c"
touch -d '2001-01-01' src/work.c
"$ASSAY" record -q -F 2000 -e cpu-clock:u -o work.data ./work
annotate() { "$ASSAY" annotate -i work.data "$@"; }

# All of the function's samples are on its instructions.
annotate --stdio -s hot >out
grep -q '^ Percent |	Source code & Disassembly of work for cpu-clock:u' out || fail "no title: $(head -3 out)"
grep -q '^# cpu-clock:u: a timer' out || fail "no word on timers"
awk '/^ *[0-9.]+ :/ { sum += $1 } END { exit !(sum > 99.5 && sum < 100.5) }' out || fail "shares do not add up to 100"
grep -q ': *mix():' out || fail "inlined code is not kept apart"
grep -q 's += mix(i + s) / 7;' out || fail "no source"
! grep -q "$(printf '\033')" out || fail "an escape sequence of the source reaches the terminal"
annotate --stdio hot | cmp - out || fail "a word is not taken for a function"
annotate -q --stdio -l -s hot | grep -q '^ *[0-9.]* work.c:[0-9]*$' || fail "-l: no summary"
annotate -q --stdio -l -P -s hot | grep -q "^ *[0-9.]* $PWD/src/work.c:[0-9]*$" || fail "-l -P: no whole path"
annotate -q --stdio --no-source -M intel -s calls | grep -q 'call   [0-9a-f]* <leaf>' || fail "-M intel, or no name of a call's target"
annotate -q --stdio --asm-raw -s hot | grep -q ':   c3  *ret$' || fail "--asm-raw: no bytes"
[ "$(annotate -q --stdio --max-lines 7 -s hot | wc -l)" = 9 ] || fail "--max-lines"
annotate -q --stdio --arrows --no-source -s hot | grep -q ':.*> .*:' || fail "--arrows: none"
annotate -q -n --stdio -s hot | awk '/^ *[0-9]+ :/ { sum += $1 } END { exit !(sum > 50) }' || fail "-n"
annotate -q --stdio --percent-limit 50 | grep -c '^ Percent' | grep -qx 1 || fail "--percent-limit"

annotate --json -s hot >json || fail "--json"
jq -e '.schema == "assay-annotate-1" and (.functions | length) == 1 and .functions[0].name == "hot"' json >none || fail "JSON: $(head -c 400 json)"
jq -e '[.functions[0].instructions[].events[0].samples // 0] | add == input.functions[0].events[0].samples' json json >none || fail "JSON: samples do not add up"
jq -e '[.functions[0].instructions[] | select(.kind == "branch" and .jump != null)] | length > 0' json >none || fail "JSON: no jump"
jq -e '[.functions[0].instructions[] | select(.functions == ["mix", "hot"])] | length > 0' json >none || fail "JSON: no inlined function"

# On a terminal there are colours and a pager, lines end where it does, and a long name loses its middle; in a pipe nothing of it.
cat >long.cc <<'C'
template <class A, class B> struct some_rather_long_template { __attribute__((noinline)) static unsigned hot(unsigned n); };
template <class A, class B> unsigned some_rather_long_template<A, B>::hot(unsigned n)
{
	unsigned s = 0;

	for (unsigned i = 0; i < n; i++) {
		s += (i ^ s) / 7;
		asm volatile("");
	}
	return s;
}
int main()
{
	unsigned sum = 0;

	for (int i = 0; i < 100; i++)
		sum += some_rather_long_template<some_rather_long_template<int, char>, some_rather_long_template<char, int>>::hot(1000000);
	return sum == 1;
}
C
c++ -O2 -o long++ long.cc
"$ASSAY" record -q -F 2000 -e cpu-clock:u -o long++.data ./long++
cat >pager <<'END'
#!/bin/sh
echo "pager: begin"
cat
END
chmod +x pager
on_terminal() {
	TERM=xterm LC_ALL=C.UTF-8 COLUMNS=70 python3 "$TOOLS/on_terminal.py" "$ASSAY" "$@"
}
hot=(annotate -q --stdio --percent-limit 50 -i long++.data)
"$ASSAY" "${hot[@]}" >plain
! grep -q $'\033' plain && grep -q '<some_rather_long_template<some.*>::hot+0x[0-9a-f]*>$' plain || fail "in a pipe: $(head -20 plain)"
unset NO_COLOR
ASSAY_PAGER="$PWD/pager" on_terminal "${hot[@]}" >shown
grep -q '^pager: begin' shown || fail "no pager: $(head -3 shown)"
grep -q "$(printf '^\033\\[31m *[0-9.]*\033\\[m :')" shown || fail "no colour: $(head -20 shown)"
sed '1d; s/\r//; s/\x1b\[[0-9;]*m//g' shown | expand >letters
[ "$(LC_ALL=C.UTF-8 wc -L <letters)" -le 70 ] || fail "wider than the terminal: $(cat letters)"
grep -qE ' j[a-z]+ .*<some_rather_.*::hot\+0x[0-9a-f]+>$' letters || fail "no offset behind a long name: $(grep hot letters)"
NO_COLOR=1 ASSAY_PAGER='' on_terminal "${hot[@]}" >shown
! grep -q $'\033' shown || fail "NO_COLOR: $(head -20 shown)"
ASSAY_PAGER='' on_terminal "${hot[@]}" --color never >shown
! grep -q $'\033' shown || fail "--color never: $(head -20 shown)"
"$ASSAY" "${hot[@]}" --stdio-color=always | sed 's/\x1b\[[0-9;]*m//g' | expect_same plain - "--stdio-color always"
"$ASSAY" "${hot[@]}" --color always | grep -q $'\033' || fail "--color always"

# Mistakes.
expect_exit 2 "$ASSAY" annotate -M vax -i work.data 2>err
grep -q "unknown syntax .vax. (att, intel)" err || fail "-M vax: $(cat err)"
expect_exit 2 "$ASSAY" annotate --prefix-strip 1 -i work.data 2>err
expect_exit 2 "$ASSAY" annotate --json -l -i work.data 2>err
expect_exit 1 "$ASSAY" annotate -i work.data no_such_function >none 2>err
grep -q "none of the .* samples .* passes" err || fail "no_such_function: $(cat err)"
# A part of a name, or other letters: the message has the whole one.
expect_exit 1 "$ASSAY" annotate --stdio -q -i work.data -s HO 2>err >none
grep -q "passes --symbols HO; it is a part of 'hot'$" err || fail "a part of a name: $(cat err)"
expect_exit 1 "$ASSAY" annotate --stdio -q -i work.data --symbols nowhere 2>err >none
grep -q "passes --symbols nowhere$" err || fail "no such name: $(cat err)"
"$ASSAY" annotate --objdump /usr/bin/objdump -q -i work.data -s hot --stdio >none 2>err || fail "--objdump: $(cat err)"

# Source elsewhere; changed since; no regular file.
mkdir -p copy/tree && cp -p src/work.c copy/tree/
mv src/work.c moved.c
annotate -q --stdio -s hot >out
grep -q "src/work.c:[0-9]*$" out || fail "no file:line without the source"
nr=$(tr -cd / <<<"$PWD/src" | wc -c)
annotate -q --stdio --prefix "$PWD/copy/tree" --prefix-strip "$nr" -s hot | grep -q 's += mix' || fail "--prefix"
cp moved.c src/work.c && touch -d '+1 hour' src/work.c
annotate -q --stdio -s hot >out
grep -q "^# .*src/work.c is not shown: it was changed after the program was made" out || fail "a newer source is not named: $(tail -2 out)"
! grep -q 's += mix' out || fail "a newer source is shown"
rm src/work.c && mkfifo src/work.c
timeout 20 "$ASSAY" annotate -q --stdio -i work.data -s hot >out || fail "a source that is a pipe"
grep -q "is not shown: it is no regular file" out || fail "a pipe is not named: $(tail -2 out)"

# Another program in the place of the recorded one: no code of it is shown.
cc -O1 -o other "$PWD/moved.c" && mv work kept && cp other work
annotate -q --stdio -s hot >out || fail "without the program"
! grep -q 'ret$' out || fail "code of another program is shown"
mv kept work

# Code that cannot be had: the reason, and the addresses.
if [ "$(id -u)" = 0 ] && [ ! -e /proc/kcore ] && [ ! -e "/usr/lib/debug/boot/vmlinux-$(uname -r)" ]; then
	"$ASSAY" record -q -F 2000 -o kernel.data dd if=/dev/zero of=/dev/null bs=1M count=3000 2>none
	"$ASSAY" annotate -q --stdio -d '[kernel.kallsyms]' -i kernel.data >out || fail "kernel"
	grep -q "give the file with -k VMLINUX" out || fail "no reason for the kernel's missing code: $(head -5 out)"
	grep -q '^ *[0-9.]* :   ffffffff[0-9a-f]*:$' out || fail "no addresses without code"
	"$ASSAY" annotate -q --skip-missing --stdio -d '[kernel.kallsyms]' -i kernel.data >out || fail "--skip-missing"
	[ ! -s out ] || fail "--skip-missing shows functions without code"
fi

# A function that is too long: what is around its hottest instruction.
if [ "$(uname -m)" = x86_64 ]; then
	cat >long.s <<'END'
	.globl main, long
	.type long, @function
long:	.skip 1500000, 0x90
	mov $200000000, %edi
1:	dec %edi
	jnz 1b
	.skip 600000, 0x90
	ret
	.size long, . - long
	.type main, @function
main:	call long
	xor %eax, %eax
	ret
	.size main, . - main
	.section .note.GNU-stack
END
	cc -o long long.s
	"$ASSAY" record -q -F 999 -o long.data ./long
	"$ASSAY" annotate -q --stdio -s long -i long.data >out || fail "a long function"
	grep -q 'only 1 MB of its 21000[0-9]* bytes are shown, around the hottest' out || fail "a long function: $(head -8 out)"
	grep -qE '<long(\+0x[0-9a-f]+)?>:$' out || fail "a long function has no name: $(head -8 out)"
	grep -E ' (dec|jne) ' out | grep -qE '^ *[1-9][0-9.]* ' || fail "the hot loop of a long function is not shown: $(grep -E ' (dec|jne) ' out | head)"
	grep -E ' jne ' out | grep -q '<long+0x16e36[0-9a-f]>' || fail "where a jump goes: $(grep -E ' jne ' out | head -3)"
	[ "$(grep -c ' nop$' out)" -lt 1048576 ] || fail "more than 1 MB is shown"
fi

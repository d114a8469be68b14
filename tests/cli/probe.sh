#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `assay probe`: what it shows of programs, and what it says where there is nothing to show. No probe is put anywhere.
. "$(dirname "$0")/../lib.sh"
need gcc

cat >small.c <<'END'
#include <stdio.h>
struct pair { int first; struct pair *next; };
static int total = 5;
__thread int mine;
int work(struct pair *p, int n)
{
	int sum = p->first + n;
	mine = sum;

	printf("%d\n", sum + total);
	return sum;
}
int main(int argc, char **argv)
{
	struct pair p = { argc, 0 };
	return work(&p, argv[0][0]) == 0;
}
int loop(int n)
{
	for (int i = 0; i < n; i++)
		total += i;
	return total;
}
END
gcc -g -O0 -o small small.c

# refused CODE WORD… -- ARGUMENTS: the exit status, and one line with these words
refused() {
	local want=$1 got=0 words=()
	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	"$ASSAY" probe "$@" >out 2>err || got=$?
	[ $got = "$want" ] || fail "probe $*: exit status $got instead of $want: $(cat err)"
	[ ! -s out ] || fail "probe $*: output beside an error: $(cat out)"
	[ "$(wc -l <err)" = 1 ] || fail "probe $*: the message has not one line: $(cat err)"
	for word in "${words[@]}"; do
		grep -qF -- "$word" err || fail "probe $*: '$word' is not in: $(cat err)"
	done
}

refused 2 "give a probe to define" --
refused 2 "give one of them" -- -x small -F -- main work
refused 1 "No such file" -- -x ./nothing -F
refused 1 "no function 'worl'" "did you mean 'work'" -- -x small -D worl
refused 1 "no variable 'm'" "-V" -- -x small -D 'work m'
refused 1 "has no member 'second'" "struct pair" -- -x small -D 'work p->second'
refused 1 "write '->first'" -- -x small -D 'work p.first'
refused 1 "TLS" -- -x small -D 'work mine'
refused 1 "lines 3 and 5" -- -x small -D work:4
refused 1 "no offset 4096" -- -x small -D work+4096
refused 1 "is gone when the function returns" -- -x small -D 'work%return n'
refused 1 "not set up before work+" -- -x small -D 'work+1 n'
refused 1 "no source file 'other.c'" -- -x small -D other.c:3
refused 1 "nearest line with code is" -- -x small -D small.c:2
refused 1 "no address" -- -x small -D 0xfffffffff0
refused 2 "variable index" -- -x small -D 'work p[n]'
refused 2 "filter" -- -x small -F 'a &'
refused 1 "no function has the name 'wor'" "'-F *wor*'" -- -x small -F wor
refused 1 "no function matches the filter 'wor | x*'" -- -x small -F 'wor | x*'
refused 2 "range" -- -x small -L work:9-3
refused 1 "more than 1" "--max-probes" -- -x small --max-probes 1 -D 'loop:2'

# The same name asked for twice gets two names; a line of several addresses, too.
"$ASSAY" probe -x small -D 'work:0 a=n b=p->first' >out
grep -q '^p:probe_small/work_L0 .*/small:0x[0-9a-f]* a=-[0-9]*(%bp):s32 b=+0(-[0-9]*(%bp)):s32$' out || [ "$(uname -m)" != x86_64 ] || fail "$(cat out)"

# Other names of a function, and versions of a symbol, have its lines.
cat >names.c <<'END'
int first(int n)
{
	int twice = 2 * n;

	twice += n / 3; /* MARK */
	return twice;
}
int second(int n) __attribute__((alias("first")));
__asm__(".symver second, old@Names_1");
END
printf 'Names_1 { global: old; };\n' >names.map
gcc -g -O0 -shared -fPIC -Wl,--version-script=names.map -o names.so names.c
offset() { "$ASSAY" probe -x ./names.so -D "$1" | sed 's/.*://'; }
for place in :2 ':4 n' ';*MARK*' ';*MARK* n twice' '@names.c' ' n'; do
	want=$(offset "first$place")
	[ -n "$want" ] || fail "first$place"
	[ "$(offset "second$place")" = "$want" ] || fail "second$place is at $(offset "second$place"), first$place at $want"
done
[ "$(offset 'old@Names_1:4')" = "$(offset first:4)" ] || fail "a version with a line: $(offset 'old@Names_1:4')"
"$ASSAY" probe -x ./names.so -D second:4 | grep -q '^p:probe_names/second_L4 ' || fail "the name of an alias"
refused 1 "line 3 of second has no code" "lines 2 and 4" -- -x ./names.so -D second:3
refused 1 "no line of second with code matches" -- -x ./names.so -D 'second;*nothing*'
refused 1 "no function 'second' in a source file 'other.c'" -- -x ./names.so -D second@other.c

# An indirect function is no place to count calls.
cat >indirect.c <<'END'
static int one(int n) { return n + 1; }
static void *choose(void) { return one; }
int chosen(int n) __attribute__((ifunc("choose")));
static int hidden(int n) __attribute__((ifunc("choose")));
int main(int argc, char **argv) { return (chosen(argc) + hidden(argc)) % 2; }
END
gcc -g -O0 -o indirect indirect.c
for name in chosen hidden; do
	"$ASSAY" probe -x ./indirect -D "$name" >out 2>err && grep -q '^p:' out || fail "$name: $(cat err)"
	grep -q "$name is an indirect function (IFUNC).*'-F \*$name\*'.*'$name@plt'" err || fail "no warning of $name: $(cat err)"
done
"$ASSAY" probe -x ./indirect -D one >out 2>err && [ ! -s err ] || fail "a warning of code that is called: $(cat err)"

# Types in units of their own.
cat >typed.cc <<'END'
namespace ns { struct inner { short a; long b; }; }
template <class T> struct outer { T first; ns::inner in; outer *next; };
__attribute__((noinline)) long work(outer<int> *o) { return o->in.b + o->next->first; }
int main(int argc, char **)
{
	outer<int> o = { argc, { 2, 3 }, &o };
	return (int)work(&o);
}
END
for cc in g++ clang++; do
	command -v $cc >/dev/null || continue
	$cc -gdwarf-5 -O0 -o plain typed.cc
	$cc -gdwarf-5 -fdebug-types-section -O0 -o typed typed.cc
	for args in 'o->in.b o->next->first o->next->in.a' '$vars'; do
		want=$("$ASSAY" probe -x plain -D "probe:work=work $args")
		got=$("$ASSAY" probe -x typed -D "probe:work=work $args" 2>&1) || true
		[ "${got##*:0x}" = "${want##*:0x}" ] || fail "$cc, types in units of their own: $got instead of $want"
	done
	"$ASSAY" probe -x plain -V work | sort >want
	"$ASSAY" probe -x typed -V work | sort >out
	cmp want out || fail "$cc, -V with types in units of their own: $(cat out)"
done

# What -F lists can be probed, by that name: operators with arguments of templates, functions of libraries.
if command -v g++ >/dev/null; then
	cat >listed.cc <<'END'
#include <stdexcept>
#include <string>
template <class T> struct box {
	T v;
	explicit operator bool() const;
	operator unsigned long() const;
	template <class U> box<U> operator-(box<U> o) const;
};
template <class T> __attribute__((noinline)) box<T>::operator bool() const { return v; }
template <class T> __attribute__((noinline)) box<T>::operator unsigned long() const { return (unsigned long)v; }
template <class T> template <class U> __attribute__((noinline)) box<U> box<T>::operator-(box<U> o) const { return { (U)(v - o.v) }; }
template <class T> __attribute__((noinline)) box<T> operator<<(box<T> a, int n) { return { a.v << n }; }
int main(int argc, char **argv)
{
	box<int> b{ argc };
	std::string s = std::string("a") + argv[0];
	if (argc > 5)
		throw std::runtime_error(s + s);
	return b && (b << 1) - b ? (int)(unsigned long)b : 0;
}
END
	g++ -g -O0 -o listed listed.cc
	"$ASSAY" probe -x listed -F '*' >names
	for name in 'box<int>::operator bool' 'operator<< <int>'; do
		grep -qxF "$name" names || fail "'$name' is not listed: $(grep operator names)"
	done
	grep -q '^std::.*@plt$' names || fail "no function of the library is listed: $(grep plt names)"
	while read -r name; do
		"$ASSAY" probe -x listed -D "$name" >out 2>err && grep -q '^p:' out || fail "-F lists '$name', which cannot be probed: $(cat err)"
	done <names
fi

# Functions of Go have dots in their names and are no source files; returns cannot be probed there.
if command -v go >/dev/null; then
	mkdir -p go
	cat >go/work.go <<'END'
package main

type pair struct{ first int }

//go:noinline
func (p *pair) add(n int) int { return p.first + n }

//go:noinline
func work(n int) int {
	p := pair{n}
	return p.add(n)
}
func main() { println(work(4)) }
END
	(cd go && GO111MODULE=off GOCACHE=$TMPDIR/go-cache GOFLAGS= CGO_ENABLED=0 go build -o ../gowork work.go) || fail "go build"
	"$ASSAY" probe -x ./gowork -D main.work | grep -q '^p:probe_gowork/work /.*/gowork:0x' || fail "a function of Go"
	"$ASSAY" probe -x ./gowork -D 'main.(*pair).add' | grep -q '^p:probe_gowork/add ' || fail "a method of Go"
	"$ASSAY" probe -x ./gowork -D main.work+4 | grep -q '^p:probe_gowork/work ' || fail "a function of Go and an offset"
	"$ASSAY" probe -x ./gowork -D work.go:11 | grep -q '^p:probe_gowork/work ' || fail "a line of Go"
	refused 1 "has no function 'main.wrk'" -- -x ./gowork -D main.wrk
	refused 1 "no source file 'main.wrk'" -- -x ./gowork -D main.wrk:3
	refused 1 "no source file 'main.wrk'" -- -x ./gowork -L main.wrk
fi

# Lines, with numbers where code is.
"$ASSAY" probe -x small -L work >out
head -1 out | grep -q '^<work@.*/small.c:0>$' || fail "$(cat out)"
grep -q '^ *2  .*int sum = ' out || fail "$(cat out)"
grep -q '^         $' out || fail "an empty line is shown without a number: $(cat out)"
[ "$(sed 1d out | wc -l)" = 8 ] || fail "$(cat out)"
"$ASSAY" probe -x small -L small.c:5-6 | sed 1d | sed -n '1s/^ *[0-9]*  //p' | grep -qF 'int work(' || fail "lines of a file"
mkdir -p moved && mv small.c moved/
refused 1 "small.c" "-s DIR" -- -x small -L work
mkdir -p "root$PWD" && mv moved/small.c "root$PWD/"
"$ASSAY" probe -x small -s root -L work:2 | grep -q 'int sum' || fail "-s"

mv "root$PWD/small.c" .
refused 1 "work has no line 99" "ends with line 7" -- -x small -L work:99
refused 1 "small.c has no line 99" "ends with line 23" -- -x small -L small.c:99
refused 1 "no source file 'smal.c'" "did you mean 'small.c'" -- -x small -L smal.c
refused 1 "no source file 'smal.c'" "did you mean 'small.c'" -- -x small -D smal.c:5
refused 1 "no function 'wrk'" "did you mean 'work'" -- -x small -L wrk
# Another name of a function.
"$ASSAY" probe -x ./names.so -L first | sed 's/first@//' >want
"$ASSAY" probe -x ./names.so -L second | sed 's/second@//' >out
[ -s want ] && cmp want out || fail "lines of an alias: $(cat out)"
# Lines of code that is no statement belong to the function.
cat >inlined.c <<'END'
static inline int twice(int n) { return n * 2; }
int work(int n, int *p)
{
	p[n] = twice(n);
	return twice(p[n]) + n;
}
int main(int argc, char **argv) { int a[9]; return work(argc, a) + argv[0][0]; }
END
gcc -g -O2 -fno-inline-small-functions -o inlined inlined.c
"$ASSAY" probe -x inlined -L work | grep -q 'return twice(p\[n\])' || fail "the last line: $("$ASSAY" probe -x inlined -L work)"
# A source file that is newer, and one that is none: neither is waited for, nor read without end.
touch -d '1 hour' small.c
"$ASSAY" probe -x small -L work:2 2>err | grep -q 'int sum' && grep -q 'small.c was changed after the program was made' err || fail "a newer source file"
mkfifo fifo.c
printf '# 1 "%s/fifo.c"\nint work(int n) { return n + 1; }\nint main(void) { return work(1); }\n' "$PWD" >source.c
gcc -g -o fifo source.c
sed 's,"/.*","/dev/zero",' source.c >device.c
gcc -g -o device device.c
for file in fifo device; do
	for options in '-L work' '-D work;*n*'; do
		# shellcheck disable=SC2086
		status=0 && timeout 60 "$ASSAY" probe -x ./$file $options >out 2>err || status=$?
		[ $status = 1 ] && grep -q 'no regular file' err || fail "$file $options: exit status $status: $(cat err)"
	done
done

# Variables.
"$ASSAY" probe -x small -V work --externs >out
for line in $'\t\tint\tn' $'\t\tint\tsum' $'\t\tstruct pair*\tp' $'\t\t(extern) int\ttotal'; do
	grep -qxF "$line" out || fail "-V has no line '$line': $(cat out)"
done
grep -q "mine.*# .*TLS" out || fail "-V does not say why a variable cannot be fetched: $(cat out)"

# Without debug information functions can be probed, lines and variables cannot; without symbols nothing can.
strip -g -o plain small
"$ASSAY" probe -x plain -D 'work+4 %di' | grep -q '^p:probe_plain/work .*/plain:0x[0-9a-f]* %di$' || fail "symbols alone"
refused 1 "cannot be looked up" "-g" -- -x plain -D 'work n'
refused 1 "compile it with -g" -- -x plain -L work
strip -o bare small
refused 1 "no function 'work'" -- -x bare -D work
# Files that are no programs, and of which parts are missing.
echo text >text
refused 1 "text" -- -x ./text -F
gcc -c -g -o object.o small.c
refused 1 "link it first" -- -x ./object.o -D work
for size in 100 3000 9000 15000; do
	head -c $size small >"cut$size"
	status=0
	"$ASSAY" probe -x "./cut$size" -D 'work n' >out 2>err || status=$?
	[ $status -le 1 ] || fail "a file cut at $size bytes: exit status $status"
	[ $status = 0 ] || [ -s err ] || fail "a file cut at $size bytes: no message"
done

# A header is listed as all units have it, not as the first one: each has code that the other has not, and numbers it differently.
mkdir headers
echo >headers/other.h 'typedef unsigned other;'
cat >headers/both.h <<'END'
static inline int one(int *p)
{
	*p += 1;
	return *p;
}

static inline int two(int *p)
{
	*p += 2;
	return *p;
}

static inline int neither(int *p)
{
	return *p;
}
END
printf '#include "both.h"\nint a(int *p)\n{\n\treturn one(p);\n}\n' >headers/a.c
printf '#include "other.h"\n#include "both.h"\nint a(int *p);\nint main(void)\n{\n\tother n = 1;\n\treturn two((int *)&n) + a((int *)&n);\n}\n' >headers/b.c
for version in 4 5; do
	gcc -gdwarf-$version -O0 headers/a.c headers/b.c -o header
	"$ASSAY" probe -x header -L both.h >out
	[ "$(awk '$1 ~ /^[0-9]+$/ { printf "%s ", $1 }' out)" = "2 3 4 5 8 9 10 11 " ] || fail "-L of a header, DWARF $version: $(cat out)"
	"$ASSAY" probe -x header -L both.h:4-9 >out
	[ "$(awk '$1 ~ /^[0-9]+$/ { printf "%s ", $1 }' out)" = "4 5 8 9 " ] || fail "-L of lines of a header: $(cat out)"
	"$ASSAY" probe -x header -D both.h:9 | grep -q '^p:probe_header/two ' || fail "a line that only the second unit has"
	refused 1 "line 6 of both.h has no code of its own; the nearest lines with code are 5 and 8" -- -x header -D both.h:6
	refused 1 "line 15 of both.h has no code of its own; the nearest line with code is 11" -- -x header -D both.h:15
	refused 1 "line 900 of both.h" "nearest line with code is 11" -- -x header -D both.h:900
	refused 1 "no line of other.h has code" -- -x header -D other.h:1
done

# Names that mean something to shells, tracefs or terminals do not get out of their place.
cp small "b;\$(id) x"
refused 1 "blanks" -- -x "./b;\$(id) x" -D work
cp small 'b;$(id)'
"$ASSAY" probe -x './b;$(id)' -D work | grep -qF 'p:probe_b/work' || fail "a name with metacharacters"
printf 'int work(int n) __asm__("wo\\\\e[31mrk"); int work(int n) { return n; } int main(void) { return work(1); }\n' >odd.c
gcc -g -o odd odd.c 2>/dev/null && { "$ASSAY" probe -x odd -F '*' | grep -q $'\e' && fail "an escape sequence reaches the terminal"; }
true

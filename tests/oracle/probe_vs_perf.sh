#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# only recorder: probes that are put into programs here are seen by all recorders
#
# Probe points in C and C++ programs of gcc and clang, with and without optimisation: what the kernel fetches is what the program itself prints, or
# the point is refused with a reason; where perf is right, so is assay. Then the same program with its debug information in other forms, and
# lines (-L), functions (-F) and variables (-V) beside perf's.
. "$(dirname "$0")/../lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
need perf
need gcc
[ "$(id -u)" = 0 ] || skip "probes need root"
c_files="$here/probe_work.c $here/probe_work2.c"

# points PROGRAM LANGUAGE LABEL [--must]
points() {
	local status=0 perf=$PERF
	[ -z "${NO_PERF-}" ] || perf=-
	python3 "$here/probe_points.py" "$ASSAY" "$perf" "$PWD/$1" "$2" "$3" ${4-} || status=$?
	[ $status -ne 77 ] || exit 77
	[ $status -eq 0 ] || fail "$3: points are wrong"
}

compilers="gcc:g++"
! command -v clang++ >/dev/null || compilers="$compilers clang:clang++"
for pair in $compilers; do
	cc=${pair%:*} cxx=${pair#*:}
	for level in 0 2; do
		must=
		[ $level != 0 ] || must=--must
		$cc -g -O$level -o c-$cc-$level $c_files
		points c-$cc-$level c "$cc -O$level" $must
		$cxx -g -O$level -o cc-$cc-$level "$here/probe_work.cc"
		points cc-$cc-$level cc "$cxx -O$level" $must
	done
done

# Other forms of debug information, and of programs. perf reads few of them.
NO_PERF=1
gcc -g -O0 -gdwarf-4 -o dwarf4 $c_files && points dwarf4 c "gcc -gdwarf-4" --must
gcc -g -O2 -gdwarf-4 -o dwarf4o $c_files && points dwarf4o c "gcc -gdwarf-4 -O2"
gcc -g -O0 -gz -o packed $c_files && points packed c "gcc -gz" --must
gcc -g -O0 -no-pie -o nopie $c_files && points nopie c "gcc -no-pie" --must
gcc -g -O1 -o o1 $c_files && points o1 c "gcc -O1"
gcc -g -Os -o os $c_files && points os c "gcc -Os"
gcc -g -O2 -flto -o lto $c_files && points lto c "gcc -O2 -flto"
mkdir split && (cd split && gcc -g -O0 -gsplit-dwarf -o ../splitted $c_files) && points splitted c "gcc -gsplit-dwarf" --must
(cd split && gcc -g -O2 -gsplit-dwarf -gdwarf-4 -o ../splitted4 $c_files) && points splitted4 c "gcc -O2 -gsplit-dwarf -gdwarf-4"
gcc -g -O2 -o apart $c_files && objcopy --only-keep-debug apart apart.debug && strip apart && objcopy --add-gnu-debuglink=apart.debug apart
points apart c "gcc -O2, separate debug file"
if command -v clang >/dev/null; then
	(cd split && clang -g -O2 -gsplit-dwarf -o ../splitted-clang $c_files) && points splitted-clang c "clang -O2 -gsplit-dwarf"
	clang++ -g -O1 -gdwarf-4 -o clang4 "$here/probe_work.cc" && points clang4 cc "clang++ -O1 -gdwarf-4"
fi
if command -v dwz >/dev/null; then
	gcc -g -O0 -o shared1 $c_files && cp shared1 shared2 && dwz -m shared.dwz shared1 shared2 2>/dev/null && points shared1 c "gcc, dwz" --must
fi

# Lines that perf can probe are lines that assay can probe; the source is the same.
for file in c-gcc-0 c-gcc-2; do
	for function in work shadow vla recurse; do
		"$PERF" probe -q -x ./$file -L $function 2>/dev/null | sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' >perf.lines
		"$ASSAY" probe -x ./$file -L $function >ours
		sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' ours >ours.lines
		[ -s perf.lines ] || fail "perf shows no lines of $function"
		for line in $(cat perf.lines); do
			"$PERF" probe -q -x ./$file -D "$function:$line" >perf.def 2>/dev/null || continue
			grep -qx "$line" ours.lines || fail "$file: $function:$line is not shown as a line that can be probed"
			"$ASSAY" probe -x ./$file -D "$function:$line" >our.def
			diff <(sed 's/.*://' perf.def) <(sed 's/.*://' our.def) || fail "$file: $function:$line is at other addresses"
		done
	done
done

# Functions: those of perf, which lists data as well.
"$PERF" probe -q -x ./c-gcc-0 -F | sort -u >perf.names
"$ASSAY" probe -x ./c-gcc-0 -F >our.names
readelf -sW c-gcc-0 | awk '$4 == "FUNC" { print $8 }' | sort -u >code.names
diff <(comm -12 perf.names code.names) our.names || fail "other functions than perf's"
"$ASSAY" probe -x ./c-gcc-0 -F 'ret_* | (twin & !*x)' >filtered
printf 'ret_char\nret_node\ntwin\n' | diff - filtered || fail "the filter of names"

# Variables: each that perf lists with a type it knows.
for place in work shadow 'work:4' 'by_value' recurse; do
	"$PERF" probe -q -x ./c-gcc-0 -V $place 2>/dev/null | awk -F '\t' 'NF == 4 { print $4 }' | sort -u >perf.vars
	"$ASSAY" probe -x ./c-gcc-0 -V $place | awk -F '\t' 'NF >= 4 { print $4 }' | sort -u >our.vars
	[ -s perf.vars ] || fail "perf lists no variables at $place"
	diff perf.vars our.vars || fail "other variables at $place"
done

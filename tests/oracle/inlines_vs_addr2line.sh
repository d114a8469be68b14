# Inlined functions and lines beside addr2line -i: C++ by gcc and clang, DWARF 4 and 5, link-time optimisation, and assay itself. Then
# the same code with its debug information split (.dwo, .dwp), compressed and shared (dwz), which has to say the same.
. "$(dirname "$0")/../lib.sh"
need addr2line
need eu-addr2line
need g++
need python3
here=$(cd "$(dirname "$0")" && pwd)
lookup=$WORKLOADS/../tools/lookup
[ -x "$lookup" ] || skip "lookup is not built (meson configure -Dtests=true)"
export ASSAY_CACHE=off

compare() { # PROGRAM NR [REFERENCE]
	python3 "$here/inlines_compare.py" "$lookup" "$@" | tee -a figures.txt
	[ "${PIPESTATUS[0]}" -eq 0 ] || fail "$1: functions or lines differ"
}

cp "$here/inlines.cc" .
g++ -O2 -g -gdwarf-5 inlines.cc -o gcc5 &
g++ -O2 -g -gdwarf-4 inlines.cc -o gcc4
wait $! || fail "g++ -gdwarf-5"
g++ -O2 -g -gdwarf-5 -gsplit-dwarf -c inlines.cc -o split5.o && g++ split5.o -o split5 &
g++ -O2 -g -gdwarf-4 -gsplit-dwarf -c inlines.cc -o split4.o && g++ split4.o -o split4
wait $! || fail "g++ -gdwarf-5 -gsplit-dwarf"
compare gcc5 2500
compare gcc4 2500
compare "$ASSAY" 2500
[ -x "$WORKLOADS/unwind_cxx" ] && compare "$WORKLOADS/unwind_cxx" 1000
compare split5 2500 gcc5
compare split4 2500 gcc4

if g++ -O2 -g -flto inlines.cc -o lto 2>/dev/null; then
	compare lto 1000
fi
if command -v clang++ >/dev/null; then
	clang++ -O2 -g -gdwarf-5 inlines.cc -o clang5 &
	clang++ -O2 -g -gdwarf-4 inlines.cc -o clang4
	wait $! || fail "clang++ -gdwarf-5"
	compare clang4 2500
	# Neither addr2line 2.40 nor eu-addr2line 0.188 reads the lists of ranges that clang writes in version 5. The code is the same.
	compare clang5 2500 clang4
fi

# Both halves moved to another place, and all second halves in one file.
mkdir moved
cp split5 split5.dwo moved/
mv split5.dwo kept
compare moved/split5 500 gcc5
if command -v dwp >/dev/null; then
	cp split4 moved/packaged
	dwp -e split4 -o moved/packaged.dwp
	rm split4.dwo
	compare moved/packaged 500 gcc4
fi

# As a kernel that was moved when it was booted
addr=$(nm gcc4 | sed -n 's/ T main$//p')
"$lookup" gcc4 <<<"$addr" | tail -n +2 >there
moved=$(printf '%x' $((0x$addr + 0x7000000)))
"$lookup" --vmlinux "$PWD/gcc4" main "$moved" <<<"$moved" | tail -n +2 >here
expect_same there here "main of a kernel that was moved"

# Compressed in each way that objcopy knows
for how in zlib zlib-gnu zstd; do
	if objcopy --compress-debug-sections=$how gcc5 "packed-$how" 2>/dev/null; then
		compare "packed-$how" 500 gcc5
	fi
done

# Shared by two programs (dwz): by path, in the directories of distributions by build-id; damaged, names are missing and nothing else.
if command -v dwz >/dev/null; then
	cp gcc4 shared1
	cp "$(command -v clang++ >/dev/null && echo clang4 || echo split4)" shared2
	dwz -m common.debug shared1 shared2 2>/dev/null || fail "dwz -m"
	compare shared1 500 gcc4
	id=$(readelf -n common.debug | sed -n 's/.*Build ID: //p')
	mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}" root/bin
	mv common.debug "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	cp shared1 root/bin/
	python3 - "$lookup" "$PWD" <<'PY' || fail "a shared file below --symfs is not found"
import subprocess, sys
lookup, here = sys.argv[1:]
main = [l.split() for l in subprocess.run(["nm", here + "/gcc4"], capture_output=True, text=True).stdout.splitlines()]
addr = next(l[0] for l in main if l[-1] == "main")
ask = lambda *argv: subprocess.run(argv, input=addr + "\n", capture_output=True, text=True).stdout
sys.exit(ask(lookup, here + "/gcc4") != ask(lookup, "--symfs", here + "/root", "--as", here + "/shared1", "/bin/shared1"))
PY
	cp gcc5 shared5
	cp gcc5 shared6
	if dwz --dwarf-5 -m common5.debug shared5 shared6 2>/dev/null; then
		compare shared5 500 gcc5
	fi
else
	echo "no dwz here: shared debug files were not tried"
fi
echo "NOTE: $(sed -n 's/^\([^ ]*\): \([0-9]*\) addresses.* \([0-9.]*%\) as addr2line.*/\1 \3 of \2/p' figures.txt | paste -sd ' ')"

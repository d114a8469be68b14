# timeout: 1000
# Raw stacks on arm64: real perf records them in the guest, and perf and assay unwind the same files there. Then this machine's assay reads one
# of the files, of another architecture than its own.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
ARM64=${ARM64-$vm/../../build-arm64} # set, and empty, where it could not be built
[ -x "$ARM64/assay" ] || skip "there is no arm64 build"
[ -x "$ARM64/tests/workloads/unwind_cxx" ] || skip "no C++ compiler for arm64 is installed"
need python3
perf=$("$vm/setup-perf" arm64) || { status=$?; echo "$perf"; exit $status; }

cat >script <<'END'
. /test/lib
export PYTHONHOME=/usr PYTHONDONTWRITEBYTECODE=1

send() { # FILE…: to the host, through the console
	for file; do
		echo "@@ file $file"
		gzip -c "$file" | base64
		echo "@@ end"
	done
}

one() { # NAME COMMAND…
	name=$1
	shift
	perf record -q -e cycles -F 1000 --call-graph dwarf -o $name.data -- "$@" >record.txt 2>&1 || { cat record.txt; fail "perf record $*"; }
	perf script --no-inline -i $name.data -F comm,tid,time,ip,sym,dso >$name.perf 2>script.err || { cat script.err; fail "perf script of $name"; }
	assay script --no-inline -i $name.data -F comm,tid,time,ip,sym,dso >$name.ours 2>script.err || { cat script.err; fail "script of $name"; }
	send $name.perf $name.ours
}

one nofp unwind_nofp 0.5
one calls unwind_calls 0.4
one signals unwind_signals 0.5
one threads unwind_threads 0.4
one cxx unwind_cxx 0.6
one python python3.11 -I -S /test/unwind_work.py 0.5
send nofp.data
END

w=$ARM64/tests/workloads
GUEST_SECONDS=800 GUEST_LIBRARIES=$perf/lib "$vm/run-guest" arm64 script "$ARM64/assay" "$perf/perf" "$perf/python3.11" \
	"$w/unwind_nofp" "$w/unwind_calls" "$w/unwind_signals" "$w/unwind_threads" "$w/unwind_cxx" \
	"$perf/pylib=/usr/lib/python3.11" "$TOOLS/unwind_work.py=/test/unwind_work.py" >console.txt || { tail -40 console.txt; fail "the guest's script failed"; }
python3 - <<'END'
import base64, gzip
name, data = None, []
for line in open("console.txt"):
    if line.startswith("@@ file "):
        name, data = line.split()[2], []
    elif line.startswith("@@ end"):
        open(name, "wb").write(gzip.decompress(base64.b64decode("".join(data))))
        name = None
    elif name:
        data.append(line.strip())
END
for name in nofp calls signals threads cxx python; do
	python3 "$TOOLS/unwind_compare.py" $name $name.perf $name.ours | tee -a figures.txt
	[ "${PIPESTATUS[0]}" -eq 0 ] || fail "$name: frames differ from perf's"
done

# Which architecture it is, the file says; the programs are looked for elsewhere.
mkdir -p symfs/test symfs/lib
cp "$w/unwind_nofp" symfs/test/
for lib in libc.so.6 ld-linux-aarch64.so.1; do
	for dir in /lib/aarch64-linux-gnu /usr/lib/aarch64-linux-gnu; do
		[ -e "$dir/$lib" ] && cp -L "$dir/$lib" symfs/lib/ && break
	done
done
"$ASSAY" script -q --no-inline -i nofp.data --symfs symfs -F comm,tid,time,ip,sym,dso >nofp.here || fail "script of a file of arm64"
python3 "$TOOLS/unwind_compare.py" nofp nofp.perf nofp.here || fail "frames of a file of arm64 differ from those found on arm64"
echo "NOTE: perf's frames in $(sed 's/: .* samples, / /; s/% have.*/%/' figures.txt | paste -sd ' ')"

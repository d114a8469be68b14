# A file is what was mapped, not its path: programs that are rebuilt, rewritten, removed or hidden from us while they
# are recorded get the names of the file that ran; with raw stacks and with stacks that are walked while recording, too.
. "$(dirname "$0")/../lib.sh"
need cc
export HOME=$TMPDIR # perf's cache may have what another test has recorded
source=$(cd "$(dirname "$0")/../workloads" && pwd)/version.c

# build OUTPUT NAME FACTOR [FLAGS…]
build() {
	cc -O1 -g0 -fno-omit-frame-pointer -DNAME="$2" -DFACTOR="$3" -o "$1" "${@:4}" "$source" || fail "cc failed"
}
build id1 version_one 7
build id2 version_two 99
build none1 version_one 7 -Wl,--build-id=none
build none2 version_two 99 -Wl,--build-id=none

# run OPTIONS… -- COMMAND…: records it.
run() {
	rm -rf "$XDG_CACHE_HOME"
	"$ASSAY" record -q -F 2000 -o i.data "$@" || fail "record $*"
}

# names WHAT NAME…: nothing but these functions (and no addresses) has a tenth of the samples.
names() {
	local what=$1 got
	shift
	got=$("$ASSAY" report -i i.data --stdio --no-children -g none --sort sym 2>/dev/null |
		awk '$1 + 0 >= 10 { print $NF }' | sort | tr '\n' ' ')
	[ "$got" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] ||
		fail "$what: '$got' instead of '$*': $("$ASSAY" report -i i.data --stdio --no-children -g none 2>&1 | head -40)"
}

# called NAME: nine of ten stacks that begin in it go on through work and main.
called() {
	"$ASSAY" script -i i.data -F ip,sym 2>/dev/null | awk -v name="$1" '
		BEGIN { RS = ""; FS = "\n" }
		$1 ~ " " name "$" { nr++; ok += $2 ~ / work$/ && $3 ~ / main$/ }
		END { exit !(nr > 20 && ok >= nr * 0.9) }' || fail "stacks of $1 are broken: $("$ASSAY" script -i i.data -F ip,sym | tail -20)"
}

cat >renew.sh <<-'END'
	# renew.sh HOW FIRST SECOND: runs both as ./prog, one after the other
	cp "$2" prog && ./prog 150
	[ "$1" = in-place ] || rm prog
	cp "$3" prog && ./prog 150
END

# Rewritten before the recorder could look: it does not take the second for the first.
cat >late.sh <<-'END'
	cp "$1" prog
	kill -STOP $PPID
	./prog 150
	cp "$2" prog
	./prog 150
	kill -CONT $PPID
END
for kind in id none; do
	rm -f prog
	run --no-buildid-mmap -- sh late.sh ${kind}1 ${kind}2
	share=$("$ASSAY" report -i i.data --stdio --no-children -g none --comm prog --sort sym 2>/dev/null | awk '$NF == "version_two" { print int($1) }')
	[ "${share:-0}" -gt 25 ] && [ "$share" -lt 75 ] || fail "$kind, late: version_two has ${share:-0}% of both: $("$ASSAY" report -i i.data --stdio --no-children -g none 2>&1 | head -40)"
done

# Rebuilt while it is recorded, as a new file and in the same one.
for kind in id none; do
	for how in new in-place; do
		rm -f prog
		run -- sh renew.sh $how ${kind}1 ${kind}2
		names "$kind, $how" version_one version_two
		rm -f prog
		run --no-buildid-mmap -- sh renew.sh $how ${kind}1 ${kind}2
		names "$kind, $how, without build-ids in maps" version_one version_two
	done
	for mode in dwarf dwarf,keep; do
		rm -f prog
		run --call-graph $mode -- sh renew.sh new ${kind}1 ${kind}2
		names "$kind, new, $mode" version_one version_two
		called version_one
		called version_two
	done
done

# Removed while it runs.
for kind in id none; do
	cp ${kind}1 prog
	run --call-graph dwarf -- sh -c './prog 200 & until [ "$(readlink /proc/$!/exe)" = "$PWD/prog" ]; do sleep 0.01; done; rm prog; wait'
	names "$kind, removed" version_one
	called version_one
done

# Replaced afterwards: no name is better than a wrong one, and the reason is given.
cp none1 prog
run ./prog 150
cp none2 prog
"$ASSAY" report -i i.data --stdio >r.txt 2>&1
! grep -q version_ r.txt || fail "the names of a file that was changed since were used: $(cat r.txt)"
grep -q "prog was changed after it was mapped" r.txt || fail "no reason: $(cat r.txt)"
cp id1 prog
run ./prog 150
cp id2 prog
rm -rf "$XDG_CACHE_HOME"
"$ASSAY" report -i i.data --stdio >r.txt 2>&1
! grep -q version_ r.txt || fail "the names of a file that was replaced since were used: $(cat r.txt)"
grep -q "prog was replaced since the recording" r.txt || fail "no reason: $(cat r.txt)"
cp id1 prog
names "put back" version_one
# touched, but the same: with a build-id that is known
touch prog
names "touched" version_one
# linked, but the same: without a build-id its contents tell
rm -f prog linked
cp none1 prog
run ./prog 150
ln prog linked
rm -rf "$XDG_CACHE_HOME"
names "linked" version_one

# A program without a path.
cat >memory.py <<-'END'
	import os, sys
	fd = os.memfd_create("hidden")
	os.write(fd, open(sys.argv[1], "rb").read())
	os.execve(fd, ["hidden", "200"], dict(os.environ))
END
if command -v python3 >/dev/null; then
	for kind in id none; do
		run --call-graph dwarf -- python3 memory.py ${kind}1
		names "$kind, memfd" version_one
		called version_one
	done
fi

# Started again and again, for a moment each, and gone before the rings are read. All of its code has names here, whatever the
# distribution has stripped.
echo 'int main(void) { for (volatile int i = 0; i < 1000000; i++) ; return 0; }' >once.c
cc -O1 -static -o once once.c || fail "cc failed"
run -- sh -c 'for i in $(seq 300); do ./once; done'
"$ASSAY" script -i i.data --comms once -F ip,sym,dso 2>/dev/null |
	awk '{ nr++ } /unknown/ { bad++ } END { print nr + 0, bad + 0; exit !(nr >= 20 && bad * 100 < nr) }' >once.txt ||
	fail "300 × once: samples, and those without a name: $(cat once.txt)"
rm once

if [ "$(id -u)" != 0 ]; then
	echo "namespaces are left out: they need root"
	exit 0
fi

# Below another root: a program that we would find elsewhere, or not at all.
mkdir -p root/lib64 root/tmp
build root/prog version_one 7 -static
for i in 1 2; do
	run --call-graph dwarf -- chroot root /prog 200
	names "chroot" version_one
	called version_one
	build root/prog version_one 7 -static -Wl,--build-id=none
done

# Two mount namespaces with different libraries at one path; the program has no build-id, nor has one of the libraries.
mkdir lib other
build lib/libversion.so version_one 7 -shared -fPIC -DSHARED
build other/libversion.so version_two 99 -shared -fPIC -DSHARED -Wl,--build-id=none
cc -O1 -DLIBRARY -o user "$source" -Wl,--build-id=none -Llib -lversion -Wl,-rpath,"$PWD/lib" || fail "cc failed"
if unshare -m true 2>/dev/null; then
	for mode in fp dwarf dwarf,keep; do
		run --call-graph $mode -- sh -c "./user 150 & unshare -m sh -c 'mount --bind other lib && ./user 150' & wait"
		names "two namespaces, $mode" version_one version_two
		called version_one
		called version_two
	done
	# that run already
	unshare -m sh -c 'mount --bind other lib && exec ./user 60000' &
	pid=$!
	until grep -q libversion /proc/$pid/maps 2>/dev/null && [ "$(cat /proc/$pid/comm)" = user ]; do sleep 0.02; done
	for mode in fp dwarf; do
		run --call-graph $mode -p $pid -- sleep 0.3
		names "another namespace, running, $mode" version_two
		called version_two
	done
	kill $pid
	wait $pid || true

	# overlayfs shows other devices in maps than in stat(): its files are not taken for changed ones
	mkdir upper merged
	cp none1 lib/prog
	overlay="mount -t tmpfs none upper && mkdir upper/up upper/work &&
		mount -t overlay none -o lowerdir=$PWD/lib,upperdir=upper/up,workdir=upper/work merged"
	if unshare -m sh -c "$overlay" 2>/dev/null; then
		for mode in fp dwarf dwarf,keep; do
			run --call-graph $mode -- unshare -m sh -c "$overlay && merged/prog 200"
			names "overlay in a namespace, $mode" version_one
			called version_one
		done
		unshare -m bash -c "set -e; $overlay
			HOME=$HOME XDG_CACHE_HOME=$XDG_CACHE_HOME '$ASSAY' record -q -F 2000 -o i.data merged/prog 200
			'$ASSAY' report -i i.data --stdio >r.txt 2>&1
			[ -z '$PERF' ] || '$PERF' record -q -o p.data merged/prog 200 2>/dev/null
			[ -z '$PERF' ] || '$ASSAY' report -i p.data --stdio >p.txt 2>&1" || fail "overlay: recording failed"
		for text in r.txt p.txt; do
			[ ! -e $text ] || grep -q 'version_one$' $text || fail "overlay: $(cat $text)"
		done
	fi
fi

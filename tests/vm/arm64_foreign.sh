# timeout: 1000
# A recording of an arm64 machine, read on this one: perf records in the guest, and perf and assay print the same of it here, with the kernel's
# build-id under every name; without it no name of this machine's kernel or programs comes up.
. "$(dirname "$0")/../lib.sh"
vm=$(cd "$(dirname "$0")" && pwd)
need perf
need python3
[ "$(uname -m)" != aarch64 ] || skip "this machine is of the guest's architecture"
perf=$("$vm/setup-perf" arm64) || { status=$?; echo "$perf"; exit $status; }
export HOME=$TMPDIR/home # perf would look for files there
mkdir -p "$HOME"

cat >script <<'END2'
. /test/lib
hostname armguest
perf record -q -e cycles -F 4000 -g -a --buildid-all -o all.data -- dd if=/dev/zero of=/dev/null bs=64k count=2000 >record.txt 2>&1 || { cat record.txt; fail "perf record"; }
echo "@@ file all.data"
gzip -c all.data | base64
echo "@@ end"
END2
GUEST_SECONDS=800 GUEST_LIBRARIES=$perf/lib "$vm/run-guest" arm64 script "$perf/perf" >console.txt || {
	status=$?
	! grep '^SKIP: ' console.txt || exit 77
	tail -40 console.txt
	fail "the guest's script failed ($status)"
}
sed -n '/^@@ file /,/^@@ end/p' console.txt | grep -v '^@@' | base64 -d | gunzip >all.data
id=$("$PERF" buildid-list -i all.data | sed -n 's/ \[kernel.kallsyms\]$//p')
[ ${#id} -eq 40 ] || fail "the recording has no build-id of its kernel"
release=$("$PERF" script --header-only -i all.data 2>/dev/null | sed -n 's/^# os release : //p')

change() { # OUT CHANGE…
	local out=$1
	shift
	python3 "$TOOLS/set_features.py" all.data "$out" "$@" || fail "set_features.py $*"
}
change listed.data -build-ids "build-id=$id,kernel,/lib/modules/$release/build/vmlinux"
for file in all.data listed.data; do
	"$PERF" script -i $file -F comm,tid,time,ip,sym,symoff,dso >perf.txt 2>/dev/null
	"$ASSAY" script -i $file -F comm,tid,time,ip,sym,symoff,dso >ours.txt 2>err || fail "script of $file: $(cat err)"
	[ "$(grep -c . perf.txt)" -gt 100 ] || fail "perf prints nothing of $file"
	expect_same_script perf.txt ours.txt "script of $file"
	"$PERF" report --stdio -i $file >perf.txt 2>/dev/null </dev/null
	"$ASSAY" report --stdio -i $file >ours.txt 2>/dev/null
	python3 "$TOOLS/same_report.py" perf.txt ours.txt || fail "report of $file differs from perf's"
done
change unknown.data -build-ids
"$ASSAY" script -v -i unknown.data -F ip,sym,symoff,dso >ours.txt 2>err || fail "script: $(cat err)"
! grep -E '\+0x[0-9a-f]+ \(' ours.txt | head -5 | grep . || fail "names in a recording of another machine"
grep -q 'does not say which kernel it is of, and it was recorded on aarch64' err || fail "it is not said why: $(cat err)"
echo "NOTE: $(grep -c '^$' ours.txt) samples of $release"

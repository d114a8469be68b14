# Symbols of stripped files come from where distributions put them: by build-id, by .gnu_debuglink in its three places, from
# debuginfod's cache, from .gnu_debugdata, all of it below --symfs too. A debug file of another build-id or with another checksum is
# refused, and -v says why.
. "$(dirname "$0")/../lib.sh"
need objcopy
need strip
need xz

# perf's cache is looked at, too: it is not to help here.
export HOME=$TMPDIR/home ASSAY_CACHE=off
unset DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS
mkdir -p "$HOME" bin

whole=$WORKLOADS/burn
objcopy --only-keep-debug "$whole" burn.debug
strip -s -o bin/burn "$whole"
cp bin/burn stripped
id=$(readelf -n "$whole" | sed -n 's/.*Build ID: //p')
[ ${#id} -eq 40 ] || skip "the workloads have no build-id"
"$ASSAY" record -q -F 2000 -e cpu-clock:u -o id.data -- bin/burn 0.3

# What is left then: the PLT
stripped="/bin/burn: (symbols from: (index, made of )?$TMPDIR/bin/burn$|no symbols)"
nr_cases=0
# shows FILE [OPTION…]: script and report have the name; what -v says is in err.
shows() {
	local data=$1
	shift
	"$ASSAY" script -v -i "$data" -F ip,sym,dso "$@" >out 2>err || fail "script failed: $(cat err)"
	grep -q ' burn (' out || fail "script has no burn(): $(head -3 out; cat err)"
	"$ASSAY" report -q -i "$data" --stdio -s sym "$@" >out2 2>/dev/null
	grep -q '\] burn *$' out2 || fail "report has no burn(): $(head -20 out2)"
	nr_cases=$((nr_cases + 1))
}
# hides FILE REASON [OPTION…]: the name is not there, and -v says why.
hides() {
	local data=$1 why=$2
	shift 2
	"$ASSAY" script -v -i "$data" -F ip,sym,dso "$@" >out 2>err || fail "script failed: $(cat err)"
	! grep -q ' burn (' out || fail "burn() from nowhere: $(cat err)"
	grep -q -E -- "$why" err || fail "no '$why' in: $(cat err)"
	nr_cases=$((nr_cases + 1))
}
source_is() {
	grep -q -F -- "/bin/burn: symbols from: $1" err || fail "symbols are not from $1: $(cat err)"
}

hides id.data "$stripped"

# By build-id, below --symfs; the program may be missing there.
place=usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
mkdir -p "sys/${place%/*}" "sys$TMPDIR/bin"
cp burn.debug "sys/$place"
shows id.data --symfs sys
source_is "sys/$place"
cp bin/burn "sys$TMPDIR/bin"
shows id.data --symfs sys
# Compressed sections change nothing.
objcopy --compress-debug-sections=zlib burn.debug "sys/$place"
shows id.data --symfs sys
# The debug file of another program
objcopy --only-keep-debug "$WORKLOADS/recurse" "sys/$place"
hides id.data "debug file sys/$place is not used: its build-id is [0-9a-f]{40}, the recorded file's is $id" --symfs sys
# One with nothing in it
strip -s -o "sys/$place" "$whole"
hides id.data "debug file sys/$place is not used: it has no symbols" --symfs sys
# and one that is no ELF file
echo nonsense >"sys/$place"
hides id.data "no debug file: sys/$place is not an ELF file" --symfs sys
rm -r sys

# By .gnu_debuglink: beside it, in .debug, below /usr/lib/debug of --symfs.
objcopy --add-gnu-debuglink=burn.debug stripped bin/burn
hides id.data "$stripped"
for dir in bin bin/.debug; do
	mkdir -p $dir
	cp burn.debug $dir/burn.debug
	shows id.data
	source_is "$TMPDIR/$dir/burn.debug"
	objcopy --only-keep-debug "$WORKLOADS/recurse" $dir/burn.debug
	hides id.data "debug file $TMPDIR/$dir/burn.debug is not used: its build-id is"
	rm $dir/burn.debug
done
mkdir -p "sys$TMPDIR/bin" "sys/usr/lib/debug$TMPDIR/bin"
cp bin/burn "sys$TMPDIR/bin"
cp burn.debug "sys/usr/lib/debug$TMPDIR/bin"
shows id.data --symfs sys
source_is "sys/usr/lib/debug$TMPDIR/bin/burn.debug"
rm -r sys

# Without a build-id the checksum decides.
objcopy --remove-section=.note.gnu.build-id "$whole" plain
objcopy --only-keep-debug plain plain.debug
strip -s -o bin/plain plain
objcopy --add-gnu-debuglink=plain.debug bin/plain
cp plain.debug bin
"$ASSAY" record -q -F 2000 -e cpu-clock:u -o plain.data -- bin/plain 0.3
shows plain.data
printf x >>bin/plain.debug
hides plain.data "debug file $TMPDIR/bin/plain.debug is not used: its checksum is not the one in .gnu_debuglink"

# What debuginfod-find has downloaded
cp stripped bin/burn
mkdir -p "found/$id" "$XDG_CACHE_HOME/debuginfod_client/$id"
cp burn.debug "found/$id/debuginfo"
DEBUGINFOD_CACHE_PATH=$TMPDIR/found shows id.data
source_is "$TMPDIR/found/$id/debuginfo"
cp burn.debug "$XDG_CACHE_HOME/debuginfod_client/$id/debuginfo"
shows id.data
rm -r "$XDG_CACHE_HOME/debuginfod_client"
mkdir -p "$HOME/.cache/debuginfod_client/$id"
cp burn.debug "$HOME/.cache/debuginfod_client/$id/debuginfo"
(unset XDG_CACHE_HOME; shows id.data; source_is "$HOME/.cache/debuginfod_client/$id/debuginfo")
rm -r "$HOME/.cache"

# The small table inside
strip -g -o small "$whole"
objcopy --only-keep-debug small small.debug
xz -k small.debug
objcopy --add-section .gnu_debugdata=small.debug.xz stripped bin/burn
shows id.data
grep -q '/bin/burn: symbols from: .*/bin/burn (.gnu_debugdata)' err || fail "not from .gnu_debugdata: $(cat err)"
# Beside it, what the dynamic linker and the PLT have stays.
"$ASSAY" script -v -i id.data -F ip,sym,dso >out 2>err
head -c 300 small.debug.xz >cut.xz
objcopy --add-section .gnu_debugdata=cut.xz stripped bin/burn
hides id.data '.gnu_debugdata of .*/bin/burn is not used: damaged'
# 200 MB of zeros in 30 kB
head -c 200M /dev/zero | xz -0 >bomb.xz
objcopy --add-section .gnu_debugdata=bomb.xz stripped bin/burn
hides id.data '.gnu_debugdata of .*/bin/burn is not used: it unpacks to more than 64 MB'

# A debug package that is installed after the index was made is seen.
unset ASSAY_CACHE
cp stripped bin/burn
hides id.data "$stripped"
mkdir -p bin/.debug
objcopy --add-gnu-debuglink=burn.debug stripped bin/burn
cp burn.debug bin/.debug
sleep 0.1 # a file that was changed a moment ago is not kept
shows id.data
shows id.data
source_is "index, made of $TMPDIR/bin/.debug/burn.debug"
# and gone again
rm bin/.debug/burn.debug
hides id.data "$stripped"

echo "NOTE: $nr_cases places and refusals"

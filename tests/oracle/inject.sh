# assay inject against perf inject: generated code has the same names for perf afterwards, build-ids are the same, pipes carry the same samples.
. "$(dirname "$0")/../lib.sh"
need perf
here=$(cd "$(dirname "$0")/../live" && pwd)
fields=comm,tid,time,event,ip,sym
nr=0

# jit PATTERN STACKS COMMAND…: names for perf after our inject are those after its own, and assay has them, too.
jit() {
	local pattern=$1 stacks=$2 pid dir
	shift 2
	echo "== $*"
	perf_record -k mono -F 999 --call-graph "$stacks" -o jit.data "$@"
	pid=$("$PERF" script --no-inline -F pid -i jit.data 2>/dev/null | awk 'NF == 1 { print $1; exit }')
	dir=$PWD
	[ -e "$dir/jit-$pid.dump" ] || dir=/tmp
	"$PERF" inject -j -i jit.data -o theirs.data 2>err || fail "perf inject -j: $(cat err)"
	"$PERF" script --no-inline -F $fields -i theirs.data >theirs.txt 2>/dev/null
	rm -f "$dir/jitted-$pid"-*.so
	"$ASSAY" inject -j -i jit.data -o ours.data || fail "inject -j: status $?"
	ls "$dir/jitted-$pid"-*.so >images || fail "no images beside the dump"
	"$PERF" script --no-inline -F $fields -i ours.data >ours.txt 2>/dev/null
	grep -q "$pattern" theirs.txt || fail "perf has no names of $pattern"
	expect_same theirs.txt ours.txt "names after perf inject -j and after assay inject -j"
	"$ASSAY" inject -j -i jit.data | "$PERF" script --no-inline -F $fields -i - 2>/dev/null | grep -c "$pattern" >piped
	[ "$(cat piped)" = "$(grep -c "$pattern" ours.txt)" ] || fail "through a pipe: $(cat piped) names"

	# a link in the place of an image is not followed, and then there is no copy
	rm -f "$dir/jitted-$pid-0.so" none.data
	ln -s "$PWD/victim" "$dir/jitted-$pid-0.so"
	expect_exit 1 "$ASSAY" inject -j -i jit.data -o none.data 2>err
	grep -q "jitted-$pid-0.so is no file" err || fail "a link: $(cat err)"
	[ ! -e victim ] || fail "a link was followed"
	[ ! -e none.data ] || fail "a copy was written though images were refused"
	rm -f "$dir/jitted-$pid-0.so"
	"$ASSAY" inject -j -i jit.data -o ours.data || fail "inject -j, again: status $?"

	# without the dump assay has the names of the images, too
	rm -f "$dir/jit-$pid.dump"
	"$ASSAY" script --raw-names -F ip,sym -i ours.data 2>/dev/null | grep -q "$pattern" || fail "assay has no names of $pattern"

	rm -f "$dir/jitted-$pid"-*.so
	nr=$((nr + 1))
}

if command -v node >/dev/null; then
	# V8 calls optimised code JS:*name; before version 11, LazyCompile:*name.
	jit ':[*~^]workSeven' fp node --perf-prof --max-inlined-bytecode-size=0 "$here/jit_split.js" 0.3
fi
for python in "${PYENV_ROOT-/nonexistent}"/versions/3.1[3-9]*/bin/python3; do
	[ ! -x "$python" ] || jit 'py::work_seven' dwarf,16384 "$python" -X perf_jit "$here/jit_split.py" 0.3
done

printf 'int main(void) { for (volatile long i = 0; i < 200000000; i++) ; return 0; }\n' >plain.c
if ${CC:-cc} -O0 -Wl,--build-id=sha1 -o plain plain.c 2>/dev/null; then
	# build-ids: each that perf finds is there; perf lists the vdso always
	perf_record -B -F 999 -g -o plain.data ./plain
	"$PERF" inject -b -i plain.data -o theirs.data 2>/dev/null
	"$ASSAY" inject -b -i plain.data -o ours.data || fail "inject -b: status $?"
	"$PERF" buildid-list -i theirs.data | grep '^[0-9a-f]' | grep -vF '[vdso]' | sort >theirs.txt
	"$PERF" buildid-list -i ours.data | sort >ours.txt
	grep -q /plain ours.txt || fail "no build-id of the program: $(cat ours.txt)"
	[ -z "$(comm -23 theirs.txt ours.txt)" ] || fail "perf has other build-ids: $(diff theirs.txt ours.txt)"
	"$ASSAY" inject --buildid-all -i plain.data -o all.data || fail "inject --buildid-all: status $?"
	"$PERF" buildid-list -i all.data | sort >all.txt
	[ -z "$(comm -23 ours.txt all.txt)" ] || fail "--buildid-all has fewer: $(diff ours.txt all.txt)"
	grep -q 'ld-linux\|ld-musl' all.txt || fail "--buildid-all: no build-id of the loader: $(cat all.txt)"

	# the samples stay, by file, by pipe, and from a pipe
	"$PERF" script --no-inline -F $fields -i plain.data >before.txt 2>/dev/null
	"$PERF" script --no-inline -F $fields -i ours.data >after.txt 2>/dev/null
	expect_same before.txt after.txt "samples before and after inject -b"
	"$ASSAY" script -F comm,time,ip -i plain.data >before.txt 2>/dev/null
	"$ASSAY" inject -b -i plain.data | "$ASSAY" inject -b -i - -o - | "$ASSAY" script -F comm,time,ip -i - >after.txt 2>/dev/null
	expect_same before.txt after.txt "samples through two pipes"
	"$ASSAY" inject -b -i plain.data | "$ASSAY" inject -o again.data || fail "from a pipe into a file: status $?"
	"$PERF" buildid-list -i again.data | sort >again.txt
	expect_same ours.txt again.txt "build-ids through a pipe"
	cp plain.data same.data
	expect_exit 2 "$ASSAY" inject -b -i same.data -o same.data 2>err
	cmp -s plain.data same.data || fail "the input was overwritten"
fi
for option in --strip --itrace -s --guest-data=x -B; do
	expect_exit 2 "$ASSAY" inject $option -i plain.data -o none.data 2>err
	grep -q "not in this version of assay" err || fail "$option: $(cat err)"
	[ ! -e none.data ] || fail "$option wrote a file"
done
[ $nr -gt 0 ] || skip "neither Node nor CPython 3.13 is installed"

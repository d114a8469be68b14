# assay flame: what is read by default, and where the picture goes (and that of heatmap and export). Nothing is written over what is read, nor half.
. "$(dirname "$0")/../lib.sh"
need python3
read_svg() { python3 "$TOOLS/flame_read.py" "$@"; }
exec </dev/null

"$ASSAY" record -q -F 2000 -g -o perf.data "$WORKLOADS/recurse" 0.4 >/dev/null 2>&1
"$ASSAY" record -q -F 2000 -o flat.data "$WORKLOADS/mixed" 0.2 >/dev/null 2>&1
samples=$("$ASSAY" script -q -i perf.data -F comm | wc -l)
cp perf.data kept.data
flame() { timeout 120 "$ASSAY" flame "$@"; }

# A loop's list is not ours to read: three words, three pictures, and the loop ends.
mkdir loop && cp perf.data loop
(cd loop && printf 'one\ntwo\nthree\n' >list && while read -r n; do flame -q -o "$n.svg"; done <list)
[ "$(ls loop/*.svg | wc -l)" -eq 3 ] || fail "the loop made $(ls loop)"
[ "$(read_svg total loop/two.svg)" -eq "$samples" ] || fail "the loop drew something else"
# Nor does a refusal move it, be it where it may.
(cd loop && { read -r first; expect_exit 1 "$ASSAY" flame -i - 2>/dev/null >&2; read -r second; echo "$first $second"; } <list >../lines.txt)
[ "$(cat lines.txt)" = "one two" ] || fail "flame -i - took lines: $(cat lines.txt)"
flame -o one.svg <loop/list 2>err.txt
grep -q 'standard input is neither a recording nor a profile: reading perf.data' err.txt || fail "$(cat err.txt)"
# A profile that is redirected is read, from where it stands.
printf 'a line before\nx;y 4\nx;z 5\n' >some.folded
{ read -r _; flame -q -o some.svg; } <some.folded
[ "$(read_svg total some.svg)" -eq 9 ] || fail "a redirected profile behind its first line"
expect_exit 1 flame <lines.txt 2>/dev/null -i - >/dev/null
: | expect_exit 1 flame 2>err.txt >/dev/null
grep -q 'standard input is empty; to read perf.data: assay flame -i perf.data' err.txt || fail "$(cat err.txt)"

# The input is no place for the output, by whatever name.
ln perf.data hard.data
ln -s perf.data soft.data
mkdir dir.data && cp perf.data dir.data/data && : >dir.data/other
for output in perf.data hard.data soft.data ./perf.data; do
	expect_exit 2 flame -i perf.data -o $output 2>err.txt
	grep -q "$output is what is read" err.txt || fail "$(cat err.txt)"
	expect_exit 2 flame -o $output 2>/dev/null
	expect_exit 2 flame -i - -o $output <perf.data 2>/dev/null
	expect_exit 2 flame --diff kept.data,perf.data kept.data -o $output 2>/dev/null
done
expect_exit 2 flame -i dir.data -o dir.data/other 2>/dev/null
expect_exit 2 flame -i kept.data --kallsyms some.folded -o some.folded 2>/dev/null
for command in "export --format folded" "export --format pprof" "heatmap --offset"; do
	# shellcheck disable=SC2086
	expect_exit 2 "$ASSAY" $command -o perf.data 2>err.txt >&2
	grep -q 'perf.data is what is read' err.txt || fail "$command: $(cat err.txt)"
	cp some.folded out.file
	# shellcheck disable=SC2086
	(ulimit -f 0; trap '' XFSZ; expect_exit 1 "$ASSAY" $command -q -o out.file 2>err.txt >/dev/null) || fail "$command"
	cmp out.file some.folded || fail "$command: a failed write left half a file"
done
[ -z "$(find . -name '*.part')" ] || fail "left behind: $(find . -name '*.part')"
cmp perf.data kept.data || fail "the recording was written over"

# A write that fails leaves the older picture, and nothing beside it.
flame -q -o old.svg
cp old.svg want.svg
before=$(ls -A)
(ulimit -f 1; trap '' XFSZ; expect_exit 1 flame -q -o old.svg 2>err.txt)
grep -q 'cannot write old.svg: File too large' err.txt || fail "$(cat err.txt)"
cmp old.svg want.svg || fail "a failed write left half a picture"
[ "$(ls -A | grep -v err.txt)" = "$(echo "$before" | grep -v err.txt)" ] || fail "left behind: $(ls -A)"
expect_exit 1 flame 2>err.txt >/dev/full
grep -q 'cannot write standard output: No space left' err.txt || fail "$(cat err.txt)"

# What is no file is written as it is.
flame -q -o /dev/stdout >stdout.svg
cmp stdout.svg want.svg || fail "-o /dev/stdout"
{ echo first; flame -q -o /dev/stdout; } >>appended.txt
[ "$(head -1 appended.txt)" = first ] && [ "$(wc -c <appended.txt)" -gt 1000 ] || fail "-o /dev/stdout into a file that is written to"
flame -q -o >(cat >substituted.svg)
flame -q -o /dev/null
[ -c /dev/null ] || fail "/dev/null was replaced"
mkfifo fifo
timeout 120 cat fifo >through.svg &
flame -q -o fifo
wait $!
cmp through.svg want.svg || fail "-o FIFO"
[ -p fifo ] || fail "the FIFO was replaced"
ln -s linked.svg link.svg
flame -q -o link.svg
[ -L link.svg ] && cmp linked.svg want.svg || fail "-o through a link"

# A file that is mounted by itself can be written, not replaced: a picture is copied into it, an import, which keeps the older file, says no.
: >mounted.svg
printf 'x;y 4\nx;z 5\n' >whole.folded
cp some.folded mounted.from
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	unshare -m sh -c 'mount --bind mounted.from mounted.svg && "$0" flame -q -o mounted.svg' "$ASSAY" 2>err.txt || fail "-o of a mounted file: $(cat err.txt)"
	cmp mounted.from want.svg || fail "a mounted file was not written"
	cp some.folded mounted.from
	unshare -m sh -c 'mount --bind mounted.from mounted.svg && "$0" import -o mounted.svg whole.folded; [ $? -eq 1 ]' "$ASSAY" 2>err.txt ||
		fail "import into what it cannot replace: $(cat err.txt)"
	grep -q 'cannot keep the older mounted.svg' err.txt || fail "$(cat err.txt)"
	! grep -q 'imported into' err.txt || fail "import reported a file that it did not write"
	cmp mounted.from some.folded || fail "import wrote into a file that it refused"
fi
long=$(printf '%0251d' 0).svg
flame -q -o "$long" && flame -q -o "$long" || fail "a name of 255 bytes"
cmp "$long" want.svg || fail "a name of 255 bytes"
[ -z "$(find . -name '*.part')" ] || fail "left behind: $(find . -name '*.part')"

# Nothing passes, or nothing is there: which, and of what.
expect_exit 1 flame --comms nosuch --tid 1 -o none.svg 2>err.txt
grep -q 'no sample passes --comms nosuch --tid 1, so nothing was drawn' err.txt || fail "$(cat err.txt)"
[ ! -e none.svg ] || fail "an empty picture was written"
expect_exit 1 flame --comms recurse --diff perf.data flat.data -o none.svg 2>err.txt
grep -q 'no sample of flat.data passes --comms recurse' err.txt || fail "$(cat err.txt)"
flame --diff flat.data perf.data -o diff.svg 2>err.txt
grep -q 'flat.data has no call chains' err.txt || fail "$(cat err.txt)"
grep -q "wrote diff.svg: [0-9,]* → $samples samples in" err.txt || fail "the diff's sentence: $(cat err.txt)"
echo "NOTE: $samples samples"

# assay flame: widths are folded counts, exactly; every picture is XML; options, inputs and errors.
. "$(dirname "$0")/../lib.sh"
need python3
read_svg() { python3 "$TOOLS/flame_read.py" "$@"; }

"$ASSAY" record -q -F 5000 -g --sample-cpu -o perf.data -- sh -c "\"$WORKLOADS/mixed\" 1; \"$WORKLOADS/inlined\" 1" >/dev/null 2>&1
samples=$("$ASSAY" script -q -i perf.data -F comm | wc -l)
[ "$samples" -gt 1000 ] || fail "only $samples samples"

# Widths against an independent folding of the text.
"$ASSAY" flame -q -i perf.data --min-width 0 -o all.svg
"$ASSAY" script -q -i perf.data >script.txt
read_svg fold script.txt >want.folded
read_svg stacks all.svg >got.folded
expect_same want.folded got.folded "folded counts"
[ "$(read_svg total all.svg)" -eq "$samples" ] || fail "the root is not as wide as all samples"
grep -q ';read' got.folded || fail "no kernel work in $(wc -l <got.folded) stacks"

# The same by every road.
"$ASSAY" flame -q --min-width 0 perf.data >stdout.svg
expect_same all.svg stdout.svg "file and standard output"
"$ASSAY" flame -q --min-width 0 <perf.data >redirected.svg
expect_same all.svg redirected.svg "a redirected file"
"$ASSAY" record -q -F 2000 -g -o - "$WORKLOADS/mixed" 1 2>/dev/null >pipe.data
cat pipe.data | "$ASSAY" flame -q >piped.svg
"$ASSAY" flame -q -i pipe.data >unpiped.svg
expect_same unpiped.svg piped.svg "a recording through a pipe"
(sleep 0.1; head -c 3 want.folded; sleep 0.1; tail -c +4 want.folded) | "$ASSAY" flame -q --min-width 0 >folded.svg
read_svg stacks folded.svg | cmp -s - got.folded || fail "folded stacks through a slow pipe"
"$ASSAY" flame -q --min-width 0 -i <(cat want.folded) -o substituted.svg
read_svg stacks substituted.svg | cmp -s - got.folded || fail "folded stacks through /dev/fd"

# Other trees of the same samples have the same total.
for options in --reverse --bottom-up "--by none" "--by tid" "--by comm,pid" "--by cpu,event" "--max-depth 3" "--palette mem" "--palette io" \
	"--palette java" "--palette js" "--palette module" "--palette kernel" --inverted --icicle "--width 700" "--min-width 2" "--min-width 1%" \
	"--weight period" "--event all" "--no-inline" "--title <x>&]]>" "--max-stack 3"; do
	# shellcheck disable=SC2086
	"$ASSAY" flame -q -i perf.data $options -o "option$options.svg" || fail "flame $options"
	[ "$options" = "--weight period" ] || [ "$(read_svg total "option$options.svg")" -eq "$samples" ] || fail "flame $options: another total"
done
read_svg check ./*.svg
read_svg part all.svg "option--min-width 1%.svg" $(((samples + 99) / 100)) || fail "--min-width"
read_svg names "option--by cpu,event.svg" | sed -n '2,$p' | grep -q '^CPU [0-9]' || fail "--by cpu,event has no CPUs"
read_svg names "option--max-stack 3.svg" | grep -qxF '[truncated]' || fail "cut stacks have no root of their own"
read_svg names "option--by comm,pid.svg" | grep -qx 'pid [0-9]*' || fail "--by comm,pid has no pids"
[ "$(read_svg names "option--max-depth 3.svg" | wc -l)" -lt "$(read_svg names all.svg | wc -l)" ] || fail "--max-depth 3 has all frames"
grep -q '"inverted":true' option--icicle.svg || fail "--icicle"
grep -q 'Quality: [0-9.]*% of stacks complete' all.svg || fail "no quality line"

# Filters are those of script.
"$ASSAY" flame -q --comms mixed -o f.svg
[ "$(read_svg total f.svg)" -eq "$("$ASSAY" script -q --comms mixed -F comm | wc -l)" ] || fail "--comms"
"$ASSAY" flame -q --time 20%-50% -o f.svg
[ "$(read_svg total f.svg)" -eq "$("$ASSAY" script -q --time 20%-50% -F comm | wc -l)" ] || fail "--time"
grep -q 'Part of the recording: --time 20%-50%' f.svg || fail "the picture does not say that it is a part"
"$ASSAY" flame -q -S user_work --by none -o f.svg
[ "$(read_svg stacks f.svg | grep -vc ';user_work [0-9]*$')" -eq 0 ] || fail "-S"

# Kinds of frames: 3 kernel, 4 JIT; mark 1 inlined.
read_svg kinds all.svg >kinds.txt
grep -q '^3 0 do_syscall_64$\|^3 0 el0_svc' kinds.txt || fail "no kernel frame: $(head kinds.txt)"
grep -q '^2 1 ' kinds.txt || fail "no inlined frame"
"$ASSAY" record -q -F 2000 -g -o jit.data "$WORKLOADS/jit" 0.4 >map 2>/dev/null
"$ASSAY" flame -q -i jit.data -o jit.svg
rm -f "$(cat map)"
read_svg kinds jit.svg | grep -q '^4 0 jitted_loop' || fail "no JIT frame"

# Names that attack: markup, control characters and line breaks in comms and in the name of a file.
"$ASSAY" record -q -F 2000 -g -o hostile.data "$WORKLOADS/hostile" 0.3 "$TMPDIR" >/dev/null 2>&1
"$ASSAY" flame -q -i hostile.data --min-width 0 -o hostile.svg
read_svg check hostile.svg
LC_ALL=C grep -q '[[:cntrl:]]' <(tr -d '\n\t' <hostile.svg) && fail "control characters in the picture"

# Without call chains there is little to draw, which is said.
"$ASSAY" record -q -F 2000 -o flat.data "$WORKLOADS/mixed" 0.3 >/dev/null 2>&1
"$ASSAY" flame -i flat.data -o flat.svg 2>err.txt
grep -q 'record with --call-graph dwarf' err.txt || fail "nothing is said of missing call chains"
read_svg check flat.svg

# A terminal gets a file and a sentence.
python3 - "$ASSAY" <<'EOF' >said.txt
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], [sys.argv[1], "flame", "-i", "perf.data"])
try:
    while part := os.read(fd, 4096):
        os.write(1, part)
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
EOF
grep -q 'wrote flame.svg' said.txt || fail "nothing is said of flame.svg: $(cat said.txt)"
read_svg check flame.svg

# Mistakes
expect_exit 2 "$ASSAY" flame --palette pink 2>err.txt
grep -q "unknown value 'pink'" err.txt || fail "$(cat err.txt)"
expect_exit 2 "$ASSAY" flame --by moon 2>/dev/null
expect_exit 2 "$ASSAY" flame --min-width x 2>/dev/null
expect_exit 1 "$ASSAY" flame --event moon -i perf.data 2>err.txt
grep -q "no event 'moon'; it has: c" err.txt || fail "$(cat err.txt)"
echo "just some words" >words.txt
expect_exit 1 "$ASSAY" flame -i words.txt 2>err.txt >empty.svg
grep -q 'words.txt is not a perf.data file (it looks like text)' err.txt || fail "$(cat err.txt)"
[ ! -s empty.svg ] || fail "a picture of nothing"
expect_exit 1 "$ASSAY" flame -i perf.data -o /no/such/dir/x.svg 2>err.txt
grep -q 'cannot write /no/such/dir/x.svg' err.txt || fail "$(cat err.txt)"
head -c $(($(stat -c %s perf.data) / 2)) perf.data >half.data
expect_exit 1 "$ASSAY" flame -i half.data -o half.svg 2>/dev/null
read_svg check half.svg
echo "NOTE: $samples samples, $(wc -l <got.folded) stacks"

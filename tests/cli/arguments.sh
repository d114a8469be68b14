# A word that is a recording is the input of every command that reads one, -i and a word together are refused, and a filter that matches
# nothing is reported.
. "$(dirname "$0")/../lib.sh"

"$ASSAY" record -q -g -o one.data -- "$WORKLOADS/seventy_thirty" 0.2 2>/dev/null
"$ASSAY" stat record -o counts.data -- true >/dev/null 2>&1
"$ASSAY" export --format folded -i one.data -o one.folded 2>/dev/null
echo "no recording" >text.txt

# same WORDS… : the same output whether the file is named by -i or by a word
same() {
	"$ASSAY" "$@" -i one.data >by_option.txt 2>/dev/null </dev/null || fail "$* -i one.data: exit status $?"
	"$ASSAY" "$@" one.data >by_word.txt 2>/dev/null </dev/null || fail "$* one.data: exit status $?"
	[ -s by_word.txt ] || fail "$* one.data prints nothing"
	cmp -s by_option.txt by_word.txt || fail "$* one.data is not $* -i one.data"
	expect_exit 2 "$ASSAY" "$@" -i one.data one.data >/dev/null 2>both.err </dev/null
	grep -q "$1: -i one.data and 'one.data' both name the recording" both.err || fail "$* with -i and a word: $(cat both.err)"
	expect_exit 2 "$ASSAY" "$@" one.data two.data three.data >/dev/null 2>more.err </dev/null
	grep -q "$1: unexpected argument '" more.err || fail "$* with three words: $(cat more.err)"
}
same report
same report --header-only
same report -D
same script
same flame -o -
same heatmap --offset -o -
same export --format csv
same evlist -v
"$ASSAY" stat report -i counts.data >by_option.txt 2>&1
"$ASSAY" stat report counts.data >by_word.txt 2>&1 || fail "stat report counts.data"
cmp -s by_option.txt by_word.txt || fail "stat report counts.data is not stat report -i counts.data"
expect_exit 2 "$ASSAY" stat report -i counts.data counts.data 2>both.err
grep -q "both name the recording" both.err || fail "stat report with -i and a word: $(cat both.err)"

# report: a recording, then a function
for words in "one.data seventy" "-i one.data seventy" "-S seventy one.data"; do
	# shellcheck disable=SC2086
	"$ASSAY" report --no-children -g none -q $words >filtered.txt 2>/dev/null </dev/null || fail "report $words: exit status $?"
	[ "$(grep -c . filtered.txt)" -eq 1 ] || fail "report $words: $(cat filtered.txt)"
done
"$ASSAY" report one.folded 2>/dev/null </dev/null | grep -q seventy || fail "a profile of another tool is no recording"
"$ASSAY" record -q -g -o - -- "$WORKLOADS/seventy_thirty" 0.1 2>/dev/null | "$ASSAY" report - 2>/dev/null | grep -q seventy || fail "report - does not read standard input"
expect_exit 2 "$ASSAY" report seventy one.data 2>order.err </dev/null
grep -q "the recording comes first: assay report one.data seventy" order.err || fail "report SYMBOL FILE: $(cat order.err)"

# words that are no recording
expect_exit 1 "$ASSAY" report nowhere.data >/dev/null 2>missing.err </dev/null
grep -q "there is no recording 'nowhere.data'" missing.err || fail "report nowhere.data without a perf.data: $(cat missing.err)"
cp one.data perf.data
for word in nowhere.data text.txt; do
	expect_exit 1 "$ASSAY" report $word >empty.txt 2>empty.err </dev/null
	grep -q "samples of perf.data passes --symbols $word; '$word' is " empty.err || fail "report $word: $(cat empty.err)"
done
expect_exit 1 "$ASSAY" script text.txt >/dev/null 2>&1 </dev/null

# filters that nothing passes
for filter in "--comms nobody" "-S nothing" "--tid 1" "--time 1,2" "--pid 1" "-c nobody -S seventy"; do
	for command in "report" "report --json" "script" "script --json" "export --format folded" "flame -o -"; do
		# shellcheck disable=SC2086
		expect_exit 1 "$ASSAY" $command $filter one.data >out.txt 2>err.txt </dev/null
		grep -q -E 'assay: (none of the|no sample).* pass' err.txt || fail "$command $filter: $(cat err.txt)"
	done
	# shellcheck disable=SC2086
	"$ASSAY" script --show-task-events one.data >/dev/null 2>&1 </dev/null || fail "script without a filter"
done
expect_exit 1 "$ASSAY" diff -S nothing one.data perf.data >/dev/null 2>err.txt
grep -q 'no sample of these recordings passes --symbols nothing' err.txt || fail "diff -S nothing: $(cat err.txt)"
"$ASSAY" diff -S seventy one.data perf.data >/dev/null 2>&1 || fail "diff -S seventy: exit status $?"
expect_exit 1 "$ASSAY" heatmap --offset --tid 1 one.data -o x.svg >/dev/null 2>err.txt
grep -q 'none of the .* passes --tid 1' err.txt || fail "heatmap --tid 1: $(cat err.txt)"

# stack: a process by its number, or a core file
sleep 60 &
pid=$!
"$ASSAY" stack $pid >stack.txt 2>stack.err || { kill $pid; fail "stack PID: $(cat stack.err)"; }
kill $pid
grep -q "^PID $pid " stack.txt || fail "stack PID prints: $(cat stack.txt)"
expect_exit 2 "$ASSAY" stack -p 1 2 2>err.txt
grep -q "stack: -p and '2' both say whose stacks" err.txt || fail "stack -p 1 2: $(cat err.txt)"
expect_exit 2 "$ASSAY" stack one.data 2>err.txt
grep -q "'assay report one.data' shows its stacks" err.txt || fail "stack one.data: $(cat err.txt)"
expect_exit 2 "$ASSAY" stack nowhere 2>err.txt
grep -q "neither the number of a process nor a core file" err.txt || fail "stack nowhere: $(cat err.txt)"

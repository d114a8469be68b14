# Text on a terminal: what is hottest comes first, shares have colours, long names are shortened in the middle; in a pipe nothing of it.
. "$(dirname "$0")/../lib.sh"
need python3
on_terminal() {
	TERM=xterm LC_ALL=C.UTF-8 python3 "$TOOLS/on_terminal.py" "$@"
}
unset NO_COLOR
long="acme::storage::BTree<std::basic_string<char, std::char_traits<char>, std::allocator<char>>, acme::Record>::insert_or_replace(acme::Key const&)"
cat >stacks.folded <<END
app;main;run;$long 70
app;main;run;render 20
app;main;idle 10
END
"$ASSAY" import -o app.data stacks.folded >none 2>&1
"$ASSAY" report -i app.data >plain
! grep -q $'\033' plain && ! grep -q '^# Hottest' plain && grep -qF "$long" plain || fail "in a pipe: $(head -20 plain)"

for width in 60 100; do
	COLUMNS=$width on_terminal "$ASSAY" report --stdio -i app.data >shown || fail "status $?"
	sed 's/\x1b\[[0-9;]*m//g' shown >letters
	awk -v width=$width '!/^#/ && length > width + 2 { print; bad = 1 } END { exit bad }' letters || fail "wider than $width"
	! grep -qF "$long" shown && grep -q 'insert_or_replace' shown && grep -q '…' shown || fail "$width: $(cat shown)"
	sed -n '1,/^#$/p' letters >first
	[ "$(sed -n 1p first)" = '# Hottest functions (own time):' ] && grep -q '70.00%.*insert_or_replace' first &&
		grep -q '20.00%.*render' first || fail "what is hottest: $(cat letters)"
	sed -n '/^# Hottest path/,/^#$/p' letters >path
	[ "$(grep -c '%' path)" = 4 ] && sed -n 3p path | grep -q '100.00%   main$' && grep -q '70.00%.*replace' path || fail "the path: $(cat path)"
	grep -q "$(printf '\033\\[31m *70.00%%\033\\[m')" shown || fail "no colour: $(cat shown)"
done
# Where the locale has no UTF-8, there is none: less shows its bytes as <E2><80><A6>. Two dots are two columns.
for width in 60 61 100; do
	COLUMNS=$width TERM=xterm LC_ALL=C python3 "$TOOLS/on_terminal.py" "$ASSAY" report --stdio --color never -i app.data >shown
	! LC_ALL=C grep -q $'[\x80-\xff]' shown && grep -qF '..' shown || fail "the C locale, $width: $(cat shown)"
	awk -v width=$width '/%/ && length > width + 2 && !/Quality|WARNING/ { print; bad = 1 } END { exit bad }' shown || fail "C: wider than $width"
done
# A buffer of output may be full inside a name.
awk 'BEGIN { for (i = 0; i < 6000; i++)
	printf "app;acme::storage::BTree<std::basic_string<char>, %d>::insert_or_replace(acme::Key const&);leaf%d 1\n", i, i }' >many.folded
"$ASSAY" import -o many.data many.folded >none 2>&1
"$ASSAY" report --stdio -g --percent-limit 0 -i many.data >whole
for locale in C C.UTF-8; do
	COLUMNS=60 TERM=xterm LC_ALL=$locale PAGER=cat python3 "$TOOLS/on_terminal.py" "$ASSAY" report --stdio -g --percent-limit 0 \
		-i many.data >shown || fail "more than a buffer, $locale: status $?: $(tail -3 shown)"
	[ "$(grep -c 'leaf[0-9]' shown)" -ge "$(grep -c 'leaf[0-9]' whole)" ] || fail "more than a buffer, $locale: lines are missing"
	[ "$(wc -c <shown)" -gt 1048576 ] || fail "$(wc -c <shown) bytes are no more than a buffer"
done
# Colours are a question of the terminal, of NO_COLOR and of --color.
NO_COLOR=1 on_terminal "$ASSAY" report --stdio -i app.data >shown
! grep -q $'\033' shown || fail "NO_COLOR: $(head -3 shown)"
on_terminal "$ASSAY" report --stdio --color never -i app.data >shown
! grep -q $'\033' shown || fail "--color never: $(head -3 shown)"
"$ASSAY" report --color=always -i app.data >coloured
sed 's/\x1b\[[0-9;]*m//g' coloured | expect_same plain - "colours in a pipe"
grep -q $'\033' coloured || fail "--color=always"
"$ASSAY" report --stdio-color never -i app.data | expect_same plain - "--stdio-color never"
# Rows that other programs read stay as they are, also on a terminal.
on_terminal "$ASSAY" report --stdio -q -t, --color never -i app.data >shown
grep -qF "BTree" shown && ! grep -q '^#\|…' shown || fail "-t: $(cat shown)"
on_terminal "$ASSAY" report --json -i app.data | python3 -m json.tool >none || fail "--json on a terminal"
expect_exit 2 "$ASSAY" report --color sometimes -i app.data 2>err

# The path ends in the function that most of it ends in, not in the little that this calls; recursion, whatever its depth, is one step of it.
printf '%s\n' 'main;work 70' 'main;work;fault 20' 'main;idle 10' >ends.folded
"$ASSAY" import -o ends.data ends.folded >none 2>&1
on_terminal "$ASSAY" report --stdio --color never -i ends.data | sed -n '/Hottest path/,/^#$/p' >path
grep -q '90.00%   *work$' path && ! grep -q fault path || fail "what a path ends in: $(cat path)"
printf '%s\n' 'main;fib 10' 'main;fib;fib 20' 'main;fib;fib;fib 20' 'main;fib;fib;fib;leaf 25' 'main;fib;leaf 20' 'main;other 5' >deep.folded
"$ASSAY" import -o deep.data deep.folded >none 2>&1
on_terminal "$ASSAY" report --stdio --color never -i deep.data | sed -n '/Hottest path/,/^#$/p' >path
grep -q '95.00%   *fib (recursive)$' path && [ "$(grep -c '%' path)" = 2 ] || fail "recursion: $(cat path)"
printf '%s\n' 'main;fib;fib;fib;leaf 45' 'main;fib;leaf 30' 'main;fib 20' 'main;other 5' >deep.folded
"$ASSAY" import -o deep.data deep.folded >none 2>&1
on_terminal "$ASSAY" report --stdio --color never -i deep.data | sed -n '/Hottest path/,/^#$/p' >path
grep -q '75.00%   *leaf$' path && [ "$(grep -c '%' path)" = 3 ] || fail "below recursion: $(cat path)"

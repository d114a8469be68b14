# The configuration: set, shown, used, overridden by options; files of others are refused.
. "$(dirname "$0")/../lib.sh"
need python3
data=$(cd "$(dirname "$0")/../golden/recordings" && pwd)/assay-chains.data
unset XDG_CONFIG_HOME ASSAY_CONFIG
export XDG_CONFIG_HOME=$PWD/xdg
file=xdg/assay/config

"$ASSAY" report -i "$data" >plain
"$ASSAY" report --no-children --percent-limit 5 -i "$data" >wanted
! cmp -s plain wanted || fail "the options change nothing"
expect_exit 1 "$ASSAY" config report.children 2>err
grep -q 'report.children is not set' err || fail "$(cat err)"
"$ASSAY" config report.children=false report.percent-limit=5
[ "$("$ASSAY" config report.children)" = report.children=false ] || fail "get: $(cat $file)"
"$ASSAY" config -l >list
printf 'report.children=false\nreport.percent-limit=5\n' | expect_same - list "the list"
"$ASSAY" report -i "$data" | expect_same wanted - "report, configured"
# What is typed has the last word.
"$ASSAY" report --children --percent-limit 0 -g graph,0.5 -i "$data" >typed
"$ASSAY" config --user report.children=true
[ "$(grep -c children $file)" = 1 ] || fail "set twice: $(cat $file)"
ASSAY_CONFIG='' "$ASSAY" report -i "$data" | expect_same plain - "without a file"
# The rest of a file stays as it is.
printf '# mine\n[report]\n\tchildren = false # why\n\n[other]\n\tx = y\n' >$file
"$ASSAY" config report.sort_order=dso annotate.disassembler_style=intel
printf '# mine\n[report]\n\tchildren = false # why\n\tsort_order = "dso"\n\n[other]\n\tx = y\n[annotate]\n\tdisassembler_style = "intel"\n' |
	expect_same - $file "a file that was edited"
"$ASSAY" report -i "$data" >shown
"$ASSAY" report --no-children --sort dso -i "$data" | ASSAY_CONFIG='' expect_same - shown "the sort order"
# A link to a file that is kept elsewhere stays one.
mv $file kept && ln -s ../../kept $file
"$ASSAY" config report.percent-limit=7
[ -L $file ] && grep -q 'percent-limit = "7"' kept || fail "a link: $(ls -l $file; cat kept)"
rm $file kept
# Call chains, where there are some.
printf '[call-graph]\n\tprint-type = folded\n' >$file
"$ASSAY" report -i "$data" >shown 2>err
ASSAY_CONFIG='' "$ASSAY" report -g folded -i "$data" | expect_same - shown "call-graph.print-type"
"$ASSAY" report -i "${data%chains*}plain.data" >shown 2>err
! grep -q 'shows nothing' err || fail "$(cat err)"
# No pager.
printf '[pager]\n\treport = false\n' >$file
printf '#!/bin/sh\necho pager:\ncat\n' >pager
chmod +x pager
ASSAY_PAGER=$PWD/pager TERM=xterm python3 "$TOOLS/on_terminal.py" "$ASSAY" report --stdio -i "$data" >shown
! grep -q '^pager:' shown || fail "pager.report: $(head -2 shown)"

# No browser, unless it is asked for.
printf '[tui]\n\treport = false\n[pager]\n\treport = false\n' >$file
TERM=xterm timeout 60 python3 "$TOOLS/on_terminal.py" "$ASSAY" report -i "$data" >shown || fail "tui.report: status $?"
grep -q '^# Hottest functions' shown || fail "tui.report: $(head -3 shown)"
expect_exit 1 "$ASSAY" report --tui -i "$data" 2>err
grep -q 'is no terminal' err || fail "--tui in spite of tui.report: $(cat err)"
"$ASSAY" report --json -i "$data" >json 2>err || fail "--json with tui.report: $(cat err)"

# Mistakes.
expect_exit 2 "$ASSAY" config report.childen=1 2>err
grep -q "did you mean 'report.children'" err || fail "$(cat err)"
printf '[report]\nnonsense line\n\tpercent-limit = 5\n' >$file
"$ASSAY" report -i "$data" >shown 2>err
grep -q "$file: line 2 is neither" err || fail "$(cat err)"
"$ASSAY" config -l >shown 2>err
[ "$(cat shown)" = report.percent-limit=5 ] && grep -q "$file: line 2 is neither" err || fail "config -l: $(cat shown err)"
# An option that was not typed: its key is named; one that was typed is not the configuration's.
printf '[annotate]\n\tdisassembler_style = weird\n' >$file
expect_exit 2 "$ASSAY" report -i "$data" 2>err >none
grep -q "configuration: annotate.disassembler_style: .*'weird'" err || fail "$(cat err)"
expect_exit 2 "$ASSAY" annotate -M weird -i "$data" 2>err >none
! grep -q configuration err || fail "a mistake that was typed: $(cat err)"
# Values that no command takes are not written.
for word in report.children=maybe tui.top=x colors.top=rot; do
	expect_exit 2 "$ASSAY" config $word 2>err
	grep -q "config: ${word%=*} is .*not '${word#*=}'" err || fail "$word: $(cat err)"
done
[ "$("$ASSAY" config -l)" = annotate.disassembler_style=weird ] || fail "written: $(cat $file)"
rm $file && mkfifo $file
expect_exit 1 "$ASSAY" config 2>err
grep -q "$file: it is no regular file" err || fail "a FIFO: $(cat err)"
rm $file && head -c 70000 /dev/zero | tr '\0' '#' >$file
expect_exit 1 "$ASSAY" config 2>err
grep -q 'at most 64 kB' err || fail "a large file: $(cat err)"
printf '[report]\n\tpercent-limit = much\n' >$file
expect_exit 2 "$ASSAY" report -i "$data" 2>err >none
grep -q "percent-limit: 'much'" err || fail "$(cat err)"
printf '[colors]\n\ttop = red, rot\n\tmedium = green\n' >$file
"$ASSAY" report -i "$data" 2>err | expect_same plain - "a colour that is none"
grep -q "colors.top is two of black.*not 'red, rot'" err && ! grep -q medium err || fail "$(cat err)"
# Files of others.
printf '[report]\n\tchildren = false\n' >$file
chmod o+w $file
"$ASSAY" report -i "$data" 2>err | expect_same plain - "a file that all can write to"
grep -q 'others can write to it' err || fail "$(cat err)"
chmod o-w $file
# A group may write where it is the user's own: its number is that of the user, who is not root.
chgrp "$(id -G | tr ' ' '\n' | grep -vx "$(id -u)" | head -1 | grep . || id -g)" $file
chmod g+w $file
if [ "$(stat -c %u $file)" = 0 ] || [ "$(stat -c %u $file)" != "$(stat -c %g $file)" ]; then
	"$ASSAY" report -i "$data" 2>err | expect_same plain - "a file that a group can write to"
	grep -q "others can write to it; 'chmod go-w" err || fail "a group: $(cat err)"
fi
chmod g-w $file
if [ "$(id -u)" = 0 ]; then
	chown 12345 $file
	"$ASSAY" report -i "$data" 2>err | expect_same plain - "a file of another user"
	grep -q 'belongs to another user' err || fail "$(cat err)"
	expect_exit 1 "$ASSAY" config -l 2>err
fi

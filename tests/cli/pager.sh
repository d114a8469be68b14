# Long output on a terminal goes through a pager: which one, with what in its environment, and what happens when it or assay ends early.
. "$(dirname "$0")/../lib.sh"
need python3
data=$(cd "$(dirname "$0")/../golden/recordings" && pwd)/assay-plain.data
on_terminal() {
	TERM=xterm python3 "$TOOLS/on_terminal.py" "$@"
}
unset LESS PAGER ASSAY_PAGER

# A pager that shows what it was given.
cat >pager <<'END'
#!/bin/sh
echo "pager: LESS=$LESS arguments: $*"
[ "$1" != one ] || exec head -n 1
cat
echo "pager: end"
END
chmod +x pager
"$ASSAY" report -i "$data" >plain
# On a terminal, a report begins with the hottest functions, and lines fit.
ASSAY_PAGER="$PWD/pager a  b" PAGER=false COLUMNS=400 on_terminal "$ASSAY" report --stdio -i "$data" >shown || fail "report: status $?"
grep -qx 'pager: LESS=FRX arguments: a b' shown && [ "$(tail -n 1 shown)" = 'pager: end' ] || fail "report: $(cat shown)"
grep -q '^# Hottest functions' shown || fail "report: $(head -5 shown)"
sed '1d;$d' shown | sed 's/\x1b\[[0-9;]*m//g; /^# Hottest functions/,/^# To display/{/^# To display/!d}' | expect_same plain - "what the pager got"
LESS=S PAGER=$PWD/pager on_terminal "$ASSAY" list sw >shown
grep -qx 'pager: LESS=S arguments: ' shown || fail "PAGER, LESS: $(head -3 shown)"

# None: asked for, empty, cat, missing; in a pipe.
for none in '' cat /nonexistent/pager; do
	ASSAY_PAGER=$none on_terminal "$ASSAY" evlist -i "$data" >shown || fail "'$none': status $?"
	! grep -q 'pager' shown && grep -q . shown || fail "'$none': $(cat shown)"
done
ASSAY_PAGER=$PWD/pager on_terminal "$ASSAY" --no-pager evlist -i "$data" >shown
! grep -q pager: shown || fail "--no-pager: $(cat shown)"
ASSAY_PAGER=$PWD/pager "$ASSAY" evlist -i "$data" >shown
! grep -q pager: shown || fail "in a pipe: $(cat shown)"

# What fails before there is output starts none, and the status is the command's own.
status=0
ASSAY_PAGER=$PWD/pager on_terminal "$ASSAY" report --stdio -i nonexistent >shown || status=$?
[ $status -eq 1 ] && ! grep -q pager: shown || fail "no file: status $status, $(cat shown)"
# Messages at the end come behind the text, through the pager.
ASSAY_PAGER=$PWD/pager on_terminal "$ASSAY" report --stdio -i "${data%assay-plain*}cut.data" >shown || status=$?
grep -q '^assay: ' shown && [ "$(tail -n 1 shown)" = 'pager: end' ] || fail "a damaged file: $(tail -3 shown)"

# A pager that ends before the text does is no error to be reported; an interrupt waits for the pager, so that the shell gets the terminal last.
status=0
ASSAY_PAGER="$PWD/pager one" on_terminal "$ASSAY" list >shown || status=$?
[ $status -eq 141 ] || [ $status -eq 0 ] || fail "a pager that quits: status $status"
! grep -q '^assay:' shown || fail "a pager that quits: $(cat shown)"
cat >slow <<'END'
#!/bin/sh
trap 'interrupted=1' INT
echo "slow: waiting"
while [ -z "$interrupted" ]; do sleep 0.1; done
cat >/dev/null
echo "slow: end"
END
chmod +x slow
status=0
ASSAY_PAGER=$PWD/slow on_terminal --interrupt 'slow: waiting' "$ASSAY" script -i "$data" >shown || status=$?
grep -q 'slow: end' shown && { [ $status -eq 130 ] || [ $status -eq 0 ]; } || fail "an interrupt: status $status, $(cat shown)"

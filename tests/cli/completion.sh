# The bash completion script: commands, options out of the tables, arguments by their hints; and what all shells rely on.
. "$(dirname "$0")/../lib.sh"

"$ASSAY" completion bash >script
bash -n script
expect_exit 2 "$ASSAY" completion tcsh 2>err
grep -q 'bash, zsh or fish' err || fail "of a shell that we do not know: $(cat err)"

# every negation that is offered is one that the command takes, as far as the parser goes
negations=0
for command in $("$ASSAY" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	for no in $("$ASSAY" "$command" --completion-helper | cut -f 6); do
		"$ASSAY" "$command" "$no" --completion-helper >/dev/null 2>err || fail "$command $no is offered: $(cat err)"
		negations=$((negations + 1))
	done
done
[ "$negations" -gt 50 ] || fail "only $negations negations are offered"

mkdir bin
ln -s "$ASSAY" bin/assay
ln -s "$ASSAY" bin/strace
PATH=$TMPDIR/bin:$PATH
set +eu
. ./script

# complete WANTED WORD…: the last word is being typed
complete_to() {
	local want=$1
	shift
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_assay 2>/dev/null
	[[ " ${COMPREPLY[*]} " == *" $want "* ]] || fail "'$*' completes to '${COMPREPLY[*]}', not '$want'"
}
# complete_not UNWANTED WORD…
complete_not() {
	local no=$1
	shift
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_assay 2>/dev/null
	[[ " ${COMPREPLY[*]} " != *" $no "* ]] || fail "'$*' completes to '${COMPREPLY[*]}', with '$no'"
}
complete_to version assay ver
complete_to help assay ''
complete_to --version assay --
complete_to --build-options assay version --b
complete_to bash assay completion ''
complete_to completion assay help comp
# commands of the second level have options of their own
complete_to verify assay cache ver
complete_to --older-than assay cache clear --old
complete_not --older-than assay cache verify --
complete_to --json assay cache verify --js
complete_to --json assay cache --js
complete_not list assay cache verify ''
# strace's options, behind --strace and under its name
complete_to --string-limit assay trace --strace --string-l
complete_not --string-limit assay trace --string-l
complete_to --string-limit strace --string-l
complete_to cat assay trace --strace -f ca
complete_to cat strace -s 10 -f ca
complete_to root strace -u roo
[ "$(complete -p strace)" = 'complete -F _assay strace' ] || fail "a link named strace is not completed: $(complete -p strace)"
if "$ASSAY" record --help >/dev/null 2>&1; then
	touch some.data
	complete_to --output assay record --out
	complete_to some.data assay record -o some
	complete_to some.data assay record --output = some
	complete_to cat assay record -g ca
	complete_to some.data assay report -i some
	complete_to comm assay report --sort co
	complete_to comm,dso,sym assay report -s comm,dso,sy
	complete_to overhead_children assay report -F overhead_c
	complete_to phys_addr assay script -F ph
	complete_to always assay report --stdio-color al
fi
# events come from the machine; bash cuts the words at colons, and a list grows at its end
complete_to cpu-clock assay record -e cpu-cl
complete_to cpu-clock,page-faults assay record -e cpu-clock,page-f
complete_to task-clock assay list task
if "$ASSAY" list sched:sched_switch >/dev/null 2>&1; then
	complete_to sched_switch assay record -e sched : sched_swi
	complete_to sched_switch assay record -e cpu-clock,sched : sched_swi
	complete_to sched_switch assay record -e sched :
	complete_to cat assay record -e sched : sched_switch ca
	complete_to sched_switch assay record -e irq : irq_handler_entry,sched : sched_swi
	complete_to sched_switch assay record --event = sched : sched_swi
fi
# negations, where one is begun; several files with commas; no word of a list twice
complete_to --no-inline assay flame --no-in
complete_to --no-demangle assay report --no-de
complete_not --no-inline assay flame --
mkdir some.dir
touch some.data2 'a b.data'
complete_to some.data,some.data2 assay flame --diff some.data,some
complete_to a.data,some.dir/ assay diff a.data,some
complete_not some.data,some.data assay diff some.data,some
complete_to 'a b.data' assay diff a
complete_to comm,tid assay flame --by comm,
complete_not comm,comm assay flame --by comm,
complete_not comm,none assay flame --by comm,
complete_to none assay flame --by ''
# what may be left out is an argument behind the equals sign only
complete_to short assay flame --demangle = s
complete_not short assay flame --demangle s
complete_to some.data assay flame --demangle some
# events of a recording: of perf.data, of -i, of the word; of the machine where there is none
complete_to cpu-clock assay flame -e cpu-cl
"$ASSAY" record -q -e task-clock:u -e cpu-clock -o some.data -- true
complete_to cpu-clock assay flame -i some.data -e ''
complete_to cpu-clock assay flame --input = some.data -e cpu
complete_to cpu-clock assay flame some.data -e ''
complete_to u assay flame some.data -e task-clock :
complete_not page-faults assay flame -i some.data -e ''
complete_to page-faults assay flame -e page-f
cp some.data perf.data
complete_to cpu-clock assay heatmap --from cpu
complete_not page-faults assay flame -e page-f
echo "NOTE: $negations negations, all taken"

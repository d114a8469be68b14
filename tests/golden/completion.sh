# The bash completion script: commands, options out of the tables, arguments by their hints.
. "$(dirname "$0")/../lib.sh"

"$ASSAY" completion bash >script
bash -n script
"$ASSAY" completion zsh >zscript
if command -v zsh >/dev/null; then zsh -n zscript; fi
expect_exit 2 "$ASSAY" completion fish 2>/dev/null

mkdir bin
ln -s "$ASSAY" bin/assay
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
complete_to version assay ver
complete_to help assay ''
complete_to --version assay --
complete_to --build-options assay version --b
complete_to bash assay completion ''
complete_to completion assay help comp
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
fi
